"""Records of Docs (`Doc.user_data`) that are damaged.

A damaged record is no record: no reader of it and no later parse fails.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import spacy
from spacy.tokens import Doc, Token

from spacy_dynoracle.doc import preset_boundaries
from spacy_dynoracle.parser import arc_records, tree_records
from spacy_dynoracle.parser.extensions import SPAN_EXTENSIONS, TOKEN_EXTENSIONS
from spacy_dynoracle.registry.probabilities import WantedProbabilities
from spacy_dynoracle.senter import start_records

from ..core.builders import is_tree
from ..parser.treebank import assert_tree, heads_of
from . import prepared
from .damage import damaged
from .surface import Case, Limits

UNIT = "records"
SHORT = 100
LIMITS = Limits()

KEYS = [module.KEY for module in (arc_records, tree_records, start_records)]
KEYS.append(preset_boundaries.KEY)
STARTS = "sent_start_probability"


def prepare(directory: Path) -> None:
    """Pipelines with probabilities and with a beam."""
    prepared.prepare(directory, ("text", "beam"))


def cases(directory: Path) -> Case:
    """Damage a record, read it, and parse again."""
    text, beam = (spacy.load(directory / name) for name in ("text", "beam"))
    text.get_pipe("dynoracle_parser").change(probabilities=WantedProbabilities(8))
    parser = beam.get_pipe("dynoracle_parser")
    parser.change(search=parser.recipe.search.with_n_best(3))
    if not Token.has_extension(STARTS):
        Token.set_extension(STARTS, getter=start_records.start_probability)
    docs = []
    for nlp in (text, beam):
        for doc in prepared.documents(directory, nlp):
            if len(doc) > 3:
                doc[2].is_sent_start = True
            nlp(doc)
            start_records.keep_probabilities(doc, np.full(len(doc), 0.5))
            docs.append((nlp, doc))

    def case(rng: random.Random) -> int:
        read_record(rng, *rng.choice(docs))
        return 1

    return case


def read_record(rng: random.Random, nlp: spacy.language.Language, doc: Doc) -> None:
    """Damage a record of a Doc, read everything and parse again."""
    doc = doc.copy()
    key = rng.choice([key for key in KEYS if key in doc.user_data])
    place = rng.choice([0, 0, 0, 0, -3, 7, 2**40, "x", None])
    record = doc.user_data.pop(key)
    doc.user_data["._.", key[1], place, None] = damaged(rng, record)
    read_everything(doc)
    nlp(doc)
    assert_tree(doc)


def read_everything(doc: Doc) -> None:
    """Read every extension. What is there is in its range."""
    for token in doc:
        for name in [*TOKEN_EXTENSIONS, STARTS]:
            value = getattr(token._, name)
            if "distribution" in name and value is not None:
                # The shares of a damaged record can add up to less, and to nothing
                # where no label that it names is left.
                assert 0 <= sum(p for *_, p in value) < 1 + 1e-9
    for name in SPAN_EXTENSIONS:
        getattr(doc._, name)
    trees = doc._.kbest
    for tree in trees.docs(3) if trees else ():
        # Damage can make another tree, but no cycle.
        assert is_tree(heads_of(tree))
