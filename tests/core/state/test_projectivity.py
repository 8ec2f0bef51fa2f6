"""Projectivity and the pseudo-projective transformation, with spaCy as reference."""

import random
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle.core.state.projectivity import (
    base_label,
    deprojectivize,
    find_cycle,
    is_decorated,
    is_projective,
    nonprojective_arcs,
    projectivize,
)

from ..builders import (
    all_trees,
    is_projective_tree,
    is_tree,
    labels_for,
    projective_heads,
    run_python,
)
from ..builders import heads as any_heads


def to_spacy(heads):
    """0-based heads, where a root is its own head."""
    return [d - 1 if h == 0 else h - 1 for d, h in enumerate(heads, 1)]


def from_spacy(heads):
    return [0 if h == i else h + 1 for i, h in enumerate(heads)]


def labelled(trees, labels=("a", "b", "c")):
    return trees.flatmap(
        lambda heads: st.tuples(st.just(heads), labels_for(len(heads), labels))
    )


# ---- tests of trees ------------------------------------------------------------------


@given(any_heads())
def test_is_projective_as_in_spacy(heads):
    spacy_heads = to_spacy(heads)
    assert is_projective(heads) != nonproj.is_nonproj_tree(spacy_heads)
    assert nonprojective_arcs(heads) == [
        d
        for d in range(1, len(heads) + 1)
        if nonproj.is_nonproj_arc(d - 1, spacy_heads)
    ]


@cache
def partial_trees(n):
    """{acyclic partial tree: whether it can be completed to a projective tree}."""
    choices = [[None, *(h for h in range(n + 1) if h != d)] for d in range(1, n + 1)]
    found = {heads: False for heads in product(*choices) if not find_cycle(heads)}
    full = [h for h in found if None not in h and is_projective_tree(h)]
    for heads, kept in product(full, product((True, False), repeat=n)):
        partial = (h if keep else None for h, keep in zip(heads, kept, strict=True))
        found[tuple(partial)] = True
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_partial_trees_that_can_become_projective(n):
    assert all(is_projective(h) for h, can_be in partial_trees(n).items() if can_be)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_partial_trees_that_cannot_become_projective(n):
    """Such as (2, None, 1): word 2 stands between 1 and 3 and above both."""
    wrong = [h for h, can_be in partial_trees(n).items() if not can_be]
    assert [h for h in wrong if is_projective(h)] == []


@pytest.mark.parametrize(
    ("heads", "cycle"),
    [
        ([2, 0, 2], []),
        ([2, 1], [1, 2]),
        ([2, 3, 1, 0], [1, 2, 3]),
        ([0, 4, 2, 3, 2], [2, 3, 4]),
        ([None, 1, 2], []),
        ([], []),
    ],
)
def test_find_cycle(heads, cycle):
    assert find_cycle(heads) == cycle


@st.composite
def any_sequence(draw):
    n = draw(st.integers(1, 6))
    return draw(st.lists(st.integers(0, n), min_size=n, max_size=n))


@given(any_sequence())
def test_find_cycle_finds_what_is_no_tree(heads):
    cycle = find_cycle(heads)
    assert (cycle == []) == is_tree(heads)
    # Each word of the cycle has its head in the cycle.
    assert sorted(heads[word - 1] for word in cycle) == cycle


@pytest.mark.parametrize(
    "heads",
    [[4, 3, 2, 0], [2, 1], [0, 2], [0, 10**9], [3, 10**9, 0], [0, -2]],
    ids=["cycle", "short cycle", "own head", "too large", "far too large", "negative"],
)
def test_what_is_no_tree(heads):
    """An error, and neither an endless loop nor a look at foreign memory."""
    run_python(
        "from spacy_dynoracle.core.state.projectivity import *\n"
        f"heads, labels = {heads}, ['a'] * {len(heads)}\n"
        "for function in (is_projective, nonprojective_arcs):\n"
        "    try: function(heads)\n"
        "    except ValueError: continue\n"
        "    raise AssertionError(function)\n"
        "try: projectivize(heads, labels)\n"
        "except ValueError: pass\n"
        "else: raise AssertionError(projectivize)\n"
    )


# ---- projectivize --------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projectivize_all_small_trees_as_in_spacy(n):
    """The order of lifts matters in few trees only."""
    labels = [*"abcde"[:n]]
    for heads in all_trees(n):
        expected, decorated = nonproj.projectivize(to_spacy(heads), labels)
        assert projectivize(heads, labels) == (from_spacy(expected), decorated)


def tangled(n, seed):
    """A deep random tree, whose words are lifted many times."""
    draw = random.Random(seed)
    words = list(range(1, n + 1))
    draw.shuffle(words)
    heads = [0] * n
    above = [0]
    for word in words:
        heads[word - 1] = draw.choice(above[-4:])
        above.append(word)
    return heads


@pytest.mark.parametrize("seed", range(5))
def test_projectivize_tangled_trees_as_in_spacy(seed):
    heads = tangled(60, seed)
    labels = [f"l{d}" for d in range(60)]
    expected = nonproj.projectivize(to_spacy(heads), labels)
    found_heads, found_labels = projectivize(heads, labels)
    assert found_heads == from_spacy(expected[0])
    assert found_labels == expected[1]
    assert found_heads != heads


def deep(n):
    """Each word below the one before it, at the other end of those that are left."""
    ends = zip(range(1, n + 1), range(n, 0, -1), strict=True)
    order = [word for pair in ends for word in pair]
    heads = [0] * n
    for head, word in pairwise(order[:n]):
        heads[word - 1] = head
    return heads


def fan(n):
    """Words that depend on the first or on the last one, in turns."""
    return [0, *(n if word % 2 else 1 for word in range(2, n)), 1]


def two_chains(n):
    return [0, 1, *range(1, n - 1)]


def with_unknown(heads, seed=1):
    draw = random.Random(seed)
    return [None if draw.random() < 0.1 else head for head in heads]


LONG = [lambda n: tangled(n, 1), deep, fan, two_chains, lambda n: list(range(n))]


@pytest.mark.heavy
@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("change", [list, with_unknown])
def test_long_trees_take_linear_time(shape, change):
    """With the square of the length or more, one of these would take a minute."""
    heads = change(shape(20_000))
    lifted, labels = projectivize(heads, ["a"] * len(heads))
    assert is_projective(lifted)
    assert (lifted == heads) == is_projective(heads)
    if None not in heads:
        assert nonprojective_arcs(lifted) == []
        assert deprojectivize(lifted, labels)[1] == ["a"] * len(heads)


@pytest.mark.parametrize("seed", range(3))
def test_long_trees_with_unknown_heads(seed):
    """What depends on an unknown word may do so, and no head becomes known."""
    heads = with_unknown(tangled(800, seed), seed)
    lifted, _ = projectivize(heads, ["a"] * len(heads))
    assert is_projective(lifted)
    for word, head in enumerate(lifted, 1):
        if head is None:
            assert above(heads, word)[-1] != 0
        else:
            assert head in above(heads, word)[1:]


def test_the_search_for_the_head_of_a_lifted_word_ends_after_a_thousand_nodes():
    n = 1500
    heads = [0, *[1] * (n - 1)]
    for place, head in ((1000, 1000), (1002, 1)):
        labels = ["root", *"b" * (n - 2), "b||c"]
        labels[place - 1] = "c"
        assert deprojectivize(heads, labels)[0][-1] == head


def test_arguments_are_not_changed():
    heads, labels = [3, 4, 0, 3], ["a", "b", "c", "d"]
    lifted, decorated = projectivize(heads, labels)
    deprojectivize(lifted, decorated)
    assert (heads, labels) == ([3, 4, 0, 3], ["a", "b", "c", "d"])
    assert (lifted, decorated) == ([3, 3, 0, 3], ["a", "b||d", "c", "d"])


@pytest.mark.parametrize(
    ("heads", "labels", "expected"),
    [
        # The lifted word, or its head, has no label: nothing to record.
        ([3, 4, 0, 3], ["a", None, "c", "d"], ([3, 3, 0, 3], ["a", None, "c", "d"])),
        ([3, 4, 0, 3], ["a", "b", "c", None], ([3, 3, 0, 3], ["a", "b", "c", None])),
        # The new head is as unknown as the head of the old one.
        ([0, 4, 0, None], [*"abcd"], ([0, None, 0, None], ["a", "b||d", "c", "d"])),
        ([None, 0, 2], ["a", "b", "c"], ([None, 0, 2], ["a", "b", "c"])),
    ],
)
def test_projectivize_partial_trees(heads, labels, expected):
    assert projectivize(heads, labels) == expected


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_projectivize_ends_for_all_partial_trees(n):
    for heads in partial_trees(n):
        lifted, labels = projectivize(heads, "abcd"[:n])
        assert is_projective(lifted)
        assert find_cycle(lifted) == []
        for old, new in zip(heads, lifted, strict=True):
            assert old is not None or new is None
        assert [base_label(label) for label in labels] == list("abcd"[:n])


def partial_text(seed, only_projective):
    """Partial trees, as parts of one text and each of them alone."""
    some = [
        list(heads)
        for heads in partial_trees(4)
        if is_projective(heads) or not only_projective
    ]
    parts = random.Random(seed).sample(some, 6)
    text = []
    for heads in parts:
        first = len(text)
        text += [head and first + head for head in heads]
    return text, parts


@pytest.mark.parametrize("only_projective", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_a_partial_text_is_lifted_as_each_of_its_parts(seed, only_projective):
    text, parts = partial_text(seed, only_projective)
    assert is_projective(text) == all(map(is_projective, parts))
    lifted, labels = projectivize(text, "abcd" * len(parts))
    for number, heads in enumerate(parts):
        own_heads, own_labels = projectivize(heads, "abcd")
        part = slice(4 * number, 4 * number + 4)
        assert lifted[part] == [head and 4 * number + head for head in own_heads]
        assert labels[part] == own_labels


def above(heads, word):
    """A word and all that is above it, as far as heads are known; last 0 if that is
    ROOT.
    """
    path = [word]
    while path[-1] and heads[path[-1] - 1] is not None:
        path.append(heads[path[-1] - 1])
    return path


def cannot_be_projective(heads, d):
    """Whether a word inside the arc to d cannot descend from its head."""
    h = heads[d - 1]
    inside = range(min(h, d) + 1, max(h, d))
    for word in inside:
        path = above(heads, word)
        if h not in path and (path[-1] not in inside or path[-1] in above(heads, h)):
            return True
    return False


def is_crossed(heads, d):
    """Whether a known arc has one end inside the arc to d and the other outside."""
    low, high = sorted((heads[d - 1], d))
    for k, h in enumerate(heads, 1):
        if h is not None:
            inner, outer = sorted((h, k))
            if inner < low < outer < high or low < inner < high < outer:
                return True
    return False


def lifted_one_by_one(heads):
    """The shortest arc that is not projective is lifted, or else the shortest that is
    crossed; the leftmost of equals.
    """
    heads = list(heads)
    while True:
        arcs = [(abs(h - d), d) for d, h in enumerate(heads, 1) if h]
        wrong = [arc for arc in arcs if cannot_be_projective(heads, arc[1])]
        wrong = wrong or [arc for arc in arcs if is_crossed(heads, arc[1])]
        if not wrong:
            return heads
        _, d = min(wrong)
        heads[d - 1] = heads[heads[d - 1] - 1]


@st.composite
def partial_heads(draw):
    """Heads near their dependents, some of them unknown."""
    n = draw(st.integers(1, 14))
    near = [
        [None, 0, *(h for h in range(max(1, d - 4), min(n, d + 4) + 1) if h != d)]
        for d in range(1, n + 1)
    ]
    heads = draw(st.tuples(*map(st.sampled_from, near)))
    assume(None in heads and not find_cycle(heads))
    return list(heads)


@given(partial_heads())
def test_partial_trees_are_lifted_one_arc_after_the_other(heads):
    expected = lifted_one_by_one(heads)
    assert projectivize(heads, ["x"] * len(heads))[0] == expected
    assert is_projective(heads) == (heads == expected)


# ---- deprojectivize ------------------------------------------------------------------


@pytest.mark.heavy
@given(labelled(any_heads(), labels=("a", "b", "a||b", "b||a", "c||b")))
def test_deprojectivize_gives_a_tree_without_decorations(tree):
    heads, labels = deprojectivize(*tree)
    assert is_tree(heads)
    assert labels == [base_label(label) for label in tree[1]]
    for word, label in enumerate(tree[1]):
        if not is_decorated(label):
            assert heads[word] == tree[0][word]


@st.composite
def one_lift(draw):
    """A projective tree one of whose words, no root, has a decorated label."""
    heads = draw(projective_heads(min_words=2).filter(any))
    labels = list(draw(labels_for(len(heads))))
    word = draw(st.sampled_from([i for i, h in enumerate(heads) if h]))
    labels[word] += "||" + draw(st.sampled_from("abcd"))
    return heads, labels


@given(one_lift())
def test_deprojectivize_as_in_spacy(tree):
    """One decorated word: spaCy looks for further ones with outdated children, and
    takes a lifted root for its own head.
    """
    heads, labels = tree
    words = [f"w{i}" for i in range(len(heads))]
    doc = Doc(Vocab(), words=words, heads=to_spacy(heads), deps=labels)
    nonproj.deprojectivize(doc)
    assert deprojectivize(heads, labels) == (
        from_spacy([token.head.i for token in doc]),
        [token.dep_ for token in doc],
    )


@pytest.mark.parametrize("n", [3, 4, 5])
def test_round_trip_of_one_lift(n):
    """Where each word has a label of its own, the search finds the old head.

    The head of a word can be lifted out of reach itself, hence one lift.
    """
    labels = [f"l{d}" for d in range(1, n + 1)]
    n_trees = 0
    for heads in all_trees(n):
        lifted, decorated = projectivize(heads, labels)
        if sum(map(is_decorated, decorated)) == 1:
            assert deprojectivize(lifted, decorated) == (list(heads), labels)
            n_trees += 1
    assert n_trees >= {3: 2, 4: 50, 5: 500}[n]


def test_search_does_not_go_through_the_word_itself_but_below_root():
    # The only b stands below the decorated word.
    found = deprojectivize([0, 1, 2], ["root", "a||b", "b"])
    assert found == ([0, 1, 2], ["root", "a", "b"])
    # A word lifted to ROOT returns into the tree of another root.
    found = deprojectivize([0, 0, 2], ["a||b", "root", "b"])
    assert found == ([3, 0, 2], ["a", "root", "b"])


@pytest.mark.parametrize("change", [projectivize, deprojectivize])
def test_each_word_has_a_label(change):
    with pytest.raises(ValueError, match="2 heads and 1 labels"):
        change([2, 0], ["a"])
