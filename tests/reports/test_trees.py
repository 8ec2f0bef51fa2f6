"""Drawings of trees: their width, their arcs, and what is written in them."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.reports.trees import MAX_WIDTH, Tree, levels, tree_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(tree, **settings):
    return ElementTree.fromstring(tree_svg(tree, **settings))


def tree_of(heads, word="word"):
    n = len(heads)
    return Tree([word] * n, ["NOUN"] * n, heads, ["label"] * n)


def texts(svg, kind):
    return [x.text for x in svg.iter(f"{SVG}text") if x.get("class") == kind]


@pytest.mark.parametrize("word", ["a", "word", "w" * 200, "\u8a9e" * 40])
@pytest.mark.parametrize("n", [1, 5, 30, 300])
def test_no_drawing_is_wider_than_a_screen(n, word):
    for heads in ([0] + [1] * (n - 1), [*range(n)], [*range(2, n + 1), 0]):
        svg = drawn(tree_of(heads, word))
        assert float(svg.get("width")) <= MAX_WIDTH
        arrows = [x for x in svg.iter(f"{SVG}path") if x.get("class") == "arrow"]
        assert n - 1 <= len(arrows) <= n


def test_what_is_written():
    tree = Tree(["<b>", "x&y"], ["A", ""], [2, 0], ["det", "root"])
    svg = drawn(tree)
    assert texts(svg, "word") == ["<b>", "x&y"]
    assert texts(svg, "tag") == ["A"]
    assert texts(svg, "label") == ["det", "root"]
    assert not texts(svg, "number")
    reverse = drawn(tree, right_to_left=True)
    first, second = (x for x in reverse.iter(f"{SVG}text") if x.get("class") == "word")
    assert float(first.get("x")) > float(second.get("x"))
    long_words = drawn(tree_of([None] * 40))
    assert texts(long_words, "number") == [str(i) for i in range(1, 41)]
    assert not list(long_words.iter(f"{SVG}path"))
    assert drawn(Tree([], [], [], [])).get("width") == "0"


def test_a_long_word_is_cut_off_and_whole_in_its_title():
    svg = drawn(tree_of([0], "w" * 100))
    (word,) = (x for x in svg.iter(f"{SVG}text") if x.get("class") == "word")
    assert word.find(f"{SVG}title").text == "w" * 100
    assert re.fullmatch("w+…", word.find(f"{SVG}title").tail)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12))
def test_an_arc_is_above_those_that_it_covers(heads):
    heads = [min(head, len(heads)) for head in heads]
    heads = [0 if head == i else head for i, head in enumerate(heads, 1)]
    arcs = tree_of(heads).arcs()
    found = levels(arcs)
    for left, right, dependent in arcs:
        for other_left, other_right, other in arcs:
            inside = left <= other_left and other_right <= right
            if inside and (left, right) != (other_left, other_right):
                assert found[dependent] > found[other]
