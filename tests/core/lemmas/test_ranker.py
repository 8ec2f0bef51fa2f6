"""The ranker: candidates, the choice among them, and learning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.learners.adagrad_rda import AdaGradRDA
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.lemmas.edit_rules import LONGEST, rule_of
from spacy_dynoracle.core.lemmas.ranker import LemmaRanker
from spacy_dynoracle.core.random import Random

from .test_edit_rules import applied

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
        ranker.known.learn(form.lower(), pos, lemma)
    return ranker


def trained(words, learner=None, epochs=10, seed=1):
    learner = learner or AveragedPerceptron(1, 5.0)
    ranker, random = ranker_of(words), Random(seed)
    order = [(*word, 0, lemma) for *word, lemma in words]
    errors = [ranker.train(learner, order, random) for _ in range(epochs)]
    ranker.freeze(learner.freeze())
    return ranker, errors


def best(ranker, forms, pos, morph):
    read = (np.full(len(forms), value, dtype=np.uint64) for value in (pos, morph, 0))
    return ranker.best(forms, *read)


def lemmas(candidates):
    return [lemma for lemma, _ in candidates]


def test_candidates_are_made_by_the_rules_of_the_tags():
    ranker = ranker_of(WORDS)
    assert set(lemmas(ranker.scored("toys", NOUN, PLURAL))) == {"toy"}
    assert set(lemmas(ranker.scored("rubies", NOUN, PLURAL))) == {"rubie", "ruby"}
    assert set(lemmas(ranker.scored("rubied", VERB, PAST))) == {"rubi", "rubie"}
    # Rules of the part of speech count beside those of the analysis.
    assert set(lemmas(ranker.scored("rubied", VERB, PLURAL))) == {"rubi", "rubie"}


@pytest.mark.parametrize("tags", [(0, 0), (NOUN, 0), (0, 99), (99, 99)])
def test_all_rules_count_without_a_known_analysis(tags):
    ranker = ranker_of(WORDS)
    assert set(lemmas(ranker.scored("eds", *tags))) == {"ed"}
    assert set(lemmas(ranker.scored("seed", *tags))) == {"se", "see"}


def test_a_form_that_no_rule_fits_is_its_own_lemma():
    ranker, _ = trained(WORDS)
    assert ranker.scored("fish", NOUN, PLURAL) == []
    forms = ["fish", "s" * (LONGEST + 1), ""]
    assert best(ranker, forms, NOUN, PLURAL) == forms


def test_unknown_words_get_lemmas_like_those_of_similar_words():
    ranker, errors = trained(WORDS)
    assert errors[-1] == 0
    found = best(ranker, ["toys", "armies", "Hats"], NOUN, PLURAL)
    assert found == ["toy", "army", "hat"]
    scores = dict(ranker.scored("armies", NOUN, PLURAL))
    assert scores["army"] > scores["armie"]


def test_a_known_lemma_counts():
    # Whether an e is missing can only be known from other words.
    forms = [("bak", "bake"), ("rak", "rake"), ("walk", "walk"), ("talk", "talk")]
    words = [(f"{stem}ed", VERB, PAST, lemma) for stem, lemma in forms]
    words += [(f"{lemma}s", VERB, PLURAL, lemma) for _, lemma in forms]
    words += [("fakes", VERB, PLURAL, "fake"), ("balks", VERB, PLURAL, "balk")]
    ranker, _ = trained(words, epochs=20)
    assert best(ranker, ["faked", "balked"], VERB, PAST) == ["fake", "balk"]


def test_the_best_candidates_are_those_with_the_highest_scores():
    ranker, _ = trained(WORDS)
    forms = ["armies", "Toys", "éclairs", "STREẞES", "İs", "𐐑𐐲s", "s", "ies"]
    for tags in [(NOUN, PLURAL), (NOUN, 0), (0, 99)]:
        expected = []
        for form in forms:
            scored = ranker.scored(form, *tags)
            expected.append(max([*scored, (form, -99)], key=lambda pair: pair[1])[0])
        assert best(ranker, forms, *tags) == expected


def test_arrays_of_other_lengths():
    ranker, _ = trained(WORDS)
    one, two = np.zeros(1, dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    message = "1 forms, 1 parts of speech, 2 analyses, 1 contexts"
    with pytest.raises(ValueError, match=message):
        ranker.best(["toys"], one, two, one)


@given(st.lists(st.text("abABéÉ", min_size=1, max_size=4), min_size=1, max_size=6))
def test_candidates_are_what_the_rules_make_in_the_order_of_what_they_cut(texts):
    rules = list(dict.fromkeys(rule_of(a, b) for a in texts for b in texts))
    ranker = LemmaRanker([(rule, [NOUN]) for rule in rules])
    for form in texts:
        in_order = sorted(rules, key=lambda rule: len(rule.cut_behind))
        made = dict.fromkeys(applied(rule, form) for rule in in_order)
        assert lemmas(ranker.scored(form, 0, 0)) == [*filter(None, made)]


def test_training_is_deterministic():
    def weights(seed):
        ranker, _ = trained(WORDS, epochs=2, seed=seed)
        return ranker.packed_weights().tolist()

    assert weights(1) == weights(1)


def test_weights_for_another_ranker():
    ranker, _ = trained(WORDS)
    other = ranker_of(WORDS)
    other.known.set_keys(ranker.known.keys())
    other.set_weights(ranker.packed_weights(), ranker.scale)
    assert other.packed_weights().tolist() == ranker.packed_weights().tolist()
    scored = ranker.scored("armies", NOUN, PLURAL)
    assert min(score for _, score in scored) < 0
    assert other.scored("armies", NOUN, PLURAL) == scored


def test_another_learner():
    ranker, _ = trained(WORDS, AdaGradRDA(1, 0.1), epochs=30)
    assert best(ranker, ["armies"], NOUN, PLURAL) == ["army"]


def test_what_the_words_around_tell():
    ranker = ranker_of([("Rose", NOUN, 0, "rose"), ("Iris", NOUN, 0, "Iris")])
    words = [("Rose", NOUN, 0, 1, "rose"), ("Rose", NOUN, 0, 2, "Rose")]
    learner, random = AveragedPerceptron(1, 5.0), Random(1)
    while ranker.train(learner, words, random):
        pass
    ranker.freeze(learner.freeze())
    pos, morph = np.full((2, 2), (NOUN, 0), dtype=np.uint64).T
    context = np.array([1, 2], dtype=np.uint64)
    assert ranker.best(["Lily"] * 2, pos, morph, context) == ["lily", "Lily"]
