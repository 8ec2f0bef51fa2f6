"""Read a treebank and convert it to spaCy's binary format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer
from rich.console import Console
from rich.progress import track
from sources import PROVENANCE, source_of
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_dynoracle.errors import PipelineError, TreebankError, language_errors
from spacy_dynoracle.evaluation import words_found
from spacy_dynoracle.tokenizer.tokenizer import make_word_tokenizer
from spacy_dynoracle.treebank import check, read_conllu, to_doc_bin
from spacy_dynoracle.treebank.files import SPLITS, find_splits
from spacy_dynoracle.treebank.report import FEW_WORDS
from spacy_dynoracle.util.files import replace_file

console = Console(stderr=True, soft_wrap=True)
ENVIRONMENT = "DYNORACLE_TREEBANKS"
EMBEDDED = Path(__file__).parent.parent / "treebanks"


def convert(path: Path, n_sents: int, vocab: Vocab) -> DocBin:
    """Read a file into documents of `n_sents` sentences each.

    A sentence with unknown heads is a document of its own.

    Raises:
        TreebankError: At the first line with an error.
    """
    sentences = read_conllu(path)
    progress = track(sentences, f"Reading {path.name}", console=console)
    return to_doc_bin(progress, vocab, n_sents)


def every_split(directory: str | Path) -> dict[str, Path]:
    """The files of all splits.

    Raises:
        TreebankError: If one of them is missing.
    """
    found = find_splits(directory)
    missing = [split for split in SPLITS if split not in found]
    if missing:
        raise TreebankError(
            f"{directory}: no file for the split {missing[0]!r}; expected a directory "
            f"with {', '.join(f'{split}.conllu' for split in SPLITS)}, as "
            "'split' of the plug-in trials makes them of one file",
            str(directory),
        )
    return found


def warn_of(doubt: str) -> None:
    """Say what the user should know."""
    console.print(f"Warning: {doubt}", style="yellow", markup=False, highlight=False)


def warn_of_few_words(lang: str, train: Path, dev: Path) -> None:
    """Say so if the tokenizer of a language finds few of the words of the treebank."""
    with language_errors(lang):
        nlp = spacy.blank(lang)
    nlp.tokenizer = make_word_tokenizer()(nlp)
    nlp.tokenizer.initialize(lambda: [], nlp=nlp, path=train)
    share = words_found(nlp)(dev).words
    if share < FEW_WORDS:
        warn_of(
            f"the tokenizer of {lang!r} finds {100 * share:.1f} % of the "
            f"words of {dev} (F1), and no parser can score more than that on text: "
            "choose another tokenizer in [nlp.tokenizer], or parse text that is "
            "divided into words already"
        )


def main(
    treebank: Annotated[str, typer.Argument(help="Name of the treebank.")],
    output: Annotated[Path, typer.Argument(help="Directory for the .spacy files.")],
    treebanks: Annotated[
        str,
        typer.Option(
            help="Directory of treebanks. Default: those of this repository, or "
            f"the environment variable {ENVIRONMENT} if the name is not among them."
        ),
    ] = "",
    n_sents: Annotated[int, typer.Option(min=1, help="Sentences per document.")] = 1,
    lang: Annotated[
        str,
        typer.Option(
            help="Warn if spaCy's tokenizer of this language finds few of the words."
        ),
    ] = "",
) -> None:
    """Convert NAME/{train,dev,test}.conllu to train.spacy, dev.spacy and test.spacy.

    The test file is also copied unchanged, for the evaluation, and the licence for the
    package.
    """
    vocab = Vocab()
    named = os.environ.get(ENVIRONMENT)
    embedded = not named or (EMBEDDED / treebank).is_dir()
    directory = Path(treebanks or (EMBEDDED if embedded else named), treebank)
    try:
        paths = every_split(directory)
        binaries = {
            split: convert(path, n_sents, vocab) for split, path in paths.items()
        }
        for doubt in check(directory).doubts:
            warn_of(doubt)
        if lang:
            warn_of_few_words(lang, paths["train"], paths["dev"])
    except (PipelineError, TreebankError) as error:
        console.print(f"Error: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(1) from None
    output.mkdir(parents=True, exist_ok=True)
    for split, binary in binaries.items():
        replace_file(output / f"{split}.spacy", binary.to_bytes())
        console.print(f"{len(binary)} documents -> {output / f'{split}.spacy'}")
    replace_file(output / "test.conllu", paths["test"].read_bytes())
    known = srsly.json_dumps(source_of(treebank, directory), indent=2)
    replace_file(output / PROVENANCE, known.encode("utf8"))
    for path in filter(Path.is_file, directory.glob("LICENSE*")):
        replace_file(output / path.name, path.read_bytes())


if __name__ == "__main__":
    typer.run(main)
