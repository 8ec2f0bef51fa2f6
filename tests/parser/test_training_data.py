"""Training data that is partial, non-projective, misaligned or wrong."""

import pytest
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.state.projectivity import projectivize
from spacy_dynoracle.parser.gold_trees import GoldReader

from ..warned import said
from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    SWAP,
    analysis,
    assert_tree,
    block,
    example,
    examples,
    gold_analysis,
    heads_of,
    make_nlp,
    mixed_examples,
    model_bytes,
    parse_all,
    parse_sentences,
    parser_of,
    partial,
    train,
    update,
)

pytestmark = pytest.mark.heavy

STATIC = {"oracle": block("StaticOracle"), "exploration": block("NoExploration")}


# ---- partial annotation --------------------------------------------------------------


def test_unknown_heads_are_not_roots():
    """A word that is its own head and has no label has an unknown head."""
    nlp = make_nlp()
    data = [partial(nlp.vocab, s, {0, 1}) for s in SENTENCES]
    nlp.initialize(lambda: data)
    known = {label for s in SENTENCES for label in s.labels[:2]}
    assert set(parser_of(nlp).labels) == known


def test_sentences_without_any_head_are_skipped():
    nlp = make_nlp(epochs=0)
    bare = [partial(nlp.vocab, s, set()) for s in SENTENCES]
    losses = {}
    assert said(parser_of(nlp).update, bare, losses=losses) == []
    assert losses == {NAME: 0.0}
    assert parser_of(nlp).training_run().trainer.n_decisions == 0


# ---- static oracle -------------------------------------------------------------------


@pytest.mark.parametrize("settings", [STATIC, {"system": SWAP}], ids=["static", "swap"])
def test_partial_trees_are_skipped_with_one_warning(settings):
    nlp = make_nlp(**settings)
    data = mixed_examples(nlp.vocab)
    data += [partial(nlp.vocab, s, {0, 1}) for s in SENTENCES]
    with pytest.warns(UserWarning, match="the oracle needs the head") as caught:
        train(nlp, data, epochs=15)
    assert len([w for w in caught if "the oracle needs" in str(w.message)]) == 1
    assert NAME in str(caught[0].message)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_skipped_trees_do_not_change_the_static_model():
    with_partial, without = make_nlp(**STATIC), make_nlp(**STATIC)
    data = examples(without.vocab)
    train(without, data, epochs=1)
    data = examples(with_partial.vocab)
    partial_data = [partial(with_partial.vocab, s, {0}) for s in SENTENCES]
    with pytest.warns(UserWarning, match="the oracle needs the head"):
        with_partial.initialize(lambda: data + partial_data)
    update(with_partial, data)
    update(with_partial, partial_data)
    model = parser_of(with_partial).to_bytes(exclude=["vocab"])
    assert model == parser_of(without).to_bytes(exclude=["vocab"])


# ---- non-projective trees ------------------------------------------------------------


def test_decorated_labels_survive_saving_and_label_data():
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    train(nlp, data)
    loaded = make_nlp().from_bytes(nlp.to_bytes())
    assert parse_all(loaded, NONPROJECTIVE) == parse_all(nlp, NONPROJECTIVE)
    other = make_nlp()
    parser_of(other).initialize(lambda: data[:1], labels=parser_of(nlp).label_data)
    assert set(parser_of(other).model.labels) == set(parser_of(nlp).model.labels)


def test_decorated_labels_come_from_update_too():
    nlp = make_nlp(epochs=2)
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    update(nlp, data, epochs=12)
    assert parse_all(nlp, NONPROJECTIVE) == [
        gold_analysis(nlp.vocab, s) for s in NONPROJECTIVE
    ]


def test_nonprojective_sentences_inside_a_document(nonprojective_nlp):
    nlp = nonprojective_nlp
    for s in SENTENCES:
        doc = parse_sentences(nlp, s, *NONPROJECTIVE)
        assert analysis(doc) == gold_analysis(nlp.vocab, s, *NONPROJECTIVE)
        assert_tree(doc)


def test_nonprojective_trees_are_lifted_for_good():
    nlp = make_nlp(nonprojective="lift")
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    assert train(nlp, data)[NAME] == 0
    assert not any("||" in label for label in parser_of(nlp).model.labels)
    for s in SENTENCES + NONPROJECTIVE:
        doc = parse_sentences(nlp, s)
        lifted, _ = projectivize(list(s.heads), list(s.labels))
        assert heads_of(doc) == lifted
        assert [token.dep_ for token in doc] == gold_analysis(nlp.vocab, s)[1]


@pytest.mark.parametrize(
    ("n_crossing", "n_others", "same"),
    [(20, 20, "projectivize"), (20, 90, "lift"), (19, 0, "lift")],
)
def test_frequent_lifts_are_undone_where_many_trees_cross(n_crossing, n_others, same):
    models = []
    for nonprojective in ("auto", same):
        nlp = make_nlp(nonprojective=nonprojective)
        trees = NONPROJECTIVE[:1] * n_crossing + SENTENCES[:1] * n_others
        train(nlp, examples(nlp.vocab, trees), epochs=2)
        # Lifts that were rare then stay rare.
        loaded = make_nlp(nonprojective=nonprojective).from_bytes(nlp.to_bytes())
        update(loaded, examples(loaded.vocab, trees * 2), epochs=1)
        models += [model_bytes(nlp), model_bytes(loaded)]
    assert models[:2] == models[2:]


def test_nonprojective_trees_are_dropped():
    nlp = make_nlp(nonprojective="drop")
    train(nlp, examples(nlp.vocab, SENTENCES + NONPROJECTIVE), epochs=3)
    plain = make_nlp(nonprojective="drop", epochs=3)
    model = parser_of(nlp).model
    assert not any("||" in label for label in model.labels)
    assert list(model.labels) == list(parser_of(plain).model.labels)


def test_training_leaves_the_examples_alone():
    nlp = make_nlp()
    data = examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    before = [(eg.predicted.to_bytes(), eg.reference.to_bytes()) for eg in data]
    nlp.initialize(lambda: data)
    parser_of(nlp).update(data)
    after = [(eg.predicted.to_bytes(), eg.reference.to_bytes()) for eg in data]
    assert after == before


# ---- tokens that differ --------------------------------------------------------------


def split_words(s):
    """The first word that can be split is split in two; one gold token is then two."""
    words, tags, at = list(s.words), list(s.tags), None
    for i, word in enumerate(words):
        if len(word) > 4 and i + 1 not in s.heads:
            at = i
            words[i : i + 1] = [word[:2], word[2:]]
            tags[i : i + 1] = [tags[i], tags[i]]
            break
    return words, tags, at


def misaligned(vocab, s):
    """An Example whose prediction splits a word, and the index of that word."""
    gold = example(vocab, s).reference
    words, tags, at = split_words(s)
    spaces = [True] * len(words)
    if at is not None:
        spaces[at] = False
    return Example(Doc(vocab, words, spaces, pos=tags), gold), at


class SoundReader(GoldReader):
    """A reader of gold trees that fails for unusable ones."""

    def _cut(self, *arguments):
        for tree in super()._cut(*arguments):
            assert tree.problem is None
            yield tree


def gold_reader(sentences="predict"):
    return SoundReader(sentences, projective=True)


def test_halves_of_a_gold_token_share_its_head():
    eg, at = misaligned(make_nlp().vocab, SENTENCES[5])
    (tree,) = gold_reader().aligned_trees(eg)
    assert [eg.predicted[i].text for i in (at, at + 1)] == ["sm", "all"]
    assert tree.heads == [0, 1, 6, 6, 6, 1, 1]
    assert tree.labels[at : at + 2] == ["amod", "amod"]


def test_dependents_of_a_split_head_are_unknown():
    vocab = make_nlp().vocab
    eg = example(vocab, SENTENCES[5])
    words = ["Bring", "me", "the", "small", "spa", "de", "!"]
    spaces = [True, True, True, True, False, True, True]
    (tree,) = gold_reader().aligned_trees(
        Example(Doc(vocab, words, spaces), eg.reference)
    )
    assert tree.heads == [0, 1, None, None, 1, 1, 1]


def test_training_on_either_tokenisation_in_turn():
    """Gold trees are kept for a reference, but not across tokenisations."""
    nlp = make_nlp()
    data = examples(nlp.vocab)
    split = [
        Example(misaligned(nlp.vocab, s)[0].predicted, eg.reference)
        for s, eg in zip(SENTENCES, data, strict=True)
    ]
    nlp.initialize(lambda: data)
    for _ in range(15):
        nlp.update(data)
        nlp.update(split)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_several_gold_tokens_in_one():
    vocab = make_nlp().vocab
    s = SENTENCES[0]
    gold = Doc(
        vocab,
        words=s.words,
        spaces=[True, True, True, True, False, False],
        pos=s.tags,
        heads=gold_analysis(vocab, s)[0],
        deps=s.labels,
    )
    words = ["The", "gardener", "waters", "the", "roses."]
    predicted = Doc(vocab, words, pos=[*s.tags[:4], "NOUN"])
    (tree,) = gold_reader().aligned_trees(Example(predicted, gold))
    assert list(tree.words) == [0, 1, 2, 3, 4]
    # "roses." is found as a head, but its own head is ambiguous.
    assert tree.heads == [2, 3, 0, 5, None]


def test_misaligned_nonprojective_trees():
    nlp = make_nlp()
    data = [misaligned(nlp.vocab, s)[0] for s in NONPROJECTIVE]
    data += examples(nlp.vocab)
    train(nlp, data)
    for eg in data:
        assert_tree(nlp(eg.predicted.copy()))


# ---- wrong trees ---------------------------------------------------------------------


def with_a_cycle(vocab, heads=(1, 0, 1), split=False):
    """An Example in which the first words have heads (from 0) that form a cycle.

    Args:
        split: Whether the prediction has other tokens.
    """
    words = ["Rain", "fell", "down", "today"]
    gold = Doc(vocab, words, heads=[*heads, 1], deps=["a", "b", "c", "d"])
    if split:
        words[-1:] = ["to", "day"]
    spaces = [not word.endswith(("to", "day")) for word in words]
    return Example(Doc(vocab, words, spaces, pos=["X"] * len(words)), gold)


def test_trees_with_a_cycle_are_skipped_with_one_warning():
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab) + [with_a_cycle(nlp.vocab) for _ in range(2)]
    with pytest.warns(UserWarning, match="cycle") as caught:
        losses = train(nlp, data)
    (warning,) = [str(w.message) for w in caught if "cycle" in str(w.message)]
    assert f"skipped 2 training trees (of {len(data)} documents)" in warning
    assert "Rain fell" in warning
    assert NAME in warning
    assert losses[f"{NAME}_skipped"] == 2
    assert "a" not in parser_of(nlp).labels
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("heads", [(1, 0, 1), (1, 2, 0), (2, 2, 1)])
def test_every_cycle_is_skipped_wherever_it_appears(heads, split):
    """Also where `initialize` has not seen it, and however often it comes."""
    nlp = make_nlp(epochs=0)
    parser = parser_of(nlp)
    losses = {}
    with pytest.warns(UserWarning, match=r"skipped 1 training tree \(of 1 document\)"):
        nlp.update([with_a_cycle(nlp.vocab, heads, split)], losses=losses)
    for n in (2, 3):
        eg = with_a_cycle(nlp.vocab, heads, split)
        assert said(nlp.update, [eg], losses=losses) == []
        assert losses == {NAME: 0, f"{NAME}_skipped": n}
        assert said(nlp.update, [eg]) == []
    assert parser.training_run().trainer.n_decisions == 0


# ---- several sentences ---------------------------------------------------------------


@pytest.mark.parametrize("sentences", ["predict", "preset", "doc"])
def test_trees_of_a_document(sentences):
    gold = example(make_nlp().vocab, SENTENCES[0], SENTENCES[1]).reference
    trees = list(gold_reader(sentences).reference_trees(gold))
    if sentences == "preset":
        assert [list(tree.words) for tree in trees] == [
            list(range(6)),
            list(range(6, 14)),
        ]
        assert [tuple(tree.heads) for tree in trees] == [s.heads for s in SENTENCES[:2]]
    else:
        (tree,) = trees
        assert list(tree.words) == list(range(14))
        assert tree.heads.count(0) == 2


def test_dropping_a_crossing_sentence_keeps_its_neighbours():
    nlp = make_nlp(nonprojective="drop")
    data = [example(nlp.vocab, SENTENCES[0], NONPROJECTIVE[0], SENTENCES[1])]
    train(nlp, data)
    kept = {label for s in SENTENCES[:2] for label in s.labels}
    assert {label.lower() for label in parser_of(nlp).labels} == {
        label.lower() for label in kept
    }


@pytest.mark.parametrize(
    "actions", [5, [["NOPE", "x"]], [["SHIFT", "x"]], [["LEFT", 5]], [["LEFT", ""]]]
)
def test_label_data_that_names_no_actions(actions):
    nlp = make_nlp()
    data = {"actions": actions, "root_label": "root"}
    with pytest.raises(ValueError, match="expected"):
        parser_of(nlp).initialize(lambda: examples(nlp.vocab), labels=data)
