"""The component: what it writes, settings, saving, training, processes, errors."""

import numpy as np
import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.committee import component
from spacy_dynoracle.committee.recipe import DEFAULT_MEMBERS, CommitteeRecipe
from spacy_dynoracle.committee.voting import vote
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.util.files import SHARING

from ..components.test_shared_models import is_mapped
from ..parser.treebank import (
    NONPROJECTIVE,
    SENTENCES,
    analysis,
    bare,
    block,
    example,
    examples,
    parse,
    update,
)
from ..round_trips import every_way
from .committees import LEARNER, MEMBERS, NAME, committee_of, make_committee, train

pytestmark = pytest.mark.heavy

ALL = SENTENCES + NONPROJECTIVE


def parse_all(nlp):
    return [analysis(nlp(e.predicted)) for e in examples(nlp.vocab, ALL)]


# ---- parsing -------------------------------------------------------------------------


def test_the_members_that_are_named_first_win_where_votes_are_equal():
    one, *others = CommitteeRecipe().votes
    assert one > others[0]
    assert one + others[2] > others[0] + others[1]


def test_trees_are_those_of_the_vote(trained_nlp):
    committee = committee_of(trained_nlp)
    differ = 0
    for e in examples(trained_nlp.vocab, ALL):
        tables = [p.predict([e.predicted])[0].table for p in committee.members.values()]
        expected = vote(tables, committee.recipe.votes)
        differ += any((table != expected).any() for table in tables)
        (found,) = committee.predict([e.predicted])
        np.testing.assert_array_equal(found.table, expected)
    assert differ


def test_sure_votes(own_nlp, monkeypatch):
    """Votes weigh as much as the decisions about the word were probable."""
    # The members have had little training, so their scores are small.
    monkeypatch.setattr(component, "UNFITTED_TEMPERATURE", 5.0)
    committee = committee_of(own_nlp)
    differ = 0
    # Of two votes that are equal the first one wins.
    committee.change(sure_votes=True, weights={"swap": 1e-6})
    for e in examples(own_nlp.vocab, ALL):
        ballots = committee.ballots([e.predicted], None)
        sureness = np.stack([ballot.sureness for ballot in ballots])
        for parser, row in zip(committee.members.values(), sureness, strict=True):
            _, records = parser.sampled([e.predicted], 5.0, 0)
            np.testing.assert_allclose(row, records.rows["lowest"], atol=1e-8)
        weights = committee.recipe.votes[:, np.newaxis] * sureness
        expected = vote([ballot.table for ballot in ballots], weights)
        (found,) = committee.predict([e.predicted])
        np.testing.assert_array_equal(found.table, expected)
        equal = vote([ballot.table for ballot in ballots], committee.recipe.votes)
        differ += (found.table != equal).any()
    assert differ


def test_a_trained_committee_knows_its_sentences():
    nlp = make_committee()
    data = examples(nlp.vocab, ALL)
    losses = train(nlp, data, epochs=15)
    assert losses == {NAME: 0.0}
    assert parse_all(nlp) == [analysis(e.reference) for e in data]


@pytest.mark.parametrize("threshold", [0.0, 0.5])
@pytest.mark.parametrize("learner", [LEARNER, block("AdaGradRDA")])
@pytest.mark.filterwarnings("ignore:.*a beam adds them up")
def test_one_member_is_a_parser(learner, threshold):
    search = block("BeamSearch", beam_size=4, threshold=threshold)
    more = {"learner": learner, "search": search}
    nlp = make_committee(members={"only": MEMBERS["eager"] | more}, sure_votes=True)
    train(nlp, examples(nlp.vocab, ALL), epochs=2)
    parser = spacy.blank("xx")
    settings = {"tag_attr": "POS", "sentences": "preset", **MEMBERS["eager"], **more}
    parser.add_pipe("dynoracle_parser", config=settings)
    train(parser, examples(parser.vocab, ALL), epochs=2)
    assert parse_all(nlp) == parse_all(parser)


def test_batches_and_threads_change_nothing(own_nlp):
    alone = parse_all(own_nlp)
    docs = [e.predicted for e in examples(own_nlp.vocab, ALL)]
    committee = committee_of(own_nlp)
    committee.set_threads(3)
    assert [analysis(doc) for doc in committee.pipe(docs, batch_size=5)] == alone


def test_documents_of_several_sentences_and_blanks(trained_nlp):
    first, second = SENTENCES[0].words, SENTENCES[1].words
    words = [*first, "\n", *second]
    starts = [i in (0, len(first) + 1) for i in range(len(words))]
    doc = parse(trained_nlp, words, starts)
    assert [len(sent) for sent in doc.sents] == [len(first) + 1, len(second)]
    assert doc[len(first)].head.i == len(first) - 1
    alone = parse(trained_nlp, second)
    start = len(first) + 1
    assert [t.head.i - start for t in doc[start:]] == [t.head.i for t in alone]


def test_documents_without_words(trained_nlp):
    assert len(trained_nlp(Doc(trained_nlp.vocab))) == 0
    blank = Doc(trained_nlp.vocab, words=["\n"])
    assert trained_nlp(blank)[0].head.i == 0
    assert committee_of(trained_nlp).predict([]) == []


def test_weights_decide(own_nlp):
    """A member that outweighs all others has its way."""
    committee = committee_of(own_nlp)
    docs = [e.predicted for e in examples(own_nlp.vocab, ALL)]
    for name, parser in committee.members.items():
        committee.change(weights={name: 100.0})
        for doc, found in zip(docs, committee.predict(docs), strict=True):
            np.testing.assert_array_equal(found.table, parser.predict([doc])[0].table)


def test_a_vocab_of_its_own(trained_nlp):
    other = spacy.blank("xx")
    doc = example(other.vocab, SENTENCES[0]).predicted
    committee_of(trained_nlp)(doc)
    known = parse(trained_nlp, SENTENCES[0].words)
    assert [token.dep_ for token in doc] == [token.dep_ for token in known]


# ---- settings ------------------------------------------------------------------------


def test_default_members():
    recipe = CommitteeRecipe()
    assert list(recipe.parsers) == list(DEFAULT_MEMBERS)
    nlp = spacy.blank("xx")
    assert list(nlp.add_pipe(NAME).members) == list(DEFAULT_MEMBERS)
    # The members of a config replace them.
    assert list(committee_of(make_committee()).members) == list(MEMBERS)


def test_members_share_settings_and_have_their_own():
    members = {"a": {"seed": 4}, "b": {"nonprojective": "drop"}}
    nlp = make_committee(members=members, seed=3, nonprojective="lift")
    a, b = committee_of(nlp).members.values()
    assert (a.recipe.seed, b.recipe.seed) == (4, 3)
    assert (a.recipe.nonprojective, b.recipe.nonprojective) == ("lift", "drop")
    assert (a.recipe.tag_attr, a.recipe.sentences) == ("POS", "preset")


@pytest.mark.parametrize("vote_shares", [False, True])
def test_labels_that_never_govern(vote_shares):
    """Neither in the trees of the members nor in the one that has the most votes."""
    nlp = make_committee()
    nlp.initialize(lambda: examples(nlp.vocab))
    nlp.update(examples(nlp.vocab)[:5])
    committee, leaves = committee_of(nlp), ["det", "nsubj", "obj", "case", "amod"]
    committee.change(vote_shares=vote_shares)

    def n_wrong():
        docs = list(nlp.pipe([eg.predicted.copy() for eg in examples(nlp.vocab)]))
        return sum(
            token.head.dep_ in leaves
            and any(above.dep_ not in leaves for above in token.ancestors)
            for doc in docs
            for token in doc
            if token.head != token
        )

    assert n_wrong() > 0
    committee.change(never_govern=leaves)
    assert {tuple(p.never_govern) for p in committee.members.values()} == {
        tuple(leaves)
    }
    assert n_wrong() == 0


def member(**settings):
    """The setting of a committee with one member."""
    return {"members": {"a": settings}}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"members": {}}, "at least one parser"),
        (member(k_best=2), "members.a.k_best: expected one of"),
        (member(sentences="doc"), "members.a.sentences"),
        (member(direction="up"), "direction = 'up'"),
        (member(seed="x"), "members.a.seed: expected an integer"),
        (
            member(system=block("ArcHybrid", single_root=False)),
            "members.a.system.single_root = false: the trees",
        ),
        (
            member(system=block("ArcEager", tree_constraint=False)),
            "members.a.system.tree_constraint = false: the trees",
        ),
        ({"weights": {"owl": 1.0}}, "no member 'owl'"),
        ({"weights": {"eager": 0.0}}, "weights.eager = 0.0"),
        ({"weights": {"eager": 1e9}}, "weights.eager = 1000000000.0"),
        ({"weights": {"eager": -1.0}}, "weights.eager = -1.0"),
        ({"weights": {"eager": "2"}}, "weights.eager = '2'"),
        ({"sentences": "predict"}, "sentences = 'predict'"),
        ({"search": block("BeamSearch", n_best=2)}, "search: members have one tree"),
        (
            {"search": block("BeamSearch"), **member(system=block("EasyFirst"))},
            r"\.a\tsearch: a beam cannot search for derivations of EasyFirst",
        ),
    ],
)
def test_settings_that_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        make_committee(**settings)


def test_change_keeps_the_members(trained_nlp):
    with pytest.raises(ValueError, match="expected eager, backward, swap"):
        committee_of(trained_nlp).change(members={"a": {}})


def test_a_change_that_a_member_refuses_changes_none(trained_nlp):
    committee = committee_of(trained_nlp)
    recipes = [parser.recipe for parser in committee.members.values()]
    members = {name: dict(of) for name, of in committee.recipe.parsers.items()}
    first, *_, last = members
    members[first]["seed"] = 77
    members[last]["direction"] = "backward"
    with pytest.raises(ValueError, match="direction"):
        committee.change(members=members)
    assert [parser.recipe for parser in committee.members.values()] == recipes


def test_an_untrained_committee_says_so():
    nlp = make_committee()
    with pytest.raises(ValueError, match="has no model"):
        parse(nlp, ["Rain"])
    assert committee_of(nlp).labels == ()
    assert committee_of(nlp).label_data is None


# ---- saving --------------------------------------------------------------------------


def test_processes_can_share_the_models(trained_nlp, tmp_path, monkeypatch):
    trained_nlp.to_disk(tmp_path)
    monkeypatch.setenv(SHARING, "1")
    loaded = spacy.load(tmp_path)
    assert parse_all(loaded) == parse_all(trained_nlp)
    models = committee_of(loaded).model.values()
    arrays = [a for model in models for a in model.weights.arrays().values()]
    assert arrays
    assert all(map(is_mapped, arrays))


@every_way
def test_copies_parse_the_same(trained_nlp, round_trip, tmp_path):
    committee = committee_of(trained_nlp)
    copied = round_trip(committee, lambda: committee_of(make_committee()), tmp_path)
    docs = [e.predicted for e in examples(copied.vocab, ALL)]
    assert [analysis(doc) for doc in copied.pipe(docs)] == parse_all(trained_nlp)
    assert copied.labels == committee.labels


def test_models_of_other_members_are_refused(committee_bytes):
    others = {"eager": MEMBERS["eager"], "owl": MEMBERS["backward"]}
    nlp = make_committee(members=others)
    with pytest.raises(ModelFileError, match=r"members 'eager', 'backward', 'swap'"):
        committee_of(nlp).from_bytes(committee_bytes)
    others = {**MEMBERS, "swap": {"system": block("ArcStandard"), "learner": LEARNER}}
    nlp = make_committee(members=others)
    with pytest.raises(ModelFileError, match="ArcHybridSwap"):
        committee_of(nlp).from_bytes(committee_bytes)
    assert committee_of(nlp).model is None


def test_damaged_files_are_refused(trained_nlp, tmp_path):
    committee_of(trained_nlp).to_disk(tmp_path)
    data = (tmp_path / "model").read_bytes()
    for damaged in (b"", b"x" * 50, data[: len(data) // 2], b"\xc0"):
        (tmp_path / "model").write_bytes(damaged)
        with pytest.raises(ModelFileError, match="committee"):
            committee_of(make_committee()).from_disk(tmp_path)


@pytest.mark.parametrize(
    "damaged",
    [
        {"members": [1]},
        {"members": -1},
        {"members": {"eager": 1e308}},
        {"members": {"eager": None, "backward": {"direction": "backward"}}},
        {"members": {"backward": {"direction": -1}}},
        {"calibration": [1]},
        {"calibration": {}},
    ],
    ids=str,
)
def test_damaged_settings_are_refused(damaged, trained_nlp, tmp_path):
    committee_of(trained_nlp).to_disk(tmp_path)
    cfg = srsly.read_json(tmp_path / "cfg")
    srsly.write_json(tmp_path / "cfg", cfg | damaged)
    committee = committee_of(make_committee())
    with pytest.raises(ModelFileError, match=r"cannot load the committee .*model: \w"):
        committee.from_disk(tmp_path)
    assert committee.model is None


# ---- training ------------------------------------------------------------------------


def test_training_goes_on_after_loading(own_nlp):
    data = examples(own_nlp.vocab, ALL)
    update(own_nlp, data, 12)
    assert parse_all(own_nlp) == [analysis(e.reference) for e in data]


def test_losses_are_those_of_all_members():
    """Also the number of the trees that a member cannot learn from."""
    nlp = make_committee()
    words = ["Rain", "fell", "."]
    # The first two words are the heads of each other.
    gold = Doc(nlp.vocab, words=words, heads=[1, 0, 1], deps=["a", "b", "c"])
    wrong = Example(Doc(nlp.vocab, words=words, pos=["X"] * 3), gold)
    with pytest.warns(UserWarning, match="cycle") as caught:
        losses = train(nlp, [*examples(nlp.vocab), wrong], epochs=1)
    # Not for each member.
    assert sum("cycle" in str(each.message) for each in caught) == 1
    assert losses[NAME] > 0
    assert losses[f"{NAME}_skipped"] == len(MEMBERS)


def test_labels_of_a_file(trained_nlp):
    committee = committee_of(trained_nlp)
    nlp = make_committee()
    data = examples(nlp.vocab, ALL)
    labels = committee.label_data
    committee_of(nlp).initialize(lambda: data, nlp=nlp, labels=labels)
    assert committee_of(nlp).label_data == labels
    assert committee_of(nlp).add_label("vocative") == 1
    assert committee_of(nlp).add_label("vocative") == 0
    assert "vocative" in committee_of(nlp).labels
    with pytest.raises(ValueError, match="no member 'owl': expected labels of eager"):
        committee_of(nlp).initialize(lambda: data, labels={"owl": ["vocative"]})


def test_the_training_data_are_tagged_once(folds):
    nlp = spacy.blank("xx")
    nlp.add_pipe("dynoracle_tagger")
    nlp.add_pipe(NAME, config={"members": MEMBERS})
    nlp.config["initialize"]["components"][NAME] = {"jackknife_folds": 3}
    train(nlp, bare(nlp.vocab), epochs=2)
    assert len(folds) == 3 + 4 + 5
