"""How a token of the text is split into words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..util.texts import n_alike
from ..util.typography import lower_case, plain


class Split(NamedTuple):
    """A way to split tokens with the same end, such as ``du`` = de + le.

    Attributes:
        removed, added: The characters at the end of the first piece that its word does
            not have, and those that it has instead (0 and "e": ``d``, de).
        rest: Text and form of each further piece, in lower case (``u``, le).
    """

    removed: int
    added: str
    rest: tuple[tuple[str, str], ...]

    @property
    def ending(self) -> str:
        """The end of the tokens that can be split like this, in lower case."""
        return "".join(text for text, _ in self.rest)

    def words(self, token: str) -> tuple[list[str], list[str]]:
        """The pieces of a token, and the forms of its words."""
        cut = len(token) - len(self.ending)
        pieces = [token[:cut]]
        forms = [token[: cut - self.removed] + _cased(self.added, token)]
        for text, form in self.rest:
            piece = token[cut : cut + len(text)]
            pieces.append(piece)
            forms.append(piece if text == form else _cased(form, token))
            cut += len(text)
        return pieces, forms

    @classmethod
    def of(cls, pieces: Sequence[str], forms: Sequence[str]) -> Split:
        """The split that gives these pieces and these words."""
        first, form = lowered(pieces[0]), lowered(forms[0])
        same = n_alike(first, form)
        rest = zip(map(lowered, pieces[1:]), map(lowered, forms[1:]), strict=True)
        return cls(len(first) - same, form[same:], tuple(rest))


def lowered(text: str) -> str:
    """Lower case and plain, with as many characters."""
    return lower_case(plain(text))


def _cased(form: str, token: str) -> str:
    """A form in upper case, if the whole token is."""
    return form.upper() if len(token) > 1 and token.isupper() else form
