"""The choice of the multiword tokens in a text, learnt from a treebank.

A token that the treebank always splits in one way is split like that, and one that it
never splits is left alone. A linear model decides about the others by their neighbours:
tokens that it splits sometimes (French ``des``), and unknown tokens with an ending that
several tokens of the treebank are split at (Spanish ``-lo``). It is an averaged
perceptron (Collins 2002) over the candidates of these tokens only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from ..util.typography import composed
from .choices import WHOLE, add_weights, by_ending, features_around, own_features
from .splits import Split, lowered

# A token of a treebank with its split; None for a token that is a word.
KnownToken = tuple[str, Split | None]
# An ending counts for unknown tokens if that many different tokens are split at it.
_PRODUCTIVE = 3
# In training, tokens up to that frequency whose ending may be split off are learnt from
# as if they were unknown.
_RARE = 3
_EPOCHS = 10
# By how much the right candidate is to be ahead of any other one.
_MARGIN = 1.0
_DIGITS = 4
_REMEMBERED = 1 << 16
_NO_WEIGHTS: dict[str, float] = {}


class _Case(NamedTuple):
    """A token with several candidates, the features of its neighbours, those of the
    token for each candidate, and the right candidate.
    """

    candidates: tuple[int, ...]
    context: list[str]
    own: list[tuple[str, ...]]
    right: int


class Splitter:
    """Finds the multiword tokens among the tokens of a text.

    Attributes:
        splits: The splits that occur in the treebank.
        known: For each lower-case token its possible splits, if WHOLE is not the only
            one or if it has a productive ending.
        endings: For each productive ending the splits of unknown tokens.
        stems: The words of the treebank in lower case, ascending; empty without
            productive endings.
        weights: For each split the weights of the linear model.
    """

    def __init__(self) -> None:
        self.splits: list[Split] = []
        self.known: dict[str, tuple[int, ...]] = {}
        self.endings: dict[str, tuple[int, ...]] = {}
        self.stems: list[str] = []
        self.weights: dict[int, dict[str, float]] = {}
        self._index()
        # The scores of the candidates of a token beside any neighbours.
        self._remembered: dict[str, list[float]] = {}

    def __bool__(self) -> bool:
        return bool(self.splits)

    def _index(self) -> None:
        """Note what helps to find endings, and forget what helps to find weights."""
        self.__dict__.pop("_by_name", None)
        self._endings = tuple(self.endings)
        self._longest = max(map(len, self.endings), default=0)

    @cached_property
    def _by_name(self) -> dict[str, dict[int, float]]:
        """The weights of each feature, by split."""
        by_name: dict[str, dict[int, float]] = defaultdict(dict)
        for number, of in self.weights.items():
            for name, weight in of.items():
                by_name[name][number] = weight
        return dict(by_name)

    def find(
        self, tokens: Sequence[str], among: Iterable[int]
    ) -> Iterator[tuple[int, Split]]:
        """Yield the index and the split of each multiword token.

        Args:
            among: The indices of the tokens that may be one. Whitespace among the
                tokens does not count as a neighbour.
        """
        for i in among:
            token = _lower(tokens[i])
            candidates = self._candidates(token)
            found = candidates[0]
            if len(candidates) > 1:
                scores = self._own_scores(token, candidates).copy()
                names = features_around(token, tokens, i)
                add_weights(scores, candidates, self._by_name, names)
                found = candidates[scores.index(max(scores))]
            if found != WHOLE:
                yield i, self.splits[found]

    def can_split(self, token: str) -> bool:
        """Whether a token is split, be it only beside some neighbours."""
        lower = _lower(token)
        is_known = lower in self.known or lower.endswith(self._endings)
        return is_known and self._candidates(lower) != (WHOLE,)

    def _candidates(self, lower: str) -> tuple[int, ...]:
        return self.known.get(lower) or self._by_ending(lower)

    def _by_ending(self, lower: str) -> tuple[int, ...]:
        """The candidates of an unknown token."""
        return by_ending(lower, self.endings, self._longest, self.splits)

    def _own_scores(self, token: str, candidates: tuple[int, ...]) -> list[float]:
        """The scores of the candidates by the features of the token alone."""
        scores = self._remembered.get(token)
        if scores is None:
            own = own_features(token, candidates, self.splits, self.stems)
            scores = [
                self._score(number, names)
                for number, names in zip(candidates, own, strict=True)
            ]
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[token] = scores
        return scores

    def _score(self, number: int, names: Iterable[str]) -> float:
        weight = self.weights.get(number, _NO_WEIGHTS).get
        return sum([weight(name, 0.0) for name in names])

    # ---- learning ------------------------------------------------------------------

    def learn(self, sentences: Iterable[Sequence[KnownToken]]) -> None:
        """Learn from the sentences of a treebank; what was learnt before is lost."""
        self.__init__()  # type: ignore[misc]
        texts = [list(sentence) for sentence in sentences]
        counts: dict[str, Counter[int]] = defaultdict(Counter)
        numbers: dict[Split, int] = {}
        for token, split in (pair for text in texts for pair in text):
            number = WHOLE if split is None else numbers.setdefault(split, len(numbers))
            counts[lowered(token)][number] += 1
        self.splits = list(numbers)
        if not self.splits:
            return
        n_tokens = Counter(n for of in counts.values() for n in of if n != WHOLE)
        endings: dict[str, list[int]] = defaultdict(list)
        for number, split in enumerate(self.splits):
            if n_tokens[number] >= _PRODUCTIVE:
                endings[split.ending].append(number)
        self.endings = {ending: tuple(found) for ending, found in endings.items()}
        self._index()
        if endings:
            self.stems = sorted(w for w, of in counts.items() if set(of) == {WHOLE})
        for token, of in counts.items():
            if set(of) != {WHOLE} or len(self._by_ending(token)) > 1:
                self.known[token] = tuple(n for n, _ in of.most_common())
        self._train(list(self._cases(texts, counts, numbers)))
        self._index()

    def _cases(
        self,
        texts: list[list[KnownToken]],
        counts: dict[str, Counter[int]],
        numbers: dict[Split, int],
    ) -> Iterator[_Case]:
        """The tokens that the linear model learns from."""
        for text in texts:
            tokens = [token for token, _ in text]
            for i, (token, split) in enumerate(text):
                lower = lowered(token)
                right = WHOLE if split is None else numbers[split]
                candidates = self.known.get(lower, ())
                by_ending = self._by_ending(lower)
                if counts[lower].total() <= _RARE and len(by_ending) > 1:
                    candidates = by_ending
                if len(candidates) > 1 and right in candidates:
                    own = own_features(lower, candidates, self.splits, self.stems)
                    around = features_around(lower, tokens, i)
                    yield _Case(candidates, around, own, right)

    def _train(self, cases: list[_Case]) -> None:
        """Train the averaged perceptron."""
        weights: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        sums: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.weights = weights
        n_seen = 0
        for _ in range(_EPOCHS):
            for candidates, context, own, right in cases:
                scores = [
                    self._score(number, (*context, *names))
                    for number, names in zip(candidates, own, strict=True)
                ]
                place = candidates.index(right)
                scores[place] -= _MARGIN
                best = scores.index(max(scores))
                if best != place:
                    for at, step in ((place, 1.0), (best, -1.0)):
                        number = candidates[at]
                        for name in (*context, *own[at]):
                            weights[number][name] += step
                            sums[number][name] += n_seen * step
                n_seen += 1
        self.weights = {
            number: {
                name: average
                for name, weight in of.items()
                if (average := round(weight - sums[number][name] / n_seen, _DIGITS))
            }
            for number, of in weights.items()
        }

    # ---- storing -------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for `from_dict`."""
        # Most tokens share their candidates with many others.
        candidates = list(dict.fromkeys(self.known.values()))
        place = {found: i for i, found in enumerate(candidates)}
        return {
            "splits": [
                [s.removed, s.added, list(map(list, s.rest))] for s in self.splits
            ],
            "candidates": list(map(list, candidates)),
            "known": {token: place[found] for token, found in self.known.items()},
            "endings": {ending: list(found) for ending, found in self.endings.items()},
            "stems": self.stems,
            "weights": [list(pair) for pair in self.weights.items()],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Splitter:
        """The splitter that `as_dict` gave the values of.

        Raises:
            IndexError, KeyError, TypeError or ValueError: For other values.
        """
        splitter = cls()
        splitter.splits = [
            Split(int(removed), str(added), tuple((str(a), str(b)) for a, b in rest))
            for removed, added, rest in values["splits"]
        ]
        candidates = list(map(tuple, values["candidates"]))
        tokens, places = values["known"].keys(), values["known"].values()
        # A place from the end would be one that nobody has written.
        if not {int}.issuperset(map(type, places)) or min(places, default=0) < 0:
            raise ValueError("a token of 'known' has no index of candidates")
        found_at = map(candidates.__getitem__, places)
        splitter.known = dict(zip(map(str, tokens), found_at, strict=True))
        splitter.endings = {str(x): tuple(of) for x, of in values["endings"].items()}
        allowed = set(range(WHOLE, len(splitter.splits)))
        for found in (*candidates, *splitter.endings.values()):
            if not found or not allowed.issuperset(found):
                raise ValueError(f"{found!r} are no numbers of splits")
        splitter._check()
        splitter.stems = list(values["stems"])
        if not {str}.issuperset(map(type, splitter.stems)):
            raise ValueError("a word of 'stems' is no text")
        splitter.weights = {
            int(number): dict(zip(map(str, of), map(float, of.values()), strict=True))
            for number, of in values["weights"]
        }
        weights = chain(*map(dict.values, splitter.weights.values()))
        if not all(map(math.isfinite, weights)):
            raise ValueError("a weight is no finite number")
        splitter._index()
        return splitter

    def _check(self) -> None:
        """Raise ValueError for splits that would not give words."""
        for split in self.splits:
            texts = [text for pair in split.rest for text in pair]
            is_whole = split.removed >= 0 and texts and all(texts)
            if not is_whole or any(c.isspace() for c in "".join([split.added, *texts])):
                raise ValueError(f"{split!r} is no split")
        lengths = [len(s.ending) + max(1, s.removed) for s in self.splits]
        shortest = {
            found: max([lengths[n] for n in found if n != WHOLE], default=0)
            for found in set(self.known.values())
        }
        for token, found in self.known.items():
            if len(token) < shortest[found]:
                raise ValueError(f"{token!r} is too short for its splits")
        for ending, found in self.endings.items():
            if any(n == WHOLE or self.splits[n].ending != ending for n in found):
                raise ValueError(f"a split in 'endings' does not end in {ending!r}")


def _lower(token: str) -> str:
    """A token in lower case, with accents that are one with their letters."""
    return token.lower() if token.isascii() else lowered(composed(token)[0])
