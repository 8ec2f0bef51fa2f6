"""The result of the sentence splitter beside `is_sent_start`.

- `token._.sent_start_probability`: the probability that a sentence starts at the token,
  given the starts before it; 1 or 0 where a rule or a preset value decided. None for
  whitespace, and in documents that were split without `probabilities`.
"""

from spacy.tokens import Token

from ..components.extensions import register, require
from .start_records import start_probability

EXTENSIONS = [(Token, {"sent_start_probability": start_probability})]


def register_extensions() -> None:
    """Register the extension. An extension that exists already does not change."""
    register(EXTENSIONS)


def require_extensions() -> None:
    """As `register_extensions`, for a component that has results for them."""
    require(EXTENSIONS, "senter")
