"""The sources of the word attributes that the feature templates use.

Each column of the parser's input has a *source*, which a model stores: the name of an
attribute of spaCy's tokens. A colon and the name of a conversion may follow it. ORTH,
LOWER, SHAPE and what is made of them, clusters, and forms joined with tags are those of
the form with plain characters, see `util.typography.normal_form`: of ' where the text
has a typographic apostrophe.

====================  ==============  =================================================
column                source          values
====================  ==============  =================================================
w                     ORTH            form
lower, norm           LOWER, NORM     lower-cased form, normalised form
lemma, pos            LEMMA, POS      lemma, coarse part of speech
stem, ending          LEMMA:stem ..   the first part of the lemma and the last one, if a
                                      plus sign separates parts; else the lemma; null
p                     TAG or POS      the tag (`tag_attr`)
t                     TAG:lexical     the tag, for adpositions and conjunctions joined
                                      with the form
a                     TAG:adposition  the form of adpositions; else null
pre1 .. pre5          LOWER:pre1 ..   the first characters, lower-cased
suf1 .. suf7          LOWER:suf1 ..   the last characters, lower-cased; see
                                      `core.lexical`
shape                 SHAPE           classes of characters, runs cut at four; the same
                                      for all brackets and quotation marks
flags                 ORTH:flags      all of `FLAGS` together
cl, cl4, cl6          CLUSTER,        number of the word cluster in the vocab, its
                      CLUSTER:4 ..    lowest 4 and 6 bits; null for forms that have none
space, line           SPACY:space,    whether whitespace follows the token, and whether
                      SPACY:line      a line break does (null if not)
mCase ..              MORPH:Case ..   the value of the morphological feature, all values
                                      as one if there are several; else null
====================  ==============  =================================================

The number of a cluster holds the path to it in a tree of clusters, as Brown clustering
makes one. The lowest bit is the first step. The lowest 4 bits are thus the number of a
larger cluster that contains this one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

import numpy as np
from spacy.attrs import IDS as ATTRIBUTE_IDS
from spacy.lang import lex_attrs
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.vocab import Vocab

from ..core.features.lexical import StringTable, affixes, word_shape
from ..core.features.templates import AFFIXES, MORPHOLOGICAL, TAG_ATTRIBUTES
from ..util.arrays import IdArray
from ..util.typography import lower_case, normal_form
from .borders import NOTHING, string_id
from .cluster_numbers import CLUSTER_TABLE, bit_prefixes, clusters_of


def is_quoting(form: str) -> bool:
    """Whether a form is a bracket or a quotation mark. They are one kind, because few
    treebanks have all of them.
    """
    return lex_attrs.is_bracket(form) or lex_attrs.is_quote(form)


# The properties of forms, in the order of the bits of the column.
FLAGS: tuple[Callable[[str], bool], ...] = (
    str.isalpha,
    str.isdigit,
    str.islower,
    str.istitle,
    str.isupper,
    lex_attrs.is_punct,
    is_quoting,
    lex_attrs.is_currency,
    lex_attrs.like_num,
    lex_attrs.like_url,
    lex_attrs.like_email,
)


def flags_with(*wanted: Callable[[str], bool]) -> int:
    """The bits of some of `FLAGS` in the column "ORTH:flags"."""
    return sum(1 << FLAGS.index(flag) for flag in wanted)


# The shape of brackets and quotation marks.
QUOTING = "("
# Names of the tags of adpositions and of coordinating conjunctions, in the universal
# tag set and in that of the Penn Treebank.
ADPOSITIONS = ("ADP", "IN")
CONJUNCTIONS = ("CCONJ", "CONJ", "CC")
# The columns whose source is always the same.
SOURCES = {
    "w": "ORTH",
    "lower": "LOWER",
    "norm": "NORM",
    **{affix: f"LOWER:{affix}" for affix in AFFIXES},
    "shape": "SHAPE",
    "flags": "ORTH:flags",
    "cl": "CLUSTER",
    "cl4": "CLUSTER:4",
    "cl6": "CLUSTER:6",
    "lemma": "LEMMA",
    "pos": "POS",
    "space": "SPACY:space",
    "line": "SPACY:line",
    "stem": "LEMMA:stem",
    "ending": "LEMMA:ending",
}
# For each column the conversion of the tag.
OF_TAGS = {"p": "", "t": ":lexical", "a": ":adposition"}
TAGS = ("TAG", "POS")
# Sources that are made of the form, and others that are read as they are.
OF_FORM = ("ORTH", "LOWER", "SHAPE", "ORTH:flags", *(f"LOWER:{x}" for x in AFFIXES))
AS_THEY_ARE = ("NORM", "LEMMA", *TAGS)
# Attributes that a component or a corpus must set; the form does not determine them.
ANNOTATION = ("TAG", "POS", "LEMMA", "MORPH")
# Attributes that need a table of the vocab.
CLUSTER = "CLUSTER"
# How many bits of the number of a cluster count; 0 for all.
CLUSTERS = {CLUSTER: 0, f"{CLUSTER}:4": 4, f"{CLUSTER}:6": 6}
# Forms, and combinations of morphological features, that are remembered.
N_FORMS = 1 << 16
N_ANALYSES = 1 << 12
# Between the parts of a lemma, as in the Korean treebanks of Universal Dependencies.
PLUS = "+"
LEMMA_PARTS = ("stem", "ending")


def source_of(column: str, tag_attr: str) -> str:
    """The source of the values of a column of the feature templates.

    Args:
        column: An attribute of words, see `core.features.templates`.
        tag_attr: The token attribute behind p, t and a, "TAG" or "POS".
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
    ids = [string_id(name) for name in names if tag_attr != "POS" or name in POS_IDS]
    return np.array(ids, dtype=np.uint64)


def values_of_analysis(names: Sequence[str], analysis: str) -> tuple[int, ...]:
    """The ids of the values of some features in "Case=Nom|Number=Sing"; 0 for those
    that are not there.
    """
    pairs = (feature.partition("=") for feature in analysis.split("|"))
    values = {name: value for name, _, value in pairs}
    return tuple(string_id(values.get(name, "")) for name in names)


def parts_of_lemma(lemma: str) -> tuple[str, str]:
    """The stem and the ending of a lemma; "" if it has no ending."""
    parts = [part for part in lemma.split(PLUS) if part]
    if len(parts) < 2:
        return lemma, ""
    return parts[0], parts[-1]


def values_of_lemma(lemma: str) -> tuple[int, ...]:
    """The ids of the parts of a lemma."""
    return tuple(map(string_id, parts_of_lemma(lemma)))


# Those of words of ASCII letters, which most words are.
_ALPHA = flags_with(str.isalpha)
_LOWER = flags_with(str.isalpha, str.islower)
_TITLE, _UPPER = flags_with(str.istitle), flags_with(str.isupper)


def flags_of(form: str) -> int:
    """All `FLAGS` of a form with plain characters as one number."""
    if form.isascii() and form.isalpha():
        if form.islower():
            return _LOWER
        return _ALPHA + _TITLE * form.istitle() + _UPPER * form.isupper()
    return sum(flag(form) << bit for bit, flag in enumerate(FLAGS))


def values_of_form(form: str) -> tuple[int, ...]:
    """The values of the sources `OF_FORM`.

    Case is what shape and flags are for: the first word of a sentence ends as any.
    """
    form = normal_form(form)
    lower = lower_case(form)
    orth = string_id(form)
    lower_id = orth if lower == form else string_id(lower)
    return orth, lower_id, shape_id(shape_of(form)), flags_of(form), *affixes(lower)


def plain_forms(vocab: Vocab, forms: IdArray) -> IdArray:
    """The ids of forms with plain characters, given by their ids in the text."""
    found: IdArray = forms.copy()
    column = found.reshape(-1, 1)
    FORM_TABLE.fill(column, 0, vocab.strings, [0, *[-1] * (len(OF_FORM) - 1)])
    return found


def shape_of(form: str) -> str:
    """The shape of a form with plain characters."""
    is_mark = form and not form[0].isalnum() and all(map(is_quoting, form))
    return QUOTING if is_mark else word_shape(form)


# Words have few shapes.
shape_id = lru_cache(maxsize=1024)(string_id)
# The same in every pipeline.
FORM_TABLE = StringTable(values_of_form, len(OF_FORM), N_FORMS)
LEMMA_TABLE = StringTable(values_of_lemma, len(LEMMA_PARTS), N_FORMS)


class ColumnReader:
    """Makes the columns of some sources.

    Args:
        sources: Their names, one for each column.

    Attributes:
        read: The numbers of the spaCy attributes that the columns are made from, or
            NOTHING where another column has it.
        nullable: The columns in which 0 means nothing.
        annotation: Those of `ANNOTATION` that are read.
        following: The columns of the whitespace that follows, "space" and "line", which
            `AttributeTable` makes.

    Raises:
        ValueError: For an unknown source, and one that is stated twice.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.read: list[int] = []
        self.nullable: list[int] = []
        self._annotated: dict[str, int] = {}
        # For each kind of what is made of attributes: the columns.
        self._lexical: list[tuple[int, str]] = []
        self._adpositions: list[tuple[int, str]] = []
        self._clusters: list[tuple[int, int]] = []
        self._of_form = [-1] * len(OF_FORM)
        self._features: dict[str, int] = {}
        self._lemma_parts = [-1] * len(LEMMA_PARTS)
        self.following: dict[str, int] = {}
        for column, source in enumerate(sources):
            if source in sources[:column]:
                raise ValueError(f"the token attribute {source!r} is stated twice")
            # What is made of forms needs their ids alone, which have their own column,
            # and all features are made of the column of the first one.
            of_other = source in OF_FORM or ("MORPH:" in source and any(self._features))
            attribute, is_null = self._add(column, source)
            self.read.append(NOTHING if of_other else ATTRIBUTE_IDS[attribute])
            if attribute in ANNOTATION:
                self._annotated.setdefault(attribute, column)
            if is_null:
                self.nullable.append(column)
        self.annotation = [*self._annotated, *([CLUSTER] if self._clusters else [])]
        self._has_forms = max(self._of_form) >= 0
        if self._features:
            names = list(self._features)
            values = partial(values_of_analysis, names)
            self._morphology = StringTable(values, len(names), N_ANALYSES)

    def _add(self, column: int, source: str) -> tuple[str, bool]:
        """Note what is made of a source.

        Returns:
            The attribute that it is made from, and whether 0 means nothing.
        """
        attribute, _, kind = source.partition(":")
        if source in OF_FORM:
            self._of_form[OF_FORM.index(source)] = column
            return attribute, False
        if source in AS_THEY_ARE:
            return attribute, False
        if attribute == "SPACY" and kind in ("space", "line"):
            self.following[kind] = column
            return attribute, kind == "line"
        if source in CLUSTERS:
            self._clusters.append((column, CLUSTERS[source]))
            return "ORTH", True
        if attribute == "MORPH" and MORPHOLOGICAL.fullmatch(f"m{kind}"):
            self._features[kind] = column
            return attribute, True
        if attribute == "LEMMA" and kind in LEMMA_PARTS:
            self._lemma_parts[LEMMA_PARTS.index(kind)] = column
            return attribute, kind == "ending"
        if attribute in TAGS and kind == "lexical":
            self._lexical.append((column, attribute))
            return attribute, False
        if attribute in TAGS and kind == "adposition":
            self._adpositions.append((column, attribute))
            return attribute, True
        known = {*SOURCES.values(), *TAGS, "TAG:lexical", "TAG:adposition"}
        raise ValueError(
            f"the token attribute {source!r} is unknown: expected MORPH:Case or the "
            f"like, or one of {', '.join(sorted(known))}"
        )

    def missing(
        self,
        vocab: Vocab,
        table: IdArray,
        bounds: Sequence[int],
        n_values: Sequence[int],
    ) -> list[list[str]]:
        """For each document the annotation that no token has; for clusters: that the
        vocab does not have. Documents without tokens lack no annotation of tokens.

        Args:
            table: What was read, before `derive`.
            bounds: The first token of each document, and the end of the last one.
            n_values: For each column the number of tokens that have a value.
        """
        found: list[list[str]] = [[] for _ in bounds[1:]]
        for name, column in self._annotated.items():
            if n_values[column] == len(table):
                continue
            for number in without_values(table[:, column], bounds):
                found[number].append(name)
        if self._clusters and CLUSTER_TABLE not in vocab.lookups:
            for missing in found:
                missing.append(CLUSTER)
        return found

    def derive(self, vocab: Vocab, table: IdArray, form: int) -> None:
        """Replace what was read by what is made of it, in place.

        Args:
            table: Shape (n words, n attributes in `read`, or more).
            form: The column with the ids of the forms, which stays as it is.
        """
        raw = table[:, form]
        if self._has_forms:
            FORM_TABLE.fill(table, form, vocab.strings, self._of_form)
        orth = self._of_form[OF_FORM.index("ORTH")]
        forms = raw if orth < 0 else table[:, orth]
        if orth < 0 and (self._lexical or self._adpositions or self._clusters):
            forms = plain_forms(vocab, raw)
        for column, tag_attr in self._lexical:
            table[:, column] = lexical_tags(tag_attr, table[:, column], forms)
        for column, tag_attr in self._adpositions:
            is_adposition = np.isin(table[:, column], tag_ids(tag_attr, ADPOSITIONS))
            table[:, column] = np.where(is_adposition, forms, 0)
        if self._clusters:
            clusters = clusters_of(vocab, forms, raw)
            for column, n_bits in self._clusters:
                table[:, column] = bit_prefixes(clusters, n_bits)
        if self._features:
            columns = list(self._features.values())
            self._morphology.fill(table, columns[0], vocab.strings, columns)
        if max(self._lemma_parts) >= 0:
            column = max(self._lemma_parts)
            LEMMA_TABLE.fill(table, column, vocab.strings, self._lemma_parts)


def without_values(values: IdArray, bounds: Sequence[int]) -> list[int]:
    """The numbers of the documents that have tokens, but no value other than 0."""
    if len(bounds) == 2:
        # Where there are values, the first token mostly has one.
        has_none = len(values) and not values[0] and not values.any()
        return [0] if has_none else []
    places = np.array(bounds)
    n_before = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values != 0, out=n_before[1:])
    n_values = np.diff(n_before[places])
    found: list[int] = np.flatnonzero((n_values == 0) & (np.diff(places) > 0)).tolist()
    return found


@lru_cache(maxsize=64)
def reader_of(sources: tuple[str, ...]) -> ColumnReader:
    """The reader of some sources.

    Raises:
        ValueError: For an unknown source.
    """
    return ColumnReader(sources)


def lexical_tags(tag_attr: str, tags: IdArray, forms: IdArray) -> IdArray:
    """The tags, joined with the form for adpositions and conjunctions."""
    is_joined = np.isin(tags, tag_ids(tag_attr, (*ADPOSITIONS, *CONJUNCTIONS)))
    # Any two of the joined values are as unlikely to be equal as any two hashes.
    return np.where(is_joined, forms ^ (tags << np.uint64(1)), tags)
