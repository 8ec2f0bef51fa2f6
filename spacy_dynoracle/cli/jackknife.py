"""``jackknife``: training data with the tags of taggers that have not seen it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from spacy.vocab import Vocab

from ..tagger.component import NAME
from ..tagger.jackknife import (
    EPOCHS,
    TaggerSettings,
    annotated_attrs,
    jackknife,
    replace_tags,
)
from ..treebank import TreebankSentence, doc_to_conllu, read_conllu, to_doc
from ..treebank.files import SUFFIXES
from ..treebank.sentence import UNKNOWN
from ..util.files import replace_file
from .common import CommandError, one_line_errors, progress_bar

SPACY = ".spacy"
# The column of CoNLL-U that belongs to an attribute.
COLUMNS = {"TAG": "xpos", "POS": "upos", "MORPH": "feats"}


@one_line_errors
def jackknife_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT", help="Training data: a .conllu, .conll or .spacy file."
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="The same with predicted tags: a .spacy file, or a .conllu file if "
            "the input is one."
        ),
    ],
    folds: Annotated[
        int,
        typer.Option(min=2, help="Parts that are tagged by a tagger of their own."),
    ] = 10,
    jobs: Annotated[int, typer.Option(min=1, help="Taggers trained at a time.")] = 1,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Take language, settings of dynoracle_tagger and epochs from a config "
            "file, such as configs/tagger.cfg."
        ),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language. Default: that of the config, or xx.")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help=f"Epochs. Default: those of the config, or {EPOCHS}."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed. Default: that of the config, or 0.")
    ] = None,
) -> None:
    """Tag training data with taggers that have not seen it, so that a parser learns
    from tags as they are in use.

    The data are cut into folds of neighbouring documents or sentences; each is tagged
    by a dynoracle_tagger trained on the others. Heads, labels and everything else stay.
    The output is written when all of it is there, and depends on the settings alone.
    """
    check_paths(path, output)
    settings = read_settings(config)
    if lang is not None:
        settings = replace(settings, lang=lang)
    if epochs is not None:
        settings = replace(settings, epochs=epochs)
    if seed is not None:
        settings = replace(settings, config=settings.config | {"seed": seed})
    try:
        vocab = settings.tagger().vocab
    except (ValueError, ImportError) as error:
        raise CommandError(" ".join(str(error).split())) from error
    sentences = list(read_conllu(path)) if path.suffix in SUFFIXES else None
    if sentences is None:
        docs = read_docs(path, vocab)
    else:
        docs = [to_doc(sentence, vocab) for sentence in sentences]
    attrs = wanted_attrs(path, settings, docs, sentences)
    with progress_bar("folds tagged") as advance:
        try:
            tables = list(jackknife(docs, attrs, settings, folds, jobs, advance))
        except ValueError as error:
            raise CommandError(f"{path}: {' '.join(str(error).split())}") from error
    accuracy = replace_tags(docs, attrs, tables)
    if output.suffix == SPACY:
        data = DocBin(docs=docs, store_user_data=True).to_bytes()
    else:
        data = conllu(docs, sentences or [], attrs).encode("utf-8")
    replace_file(output, data)
    scores = ", ".join(
        f"{attr} {100 * share:.2f} %"
        for attr, share in accuracy.items()
        if share is not None
    )
    typer.echo(f"{output}: {len(docs)} documents, right tags: {scores}")


def check_paths(path: Path, output: Path) -> None:
    """Raise CommandError unless both are files of a kind that goes together."""
    if not path.is_file():
        raise CommandError(f"{path}: no such file; name a .conllu or .spacy file")
    if path.suffix not in (*SUFFIXES, SPACY):
        raise CommandError(f"{path}: expected a .conllu, .conll or .spacy file")
    possible = (SPACY,) if path.suffix == SPACY else (*SUFFIXES, SPACY)
    if output.suffix not in possible:
        raise CommandError(
            f"{output}: expected the name of a {' or '.join(possible)} file to write"
        )
    if not output.parent.is_dir():
        raise CommandError(f"{output.parent}: no such directory to write to")


def read_settings(path: Path | None) -> TaggerSettings:
    """The settings of a config file, or the default ones.

    Raises CommandError when it cannot be read or has no tagger.
    """
    if path is None:
        return TaggerSettings()
    try:
        config = load_config(path, interpolate=True)
        components: dict[str, dict[str, Any]] = config["components"]
        found = [c for c in components.values() if c.get("factory") == NAME]
        lang = config["nlp"]["lang"]
        epochs = config.get("training", {}).get("max_epochs") or EPOCHS
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommandError(f"{path}: cannot be read as a config: {error}") from error
    if len(found) != 1:
        raise CommandError(f"{path}: expected one component of the factory {NAME}")
    settings = {key: value for key, value in found[0].items() if key != "factory"}
    return TaggerSettings(lang, settings, max(int(epochs), 1))


def read_docs(path: Path, vocab: Vocab) -> list[Doc]:
    """The documents of a .spacy file. Raises CommandError if it is none."""
    try:
        return list(DocBin().from_disk(path).get_docs(vocab))
    except Exception as error:
        raise CommandError(
            f"{path}: cannot be read as a .spacy file ({type(error).__name__}: {error})"
        ) from error


def wanted_attrs(
    path: Path,
    settings: TaggerSettings,
    docs: Sequence[Doc],
    sentences: Sequence[TreebankSentence] | None,
) -> list[str]:
    """The attributes to replace: of those the data have, those that the config names.

    Raises CommandError when there is none.
    """
    found = annotated_attrs(docs)
    if sentences is not None:
        # TAG falls back to UPOS in a Doc, but an empty column stays empty.
        found = [
            attr
            for attr in found
            if any(
                getattr(token, COLUMNS[attr]) != UNKNOWN
                for sentence in sentences
                for token in sentence.words
            )
        ]
    wanted = settings.config.get("attrs") or found
    attrs = [attr for attr in wanted if attr in found]
    if not attrs:
        raise CommandError(
            f"{path}: has no {' or '.join(wanted or COLUMNS)} to train taggers on"
        )
    return attrs


def conllu(
    docs: Sequence[Doc], sentences: Sequence[TreebankSentence], attrs: Sequence[str]
) -> str:
    """The sentences with the tags of their documents."""
    blocks = []
    for doc, sentence in zip(docs, sentences, strict=True):
        tokens = []
        for token, tagged in zip(sentence.words, doc, strict=True):
            if "TAG" in attrs:
                token = token._replace(xpos=tagged.tag_ or UNKNOWN)
            if "POS" in attrs:
                token = token._replace(upos=tagged.pos_ or UNKNOWN)
            if "MORPH" in attrs:
                token = token._replace(feats=str(tagged.morph) or UNKNOWN)
            tokens.append(token)
        blocks.append(doc_to_conllu(doc, replace(sentence, words=tuple(tokens))))
    return "".join(blocks)
