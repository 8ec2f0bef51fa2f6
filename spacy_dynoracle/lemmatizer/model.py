"""The model of the lemmatizer: a table of known words, and a ranker for all others.

A word is known if training had its form with the same part of speech, or, if that is
not so, with none. If such words had several lemmas, the morphological analysis decides,
or else the most frequent one. The ranker makes the lemmas of the other words, see
`core.lemmas.ranker`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.lemmas.ranker import LemmaRanker
from ..core.model.bundle import read_models, write_models
from ..core.model.model import checked_temperature
from ..core.results import EditRule
from ..core.weights.frozen import LARGEST_SCALE, SMALLEST_SCALE
from ..doc.borders import string_ids
from ..errors import ModelFileError
from ..tagger.lexicon import UNKNOWN, LabelTable, hashed_pairs
from ..util.arrays import IdArray, Int32Array
from ..util.typography import lower_case
from .words import word_keys

VERSION = 4
# The parts of a file that are 64-bit numbers.
_NUMBERS = ("known", "weights")
_PARTS = {"settings", "table", *_NUMBERS}


@dataclass(frozen=True)
class LemmaModel:
    """Lemmas of words.

    Attributes:
        lemmas: The lemmas of known words, each once.
        table: The number of a lemma by the keys of words, see `words.word_keys`: by
            form and part of speech (0 for none), and by all three where that is not
            enough. A form that training only had with capitals is known in lower case,
            too.
        ranker: Makes the lemmas of words that are not in the table.
        learner: The name of what trained the ranker.
        temperature: What scores are divided by before their softmax is a probability;
            None if the learner has no probabilities.
    """

    lemmas: list[str]
    table: LabelTable
    ranker: LemmaRanker
    learner: str
    temperature: float | None

    def find(self, form: IdArray, pos: IdArray, morph: IdArray) -> Int32Array:
        """The numbers of the lemmas of known words, -1 for others.

        Args:
            form, pos, morph: The ids of the forms and their tags.
        """
        pairs = word_keys(form, pos)
        found: Int32Array = self.table.find(hashed_pairs(pairs, morph))[0]
        rest = np.flatnonzero(found == UNKNOWN)
        found[rest] = self.table.find(pairs[rest])[0]
        return found

    def rarer(
        self, forms: list[str], pos: IdArray, morph: IdArray, context: IdArray
    ) -> list[str]:
        """The lemmas of words that may not be known: those of the forms, of the forms
        in lower case, of either without a part of speech, or the best ones that rules
        make.

        Args:
            forms: With plain characters.
            pos, morph: The ids of their tags.
            context: What the words around tell, see `words.LemmaBatch`.
        """
        form, lower = string_ids(forms), string_ids(list(map(lower_case, forms)))
        numbers = self.find(form, pos, morph)
        # Training may have had a word without a part of speech.
        for key in ((lower, pos), (form, 0 * pos), (lower, 0 * pos)):
            numbers = np.where(numbers == UNKNOWN, self.find(*key, morph), numbers)
        rest = np.flatnonzero(numbers == UNKNOWN).tolist()
        known = zip(numbers.tolist(), forms, strict=True)
        found = [self.lemmas[n] if n != UNKNOWN else form for n, form in known]
        ranked = self.ranker.best(
            [forms[i] for i in rest], pos[rest], morph[rest], context[rest]
        )
        for i, lemma in zip(rest, ranked, strict=True):
            # The rules of abbreviations fit punctuation, too, but it has no letters.
            if _has_letters(forms[i]) or not _has_letters(lemma):
                found[i] = lemma
        return found

    def scored(self, form: str, *read: int) -> list[tuple[str, float]]:
        """The candidates for the lemma of a word with their scores, best first.

        Args:
            form: With plain characters.
            read: Its part of speech, its analysis and its context, as numbers.
        """
        found = self.ranker.scored(form, *read)
        return sorted(found, key=lambda candidate: -candidate[1])

    def to_bytes(self) -> bytes:
        """The model as bytes. The same model always gives the same bytes."""
        settings = {
            "version": VERSION,
            "lemmas": self.lemmas,
            "rules": [[rule, tags] for rule, tags in self.ranker.rules],
            "scale": self.ranker.scale,
            "learner": self.learner,
            "temperature": self.temperature,
        }
        return write_models(
            {},
            {
                "settings": json.dumps(settings).encode("utf8"),
                "table": self.table.to_bytes(),
                "known": self.ranker.known.keys().astype("<u8").tobytes(),
                "weights": self.ranker.packed_weights().astype("<u8").tobytes(),
            },
        )

    @classmethod
    def from_bytes(cls, data: bytes | memoryview) -> LemmaModel:
        """The model that `to_bytes` wrote.

        Raises:
            ModelFileError: When the bytes do not hold a sound model of a lemmatizer.
        """
        models, parts = read_models(data)
        if models or set(parts) != _PARTS:
            raise ModelFileError("it is not the model of a lemmatizer")
        try:
            return cls._build(json.loads(bytes(parts["settings"])), parts)
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
    def _build(
        cls, settings: dict[str, Any], parts: Mapping[str, bytes | memoryview]
    ) -> LemmaModel:
        if settings["version"] != VERSION:
            raise ModelFileError(
                f"it has format version {settings['version']}, this release reads "
                f"{VERSION}: train the model again"
            )
        lemmas = settings["lemmas"]
        if not ({str}.issuperset(map(type, lemmas)) and all(lemmas)):
            raise ModelFileError("its lemmas are no strings")
        "".join(lemmas).encode("utf8")
        ranker = LemmaRanker(
            [(EditRule(*rule), pos) for rule, pos in settings["rules"]]
        )
        numbers = {}
        for name in _NUMBERS:
            if len(parts[name]) % 8:
                raise ModelFileError(f"its {name} have the wrong size")
            numbers[name] = np.frombuffer(parts[name], "<u8").astype(np.uint64)
        scale = settings["scale"]
        if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            raise ModelFileError(f"the scale {scale!r} of its weights is impossible")
        ranker.known.set_keys(numbers["known"])
        ranker.set_weights(numbers["weights"], scale)
        table = LabelTable.from_bytes(parts["table"], [len(lemmas)])
        temperature = checked_temperature(settings["temperature"])
        return cls(lemmas, table, ranker, str(settings["learner"]), temperature)

    def __reduce__(self) -> tuple[Callable[..., LemmaModel], tuple[bytes]]:
        return LemmaModel.from_bytes, (self.to_bytes(),)


def _has_letters(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(map(str.isalnum, text))
