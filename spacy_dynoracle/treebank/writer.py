"""Writing parsed Docs as CoNLL-U."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count, pairwise

from spacy.tokens import Doc, Span, Token

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
        sentence: The sentence that the Doc was made from. Everything but HEAD and
            DEPREL is then that of the sentence. Without it, the sentences are those of
            the Doc, with its multiword tokens (``doc.spans["multiword"]``) and without
            whitespace tokens, which CoNLL-U cannot express. They have no sent_id.
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
    misc_values = {PROBABILITY: probabilities, SUPPORT: support}
    if sentence is not None:
        yield _annotated(doc, sentence, doc_tags, xpos, misc_values)
        return
    ranges = list(multiword.spans(doc))
    bounds = [0, len(doc)]
    if doc.has_annotation("SENT_START"):
        bounds = multiword.sentence_bounds(doc, ranges)
    tokens = {start: (end, forms) for start, end, forms in ranges}
    for start, end in pairwise(bounds):
        span = doc[start:end]
        # Token.is_space would need a vocabulary that knows its lexical attributes.
        words = [token for token in span if not is_blank(token.text)]
        if words:
            yield _sentence_of(span, words, tokens, xpos, misc_values)


def sentence_to_conllu(sentence: TreebankSentence, comments: Iterable[str] = ()) -> str:
    """The lines of a sentence and a blank line.

    Args:
        comments: Lines ``# name = value``, which replace comments with these names.
    """
    comments = tuple(comments)
    names = {_name(line) for line in comments}
    lines = [line for line in sentence.comments if _name(line) not in names]
    lines += comments
    insertions = list(sentence.insertions)
    for i, word in enumerate(sentence.words):
        while insertions and insertions[0][0] <= i:
            lines.append(insertions.pop(0)[1])
        head = UNKNOWN if word.head is None else str(word.head)
        arc = (head, word.deprel or UNKNOWN, word.deps, word.misc)
        lines.append("\t".join((str(i + 1), *word[:5], *arc)))
    lines += [line for _, line in insertions]
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
    its tags.
    """
    if len(doc) != len(sentence.words):
        raise ValueError(
            f"the Doc has {len(doc)} tokens and sentence {sentence.name} of "
            f"{sentence.path} has {len(sentence.words)} words; pass the sentence the "
            "Doc was made from"
        )
    heads, labels = heads_and_labels(doc)
    root_label = _root_label(sentence)
    lemmas = doc_tags and doc.has_annotation("LEMMA")
    tags = doc_tags and any(map(doc.has_annotation, ("TAG", "POS", "MORPH")))
    # The names of UPOS may be those of XPOS, too.
    has_xpos = any(word.xpos != UNKNOWN for word in sentence.words)
    words = []
    for i, word in enumerate(sentence.words):
        if lemmas or tags:
            lemma, *columns = _doc_columns(doc[i], xpos)
            if lemmas:
                word = word._replace(lemma=lemma)
            if tags:
                if has_xpos and not xpos:
                    columns[1] = _column(doc[i].tag_)
                word = word._replace(upos=columns[0], xpos=columns[1], feats=columns[2])
        label = _written_label(heads[i], labels[i], root_label)
        misc = _with_values(word.misc, i, misc_values)
        words.append(word._replace(head=heads[i], deprel=label, misc=misc))
    return replace(sentence, words=tuple(words))


def _root_label(sentence: TreebankSentence) -> str:
    """The label of the root as the sentence spells it; by default ``root``."""
    for word in sentence.words:
        if word.head == 0 and word.deprel and word.deprel.lower() == "root":
            return word.deprel
    return "root"


def _written_label(head: int | None, label: str | None, root_label: str) -> str | None:
    """A label in one column; None if it is unknown."""
    if head == 0 and label == "ROOT":
        return root_label
    return " ".join((label or "").split()) or None


def _with_values(misc: str, i: int, values: MiscValues) -> str:
    """MISC with the values of token i, which replace older ones."""
    for name, of_tokens in values.items():
        if of_tokens is None:
            continue
        entries = [
            e for e in misc.split("|") if e != UNKNOWN and not e.startswith(name)
        ]
        p = of_tokens[i]
        if p is not None:
            # 64 samples justify no more than four digits; "g" leaves out zeros.
            entries.append(f"{name}{round(p, 4):g}")
        misc = "|".join(entries) or UNKNOWN
    return misc


def _doc_columns(token: Token, xpos: bool) -> list[str]:
    """LEMMA, UPOS, XPOS and FEATS of a token."""
    upos, tag = token.pos_, token.tag_
    if not xpos:
        upos, tag = upos or tag, ""
    values = (token.lemma_, upos, tag, _sorted_features(str(token.morph)))
    return list(map(_column, values))


# What is made of a value is remembered: a text has few labels and analyses, and most of
# its words are frequent ones.
@lru_cache(maxsize=1 << 12)
def _sorted_features(feats: str) -> str:
    """FEATS in the order of CoNLL-U, which does not regard case; that of spaCy does."""
    pairs = feats.split("|")
    return "|".join(sorted(pairs, key=lambda pair: pair.partition("=")[0].lower()))


def _on_one_line(value: str) -> str:
    """A value without tabs and line ends: these and several blanks become a space."""
    return _TO_BLANK.sub(" ", value.strip()) or UNKNOWN


_column = lru_cache(maxsize=1 << 16)(_on_one_line)


def _sentence_of(
    span: Span,
    tokens: Sequence[Token],
    ranges: Mapping[int, tuple[int, list[str]]],
    xpos: bool,
    misc_values: MiscValues,
) -> TreebankSentence:
    """A sentence of a Doc.

    Args:
        tokens: Those that are not whitespace.
        ranges: The multiword tokens of the Doc: by the first token of each the one
            after it, and the forms of its words.
    """
    ids = {token.i: number for number, token in enumerate(tokens, 1)}
    heads = [_written_head(token, span, ids) for token in tokens]
    roots = [i for i, head in enumerate(heads) if head == 0]
    for i in roots:
        # Of the words under a whitespace root, the first one becomes the root.
        if tokens[i].head.i not in ids:
            heads[i] = 0 if i == roots[0] else roots[0] + 1
    first = inside = 0  # the multiword token so far, and its end
    forms: list[str] = []
    words: list[TreebankWord] = []
    multiword_tokens = []
    for i, token in enumerate(tokens):
        form, misc = token.text, _space_after(token)
        if token.i in ranges:
            first, (inside, forms) = token.i, ranges[token.i]
            final = token.doc[inside - 1]
            surface = token.doc[token.i : inside].text
            multiword_tokens.append(
                MultiwordToken(
                    i + 1, ids[inside - 1], _column(surface), _space_after(final), 0
                )
            )
        if token.i < inside:
            form, misc = forms[token.i - first], UNKNOWN
        label = token.dep_ or None
        if heads[i] == 0 and tokens[i].head.i not in ids:
            label = "ROOT"
        lemma, upos, tag, feats = _doc_columns(token, xpos)
        label = _written_label(heads[i], label, "root")
        misc = _with_values(misc, token.i, misc_values)
        form = _column(form)
        words.append(
            TreebankWord(form, lemma, upos, tag, feats, heads[i], label, "_", misc, 0)
        )
    pieces = (" " if _has_marks(t.text) else t.text_with_ws for t in span)
    text = f"# text = {_on_one_line(''.join(pieces))}"
    insertions = tuple((t.first - 1, _range_line(t)) for t in multiword_tokens)
    return TreebankSentence(
        "", 0, None, 0, (text,), tuple(words), tuple(multiword_tokens), insertions
    )


def _has_marks(text: str) -> bool:
    """Whether a token is whitespace with marks of quoted lines, which are no text."""
    return ">" in text and is_blank(text)


def _space_after(token: Token) -> str:
    """MISC of a token, which says whether a space follows."""
    last = token.i + 1 == len(token.doc)
    following = "" if last else token.nbor().text
    if _has_marks(following):
        blank = token.whitespace_ + following
        return f"SpacesAfter={''.join(_ESCAPED.get(c, c) for c in blank)}"
    space = bool(token.whitespace_) or last or following.isspace()
    return UNKNOWN if space else NO_SPACE


def _range_line(token: MultiwordToken) -> str:
    """The line of a multiword token."""
    empty = [UNKNOWN] * 7
    return "\t".join([f"{token.first}-{token.last}", token.form, *empty, token.misc])


def _written_head(token: Token, span: Span, ids: dict[int, int]) -> int | None:
    """The id of the nearest ancestor that is written; 0 for a root."""
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
