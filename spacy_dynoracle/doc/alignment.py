"""The alignment between the words of a prediction and of its reference."""

from typing import Any

import numpy as np
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc
from spacy.training import Example


def same_tokens(example: Example) -> bool:
    """Whether prediction and reference have the same tokens."""
    predicted, reference = example.predicted, example.reference
    return len(predicted) == len(reference) and np.array_equal(
        predicted.to_array([ORTH]), reference.to_array([ORTH])
    )


class WordAlignment:
    """The words of a prediction and of its reference that share characters.

    Whitespace tokens are not aligned, on either side.

    Attributes:
        to_gold: For each predicted token the words of the reference, ascending.
        to_predicted: For each token of the reference the predicted words.
    """

    def __init__(self, example: Example) -> None:
        predicted, reference = is_space(example.predicted), is_space(example.reference)
        alignment = example.alignment
        self.to_gold = _pairs(alignment.x2y, predicted, reference)
        self.to_predicted = _pairs(alignment.y2x, reference, predicted)

    def gold(self, token: int) -> int | None:
        """The word of the reference that shares characters with a predicted token; None
        unless there is exactly one.
        """
        words = self.to_gold[token]
        return words[0] if len(words) == 1 else None

    def predicted(self, token: int) -> int | None:
        """The predicted word that shares characters with a token of the reference; None
        unless there is exactly one.
        """
        words = self.to_predicted[token]
        return words[0] if len(words) == 1 else None


def is_space(doc: Doc) -> np.ndarray:
    """Whether each token is whitespace."""
    found: np.ndarray = doc.to_array(IS_SPACE) != 0
    return found


def _pairs(array: Any, from_space: np.ndarray, to_space: np.ndarray) -> list[list[int]]:
    """An array of spaCy's alignment as lists, without whitespace."""
    # It may be too long: spaCy counts a last token with blanks in it twice.
    ends = array.ends.tolist()[: len(from_space)]
    data = array.data.tolist()
    return [
        [] if space else [other for other in data[start:end] if not to_space[other]]
        for space, start, end in zip(from_space, [0, *ends], ends, strict=False)
    ]
