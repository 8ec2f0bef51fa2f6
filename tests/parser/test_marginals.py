"""Marginals of sampled trees and what is decoded from them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.graph.eisner import projective_tree
from spacy_dynoracle.core.probability.sampling import sample_arcs
from spacy_dynoracle.core.results import ArcCounts
from spacy_dynoracle.parser.marginals import Marginals, marginals_by_sentence

from ..core import builders
from ..core.builders import is_projective_tree

pytestmark = pytest.mark.heavy

A, B, C = range(3)
# Trees of three words: heads and labels.
FIRST = ([0, 1, 1], [A, B, C])
SECOND = ([3, 3, 0], [A, B, C])


class Shares:
    """The shares of the draws that have an arc, in matrices [head, dependent]."""

    def __init__(self, drawn):
        self.n = len(drawn[0][0])
        self.pairs = np.zeros((self.n + 1, self.n + 1))
        self.joint = np.zeros((4, self.n + 1, self.n + 1))
        for heads, labels in drawn:
            for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
                self.pairs[head, word] += 1 / len(drawn)
                self.joint[label, head, word] += 1 / len(drawn)

    def uas(self, heads):
        """The expected number of right heads."""
        return self.pairs[list(heads), range(1, self.n + 1)].sum()

    def las(self, heads, labels):
        """The expected number of right heads and labels."""
        return self.joint[list(labels), list(heads), range(1, self.n + 1)].sum()

    def best_labels(self):
        """The most frequent label of each arc, the lowest of equals; -1 for none."""
        # The last place is that of -1, which is lower than the others.
        order = [-1, A, B, C]
        found = np.array(order)[self.joint[order].argmax(axis=0)]
        return np.where(self.pairs > 0, found, -1)


def marginals(drawn):
    """Marginals of a sentence from its sampled trees (heads, labels)."""
    arcs = Counter()
    for heads, labels in drawn:
        words = range(1, len(heads) + 1)
        arcs.update(zip(words, heads, labels, strict=True))
    columns = zip(*arcs, strict=True) if arcs else ((), (), ())
    return Marginals(*map(list, columns), list(arcs.values()), len(drawn[0][0]))


@st.composite
def draws(draw, heads_of, min_words=0, max_words=5):
    """Some trees over the same words, with labels."""
    n = draw(st.integers(min_words, max_words))
    trees = draw(st.lists(heads_of(max_words=n, min_words=n), min_size=1, max_size=6))
    return [(heads, draw(builders.labels_for(n, (A, B, -1)))) for heads in trees]


any_draws = draws(builders.heads)
longer_draws = draws(builders.projective_heads, min_words=4, max_words=10)


# ---- trees ---------------------------------------------------------------------------


@pytest.mark.parametrize("projective", [True, False])
def test_arcs_that_were_never_drawn_are_avoided(projective):
    """In each draw another word is between ROOT and 5.

    More heads would be expected to be right with 5 below ROOT and all others below 5,
    but no draw has 5 there.
    """
    others = [1, 2, 3, 4, 6, 7, 8, 9]
    drawn = []
    for root in others:
        heads = [5] * 9
        heads[root - 1], heads[5 - 1] = 0, root
        drawn.append((heads, [A] * 9))
    found = marginals(drawn)
    heads, _ = found.minimum_risk_tree(projective=projective)
    assert heads.tolist() in [heads for heads, _ in drawn]
    star = [5, 5, 5, 5, 0, 5, 5, 5, 5]
    shares = Shares(drawn)
    assert shares.uas(star) > shares.uas(heads)


def check_risk(drawn, projective, single_root, labelled):
    """Against all trees there are to choose from."""
    found, shares = marginals(drawn), Shares(drawn)
    pairs = shares.pairs
    joint = shares.joint.max(axis=0) if labelled else pairs
    columns = range(1, len(found) + 1)

    def value(heads):
        return (
            np.count_nonzero(pairs[list(heads), columns]),
            round(joint[list(heads), columns].sum(), 9),
        )

    heads, labels = found.minimum_risk_tree(
        projective=projective, single_root=single_root, labelled=labelled
    )
    choice = builders.all_trees(
        len(found), projective=projective, single_root=single_root
    )
    assert tuple(heads) in choice
    assert value(heads) == max(map(value, choice))
    assert labels.tolist() == shares.best_labels()[heads, columns].tolist()
    # Where a draw may be chosen, there is no arc that was never drawn.
    if any(heads in choice for heads, _ in drawn):
        assert value(heads)[0] == len(found)


@given(any_draws, st.booleans(), st.booleans(), st.booleans())
def test_any_trees_of_minimum_risk(drawn, projective, single_root, labelled):
    check_risk(drawn, projective, single_root, labelled)


@given(longer_draws)
def test_expectation_is_that_of_no_draw_or_higher(drawn):
    heads, labels = marginals(drawn).minimum_risk_tree(projective=True)
    assert is_projective_tree(heads.tolist())
    shares = Shares(drawn)
    for other in drawn:
        assert shares.las(heads, labels) >= shares.las(*other) - 1e-9


# ---- long texts ----------------------------------------------------------------------


def joined(*parts):
    """Trees of several parts side by side; draws that belong together."""
    drawn = []
    for together in zip(*parts, strict=True):
        heads, labels = [], []
        for part_heads, part_labels in together:
            start = len(heads)
            heads += [h + start if h else 0 for h in part_heads]
            labels += part_labels
        drawn.append((heads, labels))
    return drawn


SHORT = [FIRST, SECOND, FIRST]
LONG = [([2, 0, 2, 3, 4], [A, B, C, A, B])] * 2 + [([0, 1, 1, 1, 1], [A, B, C, A, B])]


def test_parts_are_decoded_one_by_one():
    """Five words at a time are enough for any number of parts."""
    found = marginals(joined(SHORT, LONG, SHORT, SHORT))
    heads, labels = found.minimum_risk_tree(projective=True, max_words=5)
    alone = [
        marginals(part).minimum_risk_tree(projective=True) for part in (SHORT, LONG)
    ]
    short, long = ([list(map(int, column)) for column in tree] for tree in alone)
    [(together, names)] = joined([short], [long], [short], [short])
    assert heads.tolist() == together
    assert labels.tolist() == names
    assert (
        found.minimum_risk_tree(projective=False, max_words=5)[0].tolist() == together
    )


def test_one_root_means_one_part():
    found = marginals(joined(SHORT, LONG))
    heads, labels = found.minimum_risk_tree(projective=True, single_root=True)
    assert np.count_nonzero(heads == 0) == 1
    # No draw has one root: one arc between the parts that was never drawn.
    assert np.count_nonzero(labels == -1) == 1


def test_greedy_arcs_where_a_part_is_too_long():
    found = marginals(joined(SHORT, LONG, SHORT))
    # Words 4 to 8 are the long part; the arcs from 9 to 4 and from 3 to 8 leave it.
    greedy = [0, 1, 1, 9, 0, 8, 4, 3, 0, 9, 9], [C] * 11
    heads, labels = found.minimum_risk_tree(projective=True, greedy=greedy, max_words=4)
    whole = found.minimum_risk_tree(projective=True)
    assert heads[3:8].tolist() == [0, 0, 8, 4, 0]
    assert labels[3:8].tolist() == [-1, C, C, C, -1]
    for part in (slice(0, 3), slice(8, 11)):
        assert heads[part].tolist() == whole[0][part].tolist()
        assert labels[part].tolist() == whole[1][part].tolist()
    assert greedy[0][3] == 9


def test_the_greedy_tree_is_not_changed():
    heads, labels = np.array([2, 0]), np.array([A, B])
    found = marginals([([0, 0], [A, A]), ([2, 0], [A, A])])
    for tree in ((heads, labels), (heads.astype(np.int32), labels.astype(np.int32))):
        found.minimum_risk_tree(projective=True, greedy=tree, max_words=1)
        assert (tree[0].tolist(), tree[1].tolist()) == ([2, 0], [A, B])


def test_missing_greedy_tree():
    found = marginals(joined(SHORT, LONG))
    with pytest.raises(ValueError, match="5 words would have to be decoded together"):
        found.minimum_risk_tree(projective=True, max_words=4)
    with pytest.raises(ValueError, match="8 words would"):
        found.minimum_risk_tree(projective=True, single_root=True, max_words=7)
    with pytest.raises(ValueError, match=r"shape \(1,\) for 8 words"):
        found.minimum_risk_tree(projective=True, greedy=([0], [A]), max_words=4)


@given(st.lists(longer_draws, min_size=1, max_size=4))
def test_decoding_one_by_one_gives_the_same_expectation(parts):
    n_draws = min(map(len, parts))
    drawn = joined(*(drawn[:n_draws] for drawn in parts))
    shares = Shares(drawn)
    together = projective_tree(np.where(shares.pairs > 0, shares.pairs, -np.inf))
    heads, _ = marginals(drawn).minimum_risk_tree(projective=True, labelled=False)
    assert shares.uas(heads) == pytest.approx(shares.uas(together))


# ---- sampled arcs --------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    trainer = builders.trained(builders.TREEBANK, iterations=3)
    return builders.model_of(trainer).with_temperature(5.0)


def test_marginals_of_a_model(model):
    batch = builders.sentences(builders.TREEBANK)
    arcs = sample_arcs(model, batch, n_samples=40, seed=1)
    found = list(marginals_by_sentence(arcs, [len(s) for s in batch]))
    assert [len(m) for m in found] == [len(s) for s in batch]
    for one, sentence in zip(found, batch, strict=True):
        assert one.n_samples == 40
        heads, labels = one.minimum_risk_tree(projective=True)
        assert is_projective_tree(heads.tolist())
        alone = sample_arcs(model, [sentence], n_samples=40, seed=1)
        [again] = marginals_by_sentence(alone, [len(sentence)])
        tree = again.minimum_risk_tree(projective=True)
        assert (tree[0].tolist(), tree[1].tolist()) == (heads.tolist(), labels.tolist())


def test_lengths_that_do_not_fit():
    arcs = ArcCounts(*map(np.array, ([0, 1, 2], [0, 0], [A, A], [4, 4])))
    assert [len(m) for m in marginals_by_sentence(arcs, [1, 0, 1])] == [1, 0, 1]
    with pytest.raises(ValueError, match="arcs of 2 words for sentences of 3 words"):
        list(marginals_by_sentence(arcs, [1, 2]))


@pytest.mark.parametrize(("counts", "n_words"), [([4, 3], 2), ([4, 4], 3), ([4, 4], 1)])
def test_samples_that_do_not_fit(counts, n_words):
    with pytest.raises(ValueError, match=f"every one of {n_words} words"):
        Marginals([1, 2], [0, 0], [A, A], counts, n_words)


def test_memory_is_linear_in_the_drawn_arcs():
    """A dense matrix of that many words would not fit into memory."""
    n = 20_000
    dependents, heads = np.arange(1, n + 1), np.zeros(n, dtype=int)
    found = Marginals(dependents, heads, np.full(n, A), np.full(n, 64), n)
    assert found.minimum_risk_tree(projective=True)[0].tolist() == heads.tolist()
