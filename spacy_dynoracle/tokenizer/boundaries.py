"""Where words begin and end between two blanks, learnt from a treebank.

The tokenizer of a language follows rules that no treebank follows to the letter. Some
treebanks have ``=====`` or a telephone number as one word, where the rules find many.
`WordBoundaries` learns what the treebank does. It looks at each place where the rules
cut or where the kind of the characters changes, and a linear model decides whether a
word ends there. The model is an averaged perceptron (Collins 2002). It begins as one
that follows the rules, so places like none in the treebank stay as the rules have them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..util.typography import plain
from .places import KEY_BITS, Places, PlaceWeights, bias

# The ends of all words but the last one in a pretoken.
Ends = tuple[int, ...]
# A pretoken, the ends that the rules find, and those of the treebank.
KnownPretoken = tuple[str, Ends, Ends]

# What the rules count for at the beginning, and how sure the model is to become.
_TRUST = 3.0
_MARGIN = 3.0
_EPOCHS = 8
# Weights are stored as whole numbers of this unit, so that sums are exact.
_UNIT = 0.001
# How they are stored.
_KEYS, _WEIGHTS = np.dtype("<u8"), np.dtype("<i4")


class WordBoundaries:
    """Finds the words in pretokens: the parts of a text between two blanks.

    Attributes:
        keys, weights: The keys of the features of the linear model, and their weights
            in thousandths; empty for a model that changes nothing.
    """

    def __init__(self, keys: ArrayLike = (), weights: ArrayLike = ()) -> None:
        self.keys, self.weights = np.array(keys, _KEYS), np.array(weights, _WEIGHTS)
        self.table = PlaceWeights(self.keys, self.weights)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.keys, self.weights)

    def __bool__(self) -> bool:
        return len(self.keys) > 0

    def find(self, text: str, ends: Ends | None) -> Ends:
        """The ends of the words of a pretoken.

        Args:
            ends: Those that the rules find; None if they are not asked.
        """
        return self.table.ends(plain(text), ends)

    # ---- learning ------------------------------------------------------------------

    def learn(
        self,
        pretokens: Iterable[KnownPretoken],
        asks: Callable[[str], bool] = lambda text: True,
    ) -> None:
        """Learn from the different pretokens of a treebank; what was learnt before is
        lost.

        Args:
            asks: Whether the rules will be asked about a pretoken.

        If no pretoken has several words, the treebank does not tell where its text has
        blanks, and if the rules are always right there is nothing to learn. Then the
        model changes nothing.
        """
        self.__init__()  # type: ignore[misc]
        known = dict.fromkeys(pretokens)
        if not any(right for _, _, right in known):
            return
        if all(ends == right for _, ends, right in known):
            return
        cases = []
        for text, ends, right in known:
            places = Places(plain(text), ends if asks(text) else None)
            cases += [(places.features(p), p in right) for p in places]
        self._train(cases)

    def _train(self, cases: list[tuple[list[int], bool]]) -> None:
        """Train the averaged perceptron.

        Args:
            cases: Keys of features, and whether a word ends.
        """
        weights: dict[int, float] = defaultdict(float)
        sums: dict[int, float] = defaultdict(float)
        weights[bias(True)], weights[bias(False)] = _TRUST, -_TRUST
        order = random.Random(0)
        n_seen = 0
        for _ in range(_EPOCHS):
            order.shuffle(cases)
            for keys, is_end in cases:
                step = 1.0 if is_end else -1.0
                if step * sum([weights[key] for key in keys]) < _MARGIN:
                    for key in keys:
                        weights[key] += step
                        sums[key] += n_seen * step
                n_seen += 1
        averages = ((key, w - sums[key] / max(n_seen, 1)) for key, w in weights.items())
        rounded = ((key, round(average / _UNIT)) for key, average in averages)
        found = sorted((key, weight) for key, weight in rounded if weight)
        self.__init__(*zip(*found, strict=True))  # type: ignore[misc]

    # ---- storing -------------------------------------------------------------------

    def as_dict(self) -> dict[str, bytes]:
        """Plain values, for `from_dict`."""
        return {"keys": self.keys.tobytes(), "weights": self.weights.tobytes()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> WordBoundaries:
        """The model that `as_dict` gave the values of.

        Raises:
            KeyError, TypeError or ValueError: For other values.
        """
        keys = np.frombuffer(values["keys"], _KEYS)
        if (keys >> np.uint64(KEY_BITS)).any():
            raise ValueError("there are no such keys of boundaries")
        return cls(keys, np.frombuffer(values["weights"], _WEIGHTS))


def ends_of(words: Sequence[str]) -> Ends:
    """The ends of all words but the last one, in characters."""
    return tuple(accumulate(map(len, words[:-1])))
