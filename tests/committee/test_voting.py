"""The tree with the most votes, against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from spacy.strings import get_string_id

from spacy_dynoracle.committee import voting
from spacy_dynoracle.committee.voting import vote, without_governors
from spacy_dynoracle.core.state.projectivity import is_projective

from ..core.builders import all_trees

EQUAL = np.ones(3)


def table(*sentences):
    """Heads and labels of documents, from lists of (head, label); heads are words 1..n
    of the sentence, or 0 for ROOT.
    """
    rows = []
    for sentence in sentences:
        for word, (head, label) in enumerate(sentence, 1):
            rows.append((head - word if head else 0, label))
    return np.array(rows, dtype=np.int64).view(np.uint64).reshape(-1, 2)


def arcs(found, start=0, end=None):
    """The (head, label) pairs of one sentence of a table."""
    rows = found.view(np.int64)[start:end].tolist()
    return [
        (word + offset if offset else 0, label)
        for word, (offset, label) in enumerate(rows, 1)
    ]


TREES = {n: all_trees(n, single_root=True) for n in range(1, 5)}
parsers = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.sampled_from(TREES[n]), min_size=1, max_size=4)
)


def test_what_all_agree_on_stays():
    one = table([(2, 7), (0, 8)], [(0, 8)])
    np.testing.assert_array_equal(vote([one, one.copy()], np.ones(2)), one)


def test_a_heavy_vote_beats_two_light_ones():
    tables = [table([(2, 5), (0, 9)]), *[table([(0, 9), (1, 6)])] * 2]
    assert arcs(vote(tables, np.array([3.0, 1.0, 1.0]))) == [(2, 5), (0, 9)]
    assert arcs(vote(tables, EQUAL)) == [(0, 9), (1, 6)]


def test_only_parsers_with_the_arc_vote_for_its_label():
    tables = [
        table([(2, 5), (0, 9), (2, 6)]),
        table([(2, 5), (0, 9), (1, 7)]),
        table([(2, 5), (0, 9), (2, 6)]),
        table([(2, 5), (0, 9), (2, 7)]),
    ]
    assert arcs(vote(tables, np.ones(4)))[2] == (2, 6)
    assert arcs(vote(tables, np.array([1.0, 1.0, 1.0, 2.5])))[2] == (2, 7)


def test_sentences_are_voted_on_alone():
    a = table([(2, 5), (0, 9)], [(0, 9), (1, 6)])
    b = table([(0, 9), (1, 6)], [(0, 9), (1, 7)])
    found = vote([a, b], np.array([1.0, 2.0]))
    assert arcs(found, 0, 2) == [(0, 9), (1, 6)]
    assert arcs(found, 2) == [(0, 9), (1, 7)]


@given(parsers, st.data())
def test_the_tree_has_the_most_votes_of_all_trees(heads, data):
    n_words = len(heads[0])
    # One for each parser, or for each of its arcs.
    shape = (len(heads), data.draw(st.sampled_from([1, n_words])))
    weights = data.draw(arrays(np.float64, shape, elements=st.integers(1, 5)))

    def votes(tree):
        return sum(
            weight
            for row_weights, row in zip(weights, heads, strict=True)
            for weight, mine, its in zip(
                np.broadcast_to(row_weights, n_words), tree, row, strict=True
            )
            if mine == its
        )

    tables = [table([(head, 5) for head in row]) for row in heads]
    found = tuple(head for head, _ in arcs(vote(tables, weights)))
    projective = all(map(is_projective, heads))
    # An arc without a vote would have no label.
    voted = [set(of_word) for of_word in zip(*heads, strict=True)]
    possible = [
        tree
        for tree in TREES[n_words]
        if (is_projective(tree) or not projective)
        and all(head in of for head, of in zip(tree, voted, strict=True))
    ]
    assert found in possible
    assert votes(found) == max(map(votes, possible))


def test_very_long_sentences_have_the_tree_of_the_heaviest_vote(monkeypatch):
    monkeypatch.setattr(voting, "MAX_WORDS", 2)
    long = [
        [(2, 5), (3, 5), (0, 9)],
        [(0, 9), (1, 6), (1, 6)],
        [(0, 9), (1, 6), (2, 6)],
    ]
    tables = [table(tree, [(0, 1), (1, 1)]) for tree in long]
    with pytest.warns(UserWarning, match="more than 2 words has the tree of one"):
        found = vote(tables, np.array([1.0, 1.0, 1.5]))
    np.testing.assert_array_equal(found, tables[2])


@pytest.mark.parametrize("n_tokens", [0, 1])
def test_tables_of_hardly_any_tokens(n_tokens):
    empty = np.zeros((n_tokens, 2), dtype=np.uint64)
    np.testing.assert_array_equal(vote([empty, empty], np.ones(2)), empty)


def test_labels_that_win_may_forbid_dependents():
    """Whitespace, which belongs to the word before it, stays there."""
    punct, obj, root = map(get_string_id, ("punct", "obj", "root"))
    # The third word has a dependent only where it has the other label.
    first = table([(0, root), (3, obj), (1, obj), (3, obj)])
    others = table([(0, root), (1, obj), (1, punct), (3, obj)])
    more = table([(0, root), (3, obj), (1, punct), (3, obj)])
    found = vote([first, others, more], EQUAL)
    assert arcs(found) == [(0, root), (3, obj), (1, punct), (3, obj)]
    unchanged = found.copy()
    is_space = np.array([False, False, False, True])
    without_governors(found, [], is_space)
    assert (found == unchanged).all()
    without_governors(found, ["punct"], is_space)
    assert arcs(found) == [(0, root), (1, obj), (1, punct), (3, obj)]
