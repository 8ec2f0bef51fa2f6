"""Writing parsed Docs as CoNLL-U."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from spacy.tokens import Doc, Span, Token

from . import multiword
from .docs import heads_and_labels
from .sentence import UNKNOWN, TreebankSentence
from .text import NO_SPACE

# Entries of MISC: the probability of an arc, and the share of trees that have it.
PROBABILITY = "Prob="
SUPPORT = "Support="

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
    support: Sequence[float | None] | None = None,
    comments: Sequence[str] = (),
) -> str:
    """Convert a parsed Doc to CoNLL-U, with a blank line after each sentence.

    sentence: the sentence that the Doc was made from. Everything but HEAD and DEPREL is
        then that of the sentence. Without it, the Doc is written sentence by sentence,
        with its multiword tokens (``doc.spans["multiword"]``) and without whitespace
        tokens, which CoNLL-U cannot express.
    doc_tags: with a sentence, take UPOS, XPOS and FEATS from the Doc if it has any of
        them, and LEMMA if it has lemmas.
    xpos: whether TAG is an XPOS. Otherwise it stands for UPOS (see
        `pipelines.has_xpos`) and is written only there.
    sent_ids: without a sentence, the numbers for ``# sent_id``; by default from 1.
    probabilities: the probability of the arc of each token, written to MISC as
        ``Prob=0.93``; None for a token without one.
    support: the share of a list of trees that has the arc of each token, written to
        MISC as ``Support=0.8``.
    comments: lines ``# name = value`` for each sentence. They replace older comments
        with these names.

    The label ``ROOT`` of a root is written as ``root``, or as the sentence spells it.
    Tabs and line ends in labels, forms and tags are written as spaces.
    Raises ValueError if the Doc and the sentence differ in length.
    """
    misc_values = {PROBABILITY: probabilities, SUPPORT: support}
    if sentence is None:
        numbers = count(1) if sent_ids is None else sent_ids
        return "".join(
            _span_to_conllu(span, numbers, xpos, misc_values, comments)
            for span in _sentences(doc)
        )
    if len(doc) != len(sentence.words):
        raise ValueError(
            f"the Doc has {len(doc)} tokens and sentence {sentence.name} of "
            f"{sentence.path} has {len(sentence.words)} words; pass the sentence the "
            "Doc was made from"
        )
    columns = _tag_columns(doc, sentence, doc_tags, xpos)
    return _sentence_to_conllu(doc, sentence, columns, misc_values, comments)


def _tag_columns(
    doc: Doc, sentence: TreebankSentence, doc_tags: bool, xpos: bool
) -> list[list[str]]:
    """LEMMA, UPOS, XPOS and FEATS of each word of a sentence or, with doc_tags, those
    of its Doc."""
    words = sentence.words
    lemmas = [word.lemma for word in words]
    tags = [[word.upos, word.xpos, word.feats] for word in words]
    found = [_doc_columns(token, xpos) for token in doc] if doc_tags else []
    if found and doc.has_annotation("LEMMA"):
        lemmas = [columns[0] for columns in found]
    if found and any(map(doc.has_annotation, ("TAG", "POS", "MORPH"))):
        tags = [columns[1:] for columns in found]
    return [[lemma, *columns] for lemma, columns in zip(lemmas, tags, strict=True)]


def _sentence_to_conllu(
    doc: Doc,
    sentence: TreebankSentence,
    tag_columns: Sequence[Sequence[str]],
    misc_values: MiscValues,
    comments: Sequence[str],
) -> str:
    """A sentence of a treebank with the heads and labels of its Doc."""
    heads, labels = heads_and_labels(doc)
    root_label = _root_label(sentence)
    names = {_name(line) for line in comments}
    lines = [line for line in sentence.comments if _name(line) not in names]
    lines += comments
    insertions = list(sentence.insertions)
    for i, word in enumerate(sentence.words):
        while insertions and insertions[0][0] <= i:
            lines.append(insertions.pop(0)[1])
        arc = _arc_columns(heads[i], labels[i], root_label)
        misc = _with_values(word.misc, i, misc_values)
        row = [str(i + 1), word.form, *tag_columns[i], *arc, word.deps, misc]
        lines.append("\t".join(row))
    lines += [line for _, line in insertions]
    return "\n".join(lines) + "\n\n"


def _name(comment: str) -> str:
    """The name in a comment ``# name = value``."""
    return comment.partition("=")[0].strip("# ")


def _root_label(sentence: TreebankSentence) -> str:
    """The label of the root as the sentence spells it; by default ``root``."""
    for word in sentence.words:
        if word.head == 0 and word.deprel and word.deprel.lower() == "root":
            return word.deprel
    return "root"


def _arc_columns(head: int | None, label: str | None, root_label: str) -> list[str]:
    if head == 0 and label == "ROOT":
        label = root_label
    return [UNKNOWN if head is None else str(head), _column(label or "")]


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
    values = (token.lemma_, upos, tag, str(token.morph))
    return list(map(_column, values))


def _column(value: str) -> str:
    """A value in one column: tabs and line ends become spaces."""
    return " ".join(value.split()) or UNKNOWN


def _sentences(doc: Doc) -> list[Span]:
    if doc.has_annotation("SENT_START"):
        return list(doc.sents)
    return [doc[:]]


def _span_to_conllu(
    span: Span,
    sent_ids: Iterator[int | str],
    xpos: bool,
    misc_values: MiscValues,
    comments: Sequence[str],
) -> str:
    """A sentence of a Doc; empty if it is only whitespace."""
    # Token.is_space would need a vocabulary that knows its lexical attributes.
    words = [token for token in span if not token.text.isspace()]
    if not words:
        return ""
    ids = {token.i: number for number, token in enumerate(words, 1)}
    heads = [_written_head(token, span, ids) for token in words]
    roots = [i for i, head in enumerate(heads) if head == 0]
    for i in roots:
        # Of the words under a whitespace root, the first one becomes the root.
        if words[i].head.i not in ids:
            heads[i] = 0 if i == roots[0] else roots[0] + 1
    lines = [
        f"# sent_id = {next(sent_ids)}",
        f"# text = {' '.join(span.text.split())}",
        *comments,
    ]
    ends = {
        start: end
        for start, end in multiword.spans(span.doc)
        if span.start <= start and end <= span.end
    }
    inside = 0  # the end of the multiword token so far
    for i, token in enumerate(words):
        form, misc = token.text, _space_after(token)
        if token.i in ends:
            inside = ends[token.i]
            final = token.doc[inside - 1]
            surface = token.doc[token.i : inside].text
            lines.append(_range_line(i + 1, ids[inside - 1], surface, final))
        if token.i < inside:
            form, misc = multiword.word_form(token), UNKNOWN
        label = token.dep_ or None
        if heads[i] == 0 and words[i].head.i not in ids:
            label = "ROOT"
        row = [str(i + 1), _column(form), *_doc_columns(token, xpos)]
        row += _arc_columns(heads[i], label, "root")
        misc = _with_values(misc, token.i, misc_values)
        lines.append("\t".join([*row, UNKNOWN, misc]))
    return "\n".join(lines) + "\n\n"


def _space_after(token: Token) -> str:
    """MISC of a token, which says whether a space follows."""
    last = token.i + 1 == len(token.doc)
    space = bool(token.whitespace_) or last or token.nbor().text.isspace()
    return UNKNOWN if space else NO_SPACE


def _range_line(first: int, last: int, surface: str, final: Token) -> str:
    """The line of a multiword token. final: its last token."""
    empty = [UNKNOWN] * 7
    return "\t".join([f"{first}-{last}", _column(surface), *empty, _space_after(final)])


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
