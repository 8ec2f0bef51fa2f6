"""Where the attributes of words that the feature templates use come from.

Each column of the parser's input has a *source*, which a model stores: the name of an
attribute of spaCy's tokens, which may be followed by a colon and what is made of it.

====================  ==============  =================================================
column                source          values
====================  ==============  =================================================
w                     ORTH            form
lower, norm           LOWER, NORM     lower-cased form, normalised form
lemma, pos            LEMMA, POS      lemma, coarse part of speech
p                     TAG or POS      the tag (`tag_attr`)
t                     TAG:lexical     the tag, for adpositions and conjunctions joined
                                      with the form
a                     TAG:adposition  the form of adpositions; else null
pre1 .. pre3          ORTH:pre1 ..    the first characters (see `core.lexical`)
suf1 .. suf4          ORTH:suf1 ..    the last characters
shape                 SHAPE           classes of characters, runs cut at four
flags                 FLAGS           all of `FLAGS` together
cl, cl4, cl6          CLUSTER,        number in the table "lexeme_cluster" of
                      CLUSTER:4 ..    `vocab.lookups`, its lowest 4 and 6 bits, which
                                      are the first steps of the path of a Brown
                                      cluster; null for forms that have none
mCase ..              MORPH:Case ..   the value of the morphological feature, all values
                                      as one if there are several; else null
====================  ==============  =================================================
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.strings import get_string_id
from spacy.vocab import Vocab

from .core.features.templates import AFFIXES, MORPHOLOGICAL, TAG_ATTRIBUTES
from .core.lexical import StringTable, affixes, pack_flags

IdArray = npt.NDArray[np.uint64]

# What a form is, in the order of the bits of the column.
FLAGS = (
    "IS_ALPHA", "IS_DIGIT", "IS_LOWER", "IS_TITLE", "IS_UPPER", "IS_PUNCT", "IS_STOP",
    "LIKE_NUM", "LIKE_URL", "LIKE_EMAIL",
)  # fmt: skip
# Names of the tags of adpositions and of coordinating conjunctions, in the universal
# tag set and in that of the Penn Treebank.
ADPOSITIONS = ("ADP", "IN")
CONJUNCTIONS = ("CCONJ", "CONJ", "CC")
CLUSTERS = "lexeme_cluster"
# The columns whose source is always the same.
SOURCES = {
    "w": "ORTH",
    "lower": "LOWER",
    "norm": "NORM",
    **{affix: f"ORTH:{affix}" for affix in AFFIXES},
    "shape": "SHAPE",
    "flags": "FLAGS",
    "cl": "CLUSTER",
    "cl4": "CLUSTER:4",
    "cl6": "CLUSTER:6",
    "lemma": "LEMMA",
    "pos": "POS",
}
# What is made of a tag for a column.
OF_TAGS = {"p": "", "t": ":lexical", "a": ":adposition"}
# Sources that are read as they are.
PLAIN = ("ORTH", "LOWER", "NORM", "LEMMA", "TAG", "POS", "SHAPE")
# Forms, and combinations of morphological features, that are remembered.
N_FORMS = 1 << 15
N_ANALYSES = 1 << 12


def source_of(column: str, tag_attr: str) -> str:
    """The source of the values of a column of the feature templates.

    column: an attribute of words, see `core.features.templates`. tag_attr: the token
    attribute behind p, t and a, "TAG" or "POS".
    """
    if column in TAG_ATTRIBUTES:
        return tag_attr + OF_TAGS[column]
    if MORPHOLOGICAL.fullmatch(column):
        return f"MORPH:{column[1:]}"
    return SOURCES[column]


def tag_attribute(sources: dict[str, str]) -> str | None:
    """The spaCy attribute behind the tag columns among some sources."""
    tags = [sources[column] for column in TAG_ATTRIBUTES if column in sources]
    return tags[0].partition(":")[0] if tags else None


def tag_ids(tag_attr: str, names: Iterable[str]) -> IdArray:
    """The numbers by which spaCy arrays hold tags."""
    if tag_attr == "POS":
        ids = [POS_IDS[name] for name in names if name in POS_IDS]
    else:
        ids = [get_string_id(name) for name in names]
    return np.array(ids, dtype=np.uint64)


class Morphology:
    """Makes the values of some features of a morphological analysis.

    names: of the features.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __call__(self, analysis: str) -> tuple[int, ...]:
        """The ids of the values of the features in "Case=Nom|Number=Sing"; 0 for those
        that are not there."""
        pairs = (feature.partition("=") for feature in analysis.split("|"))
        values = {name: value for name, _, value in pairs}
        return tuple(get_string_id(values.get(name, "")) for name in self.names)


# The affixes of forms are the same in every pipeline.
AFFIX_TABLE = StringTable(affixes, len(AFFIXES), N_FORMS)


class ColumnReader:
    """Makes the columns of some sources.

    sources: their names, one for each column.

    read: the spaCy attributes that must be read: one for each column, then others that
    columns are made from. nullable: the columns in which 0 means nothing.

    Raises ValueError for an unknown source.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.read: list[str] = []
        self.nullable: list[int] = []
        self._lexical: list[tuple[int, str]] = []
        self._adpositions: list[tuple[int, str]] = []
        self._clusters: list[tuple[int, int]] = []
        self._flags: list[int] = []
        self._affixes: dict[int, int] = {}
        self._features: dict[str, int] = {}
        for column, source in enumerate(sources):
            self.read.append(self._add(column, source))
        self._first_flag = len(sources)
        if self._flags:
            self.read += FLAGS
        self._affix_columns = np.array(
            [self._affixes.get(i, -1) for i in range(len(AFFIXES))], dtype=np.int32
        )
        self._morphology: StringTable | None = None
        if self._features:
            names = list(self._features)
            self._morphology = StringTable(Morphology(names), len(names), N_ANALYSES)
            columns = list(self._features.values())
            self._feature_columns = np.array(columns, dtype=np.int32)
            self._analyses = columns[0]

    def _add(self, column: int, source: str) -> str:
        """Note what is made of a source; returns the attribute that must be read."""
        attribute, _, kind = source.partition(":")
        if source in PLAIN:
            return attribute
        if source == "FLAGS":
            self._flags.append(column)
            return "ORTH"
        if attribute == "ORTH" and kind in AFFIXES:
            self._affixes[AFFIXES.index(kind)] = column
            return attribute
        if attribute in ("TAG", "POS") and kind == "lexical":
            self._lexical.append((column, attribute))
            return attribute
        if attribute in ("TAG", "POS") and kind == "adposition":
            self._adpositions.append((column, attribute))
        elif source in ("CLUSTER", "CLUSTER:4", "CLUSTER:6"):
            self._clusters.append((column, int(kind or 0)))
            attribute = "ORTH"
        elif attribute == "MORPH" and MORPHOLOGICAL.fullmatch(f"m{kind}"):
            self._features[kind] = column
        else:
            known = (*SOURCES.values(), "TAG", *OF_TAGS.values(), "MORPH:NAME")
            raise ValueError(
                f"the source {source!r} of a token attribute is unknown: expected one "
                f"of {', '.join(known)}"
            )
        self.nullable.append(column)
        return attribute

    def derive(self, vocab: Vocab, table: IdArray, forms: IdArray) -> None:
        """Replace what was read by what is made of it, in place.

        table: shape (n words, n attributes in `read`, or more). forms: ids of the
        forms.
        """
        for column, tag_attr in self._lexical:
            table[:, column] = lexical_tags(tag_attr, table[:, column], forms)
        for column, tag_attr in self._adpositions:
            is_adposition = np.isin(table[:, column], tag_ids(tag_attr, ADPOSITIONS))
            table[:, column] = np.where(is_adposition, forms, 0)
        if self._affixes:
            AFFIX_TABLE.fill(forms, vocab.strings, table, self._affix_columns)
        for column in self._flags:
            flags = table[:, self._first_flag : self._first_flag + len(FLAGS)]
            pack_flags(flags, table[:, column])
        if self._clusters:
            clusters = clusters_of(vocab, forms)
            for column, n_bits in self._clusters:
                table[:, column] = bit_prefixes(clusters, n_bits)
        if self._morphology is not None:
            analyses = table[:, self._analyses].copy()
            self._morphology.fill(analyses, vocab.strings, table, self._feature_columns)


@lru_cache(maxsize=64)
def reader_of(sources: tuple[str, ...]) -> ColumnReader:
    """The reader of some sources.

    Raises ValueError for an unknown source.
    """
    return ColumnReader(sources)


def lexical_tags(tag_attr: str, tags: IdArray, forms: IdArray) -> IdArray:
    """The tags, joined with the form for adpositions and conjunctions."""
    is_joined = np.isin(tags, tag_ids(tag_attr, (*ADPOSITIONS, *CONJUNCTIONS)))
    # Any two of the joined values are as unlikely to be equal as any two hashes.
    joined: IdArray = np.where(is_joined, forms ^ (tags << np.uint64(1)), tags)
    return joined


def clusters_of(vocab: Vocab, forms: IdArray) -> IdArray:
    """The numbers of the clusters of forms, 0 where there is none."""
    table: dict[int, int] = vocab.lookups.get_table(CLUSTERS, {})
    # The table's own `get` hashes its keys once more.
    numbers = [OrderedDict.get(table, form, 0) for form in forms.tolist()]
    return np.array(numbers, dtype=np.uint64)


def bit_prefixes(clusters: IdArray, n_bits: int) -> IdArray:
    """The lowest bits of the numbers of clusters, or all if `n_bits` is 0; 0 for no
    cluster and for nothing else."""
    if n_bits == 0:
        return clusters
    end = np.uint64(1 << n_bits)
    prefixes: IdArray = np.where(clusters, clusters & (end - np.uint64(1)) | end, 0)
    return prefixes
