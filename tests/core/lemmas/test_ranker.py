"""The ranker: candidates, what is known of them, and learning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.lemmas.edit_rules import LONGEST, rule_of
from spacy_dynoracle.core.lemmas.ranker import LemmaRanker
from spacy_dynoracle.core.random import Random

NOUN, VERB, PLURAL, PAST = 11, 12, 21, 22
WORDS = [
    ("cats", NOUN, PLURAL, "cat"),
    ("dogs", NOUN, PLURAL, "dog"),
    ("bodies", NOUN, PLURAL, "body"),
    ("parties", NOUN, PLURAL, "party"),
    ("walked", VERB, PAST, "walk"),
    ("talked", VERB, PAST, "talk"),
    ("baked", VERB, PAST, "bake"),
]


def ranker_of(words):
    rules = {}
    for form, pos, morph, lemma in words:
        rules.setdefault(rule_of(form, lemma), set()).update((pos, morph))
    ranker = LemmaRanker([(rule, sorted(tags - {0})) for rule, tags in rules.items()])
    for form, pos, _, lemma in words:
        ranker.learn_lemma(form.lower(), pos, lemma)
    return ranker


def trained(words, learner=None, epochs=10, seed=1):
    learner = learner or AveragedPerceptron(1, 5.0)
    ranker, order, random = ranker_of(words), list(words), Random(seed)
    errors = [ranker.train(learner, order, random) for _ in range(epochs)]
    ranker.forget_forms()
    return ranker, learner.freeze(), errors


def lemmas(candidates):
    return [lemma for lemma, _ in candidates]


def test_candidates_are_made_by_the_rules_of_the_tags():
    ranker = ranker_of(WORDS)
    assert set(lemmas(ranker.candidates("toys", NOUN, PLURAL))) == {"toy"}
    assert set(lemmas(ranker.candidates("rubies", NOUN, PLURAL))) == {"rubie", "ruby"}
    assert set(lemmas(ranker.candidates("rubied", VERB, PAST))) == {"rubi", "rubie"}
    # Rules of the part of speech count beside those of the analysis.
    assert set(lemmas(ranker.candidates("rubied", VERB, PLURAL))) == {"rubi", "rubie"}


@pytest.mark.parametrize("tags", [(0, 0), (NOUN, 0), (0, 99), (99, 99)])
def test_all_rules_count_without_a_known_analysis(tags):
    ranker = ranker_of(WORDS)
    assert set(lemmas(ranker.candidates("eds", *tags))) == {"ed"}
    assert set(lemmas(ranker.candidates("seed", *tags))) == {"se", "see"}


def test_a_form_that_no_rule_fits_is_its_own_lemma():
    ranker, weights, _ = trained(WORDS)
    assert ranker.candidates("fish", NOUN, PLURAL) == []
    assert ranker.best(weights, "fish", NOUN, PLURAL) == "fish"
    long = "s" * (LONGEST + 1)
    assert ranker.best(weights, long, NOUN, PLURAL) == long


def test_unknown_words_get_lemmas_like_those_of_similar_words():
    ranker, weights, errors = trained(WORDS)
    assert errors[-1] == 0
    for form, lemma in [("toys", "toy"), ("armies", "army"), ("Hats", "hat")]:
        assert ranker.best(weights, form, NOUN, PLURAL) == lemma
    scores = dict(ranker.scored(weights, "armies", NOUN, PLURAL))
    assert scores["army"] > scores["armie"]


def test_a_known_lemma_counts():
    # Whether an e is missing can only be known from other words.
    forms = [("bak", "bake"), ("rak", "rake"), ("walk", "walk"), ("talk", "talk")]
    words = [(f"{stem}ed", VERB, PAST, lemma) for stem, lemma in forms]
    words += [(f"{lemma}s", VERB, PLURAL, lemma) for _, lemma in forms]
    words += [("fakes", VERB, PLURAL, "fake"), ("balks", VERB, PLURAL, "balk")]
    ranker, weights, _ = trained(words, epochs=20)
    assert ranker.best(weights, "faked", VERB, PAST) == "fake"
    assert ranker.best(weights, "balked", VERB, PAST) == "balk"


words = st.lists(
    st.tuples(
        st.sampled_from(["as", "bs", "abs"]),
        st.sampled_from([NOUN, VERB]),
        st.just(PLURAL),
        st.sampled_from(["a", "b", "ab", "as"]),
    ),
    max_size=8,
)


def known_naively(words, form, pos, lemma):
    """How a lemma is known from the pairs of form and part of speech but this one."""
    pairs = {(f, p) for f, p, _, found in words if found == lemma} - {(form, pos)}
    return (
        any(p == pos for _, p in pairs)
        + 2 * bool(pairs)
        + 4 * any(f == form for f, _ in pairs)
    )


@given(words)
@settings(max_examples=200)
def test_what_is_known_is_what_other_words_show(given_words):
    ranker = ranker_of(given_words)
    for form in ("as", "bs", "abs"):
        for pos in (NOUN, VERB):
            for lemma in ("a", "b", "ab", "as"):
                expected = known_naively(given_words, form, pos, lemma)
                assert ranker.known_as(form, pos, lemma) == expected
    ranker.forget_forms()
    other = ranker_of([])
    other.set_known(ranker.known())
    for form in ("as", "new"):
        expected = known_naively(given_words, "none", NOUN, "a") & 3
        assert other.known_as("none", NOUN, "a") & 3 == expected
        assert other.known_as(form, VERB, "a") == ranker.known_as(form, VERB, "a")


def test_training_is_deterministic():
    def weights(seed):
        _, frozen, _ = trained(WORDS, epochs=2, seed=seed)
        return {name: part.tobytes() for name, part in frozen.arrays().items()}

    assert weights(1) == weights(1)


def test_another_learner():
    ranker, weights, _ = trained(WORDS, AdaGradRDA(1, 0.1), epochs=30)
    assert ranker.best(weights, "armies", NOUN, PLURAL) == "army"
