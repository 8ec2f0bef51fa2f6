"""Copies of treebanks with fewer sentences or without labels, for experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from spacy_dynoracle.treebank import find_treebank
from spacy_dynoracle.treebank.files import SPLITS
from spacy_dynoracle.util.files import replace_file

# The only label of a copy without labels.
LABEL = "dep"
HEAD, DEPREL, DEPS = 6, 7, 8


def copy_treebank(
    directory: Path,
    name: str,
    target: Path,
    *,
    sizes: Mapping[str, int] | None = None,
    labels: bool = True,
) -> Path:
    """Copy the files of a treebank to `target / name`, unless they are there.

    directory: directory of the treebanks. sizes: for each split the number of sentences
    to copy, the first ones; all if it is not named. labels: whether arcs keep their
    labels; otherwise all have one label, and the label is left out of DEPS.

    A file that is there and differs is replaced. Raises TreebankError if a split is
    missing.
    """
    copy = target / name
    copy.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        source = find_treebank(directory, name, split)
        text = source.read_text(encoding="utf-8")
        parts = list(sentences(text))[: (sizes or {}).get(split)]
        if not labels:
            parts = ["\n".join(map(_unlabelled, part.split("\n"))) for part in parts]
        data = "".join(f"{part}\n\n" for part in parts).encode("utf-8")
        path = copy / f"{split}{source.suffix}"
        if not path.exists() or path.read_bytes() != data:
            replace_file(path, data)
    return copy


def sentences(text: str) -> Iterator[str]:
    """The sentences of a CoNLL-U file, without the blank lines around them."""
    for part in text.replace("\r\n", "\n").split("\n\n"):
        if part.strip():
            yield part.strip("\n")


def _unlabelled(line: str) -> str:
    """A line whose arc has the label LABEL. Comments, multiword tokens and words
    without a head stay."""
    columns = line.split("\t")
    if line.startswith("#") or len(columns) <= DEPS or columns[HEAD] == "_":
        return line
    columns[DEPREL], columns[DEPS] = LABEL, "_"
    return "\t".join(columns)
