"""Writing parsed Docs as CoNLL-U."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, compress, count, pairwise, repeat
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, SPACY, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..doc.borders import read_tokens, string_id
from ..util.arrays import IdArray
from ..util.typography import is_blank
from . import multiword
from .docs import heads_and_labels
from .sentence import UNKNOWN, MultiwordToken, TreebankSentence, TreebankWord
from .text import NO_SPACE

# Entries of MISC: the probability of an arc, and the share of trees that have it.
PROBABILITY = "Prob="
SUPPORT = "Support="
# A column has no tab, nothing that some reader takes for a line end, and no two blanks
# together. A single blank of any other kind stays: "26 000" may have a no-break space.
_TO_BLANK = re.compile(r"\s{2,}|[\t-\r\x1c-\x1e\x85\u2028\u2029]")
# How whitespace is written in MISC.
_ESCAPED = {" ": r"\s", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ROOT = string_id("ROOT")
# What LEMMA, UPOS, XPOS and FEATS are made of.
_OF_WORDS = (LEMMA, POS, TAG, MORPH)
_LOST_FORMS = (
    "no word of a multiword token has a NORM of its own, so pieces of its text are "
    "written as forms: spaCy's JSON loses NORM, and DocBin keeps it; a span whose "
    "pieces are the forms needs the label 'verbatim'"
)
# Strings of one kind that are remembered.
_MOST = 1 << 15

# For each entry of MISC the value of each token; None for a token without one.
MiscValues = Mapping[str, Sequence[float | None] | None]


def doc_to_conllu(
    doc: Doc,
    sentence: TreebankSentence | None = None,
    *,
    doc_tags: bool = False,
    xpos: bool = True,
    sent_ids: Iterator[int | str] | None = None,
    probabilities: Sequence[float | None] | None = None,
) -> str:
    """Convert a parsed Doc to CoNLL-U, with a blank line after each sentence.

    The other arguments are those of `doc_sentences`.

    Args:
        sent_ids: Without a sentence, the numbers for ``# sent_id``; by default from 1.
    """
    numbers = count(1) if sent_ids is None else sent_ids
    found = doc_sentences(
        doc, sentence, doc_tags=doc_tags, xpos=xpos, probabilities=probabilities
    )
    if sentence is not None:
        return "".join(map(sentence_to_conllu, found))
    return "".join(
        f"# sent_id = {next(numbers)}\n{sentence_to_conllu(each)}" for each in found
    )


def doc_sentences(
    doc: Doc,
    sentence: TreebankSentence | None = None,
    *,
    doc_tags: bool = False,
    xpos: bool = True,
    probabilities: Sequence[float | None] | None = None,
    support: Sequence[float | None] | None = None,
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a parsed Doc in the form that they have in CoNLL-U.

    The label ``ROOT`` of a root is written as ``root``, or as the sentence spells it.
    Tabs, line ends and several blanks in labels, forms and tags are written as a space.

    Args:
        sentence: The sentence that the Doc was made from. Everything but HEAD, DEPREL
            and Prob= and Support= of MISC is then that of the sentence; LEMMA is that
            of the Doc if the sentence has no lemmas. Without it, the sentences are
            those of the Doc, with its multiword tokens (``doc.spans["multiword"]``) and
            without whitespace tokens, which CoNLL-U cannot express. They have no
            sent_id.
        doc_tags: With a sentence, take UPOS, XPOS and FEATS from the Doc if it has any
            of them, and LEMMA if it has lemmas.
        xpos: Whether TAG is an XPOS. Otherwise it stands for UPOS (see
            `pipelines.has_xpos`), and is XPOS only of a sentence that has XPOS.
        probabilities: The probability of the arc of each token, written to MISC as
            ``Prob=0.93``; None for a token without one.
        support: The share of a list of trees that has the arc of each token, written to
            MISC as ``Support=0.8``.

    Raises:
        ValueError: If the Doc and the sentence differ in length.
    """
    values = {PROBABILITY: probabilities, SUPPORT: support}
    if sentence is not None:
        yield _annotated(doc, sentence, doc_tags, xpos, values)
    else:
        yield from _sentences_of(doc, xpos, values)


def sentence_to_conllu(sentence: TreebankSentence, comments: Iterable[str] = ()) -> str:
    """The lines of a sentence and a blank line.

    Args:
        comments: Lines ``# name = value``, which replace comments with these names.
    """
    comments = tuple(comments)
    names = {_name(line) for line in comments}
    lines = [c for c in sentence.comments if not names or _name(c) not in names]
    lines += comments
    first = len(lines)
    lines += [
        f"{i}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t"
        f"{UNKNOWN if head is None else head}\t{deprel or UNKNOWN}\t{deps}\t{misc}"
        for i, (form, lemma, upos, xpos, feats, head, deprel, deps, misc, _) in (
            enumerate(sentence.words, 1)
        )
    ]
    for n_before, line in reversed(sentence.insertions):
        lines.insert(first + n_before, line)
    return "\n".join(lines) + "\n\n"


def _name(comment: str) -> str:
    """The name in a comment ``# name = value``."""
    return comment.partition("=")[0].strip("# ")


def _annotated(
    doc: Doc,
    sentence: TreebankSentence,
    doc_tags: bool,
    xpos: bool,
    misc_values: MiscValues,
) -> TreebankSentence:
    """A sentence of a treebank with the heads and labels of its Doc and, with doc_tags,
    its tags; also with its lemmas, if the sentence has none.
    """
    if len(doc) != len(sentence.words):
        raise ValueError(
            f"the Doc has {len(doc)} tokens and sentence {sentence.name} of "
            f"{sentence.path} has {len(sentence.words)} words; pass the sentence the "
            "Doc was made from"
        )
    heads, labels = heads_and_labels(doc)
    root_label = _root_label(sentence)
    has_lemmas = any(word.lemma != UNKNOWN for word in sentence.words)
    lemmas = (doc_tags or not has_lemmas) and doc.has_annotation("LEMMA")
    tags = doc_tags and any(map(doc.has_annotation, ("TAG", "POS", "MORPH")))
    # The names of UPOS may be those of XPOS, too.
    has_xpos = any(word.xpos != UNKNOWN for word in sentence.words)
    ids, strings = read_tokens([doc], _OF_WORDS).T.tolist(), doc.vocab.strings
    found = _doc_columns(ids, strings, xpos, xpos or has_xpos)
    columns: dict[str, Any] = {"lemma": found[0]} if lemmas else {}
    if tags:
        columns |= {"upos": found[1], "xpos": found[2], "feats": found[3]}
    words = []
    for i, word in enumerate(sentence.words):
        is_root = heads[i] == 0 and labels[i] == "ROOT"
        label = root_label if is_root else _label(labels[i] or "")
        misc = _with_values(word.misc, i, misc_values)
        of_doc = {name: column[i] for name, column in columns.items()}
        words.append(word._replace(head=heads[i], deprel=label, misc=misc, **of_doc))
    return replace(sentence, words=tuple(words))


def _root_label(sentence: TreebankSentence) -> str:
    """The label of the root as the sentence spells it; by default ``root``."""
    for word in sentence.words:
        if word.head == 0 and word.deprel and word.deprel.lower() == "root":
            return word.deprel
    return "root"


def _with_values(misc: str, i: int, values: MiscValues) -> str:
    """MISC with the values of token i. Older ones are removed."""
    for name, of_tokens in values.items():
        # An older value may be of another arc.
        if of_tokens is None and name not in misc:
            continue
        kept = [e for e in misc.split("|") if e != UNKNOWN and not e.startswith(name)]
        p = None if of_tokens is None else of_tokens[i]
        if p is not None:
            # 64 samples justify no more than four digits; "g" leaves out zeros.
            kept.append(f"{name}{round(p, 4):g}")
        misc = "|".join(kept) or UNKNOWN
    return misc


def _on_one_line(value: str) -> str:
    """A value without tabs and line ends: these and several blanks become a space."""
    value = value.strip()
    # Nearly all values are as they should be, which takes less time to see.
    if "  " in value or not value.isprintable():
        value = _TO_BLANK.sub(" ", value)
    return value or UNKNOWN


def _label(label: str) -> str | None:
    """A label in one column."""
    return " ".join(label.split()) or None


def _sorted_features(feats: str) -> str:
    """FEATS in the order of CoNLL-U, which does not regard case; that of spaCy does."""
    pairs = feats.split("|")
    pairs.sort(key=lambda pair: pair.partition("=")[0].lower())
    return _on_one_line("|".join(pairs))


# `TreebankWord._make` does the same in more time.
_make_word = partial(tuple.__new__, TreebankWord)


class _Column:
    """Makes a column of the ids of strings, which are the same in every vocabulary.

    What is made of a string is remembered: a text has few labels and analyses, and most
    of its words are frequent ones.
    """

    def __init__(self, make: Callable[[str], str | None]) -> None:
        self._make = make
        self._made: dict[int, Any] = {}

    def __call__(self, ids: Sequence[int], strings: StringStore) -> list[Any]:
        made = self._made
        try:
            return [made[i] for i in ids]
        except KeyError:
            if len(made) > _MOST:
                # Another thread may be reading the old ones.
                self._made = made = {}
            made.update((i, self._make(strings[i])) for i in set(ids).difference(made))
            return [made[i] for i in ids]


_forms = _Column(lambda text: "" if is_blank(text) else _on_one_line(text))
_values = _Column(_on_one_line)
_feats = _Column(_sorted_features)
_labels = _Column(_label)


def _doc_columns(
    ids: Sequence[Sequence[int]], strings: StringStore, xpos: bool, has_xpos: bool
) -> list[list[str]]:
    """LEMMA, UPOS, XPOS and FEATS of tokens.

    Args:
        ids: Those of LEMMA, POS, TAG and MORPH.
        xpos: Whether TAG is an XPOS. Otherwise it stands for UPOS.
        has_xpos: Whether it is written as XPOS.
    """
    lemmas, pos, tags, feats = ids
    if not xpos:
        pos = [a or b for a, b in zip(pos, tags, strict=True)]
    columns = [_values(column, strings) for column in (lemmas, pos, tags)]
    if not has_xpos:
        columns[2] = [UNKNOWN] * len(tags)
    return [*columns, _feats(feats, strings)]


def _spaced(
    texts: Sequence[str], forms: Sequence[str], spaces: Sequence[int]
) -> tuple[list[str], list[str]]:
    """The text of each token with the space after it, and its MISC, which says whether
    one follows.
    """
    found = [f"{t} " if space else t for t, space in zip(texts, spaces, strict=True)]
    misc = [UNKNOWN if space else NO_SPACE for space in spaces]
    misc[-1:] = [UNKNOWN] * bool(spaces)
    for i in [i for i, form in enumerate(forms) if not form]:
        after = UNKNOWN
        if ">" in texts[i]:
            # Marks of quoted lines are no text.
            found[i] = " "
            blank = " " * spaces[i - 1] + texts[i]
            escaped = [_ESCAPED.get(c, r"\s" if c.isspace() else c) for c in blank]
            after = f"SpacesAfter={''.join(escaped)}"
        misc[max(i - 1, 0)] = after
    return found, misc


def _arcs(
    table: IdArray, strings: StringStore, forms: Sequence[str], bounds: Sequence[int]
) -> tuple[list[int], list[int | None], list[str | None]]:
    """ID, HEAD and DEPREL of the tokens of a Doc. Those of whitespace mean nothing.

    Args:
        table: DEP and HEAD.
        bounds: Where the sentences begin, and the end.
    """
    deps, offsets = table[:, 0].tolist(), table[:, 1].view(np.int64).tolist()
    above = [i + n for i, n in enumerate(offsets)]
    ids = [0] * len(forms)
    heads: list[int | None] = [None] * len(forms)
    labels = _labels(deps, strings)
    for start, end in pairwise(bounds):
        ids[start:end] = accumulate([1 if form else 0 for form in forms[start:end]])
        root = 0  # the ID of the first one
        for i, head in enumerate(above[start:end], start):
            # The nearest ancestor that is a word, or else a root. A Doc that somebody
            # has made may have a circle of whitespace.
            for _ in () if forms[head] else range(end - start):
                if forms[head] or head == above[head] or not start <= head < end:
                    break
                head = above[head]
            if not start <= head < end:
                # A tree has no place for a head that is in another sentence.
                labels[i] = None
            elif forms[head] and head != i:
                heads[i] = ids[head]
            elif not (forms[i] and deps[i]):
                labels[i] = None
            elif head != i and root:
                # Whitespace may be the root of several words: the first becomes it.
                heads[i] = root
            else:
                heads[i] = 0
                root = root or ids[i]
                if head != i or deps[i] == _ROOT:
                    labels[i] = "root"
    return ids, heads, labels


def _sentences_of(
    doc: Doc, xpos: bool, misc_values: MiscValues
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a Doc.

    They are made column by column, which takes far less time than token by token.
    """
    strings = doc.vocab.strings
    table = read_tokens([doc], (*_OF_WORDS, ORTH, SPACY, DEP, HEAD))
    *of_words, orths, spaces = table[:, :-2].T.tolist()
    # Empty for whitespace, which CoNLL-U cannot express.
    forms = _forms(orths, strings)
    texts, misc = _spaced([strings[i] for i in orths], forms, spaces)
    ranges = list(multiword.spans(doc))
    if multiword.without_forms(doc):
        warnings.warn(_LOST_FORMS, stacklevel=2)
    bounds = multiword.sentence_bounds(doc, ranges)
    ids, *arcs = _arcs(table[:, -2:], strings, forms, bounds)
    joined = {}
    for start, end, of_range in ranges:
        if forms[start]:
            form, entry = _on_one_line("".join(texts[start:end])), misc[end - 1]
            joined[start] = MultiwordToken(ids[start], ids[end - 1], form, entry, 0)
            for i, form in enumerate(of_range, start):
                forms[i] = forms[i] and _on_one_line(form)
                misc[i] = UNKNOWN
    if any(values is not None for values in misc_values.values()):
        misc = [_with_values(entry, i, misc_values) for i, entry in enumerate(misc)]
    columns: list[Any] = [forms, *_doc_columns(of_words, strings, xpos, xpos), *arcs]
    rows = zip(*columns, repeat(UNKNOWN), misc, repeat(0))
    words = list(map(_make_word, rows))
    for start, end in pairwise(bounds):
        written = tuple(compress(words[start:end], forms[start:end]))
        if written:
            text = f"# text = {_on_one_line(''.join(texts[start:end]))}"
            found = tuple(joined[i] for i in range(start, end) if i in joined)
            lines = tuple((token.first - 1, _range_line(token)) for token in found)
            yield TreebankSentence("", 0, None, 0, (text,), written, found, lines)


def _range_line(token: MultiwordToken) -> str:
    """The line of a multiword token."""
    empty = [UNKNOWN] * 7
    return "\t".join([f"{token.first}-{token.last}", token.form, *empty, token.misc])
