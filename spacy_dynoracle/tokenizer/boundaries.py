"""Where words begin and end between two blanks, learnt from a treebank.

The tokenizer of a language follows rules that no treebank follows to the letter. Some
treebanks have ``=====`` or a telephone number as one word, where the rules find many.
`WordBoundaries` learns what the treebank does. It looks at each place where the rules
cut or where the kind of the characters changes, and a linear model decides whether a
word ends there. The model is an averaged perceptron (Collins 2002). It begins as one
that follows the rules, so places like none in the treebank stay as the rules have them.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..util.abbreviations import is_abbreviation
from ..util.typography import is_mark, plain

# The ends of all words but the last one in a stretch of text without blanks.
Ends = tuple[int, ...]
# A stretch, the ends that the rules find, and those of the treebank.
KnownStretch = tuple[str, Ends, Ends]

# What the rules count for at the beginning, and how sure the model is to become.
_TRUST = 3.0
_MARGIN = 1.0
_EPOCHS = 8
_DIGITS = 3
# How much text around a place the features show, and how long a stretch is if some
# features show it as a whole.
_WINDOW = 12
_BETWEEN_SENTENCES = re.compile(r"(?<=[^\W\d_])[?!]+(?=[^\W\d_])")
_WHOLE = 24


class WordBoundaries:
    """Finds the words in stretches of text without blanks.

    Attributes:
        weights: The weights of the linear model by the names of its features; empty for
            a model that changes nothing.
    """

    def __init__(self) -> None:
        self.weights: dict[str, float] = {}

    def __bool__(self) -> bool:
        return bool(self.weights)

    def find(self, text: str, ends: Ends) -> Ends:
        """The ends of the words of a stretch.

        Args:
            ends: Those that the rules find.
        """
        if not ends and text.isalpha():
            # No place is looked at. Most stretches of a text are such words.
            return ends
        weight = self.weights.get
        places = _Places(plain(text), ends)
        return tuple(
            place
            for place in places
            if sum([weight(name, 0.0) for name in places.features(place)]) > 0
        )

    # ---- learning ------------------------------------------------------------------

    def learn(self, stretches: Iterable[KnownStretch]) -> None:
        """Learn from the different stretches of a treebank; what was learnt before is
        lost.

        If no stretch has several words, the treebank does not tell where its text has
        blanks, and if the rules are always right there is nothing to learn. Then the
        model changes nothing.
        """
        self.__init__()  # type: ignore[misc]
        known = dict.fromkeys(stretches)
        if not any(right for _, _, right in known):
            return
        if all(ends == right for _, ends, right in known):
            return
        cases = []
        for text, ends, right in known:
            places = _Places(plain(text), ends)
            cases += [(places.features(p), p in right) for p in places]
        self._train(cases)

    def _train(self, cases: list[tuple[list[str], bool]]) -> None:
        """Train the averaged perceptron.

        Args:
            cases: Features, and whether a word ends.
        """
        weights: dict[str, float] = defaultdict(float)
        sums: dict[str, float] = defaultdict(float)
        weights["+"], weights["-"] = _TRUST, -_TRUST
        order = random.Random(0)
        n_seen = 0
        for _ in range(_EPOCHS):
            order.shuffle(cases)
            for names, is_end in cases:
                step = 1.0 if is_end else -1.0
                if step * sum([weights[name] for name in names]) < _MARGIN:
                    for name in names:
                        weights[name] += step
                        sums[name] += n_seen * step
                n_seen += 1
        averages = ((n, w - sums[n] / max(n_seen, 1)) for n, w in weights.items())
        rounded = ((name, round(weight, _DIGITS)) for name, weight in averages)
        self.weights = {name: weight for name, weight in rounded if weight}

    # ---- storing -------------------------------------------------------------------

    def as_dict(self) -> dict[str, float]:
        """Plain values, for `from_dict`."""
        return dict(sorted(self.weights.items()))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> WordBoundaries:
        """The model that `as_dict` gave the values of.

        Raises:
            AttributeError, TypeError or ValueError: For other values.
        """
        found = cls()
        found.weights = {str(name): finite(value) for name, value in values.items()}
        return found


def finite(value: Any) -> float:
    """The value, which must be a finite number.

    Raises:
        ValueError: For any other.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no finite number")
    return number


class _Places:
    """The places of a stretch where a word may end: where the rules cut, and where two
    characters meet of which one is neither letter nor digit, or only one is a digit.
    """

    def __init__(self, text: str, ends: Ends) -> None:
        self.text = text
        self.ends = frozenset(ends)
        if "?" in text or "!" in text:
            # The rules cut "end.The" and not "end?The".
            for match in _BETWEEN_SENTENCES.finditer(text):
                start, end = match.span()
                if text[start - 1].islower() and text[end].isupper():
                    self.ends |= {start, end}
        self.kinds = [_kind(character) for character in text]
        n = len(text)
        # The beginning and end of the run of one kind that each character belongs to.
        self.begins, self.stops = [0] * n, [n] * n
        for i in range(1, n):
            same = self.kinds[i] == self.kinds[i - 1]
            self.begins[i] = self.begins[i - 1] if same else i
        for i in range(n - 2, -1, -1):
            same = self.kinds[i] == self.kinds[i + 1]
            self.stops[i] = self.stops[i + 1] if same else i + 1

    def __iter__(self) -> Iterator[int]:
        kinds = self.kinds
        for place in range(1, len(self.text)):
            inside = kinds[place - 1] == kinds[place] and kinds[place] in "ad"
            if not inside or place in self.ends:
                yield place

    def features(self, place: int) -> list[str]:
        """The names of the features of a place.

        Each begins with "+" if the rules cut there, else with "-".
        """
        text, kinds = self.text, self.kinds
        before, after = text[place - 1], text[place]
        first, stop = self.begins[place - 1], self.stops[place]
        left = _run(text[max(first, place - _WINDOW) : place])
        right = _run(text[place : min(stop, place + _WINDOW)])
        around = _shape(text[max(place - 2, 0) : place + 2], limit=1)
        names = [
            f"1{kinds[place - 1]}|{kinds[place]}",
            f"2{around}{place == 1}{place + 1 == len(text)}",
            f"3{before}|{after}".lower(),
            f"4{text[max(place - 2, 0) : place]}|{after}".lower(),
            f"5{before}|{text[place : place + 2]}".lower(),
            f"6{before}|".lower(),
            f"7|{after}".lower(),
            f"8{left}|{kinds[place]}",
            f"9{kinds[place - 1]}|{right}",
            f"a{left}|{right}",
            f"b{text[0]}{before == after}{text[-1]}",
        ]
        if after == "." and is_abbreviation(text[first:place]):
            # "approx." is like "etc.", which the treebank may have.
            names += ["j", f"j{place + 1 == len(text)}"]
        if before == after:
            length = min(stop - first, 6)
            names += [f"c{length}", f"d{length}{after}"]
        if len(text) <= _WHOLE:
            start, end = _shape(text[:place]), _shape(text[place:])
            names += [f"e{start}|{end}", f"f{start}|", f"g|{end}"]
            if place <= 8:
                names.append(f"h{text[:place].lower()}|{kinds[place]}")
            if len(text) - place <= 8:
                names.append(f"i{kinds[place - 1]}|{text[place:].lower()}")
        sign = "+" if place in self.ends else "-"
        return [sign, *(sign + name for name in names)]


def _kind(character: str) -> str:
    """The kind of a character: "a" for a letter or an accent, "d" for a digit, or
    itself.
    """
    if character.isalpha() or is_mark(character):
        return "a"
    return "d" if character.isdigit() else character


def _run(text: str) -> str:
    """A run of characters in lower case; of digits only their number."""
    return "0" * len(text) if text.isdigit() else text.lower()


def _shape(text: str, limit: int = 2) -> str:
    """The kinds of the characters, of equal neighbours at most `limit`."""
    found: list[str] = []
    for character in text:
        kind = _kind(character)
        if kind == "a":
            kind = "X" if character.isupper() else "x"
        if found[-limit:] != [kind] * limit:
            found.append(kind)
    return "".join(found)


def ends_of(words: Sequence[str]) -> Ends:
    """The ends of all words but the last one, in characters."""
    found = []
    end = 0
    for word in words[:-1]:
        end += len(word)
        found.append(end)
    return tuple(found)
