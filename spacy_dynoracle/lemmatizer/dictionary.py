"""Dictionaries of lemmas that a user brings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.util import load_language_data, registry

from ..util.config_errors import config_block
from ..util.files import read_text
from ..util.typography import normal_form

LANGUAGE = re.compile("[a-z]{2,3}")
LOOKUP_TABLE = "lemma_lookup"
_EXPECTED = "expected a form, its part of speech or nothing, and a lemma, with tabs"


class DictionaryEntry(NamedTuple):
    """A form with its lemma.

    Attributes:
        pos: The id of the part of speech; 0 if the dictionary does not tell it.
    """

    form: str
    pos: int
    lemma: str


@registry.misc("spacy_dynoracle.LemmaDictionary.v1")
@config_block("dictionary")
def lemma_dictionary(source: str | Path | None) -> list[DictionaryEntry]:
    """A dictionary for `[initialize.components.dynoracle_lemmatizer.dictionary]`.

    Entries with a part of speech are lemmas of words that the training data do not
    have. Entries without one are evidence: the lemmatizer learns how far to trust them.

    Args:
        source (str | Path | None): A file with a line for each form: the form, its part
            of speech in Universal Dependencies or nothing, and its lemma, with tabs
            between. Or the code of a language whose table "lemma_lookup" is in
            spacy-lookups-data. None is an empty dictionary.

    Raises:
        ValueError: With the file and the line, if it cannot be read.
    """
    if source is None:
        return []
    if LANGUAGE.fullmatch(str(source)) and not Path(source).exists():
        return _of_lookups_data(str(source))
    found = []
    for number, line in enumerate(read_text(source).split("\n"), 1):
        row = line.removesuffix("\r").split("\t")
        if row == [""]:
            continue
        if len(row) != 3 or not row[0] or not row[2] or row[1] not in POS_IDS:
            raise ValueError(f"{source}, line {number}: {_EXPECTED}, got {line[:60]!r}")
        found.append(DictionaryEntry(normal_form(row[0]), POS_IDS[row[1]], row[2]))
    return found


def _of_lookups_data(language: str) -> list[DictionaryEntry]:
    """The lemmas of a language in spacy-lookups-data.

    A table that spaCy has loaded has hashes for forms, so the file is read.
    """
    files = registry.lookups.get(language) if language in registry.lookups else {}
    if LOOKUP_TABLE not in files:
        raise ValueError(
            f"there is no table {LOOKUP_TABLE!r} for {language!r}: install "
            f"spacy-lookups-data, or give a language that has lemmas there"
        )
    table: Any = load_language_data(files[LOOKUP_TABLE])
    pairs = {(normal_form(form), lemma) for form, lemma in table.items()}
    return [
        DictionaryEntry(form, 0, lemma)
        for form, lemma in sorted(pairs)
        if form and lemma
    ]
