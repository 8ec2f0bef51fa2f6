"""The model of the lemmatizer: a table of known words, and a ranker for all others.

A word is known if training had its form with the same part of speech. If such words had
several lemmas, the morphological analysis decides, or else the most frequent one. The
ranker makes the lemmas of the other words, see `core.lemmas.ranker`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.lemmas.edit_rules import EditRule
from ..core.lemmas.ranker import LemmaRanker
from ..core.model.bundle import read_models, write_models
from ..core.weights.aligned import aligned_bytes
from ..core.weights.frozen import ARRAYS, FrozenWeights
from ..errors import ModelFileError
from ..tagger.lexicon import UNKNOWN, LabelTable
from ..util.arrays import IdArray, Int32Array

VERSION = 2
_WEIGHTS = "weights "
_PARTS = ("settings", "table", "known")


@dataclass(frozen=True)
class LemmaModel:
    """Lemmas of words.

    Attributes:
        lemmas: The lemmas of known words, each once.
        table: The number of a lemma by the keys of words, see `words.word_keys`: by
            form and part of speech, and by all three where that is not enough. A form
            that training only had with capitals is known in lower case, too.
        ranker: Makes the lemmas of words that are not in the table.
        weights: Of the ranker, without what only further training would need.
    """

    lemmas: list[str]
    table: LabelTable
    ranker: LemmaRanker
    weights: FrozenWeights

    @property
    def reads_tags(self) -> bool:
        """Whether the words of training had tags."""
        return any(tags for _, tags in self.ranker.rules)

    def find(self, keys: Sequence[IdArray]) -> Int32Array:
        """The numbers of the lemmas of known words, -1 for others.

        Args:
            keys: Several keys of each word; the first one that is known counts.
        """
        first, *others = keys
        found: Int32Array = self.table.find(first)[0]
        for more in others:
            rest = np.flatnonzero(found == UNKNOWN)
            if len(rest):
                found[rest] = self.table.find(more[rest])[0]
        return found

    def best(self, form: str, pos: int, morph: int) -> str:
        """The lemma of a word that is not known."""
        return self.ranker.best(self.weights, form, pos, morph)

    def scored(self, form: str, pos: int, morph: int) -> list[tuple[str, float]]:
        """The candidates for the lemma of a word with their scores, best first."""
        found = self.ranker.scored(self.weights, form, pos, morph)
        return sorted(found, key=lambda candidate: -candidate[1])

    def to_bytes(self) -> bytes:
        """The model as bytes. The same model always gives the same bytes."""
        settings = {
            "version": VERSION,
            "lemmas": self.lemmas,
            "rules": [[rule.parts(), tags] for rule, tags in self.ranker.rules],
            "weights": self.weights.sizes(),
        }
        arrays = self.weights.arrays()
        return write_models(
            {},
            {
                "settings": json.dumps(settings).encode("utf8"),
                "table": self.table.to_bytes(),
                "known": self.ranker.known().astype("<u8").tobytes(),
                **{_WEIGHTS + name: arrays[name].tobytes() for name in ARRAYS},
            },
        )

    @classmethod
    def from_bytes(cls, data: bytes | memoryview) -> LemmaModel:
        """The model that `to_bytes` wrote.

        Raises:
            ModelFileError: When the bytes do not hold a sound model of a lemmatizer.
        """
        models, parts = read_models(data)
        expected = {*_PARTS, *(_WEIGHTS + name for name in ARRAYS)}
        if models or set(parts) != expected:
            raise ModelFileError("it is not the model of a lemmatizer")
        try:
            return cls._build(json.loads(parts["settings"]), parts)
        except ModelFileError:
            raise
        except (
            ValueError,
            KeyError,
            TypeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise ModelFileError(
                f"its settings are inconsistent ({type(error).__name__}: {error})"
            ) from error

    @classmethod
    def _build(cls, settings: dict[str, Any], parts: dict[str, bytes]) -> LemmaModel:
        if settings["version"] != VERSION:
            raise ModelFileError(
                f"it has format version {settings['version']}, this release reads "
                f"{VERSION}: train the model again"
            )
        lemmas = settings["lemmas"]
        if not isinstance(lemmas, list) or not all(
            isinstance(lemma, str) and lemma for lemma in lemmas
        ):
            raise ModelFileError("its lemmas are no strings")
        "".join(lemmas).encode("utf8")
        ranker = LemmaRanker(
            [(EditRule(*rule), pos) for rule, pos in settings["rules"]]
        )
        if len(parts["known"]) % 8:
            raise ModelFileError("its known lemmas have the wrong size")
        ranker.set_known(np.frombuffer(parts["known"], "<u8").astype(np.uint64))
        arrays = {}
        for name in ARRAYS:
            part = parts[_WEIGHTS + name]
            arrays[name] = aligned_bytes(len(part))
            arrays[name][:] = np.frombuffer(part, dtype=np.uint8)
        sizes = settings["weights"]
        if sizes["n_actions"] != 1:
            raise ModelFileError("its weights are not those of a ranker")
        weights = FrozenWeights.from_arrays(arrays, sizes)
        table = LabelTable.from_bytes(parts["table"], [len(lemmas)])
        return cls(lemmas, table, ranker, weights)

    def __reduce__(self) -> tuple[Callable[..., LemmaModel], tuple[bytes]]:
        return LemmaModel.from_bytes, (self.to_bytes(),)
