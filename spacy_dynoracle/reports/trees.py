"""Dependency trees as SVG: arcs above the words or, of long sentences, beside them.

A sentence that fits on a screen is drawn in a line. A longer one has a line for each
word, with the arcs on the left, so that no drawing is wider than `MAX_WIDTH`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

# Pixels.
MAX_WIDTH = 1000
_LINE_WIDTH = 900
_CHARACTER, _SMALL = 8.5, 6.8
_GAP = 14
_AROUND_LABEL = 26
_LEVEL = 22
_LEVEL_ASIDE = 11
_MOST_FOR_ARCS = 400
_ROW = 24
_MARGIN = 12
_ARROW = 4
# In characters. Longer words and labels are cut off; the whole word is in the title.
_LONGEST = 36

STYLE = """\
:root { color-scheme: light; --ink: #1b2430; --muted: #57616e; --line: #8a94a1; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; color: var(--ink);
  background: #fff; font: 15px/1.4 system-ui, "Segoe UI", Roboto, "Noto Sans",
  "DejaVu Sans", sans-serif; }
figure { margin: 0 0 1.5rem; padding: 0 0 1rem; border-bottom: 1px solid #d5dbe3; }
figure p { margin: 0 0 .4rem; overflow-wrap: anywhere; }
figcaption { color: var(--muted); font-size: .85rem; }
.tree { overflow-x: auto; }
.tree svg { display: block; font-size: 14px; }
.tree text { fill: var(--ink); }
.tree .tag, .tree .number { fill: var(--muted); font-size: 11px; }
.tree .label { font-size: 12px; paint-order: stroke; stroke: #fff; stroke-width: 5px;
  stroke-linejoin: round; }
.tree path { fill: none; stroke: var(--line); stroke-width: 1.3; }
.tree .arrow { fill: var(--line); stroke: none; }
.tree .middle text { text-anchor: middle; }
"""


class Tree(NamedTuple):
    """A sentence to be drawn.

    Attributes:
        heads: Of each word 1..n the number of its head, 0 for the root, None if
            unknown.
        labels: Empty where unknown.
    """

    words: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int | None]
    labels: Sequence[str]

    def arcs(self) -> list[tuple[int, int, int]]:
        """The arcs as left word, right word and dependent, counted from 0."""
        return [
            (min(i, head - 1), max(i, head - 1), i)
            for i, head in enumerate(self.heads)
            if head
        ]


def tree_svg(tree: Tree, *, right_to_left: bool = False) -> str:
    """A tree as an SVG element, at most MAX_WIDTH wide."""
    shown = Tree(
        [_clipped(word) for word in tree.words],
        [_clipped(tag) for tag in tree.tags],
        tree.heads,
        [_clipped(label) for label in tree.labels],
    )
    places = _places(shown)
    width = places[-1] + _half(shown, len(places) - 1) + _MARGIN if places else 0
    if width <= _LINE_WIDTH:
        if right_to_left:
            places = [width - x for x in places]
        size, parts = _in_a_line(tree, shown, places, width)
    else:
        size, parts = _in_rows(tree, shown)
    wide, high = size
    description = escape(f"Dependency tree of {len(tree.words)} words")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{description}" width="{wide:g}" height="{high:g}" '
        f'viewBox="0 0 {wide:g} {high:g}">{"".join(parts)}</svg>'
    )


def text_width(text: str, of_character: float = _CHARACTER) -> float:
    """The estimated width of a text in pixels; East Asian characters are twice as
    wide.
    """
    wide = sum(unicodedata.east_asian_width(x) in "WF" for x in text)
    return of_character * (len(text) + wide)


def levels(arcs: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """The level of the arc of each dependent: 1 for the lowest, and one above all arcs
    that it covers.
    """
    arcs = sorted(arcs, key=lambda arc: (arc[1] - arc[0], arc[0]))
    # An array, because the words below the arcs of a long sentence are many.
    height = np.zeros(max((right for _, right, _ in arcs), default=0), dtype=np.int32)
    found = {}
    for left, right, dependent in arcs:
        level = 1 + int(height[left:right].max())
        height[left:right] = level
        found[dependent] = level
    return found


def _clipped(text: str) -> str:
    if text_width(text, 1) <= _LONGEST:
        return text
    text = text[:_LONGEST]
    while text_width(text, 1) >= _LONGEST:
        text = text[:-1]
    return text + "…"


def _half(tree: Tree, i: int) -> float:
    """Half the width of a word with its tag."""
    tag = text_width(tree.tags[i], _SMALL)
    return max(text_width(tree.words[i]), tag, 2 * _GAP) / 2


def _places(tree: Tree) -> list[float]:
    """The middle of each word in a line; labels between neighbours have room."""
    between: dict[int, float] = {}
    for left, right, dependent in tree.arcs():
        if right == left + 1:
            label = text_width(tree.labels[dependent], _SMALL) + _AROUND_LABEL
            between[left] = max(between.get(left, 0.0), label)
    half = [_half(tree, i) for i in range(len(tree.words))]
    places = [_MARGIN + half[0]] if half else []
    for i in range(1, len(half)):
        step = max(half[i - 1] + half[i] + _GAP, between.get(i - 1, 0.0))
        places.append(places[-1] + step)
    return places


def _text(kind: str, x: float, y: float, text: str, title: str = "") -> str:
    whole = f"<title>{escape(title)}</title>" if title and title != text else ""
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}">{whole}{escape(text)}</text>'
        if text
        else ""
    )


def _in_a_line(
    tree: Tree, shown: Tree, places: list[float], width: float
) -> tuple[tuple[float, float], list[str]]:
    """The size and the elements of a tree with its arcs above the words."""
    level_of = levels(shown.arcs())
    highest = max(level_of.values(), default=0)
    step = min(_LEVEL, _MOST_FOR_ARCS / max(highest, 1))
    base = _MARGIN + (highest + 1) * step
    # The end of an arc is aside of the middle, on the side of the other word.
    aside = 5
    parts = ['<g class="middle">']
    labels = []
    for left, right, dependent in shown.arcs():
        head = right if dependent == left else left
        toward = 1 if places[head] > places[dependent] else -1
        start, end = places[head] - toward * aside, places[dependent] + toward * 2
        top = base - level_of[dependent] * step
        bend = toward * min(6.0, abs(start - end) / 2)
        low = base - 2
        parts.append(
            f'<path d="M{start:g},{low:g} V{top + 6:g} Q{start:g},{top:g} '
            f"{start - bend:g},{top:g} H{end + bend:g} Q{end:g},{top:g} {end:g},"
            f'{top + 6:g} V{low - _ARROW:g}"/>' + _arrow_down(end, low)
        )
        middle = (start + end) / 2
        labels.append(_text("label", middle, top + 4, shown.labels[dependent]))
    for i, head_of in enumerate(shown.heads):
        if head_of == 0:
            top = base - (highest + 1) * step + 4
            end = places[i]
            parts.append(f'<path d="M{end:g},{top:g} V{base - 2 - _ARROW:g}"/>')
            parts.append(_arrow_down(end, base - 2))
            labels.append(_text("label", end, top + 2, shown.labels[i]))
    for i, x in enumerate(places):
        labels.append(_text("word", x, base + 15, shown.words[i], tree.words[i]))
        labels.append(_text("tag", x, base + 30, shown.tags[i]))
    return (width, base + 38), [*parts, *labels, "</g>"]


def _arrow_down(x: float, y: float) -> str:
    shape = f"M{x:g},{y:g} l{-_ARROW},{-2 * _ARROW} h{2 * _ARROW}z"
    return f'<path class="arrow" d="{shape}"/>'


def _in_rows(tree: Tree, shown: Tree) -> tuple[tuple[float, float], list[str]]:
    """The size and the elements of a tree with a line for each word."""
    level_of = levels(shown.arcs())
    highest = max(level_of.values(), default=0)
    step = min(_LEVEL_ASIDE, _MOST_FOR_ARCS / max(highest, 1))
    base = _MARGIN + highest * step + _MARGIN
    middle = [_ROW * (i + 0.5) for i in range(len(shown.words))]
    parts = []
    for left, right, dependent in shown.arcs():
        head = right if dependent == left else left
        toward = 1 if head > dependent else -1
        start, end = middle[head] - toward * 5, middle[dependent] + toward * 2
        far = base - level_of[dependent] * step
        parts.append(
            f'<path d="M{base:g},{start:g} H{far + 5:g} Q{far:g},{start:g} {far:g},'
            f"{start - toward * 5:g} V{end + toward * 5:g} Q{far:g},{end:g} "
            f'{far + 5:g},{end:g} H{base - _ARROW:g}"/>'
            f'<path class="arrow" d="M{base:g},{end:g} l{-2 * _ARROW},{-_ARROW} '
            f'v{2 * _ARROW}z"/>'
        )
    number = base + 6
    word = number + text_width(str(len(shown.words)), _SMALL) + 6
    tag = word + max(map(text_width, shown.words)) + _GAP / 2
    label = tag + max(text_width(x, _SMALL) for x in shown.tags) + _GAP / 2
    ends = [label]
    for i, y in enumerate(middle):
        parts.append(_text("number", number, y + 4, str(i + 1)))
        parts.append(_text("word", word, y + 5, shown.words[i], tree.words[i]))
        parts.append(_text("tag", tag, y + 4, shown.tags[i]))
        parts.append(_text("label", label, y + 4, shown.labels[i]))
        ends.append(label + text_width(shown.labels[i], _SMALL))
    return (max(ends) + _MARGIN, _ROW * len(middle)), parts
