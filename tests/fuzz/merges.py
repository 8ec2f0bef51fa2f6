"""Docs whose tokens are merged and split, copied and saved between components.

The multiword tokens are those of a Doc made anew: those whose characters are still the
characters of at least two tokens.
"""

from __future__ import annotations

import random
from pathlib import Path

import spacy
from spacy.tokens import Doc

from spacy_dynoracle.treebank import doc_to_conllu, multiword

from .surface import Case, Limits

UNIT = "changes"
SHORT = 25
LIMITS = Limits()
WORDS = ["il", "va", "d", "u", "port", "d", "es", "îles", "ca", "n't", "!"]
SPACES = [True, True, False, True, True, False, True, True, False, True, False]
FOUND = [(2, ["de", "le"]), (5, ["de", "les"]), (8, ["ca", "n't"])]


def prepare(directory: Path) -> None:
    """Nothing."""


def cases(directory: Path) -> Case:
    """Change a Doc a few times."""
    vocab = spacy.blank("xx").vocab

    def case(rng: random.Random) -> int:
        doc = Doc(vocab, WORDS, SPACES)
        multiword.mark(doc, FOUND)
        spans = [(span.start_char, span.end_char) for span in doc.spans["multiword"]]
        n = rng.randint(1, 6)
        for _ in range(n):
            change(doc, rng)
            if rng.random() < 0.3:
                doc = doc.copy()
            starts = {token.idx: token.i for token in doc}
            ends = {token.idx + len(token): token.i + 1 for token in doc}
            spans = [
                (first, last)
                for first, last in spans
                if first in starts and last in ends and ends[last] - starts[first] > 1
            ]
            wanted = [(starts[first], ends[last]) for first, last in spans]
            found = [(start, end) for start, end, _ in multiword.spans(doc)]
            assert found == wanted, (found, wanted)
            doc.to_bytes()
            doc.to_json()
            doc_to_conllu(doc)
        return n

    return case


def change(doc: Doc, rng: random.Random) -> None:
    """Merge or split something."""
    i = rng.randrange(len(doc))
    with doc.retokenize() as retokenizer:
        if rng.random() < 0.5 or len(doc[i]) < 2:
            end = min(len(doc), i + rng.randint(2, 4))
            if end - i > 1:
                retokenizer.merge(doc[i:end])
        else:
            text = doc[i].text
            cut = rng.randrange(1, len(text))
            parts = [text[:cut], text[cut:]]
            retokenizer.split(doc[i], parts, heads=[doc[i], doc[i]])
