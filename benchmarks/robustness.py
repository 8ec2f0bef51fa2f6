"""Scores from raw text as the world writes it: other quotes, accents, cases and lines.

    python -m benchmarks.robustness TREEBANK [--model MODEL]

takes the test set of a treebank and changes its text in one way after the other. The
forms of the gold words change with it, so that every score is that of the CoNLL 2018
shared task, and the difference to the text as it is tells what the change costs.
Without a model, the command trains the pipeline of configs/fast.cfg on the treebank
first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.memory import ROOT
from spacy_dynoracle.cli.common import load_pipeline, one_line_errors
from spacy_dynoracle.evaluation.conll2018 import TextScore, score_texts
from spacy_dynoracle.evaluation.texts import text_of
from spacy_dynoracle.treebank import TreebankSentence, read_conllu
from spacy_dynoracle.treebank.files import find_split
from spacy_dynoracle.treebank.text import paragraphs
from spacy_dynoracle.treebank.writer import doc_sentences
from spacy_dynoracle.util.progress import progress_bar

MEASURES = ("Words", "Sentences", "UPOS", "UFeats", "LAS")
# Characters of a line.
WIDTH = 72
QUOTE = ">"
DECOMPOSED, QUOTED = "decomposed (NFD)", "e-mail quotes"
Sentences = Sequence[TreebankSentence]
app = typer.Typer(add_completion=False, rich_markup_mode=None)


# ---- changes of the gold sentences ---------------------------------------------------


def with_forms(change: Callable[[str], str]) -> Callable[[Sentences], Sentences]:
    """A change of every form."""

    def changed(sentences: Sentences) -> Sentences:
        return [
            replace(
                sentence,
                words=tuple(w._replace(form=change(w.form)) for w in sentence.words),
                multiword_tokens=tuple(
                    t._replace(form=change(t.form)) for t in sentence.multiword_tokens
                ),
            )
            for sentence in sentences
        ]

    return changed


def typographic(sentences: Sentences) -> Sentences:
    """With the quotes, dashes and dots of typesetters."""
    is_open = False

    def change(form: str) -> str:
        nonlocal is_open
        found = form.replace("'", "’").replace("...", "…").replace("--", "—")
        while '"' in found:
            is_open = not is_open
            found = found.replace('"', "“" if is_open else "”", 1)
        return found

    return with_forms(change)(sentences)


def without_full_stops(sentences: Sentences) -> Sentences:
    """Without the full stop at the end of a sentence."""
    found = []
    for sentence in sentences:
        *words, last = sentence.words
        is_leaf = all(word.head != len(words) + 1 for word in words)
        inside = any(t.last > len(words) for t in sentence.multiword_tokens)
        if words and last.form == "." and last.head and is_leaf and not inside:
            words[-1] = words[-1]._replace(misc=last.misc)
            sentence = replace(sentence, words=tuple(words))
        found.append(sentence)
    return found


def unchanged(sentences: Sentences) -> Sentences:
    """As they are."""
    return sentences


# ---- changes of the text -------------------------------------------------------------


def lines(text: str) -> list[str]:
    """The text in lines, which are cut at blanks."""
    return textwrap.wrap(
        text, WIDTH, break_long_words=False, break_on_hyphens=False
    ) or [text]


def same(text: str) -> str:
    """The text."""
    return text


def normal(form: Literal["NFC", "NFD", "NFKC"]) -> Callable[[str], str]:
    """A change of characters into a normal form of Unicode."""
    return lambda text: unicodedata.normalize(form, text)


# What becomes of the gold sentences and of their text.
CHANGES: dict[str, tuple[Callable[[Sentences], Sentences], Callable[[str], str]]] = {
    "as it is": (unchanged, same),
    "typographic characters": (typographic, same),
    # The words of multiword tokens do not stand in the text, and stay composed.
    DECOMPOSED: (unchanged, normal("NFD")),
    "compatible (NFKC)": (with_forms(normal("NFKC")), same),
    "upper case": (with_forms(str.upper), same),
    "lower case": (with_forms(str.lower), same),
    "without full stops": (without_full_stops, same),
    "wrapped lines": (unchanged, lambda text: "\n".join(lines(text))),
    "wrapped lines, CRLF": (unchanged, lambda text: "\r\n".join(lines(text))),
    "doubled blanks": (unchanged, lambda text: text.replace(" ", "  ")),
    QUOTED: (
        # What the text has of these marks is not taken for a quote then.
        with_forms(lambda form: form.replace(QUOTE, "+")),
        lambda text: "\n".join(f"{QUOTE} {line}" for line in lines(text)),
    ),
}


# ---- scores --------------------------------------------------------------------------


def without_quotes(sentences: Sentences) -> Sentences:
    """Parsed sentences without the marks of e-mail quotes. What depends on a mark gets
    its head.
    """
    found = []
    for sentence in sentences:
        words = sentence.words
        kept = [i for i, word in enumerate(words, 1) if word.form != QUOTE]
        number = {old: new for new, old in enumerate(kept, 1)}

        def head_of(head: int | None, words=words, number=number) -> int | None:
            while head and head not in number:
                head = words[head - 1].head
            return number[head] if head else head

        new = tuple(
            words[i - 1]._replace(head=head_of(words[i - 1].head)) for i in kept
        )
        ranges = tuple(
            t._replace(first=number[t.first], last=number[t.last])
            for t in sentence.multiword_tokens
            if t.first in number and t.last in number
        )
        if new:
            found.append(replace(sentence, words=new, multiword_tokens=ranges))
    return found


RESTORED = {DECOMPOSED: with_forms(normal("NFC")), QUOTED: without_quotes}


def scores(
    nlp: Language,
    sentences: Sentences,
    change: Callable[[Sentences], Sentences],
    rewrite: Callable[[str], str],
    restore: Callable[[Sentences], Sentences],
) -> dict[str, TextScore]:
    """The scores of a pipeline on changed text.

    Args:
        restore: Undoes a change of the text in what was parsed.
    """
    gold: list[TreebankSentence] = []
    predicted: list[TreebankSentence] = []
    groups = list(paragraphs(change(sentences)))
    docs: Iterable[Doc] = nlp.pipe(rewrite(text) for text, _ in groups)
    for (_, group), doc in zip(groups, docs, strict=True):
        gold += group
        predicted += restore(list(doc_sentences(doc)))
    return score_texts(text_of(gold), text_of(predicted))


def trained(directory: Path, lang: str, folder: Path, seed: int) -> Path:
    """The fast pipeline, trained on a treebank."""
    prepare = [ROOT / "scripts" / "prepare.py", directory.name, folder / "corpus"]
    options = ["--treebanks", directory.parent, "--n-sents", 10, "--lang", lang]
    run([*prepare, *options])
    paths = [
        f"--paths.{split}={folder / 'corpus' / split}.spacy"
        for split in ("train", "dev")
    ]
    settings = [f"--nlp.lang={lang}", f"--system.seed={seed}", *paths]
    config = ROOT / "configs" / "fast.cfg"
    run(["-m", "spacy", "train", config, "--output", folder, *settings])
    return folder / "model-last"


def run(arguments: Sequence[object]) -> None:
    """Run Python with some arguments."""
    subprocess.run([sys.executable, *map(str, arguments)], check=True, cwd=ROOT)


@app.command()
@one_line_errors
def main(
    treebank: Annotated[Path, typer.Argument(help="Directory of a treebank.")],
    model: Annotated[
        Path | None, typer.Option(help="A pipeline; by default one is trained.")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of a pipeline to train.")] = "en",
    split: Annotated[str, typer.Option(help="What is parsed: test or dev.")] = "test",
    seed: Annotated[int, typer.Option(help="Seed of training.")] = 1,
) -> None:
    """Print scores from raw text as it is, and as the world writes it."""
    path = find_split(treebank, split)
    if path is None:
        raise typer.BadParameter(f"{treebank}: no file for the split {split!r}")
    with tempfile.TemporaryDirectory() as folder:
        found = model or trained(treebank.absolute(), lang, Path(folder), seed)
        nlp = load_pipeline(str(found))
    sentences = list(read_conllu(path))
    table = Table(title=f"{path.parent.name}, {split}: F1 from raw text")
    table.add_column("text")
    for name in (*MEASURES, "LAS, difference"):
        table.add_column(name, justify="right")
    plain = 0.0
    with progress_bar(f"of {len(CHANGES)} texts parsed") as advance:
        for name, (change, rewrite) in CHANGES.items():
            restore = RESTORED.get(name, unchanged)
            of = scores(nlp, sentences, change, rewrite, restore)
            las = 100 * of["LAS"].f1
            plain = plain or las
            values = [
                f"{100 * of[measure].f1:.2f}" if measure in of else "-"
                for measure in MEASURES
            ]
            table.add_row(name, *values, f"{las - plain:+.2f}")
            advance(1)
    Console(width=100).print(table)


if __name__ == "__main__":
    app()
