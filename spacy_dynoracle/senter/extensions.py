"""The result of the sentence splitter beside `is_sent_start`.

- `token._.sent_start_probability`: the probability that a sentence starts at the token,
  given the starts before it; 1 or 0 where a rule or a preset value decided. None for
  whitespace, and in documents that were split without `probabilities`.
"""

from __future__ import annotations

from spacy.tokens import Token

from .start_records import start_probability

EXTENSION = "sent_start_probability"
EXTENSIONS = [(Token, {EXTENSION: start_probability})]


def register_extensions() -> None:
    """Register the extension. An extension that exists already does not change."""
    if not Token.has_extension(EXTENSION):
        Token.set_extension(EXTENSION, getter=start_probability)


def check_registered() -> None:
    """Raise ValueError if a user has registered another extension under the name."""
    getter = Token.get_extension(EXTENSION)[2] if Token.has_extension(EXTENSION) else 0
    # By name: modules may be loaded again.
    if getattr(getter, "__name__", "") != start_probability.__name__:
        raise ValueError(
            f"other code has registered Token._.{EXTENSION}, which the senter needs "
            f"for its results: give that extension another name, or remove it and call "
            f"spacy_dynoracle.senter.register_extensions()"
        )
