"""Base noun phrases from trees with the relations of Universal Dependencies.

spaCy has an iterator of noun chunks for some languages. A few of these iterators know
other relations only: that of English looks for `dobj` and `pobj`. The iterator of this
module is the same for all languages.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, Span, Token
from spacy.util import get_lang_class
from spacy.vocab import Vocab

# Yields the start, the end and the label of the chunks of a Doc or Span.
Chunks = Iterator[tuple[int, int, int]]

# Languages whose iterator in spaCy does not know the relations of Universal
# Dependencies.
OTHER_RELATIONS = ("de", "en", "fa", "ja")
# Relations of Universal Dependencies that the schemes of those iterators do not have,
# and relations of those schemes that Universal Dependencies does not have.
UNIVERSAL = {"obj", "obl", "case", "nsubj:pass", "flat"}
OTHER = {
    "dobj", "pobj", "prep", "nsubjpass", "attr", "poss", "acomp", "pcomp", "auxpass",
    "relcl", "agent", "csubjpass", "dative", "intj", "meta", "neg", "npadvmod", "oprd",
    "preconj", "predet", "prt", "quantmod", "sb", "nk", "oa", "mo",
}  # fmt: skip
# The English scheme has `case`, too, for the mark of a genitive, whose noun is `poss`.
GENITIVE = "poss"

NOMINAL_TAGS = tuple(POS_IDS[tag] for tag in ("NOUN", "PROPN", "PRON"))
# Relations of nominals that are no phrases of their own: they belong to another phrase,
# to a name or to a function word, or they refer to nothing.
DEPENDENT = {
    "case", "cc", "compound", "cop", "det", "discourse", "expl", "fixed", "flat",
    "goeswith", "mark", "punct", "reparandum", "aux", "clf",
}  # fmt: skip
# Relations whose dependents are nominals, without a look at the part of speech.
NOMINAL = {"nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative", "dislocated"}
# Relations of dependents that show that the head is a nominal.
OF_NOMINALS = {"det", "case", "amod", "nummod", "nmod:poss"}
# Relations of dependents that belong to the phrase of the head, on either side.
LEFT = {"det", "amod", "nummod", "compound", "flat", "nmod:poss", "goeswith", "clf"}
RIGHT = {"amod", "nummod", "compound", "flat", "fixed", "goeswith", "det"}
# They belong to the phrase if a dependent farther away does.
INSIDE = {"punct", "advmod"}
NOT_INSIDE = {"compound:prt"}


def noun_chunks(doclike: Doc | Span) -> Chunks:
    """The base noun phrases of a Doc or Span with a tree of Universal Dependencies.

    A phrase is a noun, a proper noun or a pronoun, with the determiners, adjectives,
    numerals, compounds, names and possessors before it, and the adjectives, numerals
    and names behind it that are next to it. A preposition does not belong to it. A
    phrase inside another one is left out. Where no part of speech is set, the relations
    show which words are nominals.

    A Doc with relations of another scheme gets the chunks of spaCy's iterator of its
    language.

    Raises:
        ValueError: If the Doc has no tree.
    """
    doc = doclike.doc
    if not doc.has_annotation("DEP"):
        raise ValueError(
            "noun chunks need a tree: run a parser before doc.noun_chunks is read"
        )
    relations = {doc.vocab.strings[key] for key in set(doc.to_array("DEP").tolist())}
    own = spacys_iterator(doc.vocab)
    shared = {"case"} if GENITIVE in relations else set()
    if own is not None and relations & OTHER and not relations & (UNIVERSAL - shared):
        yield from own(doclike)
        return
    has_tags = doc.has_annotation("POS")
    found = [
        (first_of(token), last_of(token) + 1)
        for token in doclike
        if not token.is_space and is_head(token, has_tags)
    ]
    label = doc.vocab.strings.add("NP")
    end = -1
    # Of nested phrases the longest comes first.
    for first, behind in sorted(found, key=lambda bounds: (bounds[0], -bounds[1])):
        if first >= end:
            yield first, behind, label
            end = behind


def base_relation(token: Token) -> str:
    """The relation of a token without its subtype."""
    return token.dep_.partition(":")[0]


def is_one_of(token: Token, relations: Iterable[str]) -> bool:
    """Whether a relation, or the relation without subtype, is among some."""
    return token.dep_ in relations or (
        base_relation(token) in relations and token.dep_ not in NOT_INSIDE
    )


def is_head(token: Token, has_tags: bool) -> bool:
    """Whether a token is the head of a noun phrase."""
    if has_tags:
        return token.pos in NOMINAL_TAGS and base_relation(token) not in DEPENDENT
    while token.dep_ == "conj" and token.head != token:
        if is_head_by_children(token):
            break
        token = token.head
    return base_relation(token) in NOMINAL or (
        base_relation(token) not in DEPENDENT and is_head_by_children(token)
    )


def is_head_by_children(token: Token) -> bool:
    """Whether the relations of its dependents show that a token is a nominal."""
    return any(is_one_of(child, OF_NOMINALS) for child in token.children)


def first_of(head: Token) -> int:
    """The first token of the phrase of a head."""
    first = head.i
    reached = head.i
    for child in reversed(list(head.lefts)):
        if child.right_edge.i != reached - 1:
            break
        reached = child.left_edge.i
        if is_one_of(child, LEFT):
            first = reached
        elif not is_one_of(child, INSIDE):
            break
    while head.doc[first].is_space:
        first += 1
    return first


def last_of(head: Token) -> int:
    """The last token of the phrase of a head."""
    last = reached = head.i
    for child in head.rights:
        if child.left_edge.i != reached + 1:
            break
        reached = child.right_edge.i
        if child.is_space:
            continue
        if not is_one_of(child, RIGHT):
            break
        last = last_of(child)
        if not all(token.is_space for token in head.doc[last + 1 : reached + 1]):
            break
    return last


def spacys_iterator(vocab: Vocab) -> Callable[[Any], Chunks] | None:
    """The iterator of the language of a vocab; None if it has none."""
    try:
        defaults = get_lang_class(vocab.lang).Defaults
    except ImportError:
        return None
    return defaults.syntax_iterators.get("noun_chunks")


def provide_noun_chunks(vocab: Vocab, relations: Iterable[str]) -> None:
    """Let the documents of a vocab find noun chunks by Universal Dependencies, unless
    the iterator of their language can.

    Args:
        relations: The labels of the parser; without any of Universal Dependencies
            nothing changes.
    """
    if UNIVERSAL.isdisjoint(relations):
        return
    present: Any = vocab.get_noun_chunks
    # A language of the user's may have the iterator of one of spaCy's.
    others = {f"spacy.lang.{lang}.syntax_iterators" for lang in OTHER_RELATIONS}
    if present is None or present.__module__ in others:
        # The stubs of spaCy have spans where the code has triples.
        vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]
