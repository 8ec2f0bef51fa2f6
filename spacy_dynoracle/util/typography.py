"""Characters of typesetters beside the plain ones of the keyboard.

Treebanks mostly have plain characters, and texts of the world have both. What looks
something up in a treebank looks up the plain text. Texts themselves never change.
"""

import re
import unicodedata
from itertools import groupby, pairwise

# Each plain character stands for those behind it. All of them are single characters, so
# that places in a text stay where they are.
_ALIKE = {
    "'": "’‘‚‛′´ʼ＇",
    '"': "“”„‟«»‹›″〝〞＂「」『』",
    # Dashes stay: between two letters they part words, and hyphens may not.
    "-": "‐‑﹣－",
    " ": "\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u3000",
    ".": "。．｡",
    ",": "،、，､",
    ";": "؛；",
    ":": "：",
    "?": "؟？",
    "!": "！",
    "(": "（",
    ")": "）",
    "[": "［【",
    "]": "］】",
    "/": "／",
    "%": "％٪",
    "&": "＆",
    "*": "＊",
    "+": "＋",
    "=": "＝",
    "@": "＠",
}
PLAIN = {other: plain for plain, others in _ALIKE.items() for other in others}
_TABLE = str.maketrans(PLAIN)
# What a token may be as a whole.
_WHOLE = {"…": "...", **dict.fromkeys("‒–—―−", "-")}
_APOSTROPHES = str.maketrans(dict.fromkeys(_ALIKE["'"], "'"))
# No language has letters with more combining marks.
_MOST_MARKS = 30
# The marks before a line that an e-mail quotes.
_MARKS = re.compile(r"^>+(?:[ \t]+>+)*(?=\s|[^\W\d]|$)", re.MULTILINE)


def plain(text: str) -> str:
    """The text with plain characters, as many as before."""
    return text if text.isascii() else text.translate(_TABLE)


def normal_form(text: str) -> str:
    """The form that a treebank would have for a token: with plain characters and with
    accents that are one with their letters.
    """
    if text.isascii():
        return text
    text = _nfc(plain(text))
    return _WHOLE.get(text, text)


def with_apostrophes(text: str) -> str:
    """The text with plain apostrophes, as many characters as before."""
    return text if text.isascii() else text.translate(_APOSTROPHES)


def without_marks(text: str) -> str:
    """The text with whitespace, as many characters as before, in place of the marks of
    quoted lines, which no treebank has. A first line is quoted if another one is.
    """
    if "\n>" not in text:
        return text
    return _MARKS.sub(lambda found: "\t" * len(found[0]), text)


def lower_case(text: str) -> str:
    """The text in lower case, as many characters as before: "İ", which is the only
    letter that Python makes two characters of, becomes "i", as in Turkish.
    """
    return text.replace("\u0130", "i").lower()


def is_blank(text: str) -> bool:
    """Whether a token is whitespace, which may have marks of quoted lines in it."""
    return not text.replace(">", "").strip() and text.strip(">") != ""


def composed(text: str) -> tuple[str, list[int]]:
    """The text with accents that are one with their letters, as far as there are such
    letters.

    Returns:
        The text, and for each of its characters, and for its end, where it is in the
        given one; an empty list if both are the same.
    """
    if text.isascii() or not any(map(is_mark, text)):
        return text, []
    starts = [i for i, x in enumerate(text) if not (i and is_mark(x))]
    parts: list[str] = []
    places: list[int] = []
    for start, end in pairwise([*starts, len(text)]):
        part = _nfc(text[start:end])
        if len(part) > end - start:
            # Some letters, as those of Hindi with a dot, have no composed form.
            part = text[start:end]
        # The letter begins where it began, and marks that are left end where they did.
        places += [start, *range(end - len(part) + 1, end)]
        parts.append(part)
    found = "".join(parts)
    # Most texts of scripts whose vowels are marks stay as they are.
    return found, [] if found == text else [*places, len(text)]


def _nfc(text: str) -> str:
    """The text in NFC, unless a letter has so many marks that it would take long: the
    time grows with the square of their number.
    """
    if len(text) > _MOST_MARKS:
        for of_marks, run in groupby(text, is_mark):
            if of_marks and sum(1 for _ in run) > _MOST_MARKS:
                return text
    return unicodedata.normalize("NFC", text)


def is_mark(character: str) -> bool:
    """Whether a character is a combining mark, which belongs to the letter before it:
    an accent, or a vowel sign.
    """
    return not character.isascii() and unicodedata.category(character)[0] == "M"
