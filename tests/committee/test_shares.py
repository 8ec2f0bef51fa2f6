"""The probabilities of arcs: shares of votes, and what is fitted to them."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import spacy
import srsly
from spacy.tokens import Doc

from spacy_dynoracle.committee.ballots import ballot_of
from spacy_dynoracle.committee.calibration import LEVELS, Sampling, VoteCalibration
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.errors import ModelFileError

from ..parser.treebank import NONPROJECTIVE, SENTENCES, analysis, examples, parse
from .committees import BEAM, MEMBERS, NAME, committee_of, make_committee

pytestmark = pytest.mark.heavy

ALL = SENTENCES + NONPROJECTIVE


@pytest.fixture
def sharing(own_nlp):
    committee_of(own_nlp).change(vote_shares=True)
    return own_nlp


def test_shares_are_those_of_the_members(sharing):
    docs = [e.predicted for e in examples(sharing.vocab, ALL)]
    members = committee_of(sharing).members.values()
    votes = [list(m.pipe([doc.copy() for doc in docs])) for m in members]
    uncertain = 0
    for i, doc in enumerate(committee_of(sharing).pipe(docs)):
        for token in doc:
            arcs = [
                (parsed[i][token.i].head.i, parsed[i][token.i].dep_) for parsed in votes
            ]
            own = (token.head.i, token.dep_)
            heads = [head for head, _ in arcs]
            assert token._.dep_probability == arcs.count(own) / 3
            assert token._.head_probability == heads.count(token.head.i) / 3
            found = {(head.i, dep): p for head, dep, p in token._.dep_distribution}
            assert found == {arc: arcs.count(arc) / 3 for arc in arcs}
            assert token._.transition_probability is None
            uncertain += token._.dep_probability < 1
    assert uncertain


def test_shares_of_whitespace_and_of_no_words(sharing):
    doc = parse(sharing, [*SENTENCES[0].words, "\n"])
    assert doc[-1]._.dep_probability is None
    assert doc[0]._.dep_probability is not None
    assert parse(sharing, ["\n"])[0]._.dep_probability is None
    assert len(sharing(Doc(sharing.vocab))) == 0


def test_without_shares_old_ones_are_deleted(sharing):
    committee = committee_of(sharing)
    doc = parse(sharing, SENTENCES[0].words)
    committee.change(vote_shares=False)
    assert doc[0]._.dep_probability is not None
    assert committee(doc)[0]._.dep_probability is None


def test_labels_that_came_with_documents_of_another_vocab(sharing):
    """Training learns them, and the vocab of the committee does not know them yet."""
    other = spacy.blank("xx").vocab
    renamed = [s._replace(labels=tuple(f"{x}:x" for x in s.labels)) for s in SENTENCES]
    for _ in range(8):
        sharing.update(examples(other, renamed))
    assert "nsubj:x" not in sharing.vocab.strings
    found = {
        (token.dep_, *(label for _, label, _ in token._.dep_distribution))
        for doc in sharing.pipe(e.predicted for e in examples(sharing.vocab))
        for token in doc
    }
    assert ("nsubj:x", "nsubj:x") in found


# ---- fitted probabilities ------------------------------------------------------------

# Shares are thirds, which are 33, 67 and 100 of 100 levels.
LEVEL = np.arange(LEVELS + 1)
IDENTITY = LEVEL / LEVELS
HEADS = np.select([LEVEL < 50, LEVEL < 100], [0.25, 0.5], 0.875)
ARCS = np.select([LEVEL < 50, LEVEL < 100], [0.2, 0.45], 0.82)
VOTES_ALONE = VoteCalibration(tuple(MEMBERS), Sampling(), HEADS, ARCS)
SAMPLING = Sampling(dict.fromkeys(MEMBERS, 20.0), 5)
CALIBRATION = VoteCalibration(tuple(MEMBERS), SAMPLING, HEADS, ARCS)


@pytest.fixture
def calibrated(sharing):
    committee_of(sharing).calibration = CALIBRATION
    return sharing


def probabilities(nlp):
    """The probabilities of all arcs of the treebank."""
    docs = nlp.pipe(e.predicted for e in examples(nlp.vocab, ALL))
    return [[token._.dep_probability for token in doc] for doc in docs]


def test_fitted_probabilities_take_the_place_of_shares(sharing):
    docs = [e.predicted for e in examples(sharing.vocab, ALL)]
    committee = committee_of(sharing)
    before = list(committee.pipe([doc.copy() for doc in docs]))
    committee.calibration = VOTES_ALONE
    after = list(committee.pipe(docs))
    assert [analysis(doc) for doc in after] == [analysis(doc) for doc in before]
    uncertain = 0
    for doc, other in zip(before, after, strict=True):
        for token, same in zip(doc, other, strict=True):
            heads = {h.i: p for h, p in token._.head_distribution}
            expected = {h: HEADS[round(100 * p)] for h, p in heads.items()}
            found = {h.i: p for h, p in same._.head_distribution}
            assert found == pytest.approx(expected, abs=1e-5)
            own = expected[token.head.i]
            assert same._.head_probability == pytest.approx(own, abs=1e-5)
            expected = {
                (h.i, label): ARCS[round(100 * p)]
                for h, label, p in token._.dep_distribution
            }
            found = {(h.i, label): p for h, label, p in same._.dep_distribution}
            assert found == pytest.approx(expected, abs=1e-5)
            own = expected[token.head.i, token.dep_]
            assert same._.dep_probability == pytest.approx(own, abs=1e-5)
            uncertain += len(found) > 1
    assert uncertain


def test_entropies_count_arcs_that_nobody_voted_for(calibrated):
    committee = committee_of(calibrated)
    committee.calibration = VOTES_ALONE
    doc = parse(calibrated, SENTENCES[0].words)
    unanimous = [token for token in doc if len(token._.dep_distribution) == 1]
    assert unanimous
    p, q = 0.875, 0.82
    of_head = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    # The arc, the head with another label, another head.
    of_arc = -sum(x * np.log(x) for x in (q, p - q, 1 - p))
    for token in unanimous:
        assert token._.head_entropy == pytest.approx(of_head, abs=1e-4)
        assert token._.dep_entropy == pytest.approx(of_arc, abs=1e-4)
    committee.calibration = None
    doc = parse(calibrated, SENTENCES[0].words)
    assert {doc[token.i]._.dep_entropy for token in unanimous} == {0.0}


@pytest.mark.parametrize("search", [GreedySearch(), BeamSearch(4, threshold=0.9)])
def test_members_draw_derivations(calibrated, search):
    """All that the parsers draw is in the distributions, and the trees stay, also
    those of members that look ahead.
    """
    committee = committee_of(calibrated)
    committee.change(search=search)
    docs = [e.predicted for e in examples(calibrated.vocab, ALL)]
    trees = [analysis(doc) for doc in committee.pipe([doc.copy() for doc in docs])]
    sampled = []
    for parser in committee.members.values():
        table, records = parser.sampled(docs, 20.0, 5)
        draws = records.draws
        tables = [found.table for found in parser.predict(docs)]
        np.testing.assert_array_equal(table, np.concatenate(tables))
        tokens, arcs = draws.arcs()
        assert np.all(np.bincount(tokens, arcs["count"]) == 5)
        sampled.append(
            {
                (token, head, draws.labels[label])
                for token, (head, label, _) in zip(tokens, arcs.tolist(), strict=True)
            }
        )
    committee.calibration = replace(CALIBRATION, heads=IDENTITY, arcs=IDENTITY)
    number = more = 0
    for doc, tree in zip(committee.pipe(docs), trees, strict=True):
        assert analysis(doc) == tree
        for token in doc:
            found = {
                (number, head.idx - token.idx, label)
                for head, label, _ in token._.dep_distribution
            }
            assert found >= {a for arcs in sampled for a in arcs if a[0] == number}
            more += len(found) > 1
            # 2 * 3 * 5 votes: no share is rounded much.
            total = sum(p for *_, p in token._.dep_distribution)
            assert total == pytest.approx(1, abs=0.05)
            number += 1
    assert more > number / 2


def test_probabilities_do_not_depend_on_the_batch(calibrated):
    committee = committee_of(calibrated)
    together = probabilities(calibrated)
    docs = [e.predicted for e in examples(calibrated.vocab, ALL)]
    assert [[t._.dep_probability for t in committee(doc)] for doc in docs] == together
    committee.set_threads(3)
    assert probabilities(calibrated) == together


def test_other_processes_draw_the_same(calibrated):
    docs = [e.predicted for e in examples(calibrated.vocab, ALL)]
    piped = calibrated.pipe(docs, n_process=2, batch_size=4)
    found = [[token._.dep_probability for token in doc] for doc in piped]
    assert found == probabilities(calibrated)


def test_members_that_learn_from_whole_derivations_draw_nothing():
    beam = {**MEMBERS["eager"], **BEAM}
    members = committee_of(make_committee(members={**MEMBERS, "eager": beam})).members
    drawing = [parser.recipe.has_probabilities for parser in members.values()]
    assert drawing == [False, True, True]


def test_a_beam_that_is_set_later_is_used(calibrated):
    """A calibrated member with another search parses with it, and draws the same."""
    parser = committee_of(calibrated).members["eager"]
    docs = [e.predicted for e in examples(calibrated.vocab, ALL)]
    ballot = ballot_of(parser, docs, 20.0, 5)
    parser.change(search=BeamSearch(2))
    beam = ballot_of(parser, docs, 20.0, 5)
    assert (beam.table != ballot.table).any()
    np.testing.assert_array_equal(beam.drawn.counts, ballot.drawn.counts)


def test_a_calibration_is_saved(calibrated, tmp_path):
    expected = probabilities(calibrated)
    committee = committee_of(calibrated)
    calibrated.to_disk(tmp_path / "pipeline")
    setting = {f"components.{NAME}.vote_shares": True}
    loaded = spacy.load(tmp_path / "pipeline", config=setting)
    assert probabilities(loaded) == expected
    from_bytes = make_committee(vote_shares=True)
    committee_of(from_bytes).from_bytes(committee.to_bytes(exclude=["vocab"]))
    assert probabilities(from_bytes) == expected
    for copied in (copy.deepcopy(committee), pickle.loads(pickle.dumps(committee))):
        docs = copied.pipe(e.predicted for e in examples(copied.vocab, ALL))
        assert [[t._.dep_probability for t in doc] for doc in docs] == expected


def test_a_calibration_is_saved_to_the_last_digit(calibrated, tmp_path):
    thirds = VoteCalibration(tuple(MEMBERS), SAMPLING, HEADS / 3, ARCS / 3)
    committee_of(calibrated).calibration = thirds
    committee_of(calibrated).to_disk(tmp_path)
    other = committee_of(make_committee()).from_disk(tmp_path)
    assert other.calibration.as_dict() == thirds.as_dict()


def test_committees_without_a_calibration_load(sharing, tmp_path):
    committee = committee_of(sharing)
    expected = probabilities(sharing)
    committee.to_disk(tmp_path)
    assert "calibration" not in srsly.read_json(tmp_path / "cfg")
    other = make_committee(vote_shares=True)
    committee_of(other).calibration = CALIBRATION
    committee_of(other).from_disk(tmp_path)
    assert committee_of(other).calibration is None
    assert probabilities(other) == expected


def test_a_damaged_calibration_is_refused(calibrated, tmp_path):
    committee_of(calibrated).to_disk(tmp_path)
    cfg = srsly.read_json(tmp_path / "cfg")
    cfg["calibration"]["heads"].pop()
    srsly.write_json(tmp_path / "cfg", cfg)
    nlp = make_committee()
    with pytest.raises(ModelFileError, match=r"heads: expected 101 numbers"):
        committee_of(nlp).from_disk(tmp_path)
    assert committee_of(nlp).model is None


def test_training_deletes_the_calibration(own_nlp):
    committee = committee_of(own_nlp)
    data = examples(own_nlp.vocab, ALL)
    for train_more in (
        lambda: own_nlp.update(data),
        lambda: committee.initialize(lambda: data, nlp=own_nlp),
    ):
        committee.calibration = CALIBRATION
        train_more()
        assert committee.calibration is None
