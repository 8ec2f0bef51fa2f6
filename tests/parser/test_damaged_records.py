"""Records in `Doc.user_data` that are damaged, and labels with separators."""

import random

import numpy as np
import pytest

from spacy_dynoracle.parser import tree_records
from spacy_dynoracle.senter import start_records
from spacy_dynoracle.treebank import doc_to_conllu

from ..core.builders import Tree
from ..fuzz.records import read_everything, read_record
from .test_k_best import n_best
from .treebank import make_doc
from .uncertain import DOC_ROUND_TRIPS, MARGINAL, text_of, uncertain

pytestmark = pytest.mark.heavy

ODD = "odd\0label"
SPACED = "with\ttab\nline\x85and\u2028more"


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_record_is_no_record(pipelines, seed):
    """Reading never fails, and neither does parsing once more."""
    rng = random.Random(seed)
    start_records.Token.set_extension(
        "sent_start_probability", getter=start_records.start_probability, force=True
    )
    marginal, beam = pipelines(**MARGINAL), pipelines(search=n_best(3))
    words = text_of(2)
    starts = [None] * len(words)
    starts[3] = True
    docs = [nlp(make_doc(nlp.vocab, words, starts)) for nlp in (marginal, beam)]
    for doc in docs:
        start_records.keep_probabilities(doc, np.full(len(doc), 0.5))
        read_everything(doc)
    for _ in range(60):
        read_record(rng, beam, rng.choice(docs))


def test_records_with_cycles(pipelines):
    doc = pipelines(search=n_best(3))(make_doc(pipelines().vocab, text_of(1)))
    (segment,) = doc.user_data[tree_records.KEY]
    n = len(doc)
    heads = [*range(1, n), 0] * len(doc._.kbest[0])
    segment["heads"] = b"".join(h.to_bytes(4, "little") for h in heads)
    assert doc._.kbest is None


# ---- labels with separators ----------------------------------------------------------


@pytest.fixture(scope="module")
def odd():
    """A parser whose labels contain NUL, tabs and line ends."""
    words, tags = ("a", "b", "c", "d"), ("NOUN", "VERB", "ADP", "ADV")
    labels = (ODD, "ROOT", SPACED, "plain")
    return uncertain([Tree(words, tags, (2, 0, 2, 3), labels)] * 3)


@pytest.mark.parametrize("how", DOC_ROUND_TRIPS)
def test_labels_with_separators_keep_their_places(odd, how):
    nlp, way = odd(**MARGINAL), DOC_ROUND_TRIPS[how]
    doc = way(nlp(make_doc(nlp.vocab, ["a", "b", "c", "d"])))
    known = {ODD, SPACED, "ROOT", "plain", "dep"}
    for token in doc:
        found = {label for _, label, _ in token._.dep_distribution}
        assert token.dep_ in found <= known
    beam = odd(search=n_best(4))
    doc = way(beam(make_doc(beam.vocab, ["a", "b", "c", "d"])))
    assert {label for tree in doc._.kbest[0].deps for label in tree} <= known
    assert doc._.kbest[0].deps[0] == [token.dep_ for token in doc]


def test_labels_with_separators_in_conllu(odd):
    nlp = odd()
    doc = nlp(make_doc(nlp.vocab, ["a", "b", "c", "d"]))
    assert SPACED in {token.dep_ for token in doc}
    rows = [line.split("\t") for line in doc_to_conllu(doc).split("\n") if line]
    rows = [row for row in rows if not row[0].startswith("#")]
    assert [len(row) for row in rows] == [10] * 4
    assert {row[7] for row in rows} >= {"with tab line and more"}
