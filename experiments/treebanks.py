"""Treebanks for experiments: found, made smaller, without labels or heads, converted.

A *variant* of a treebank has fewer sentences, no labels, or training trees with unknown
heads. Its files are made once and made again when the treebank changes.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import srsly
from spacy.vocab import Vocab

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_conllu, to_doc_bin
from spacy_dynoracle.treebank.files import SPLITS, find_split, find_splits
from spacy_dynoracle.treebank.sentence import UNKNOWN
from spacy_dynoracle.util.files import replace_file

from .papers import papers
from .settings import Setting

# The only label of a treebank without labels.
LABEL = "dep"
HEAD, DEPREL, DEPS = 6, 7, 8
# This seed is not that of training, so all seeds of training lack the same heads.
SEED = 0
# The reader of the config cuts documents into sentences. It reads large documents
# faster.
SENTENCES_PER_DOC = 20
# The lines of a sentence, cut into columns.
Block = list[list[str]]


# ---- which treebanks -----------------------------------------------------------------


def language_of(treebank: str) -> str:
    """The language in the name of a treebank, such as "English" of "UD_English-EWT";
    "" if it is a language of no paper.
    """
    known = {
        column.partition(",")[0]
        for paper in papers()
        for table in paper.tables
        for column in table.columns
    }
    # UD_Old_French is no French.
    whole = re.match("UD_(.+?)(?:-|$)", treebank)
    words = [whole[1]] if whole else re.split(r"[^A-Za-z]+", treebank)
    return next((word for word in words if word in known), "")


def find_treebanks(directory: Path) -> list[str]:
    """The treebanks of a directory with all three splits, in the order in which a
    small scale takes them: those of different languages first, and among these the
    languages that most papers have.
    """
    found = sorted(
        sub.name
        for sub in directory.iterdir()
        if sub.is_dir() and all(find_split(sub, split) for split in SPLITS)
    )

    def n_papers(name: str) -> int:
        columns = [
            [c.partition(",")[0] for t in paper.tables for c in t.columns]
            for paper in papers()
        ]
        return sum(language_of(name) in of_paper for of_paper in columns)

    found.sort(key=lambda name: (-n_papers(name), name))
    firsts = {language_of(name): name for name in reversed(found)}
    return sorted(found, key=lambda name: firsts[language_of(name)] != name)


# ---- variants ------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """What is left of a treebank.

    Attributes:
        sizes: For each split the number of sentences, the first ones; all if it is not
            named.
        labels, removed, removed_from: As in `Setting`.
    """

    sizes: tuple[tuple[str, int], ...] = ()
    labels: bool = True
    removed: int = 0
    removed_from: str = "words"

    @classmethod
    def of(cls, setting: Setting, sizes: Mapping[str, int]) -> Variant:
        """The variant that a setting is trained on."""
        kind = setting.removed_from if setting.removed else "words"
        return cls(tuple(sizes.items()), setting.labels, setting.removed, kind)

    @property
    def name(self) -> str:
        """The name of a directory."""
        parts = ["labelled" if self.labels else "unlabelled"]
        parts += [f"{split}{size}" for split, size in self.sizes]
        if self.removed:
            parts.append(f"without-{self.removed}-percent-of-{self.removed_from}")
        return "-".join(parts)

    def apply(self, blocks: list[Block], split: str) -> list[Block]:
        """The sentences of a split that are left, changed in place."""
        blocks = blocks[: dict(self.sizes).get(split)]
        if not self.labels:
            for columns in words_of(blocks):
                columns[DEPREL], columns[DEPS] = LABEL, "_"
        if self.removed and split == "train":
            forget = forget_words if self.removed_from == "words" else forget_sentences
            blocks = forget(blocks, self.removed)
        return blocks


def blocks_of(text: str) -> list[Block]:
    """The sentences of a CoNLL-U file."""
    return [
        [line.split("\t") for line in block.strip("\n").split("\n")]
        for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n"))
        if re.search("^[^#\\s]", block, flags=re.MULTILINE)
    ]


def text_of(blocks: Sequence[Block]) -> str:
    """The text of a CoNLL-U file with these sentences."""
    return "".join(
        "\n".join("\t".join(columns) for columns in block) + "\n\n" for block in blocks
    )


def words_of(blocks: Sequence[Block]) -> list[list[str]]:
    """The lines of all words with a known head."""
    return [
        columns
        for block in blocks
        for columns in block
        if columns[0].isdigit() and columns[HEAD] != UNKNOWN
    ]


def forget_words(blocks: list[Block], percent: int, seed: int = SEED) -> list[Block]:
    """Make the heads and labels of a percentage of the words unknown."""
    words = words_of(blocks)
    n = round(len(words) * percent / 100)
    for columns in random.Random(seed).sample(words, n):
        columns[HEAD] = columns[DEPREL] = UNKNOWN
    return blocks


def forget_sentences(blocks: list[Block], percent: int) -> list[Block]:
    """Leave sentences out until at least a percentage of the words is gone."""
    order = list(range(len(blocks)))
    random.Random(SEED).shuffle(order)
    to_go = round(len(words_of(blocks)) * percent / 100)
    left_out = set()
    for i in order:
        if to_go <= 0:
            break
        to_go -= len(words_of([blocks[i]]))
        left_out.add(i)
    return [block for i, block in enumerate(blocks) if i not in left_out]


# ---- files ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Corpus:
    """The files of a variant of a treebank.

    Attributes:
        digest: Of the files.
        sizes: For each split its sentences and its words with a known head.
    """

    directory: Path
    digest: str
    sizes: Mapping[str, Sequence[int]]

    def text(self, split: str) -> Path:
        """The CoNLL-U file of a split."""
        return self.directory / f"{split}.conllu"

    def binary(self, split: str) -> Path:
        """The file of a split in spaCy's format."""
        return self.directory / f"{split}.spacy"


def make_corpus(directory: Path, name: str, variant: Variant, output: Path) -> Corpus:
    """Make the files of a variant below `output`, unless they are there.

    Args:
        directory: Directory of the treebanks.

    Raises:
        TreebankError: For a treebank that is missing or cannot be used.
    """
    target = output / variant.name / name
    files = find_splits(directory / name)
    missing = [split for split in SPLITS if split not in files]
    if missing:
        source = str(directory / name)
        raise TreebankError(f"{source}: no file for the split {missing[0]!r}", source)
    data = [path.read_bytes() for path in files.values()]
    digest = hashlib.sha256(b"".join(hashlib.sha256(x).digest() for x in data))
    digest.update(variant.name.encode())
    made = target / "corpus.json"
    if not made.exists() or srsly.read_json(made)["digest"] != digest.hexdigest():
        target.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        sizes = dict(_write_splits(target, variant, data))
        values = {"digest": digest.hexdigest(), "sizes": sizes}
        replace_file(made, srsly.json_dumps(values).encode("utf-8"))
    return Corpus(target, **srsly.read_json(made))


def _write_splits(
    target: Path, variant: Variant, data: Sequence[bytes]
) -> Iterator[tuple[str, tuple[int, int]]]:
    corpus = Corpus(target, "", {})
    for split, content in zip(SPLITS, data, strict=True):
        blocks = variant.apply(blocks_of(content.decode("utf-8-sig")), split)
        replace_file(corpus.text(split), text_of(blocks).encode("utf-8"))
        docs = to_doc_bin(read_conllu(corpus.text(split)), Vocab(), SENTENCES_PER_DOC)
        replace_file(corpus.binary(split), docs.to_bytes())
        yield split, (len(blocks), len(words_of(blocks)))
