"""CoNLL-U and spaCy Docs: reading, building a Doc, writing a parsed Doc.

The conventions are those of ``spacy convert``: the label ``root`` of the word
under the artificial root becomes ``ROOT``, XPOS falls back to UPOS, empty nodes
and ranges are no tokens, and words inside a range have no space between them.
Unlike there, an unknown head (``_``) stays unknown: head itself, no label.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, DocBin, Span
from spacy.tokens import Token as DocToken
from spacy.vocab import Vocab

from ..doc.reference import group_sentences
from ..errors import TreebankError
from .files import ENVIRONMENT, SPLITS, find_split, find_splits, find_treebank
from .reader import find_cycle, read_conllu
from .sentence import UNKNOWN, Problem, Range, Sentence, Token

__all__ = [
    "ENVIRONMENT",
    "SPLITS",
    "Problem",
    "Range",
    "Sentence",
    "Token",
    "TreebankError",
    "doc_to_conllu",
    "find_cycle",
    "find_split",
    "find_splits",
    "find_treebank",
    "has_tags",
    "heads_and_labels",
    "read_conllu",
    "sentence_text",
    "spaces",
    "texts",
    "to_doc",
    "to_doc_bin",
]

NO_SPACE = "SpaceAfter=No"
# Before the probability of an arc in MISC, and before the share of trees that have it.
PROBABILITY = "Prob="
SUPPORT = "Support="
_STARTS_TEXT = re.compile(r"#\s*new(doc|par)\b")

# For MISC: what stands before a value, and the value of each token, if it has one.
MiscValues = Mapping[str, Sequence[float | None] | None]

# The two tags of the universal tag set of Petrov, Das & McDonald 2012 that
# Universal Dependencies renamed and spaCy does not know.
_RENAMED_UPOS = {".": "PUNCT", "PRT": "PART"}


def spaces(sentence: Sentence) -> list[bool]:
    """Whether a space follows each word, from SpaceAfter=No and the ranges."""
    after = [not _no_space(token.misc) for token in sentence.tokens]
    for span in sentence.ranges:
        after[span.first - 1 : span.last - 1] = [False] * (span.last - span.first)
        after[span.last - 1 : span.last] = [not _no_space(span.misc)]
    return after


def sentence_text(sentence: Sentence) -> str:
    """The text of the sentence, with the surface forms of multiword ranges."""
    after = spaces(sentence)
    forms = sentence.forms
    for span in sentence.ranges:
        words = len(forms[span.first - 1 : span.last])
        forms[span.first - 1 : span.last] = [span.form] + [""] * (words - 1)
    pieces = (form + " " * space for form, space in zip(forms, after, strict=True))
    return "".join(pieces).strip()


def texts(sentences: Iterable[Sentence]) -> Iterator[tuple[str, list[Sentence]]]:
    """The paragraphs of a treebank, as text and as sentences.

    They begin at the comments ``# newdoc`` and ``# newpar``; without these, all
    sentences are one.
    """
    group: list[Sentence] = []
    for sentence in sentences:
        if group and any(_STARTS_TEXT.match(line) for line in sentence.comments):
            yield _text_of(group), group
            group = []
        group.append(sentence)
    if group:
        yield _text_of(group), group


def _text_of(sentences: Sequence[Sentence]) -> str:
    pieces = (sentence_text(s) + " " * (spaces(s) or [True])[-1] for s in sentences)
    return "".join(pieces).strip()


def has_tags(sentence: Sentence) -> bool:
    """Whether any word has an UPOS or XPOS tag."""
    return any(
        token.upos != UNKNOWN or token.xpos != UNKNOWN for token in sentence.tokens
    )


def to_doc(
    sentence: Sentence, vocab: Vocab, *, tags: bool = True, tree: bool = True
) -> Doc:
    """A Doc with one token per word of the sentence.

    tags: set TAG (XPOS, else UPOS), POS, MORPH and LEMMA too. A value spaCy
        cannot represent (a UPOS outside UD, FEATS that are no ``Key=Value``
        pairs) is left empty.
    tree: set heads and labels too. Words with an unknown head have no label and
        head themselves, which is spaCy's missing head; words with a known head
        and an unknown label have an empty label. Without tree, the Doc is
        marked as one sentence.

    Raises ValueError for a sentence with problems.
    """
    if sentence.problems:
        raise ValueError(f"cannot make a Doc of {sentence.problems[0]}")
    annotations = _annotations(sentence, tags, tree)
    return Doc(vocab, words=sentence.forms, spaces=spaces(sentence), **annotations)


def to_doc_bin(sentences: Iterable[Sentence], vocab: Vocab, n_sents: int) -> DocBin:
    """Sentences in spaCy's binary format, `n_sents` to a Doc, for training; those with
    unknown heads alone.

    Raises ValueError for a sentence with problems.
    """
    binary = DocBin(store_user_data=False)
    docs = (to_doc(sentence, vocab) for sentence in sentences)
    for doc in group_sentences(docs, n_sents):
        binary.add(doc)
    return binary


def _annotations(sentence: Sentence, tags: bool, tree: bool) -> dict[str, Any]:
    """The keyword arguments of Doc for the annotation that is there."""
    tokens = sentence.tokens
    heads = sentence.heads
    annotations: dict[str, Any] = {}
    if tree and any(head is not None for head in heads):
        annotations["heads"] = [
            i if head == 0 else None if head is None else head - 1
            for i, head in enumerate(heads)
        ]
        annotations["deps"] = [_doc_label(token) for token in tokens]
    else:
        annotations["sent_starts"] = [i == 0 for i in range(len(tokens))]
    if tags:
        columns = {
            "tags": [_value(token.xpos) or _value(token.upos) for token in tokens],
            "pos": [_doc_pos(token.upos) for token in tokens],
            "morphs": [_doc_morph(token.feats) for token in tokens],
            "lemmas": [
                token.lemma if token.form == UNKNOWN else _value(token.lemma)
                for token in tokens
            ],
        }
        annotations.update(
            {name: values for name, values in columns.items() if any(values)}
        )
    return annotations


def _no_space(misc: str) -> bool:
    return NO_SPACE in misc.split("|")


def _value(column: str) -> str:
    return "" if column == UNKNOWN else column


def _doc_pos(upos: str) -> str:
    pos = _RENAMED_UPOS.get(upos, _value(upos))
    return pos if pos in POS_IDS else ""


def _doc_morph(feats: str) -> str:
    pairs = feats.split("|")
    return feats if all(pair.count("=") == 1 for pair in pairs) else ""


def _doc_label(token: Token) -> str | None:
    if token.head is None:
        return None
    return "ROOT" if token.head == 0 and token.deprel == "root" else token.deprel


def heads_and_labels(doc: Doc) -> tuple[list[int | None], list[str | None]]:
    """The heads and labels of a Doc in the numbering of CoNLL.

    Heads are 1-based positions in the Doc, 0 for roots and None for tokens
    without one (head itself, no label: spaCy's missing head); labels are None
    where the Doc has none.
    """
    # One array is many times faster than attribute access per token.
    array = doc.to_array(["HEAD", "DEP"]).reshape(len(doc), 2)
    offsets = array[:, 0].astype(numpy.int64).tolist()
    strings = doc.vocab.strings
    heads: list[int | None] = []
    labels: list[str | None] = []
    for i, (offset, dep) in enumerate(zip(offsets, array[:, 1].tolist(), strict=True)):
        missing = offset == 0 and dep == 0
        heads.append(None if missing else 0 if offset == 0 else i + offset + 1)
        labels.append(strings[dep] if dep else None)
    return heads, labels


def doc_to_conllu(
    doc: Doc,
    sentence: Sentence | None = None,
    *,
    doc_tags: bool = False,
    sent_ids: Iterator[int] | None = None,
    probabilities: Sequence[float | None] | None = None,
    support: Sequence[float | None] | None = None,
    comments: Sequence[str] = (),
) -> str:
    """A parsed Doc as CoNLL-U, a blank line after each sentence.

    sentence: what the Doc was built from. Then comments, ranges, empty nodes
        and all columns but HEAD and DEPREL are those of the sentence. Without
        it, the Doc is written sentence by sentence and whitespace tokens, which
        CoNLL-U cannot express, are left out.
    doc_tags: with sentence, take LEMMA, UPOS, XPOS and FEATS from the Doc where
        it has them.
    sent_ids: without sentence, the numbers for ``# sent_id``; from 1 by default.
    probabilities: for each token that of its arc, for MISC (``Prob=0.93``); None for
        tokens without one.
    support: the same for the share of a list of trees that have the arc
        (``Support=0.8``).
    comments: lines ``# name = value`` for each sentence, instead of older ones of
        these names.

    The label ``ROOT`` of a root is written as ``root``, or as the sentence had
    it. Raises ValueError when the Doc and the sentence differ in length.
    """
    misc_values = {PROBABILITY: probabilities, SUPPORT: support}
    if sentence is None:
        numbers = count(1) if sent_ids is None else sent_ids
        return "".join(
            _span_to_conllu(span, numbers, misc_values, comments)
            for span in _sentences(doc)
        )
    if len(doc) != len(sentence.tokens):
        raise ValueError(
            f"the Doc has {len(doc)} tokens and sentence {sentence.name} of "
            f"{sentence.path} has {len(sentence.tokens)} words; pass the sentence the "
            "Doc was built from"
        )
    heads, labels = heads_and_labels(doc)
    root_label = _root_label(sentence)
    names = {_name(line) for line in comments}
    lines = [line for line in sentence.comments if _name(line) not in names]
    lines += comments
    insertions = list(sentence.insertions)
    for i, token in enumerate(sentence.tokens):
        while insertions and insertions[0][0] <= i:
            lines.append(insertions.pop(0)[1])
        columns = [token.lemma, token.upos, token.xpos, token.feats]
        if doc_tags:
            found = _doc_columns(doc[i])
            columns = [
                new if new != UNKNOWN else old
                for new, old in zip(found, columns, strict=True)
            ]
        arc = _arc_columns(heads[i], labels[i], root_label)
        misc = _with_values(token.misc, i, misc_values)
        row = [str(i + 1), token.form, *columns, *arc, token.deps, misc]
        lines.append("\t".join(row))
    lines += [line for _, line in insertions]
    return "\n".join(lines) + "\n\n"


def _name(comment: str) -> str:
    """What a comment ``# name = value`` is about."""
    return comment.partition("=")[0].strip("# ")


def _root_label(sentence: Sentence) -> str:
    """How the sentence writes the label of its root; ``root`` by default."""
    for token in sentence.tokens:
        if token.head == 0 and token.deprel and token.deprel.lower() == "root":
            return token.deprel
    return "root"


def _arc_columns(head: int | None, label: str | None, root_label: str) -> list[str]:
    if head == 0 and label == "ROOT":
        label = root_label
    return [UNKNOWN if head is None else str(head), label or UNKNOWN]


def _with_values(misc: str, i: int, values: MiscValues) -> str:
    """MISC with values of token i instead of older ones."""
    for name, of_tokens in values.items():
        if of_tokens is None:
            continue
        entries = [
            e for e in misc.split("|") if e != UNKNOWN and not e.startswith(name)
        ]
        p = of_tokens[i]
        if p is not None:
            # Four digits tell what 64 samples or calibration can; "g" leaves out zeros.
            entries.append(f"{name}{round(p, 4):g}")
        misc = "|".join(entries) or UNKNOWN
    return misc


def _doc_columns(token: DocToken) -> list[str]:
    """LEMMA, UPOS, XPOS and FEATS of a token."""
    values = (token.lemma_, token.pos_, token.tag_, str(token.morph))
    return [" ".join(value.split()) or UNKNOWN for value in values]


def _sentences(doc: Doc) -> list[Span]:
    if doc.has_annotation("SENT_START"):
        return list(doc.sents)
    return [doc[:]]


def _span_to_conllu(
    span: Span,
    sent_ids: Iterator[int],
    misc_values: MiscValues,
    comments: Sequence[str],
) -> str:
    """One sentence of a Doc; empty if it is nothing but whitespace."""
    # Token.is_space would need a vocabulary that knows its lexical attributes.
    words = [token for token in span if not token.text.isspace()]
    if not words:
        return ""
    ids = {token.i: number for number, token in enumerate(words, 1)}
    heads = [_written_head(token, span, ids) for token in words]
    roots = [i for i, head in enumerate(heads) if head == 0]
    for i in roots:
        # Words under a whitespace root: the first becomes the root instead.
        if words[i].head.i not in ids:
            heads[i] = 0 if i == roots[0] else roots[0] + 1
    lines = [
        f"# sent_id = {next(sent_ids)}",
        f"# text = {' '.join(span.text.split())}",
        *comments,
    ]
    for i, token in enumerate(words):
        last = token.i + 1 == len(token.doc)
        space = bool(token.whitespace_) or last or token.nbor().text.isspace()
        misc = UNKNOWN if space else NO_SPACE
        label = token.dep_ or None
        if heads[i] == 0 and words[i].head.i not in ids:
            label = "ROOT"
        row = [str(i + 1), " ".join(token.text.split()), *_doc_columns(token)]
        row += _arc_columns(heads[i], label, "root")
        misc = _with_values(misc, token.i, misc_values)
        lines.append("\t".join([*row, UNKNOWN, misc]))
    return "\n".join(lines) + "\n\n"


def _written_head(token: DocToken, span: Span, ids: dict[int, int]) -> int | None:
    """The id of the nearest ancestor that is written, 0 for a root."""
    if not token.has_head() and token.head.i == token.i:
        return None
    head = token
    while head.head.i != head.i:
        head = head.head
        if head.i in ids:
            return ids[head.i]
        if not span.start <= head.i < span.end:
            break
    return 0
