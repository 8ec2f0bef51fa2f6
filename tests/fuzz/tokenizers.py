"""Files of tokenizers that are damaged or crafted.

A file is refused with a PipelineError, or the tokenizer finds words that add up to any
text.
"""

from __future__ import annotations

import random
from pathlib import Path

import spacy
import srsly

from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.tokenizer.tokenizer import make_word_tokenizer

from ..tokenizer.builders import TEXTS, reference, texts
from .damage import ODD_STRINGS, damaged, damaged_bytes
from .surface import Case, Limits

UNIT = "files"
SHORT = 25
# It has few special cases, so that a file is read in no time.
LANGUAGE = "xx"
LIMITS = Limits()
SAMPLES = [
    *texts(20),
    *(s for s in ODD_STRINGS if s.isprintable()),
    "it’s 1,000 ca'n't",
    "we see\n> it\n>> here > I'm",
]


def prepare(directory: Path) -> None:
    """A tokenizer that has learnt words and multiword tokens."""
    nlp = spacy.blank(LANGUAGE)
    nlp.tokenizer = make_word_tokenizer()(nlp)
    for word, piece in (("ca", "n't"), ("I", "'m")):
        nlp.tokenizer.add_special_case(word + piece, [{"ORTH": word}, {"ORTH": piece}])
    docs = [reference(nlp.vocab, text) for text in TEXTS]
    found = [spacy.training.Example(doc, doc) for doc in docs]
    nlp.tokenizer.initialize(lambda: found)
    (directory / "tokenizer").write_bytes(nlp.tokenizer.to_bytes())


def cases(directory: Path) -> Case:
    """Damage a file, load it, and use it."""
    data = (directory / "tokenizer").read_bytes()
    nlp = spacy.blank(LANGUAGE)

    def case(rng: random.Random) -> int:
        tokenizer = make_word_tokenizer()(nlp)
        try:
            tokenizer.from_bytes(damaged_file(rng, data))
        except PipelineError:
            return 1
        for text in rng.sample(SAMPLES, 5):
            assert tokenizer(text).text == text
        return 1

    return case


def damaged_file(rng: random.Random, data: bytes) -> bytes:
    """The bytes, or the values in them, with some damage."""
    if rng.random() < 0.3:
        return damaged_bytes(rng, data)
    values = srsly.msgpack_loads(data)
    if rng.random() < 0.3:
        inner = damaged(rng, srsly.msgpack_loads(values["tokenizer"]))
        values["tokenizer"] = packed(inner, values["tokenizer"])
    else:
        values = damaged(rng, values)
    return packed(values, data)


def packed(values: object, otherwise: bytes) -> bytes:
    """The values as bytes, if msgpack has them."""
    try:
        found: bytes = srsly.msgpack_dumps(values)
    except (TypeError, ValueError, OverflowError):
        return otherwise
    return found
