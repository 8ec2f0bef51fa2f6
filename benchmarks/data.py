"""Documents and training examples from a treebank."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import cycle
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.vocab import Vocab

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.doc.readers import copy_annotation
from spacy_dynoracle.treebank import heads_and_labels, read_conllu, to_doc
from spacy_dynoracle.treebank.files import find_split

# The size of a training batch, as in configs/papers.cfg.
WORDS_PER_BATCH = 1000


@dataclass(frozen=True)
class Text:
    """The words, tags, lemmas and trees of a document.

    Attributes:
        morphs: Morphological analyses, as in CoNLL-U.
        heads: Heads within the sentence, as in CoNLL; None where the treebank has no
            head.
        labels: Labels of the arcs.
    """

    words: list[str]
    spaces: list[bool]
    pos: list[str]
    tags: list[str]
    morphs: list[str]
    lemmas: list[str]
    heads: list[int | None]
    labels: list[str | None]

    def doc(self, vocab: Vocab, **annotation: Any) -> Doc:
        """A new Doc with words, tags and lemmas, without sentence boundaries.

        Args:
            annotation: Further arguments of `Doc`.
        """
        return Doc(
            vocab,
            words=self.words,
            spaces=self.spaces,
            pos=self.pos,
            tags=self.tags,
            morphs=self.morphs,
            lemmas=self.lemmas,
            **annotation,
        )


def treebank_file(treebank: Path, split: str) -> Path:
    """The file of a split.

    Raises:
        CommandError: If it is missing.
    """
    if not treebank.is_dir():
        raise CommandError(f"{treebank}: no such directory of a treebank")
    path = find_split(treebank, split)
    if path is None:
        raise CommandError(f"{treebank}: no {split}.conllu in this treebank")
    return path


def read_texts(
    treebank: Path, seed: int, splits: Sequence[str] = ("dev", "test")
) -> list[Text]:
    """Read the sentences of dev and test, or of other splits, in random order.

    Raises:
        CommandError: If they have no words or no tags.
    """
    vocab = Vocab()
    texts = []
    for split in splits:
        for sentence in read_conllu(treebank_file(treebank, split)):
            doc = to_doc(sentence, vocab)
            texts.append(
                Text(
                    [token.text for token in doc],
                    [bool(token.whitespace_) for token in doc],
                    [token.pos_ for token in doc],
                    [token.tag_ for token in doc],
                    [str(token.morph) for token in doc],
                    [token.lemma_ for token in doc],
                    *heads_and_labels(doc),
                )
            )
    if not any(pos for text in texts for pos in text.pos):
        raise CommandError(
            f"{treebank}: {' and '.join(splits)} have no UPOS tags, which are preset "
            f"here"
        )
    random.Random(seed).shuffle(texts)
    return texts


def repeated(texts: list[Text], n_words: int) -> list[Text]:
    """Whole sentences with at least n words together.

    The list repeats if it is too short.
    """
    chosen = []
    for text in cycle(texts):
        if n_words <= 0:
            break
        chosen.append(text)
        n_words -= len(text.words)
    return chosen


def joined(texts: list[Text], size: int) -> list[Text]:
    """Join the sentences to documents of `size` sentences each."""
    if size == 1:
        return texts
    return [join(texts[i : i + size]) for i in range(0, len(texts), size)]


def join(texts: list[Text], n_words: int | None = None) -> Text:
    """Join sentences to one document, and cut it off after n words."""

    def column(name: str) -> list[Any]:
        return [value for text in texts for value in getattr(text, name)][:n_words]

    return Text(*(column(field.name) for field in fields(Text)))


def read_examples(treebank: Path, vocab: Vocab) -> list[Example]:
    """Read the train file with one sentence per example and gold POS and TAG on the
    predicted Docs.
    """
    path = treebank_file(treebank, "train")
    examples = []
    for sentence in read_conllu(path):
        reference = to_doc(sentence, vocab)
        spaces = [bool(token.whitespace_) for token in reference]
        words = [token.text for token in reference]
        example = Example(Doc(vocab, words=words, spaces=spaces), reference)
        copy_annotation(example, ["POS", "TAG"])
        examples.append(example)
    if not examples:
        raise CommandError(f"{path}: no sentences to train on")
    return examples


def batches(
    examples: list[Example],
    rng: random.Random,
    size: int | Iterator[float] = WORDS_PER_BATCH,
) -> Iterator[list[Example]]:
    """Yield the batches of one epoch: the examples in random order, so many words in a
    batch.
    """
    order = list(examples)
    rng.shuffle(order)
    yield from minibatch_by_words(order, size=size)


def count_words(texts: Iterable[Text]) -> int:
    """The total number of words."""
    return sum(len(text.words) for text in texts)


def cut_treebank(treebank: Path, directory: Path, n_words: int) -> Path:
    """Copy a treebank whose train file ends after the sentence with the last of so many
    words.

    Returns:
        The directory of the copy, which has the same name.
    """
    copy = directory / treebank.resolve().name
    copy.mkdir()
    for split in ("train", "dev", "test"):
        text = treebank_file(treebank, split).read_text(encoding="utf8")
        if split == "train":
            text = "".join(_first_sentences(text, n_words))
        (copy / f"{split}.conllu").write_text(text, encoding="utf8")
    return copy


def _first_sentences(text: str, n_words: int) -> Iterator[str]:
    """The sentences of a CoNLL-U text, up to so many words."""
    for block in text.split("\n\n"):
        if n_words > 0 and block.strip():
            yield block + "\n\n"
            n_words -= sum(line[:1].isdigit() for line in block.split("\n"))
