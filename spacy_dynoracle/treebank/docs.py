"""From treebank sentences to spaCy Docs, and the heads of Docs in CoNLL-U's numbering.

The conventions are those of ``spacy convert``: the label ``root`` of a word under the
artificial root becomes ``ROOT``, TAG falls back to UPOS, and empty nodes are not tokens
of the Doc. Three things differ: unknown heads (``_``) stay unknown, the words of a
multiword token add up to its text (see `multiword`), and ``_`` is a tag like others
beside words of the sentence that have XPOS.
"""

from collections.abc import Iterable
from typing import Any

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..doc.reference import UNKNOWN as UNKNOWN_HEAD
from ..doc.reference import ReferenceArrays, group_sentences
from .multiword import divided, mark
from .sentence import UNKNOWN, TreebankSentence, TreebankWord
from .text import spaces

# Petrov, Das & McDonald 2012 have these two tags under other names than Universal
# Dependencies, and spaCy does not know them.
_RENAMED_UPOS = {".": "PUNCT", "PRT": "PART"}


def to_doc(
    sentence: TreebankSentence, vocab: Vocab, *, tags: bool = True, tree: bool = True
) -> Doc:
    """Make a Doc with one token for each word of a sentence.

    The characters of a multiword token are divided among its words, NORM has the forms
    of the words, and ``doc.spans["multiword"]`` has the multiword tokens.

    Args:
        tags: Whether to set TAG (see `tags_of`), POS, MORPH and LEMMA. A value that
            spaCy cannot represent is left empty: a UPOS outside Universal
            Dependencies, or FEATS that are not ``Key=Value`` pairs. If any word has a
            tag, words without FEATS have none (``_``), as those of `spacy convert`.
        tree: Whether to set heads and labels. A word with an unknown head has no label
            and is its own head, which is spaCy's missing head. A word with a known head
            and an unknown label has an empty label; a root gets ROOT, or an unknown
            head if no other word has a label. Without the tree, the Doc is marked as
            one sentence.

    Raises:
        ValueError: For a sentence with problems.
    """
    if sentence.problems:
        raise ValueError(f"cannot make a Doc of {sentence.problems[0]}")
    annotations = _annotations(sentence, tags, tree)
    texts, multiword = divided(sentence)
    doc = Doc(vocab, words=texts, spaces=spaces(sentence), **annotations)
    mark(doc, multiword)
    return doc


def to_doc_bin(
    sentences: Iterable[TreebankSentence], vocab: Vocab, n_sents: int
) -> DocBin:
    """Convert sentences to spaCy's binary format for training.

    Args:
        n_sents: Sentences in each Doc. A sentence with unknown heads gets a Doc of its
            own.

    Raises:
        ValueError: For a sentence with problems.
    """
    docs = (to_doc(sentence, vocab) for sentence in sentences)
    return DocBin(docs=group_sentences(docs, n_sents), store_user_data=False)


def _annotations(sentence: TreebankSentence, tags: bool, tree: bool) -> dict[str, Any]:
    """The keyword arguments of Doc for the annotation of a sentence."""
    words = sentence.words
    heads = sentence.heads
    annotations: dict[str, Any] = {}
    if tree and any(head is not None for head in heads):
        annotations["heads"] = [
            i if head == 0 else None if head is None else head - 1
            for i, head in enumerate(heads)
        ]
        # A Doc knows of no root without a label, and labels of roots alone would be
        # scored as if they were the whole tree.
        has_labels = any(word.head and word.deprel for word in words)
        annotations["deps"] = [_doc_label(word, has_labels) for word in words]
    else:
        annotations["sent_starts"] = [i == 0 for i in range(len(words))]
    if tags:
        columns = {
            "tags": tags_of(sentence),
            "pos": [pos_of(word.upos) for word in words],
            "morphs": [morph_of(word.feats) for word in words],
            "lemmas": [
                word.lemma if word.form == UNKNOWN else _value(word.lemma)
                for word in words
            ],
        }
        annotations |= {
            name: values
            for name, values in columns.items()
            # Words of a tagged sentence without features have none.
            if any(values) or (name == "morphs" and sentence.has_tags)
        }
    return annotations


def tags_of(sentence: TreebankSentence) -> list[str]:
    """TAG of the words: XPOS, or UPOS in sentences without any XPOS."""
    tags = [word.xpos for word in sentence.words]
    if all(tag == UNKNOWN for tag in tags):
        tags = [_value(word.upos) for word in sentence.words]
    return tags


def _value(column: str) -> str:
    return "" if column == UNKNOWN else column


def pos_of(upos: str) -> str:
    """POS of a UPOS; "" for one that spaCy does not know."""
    pos = _RENAMED_UPOS.get(upos, _value(upos))
    return pos if pos in POS_IDS else ""


def morph_of(feats: str) -> str:
    """MORPH of FEATS; "" if they are not pairs of keys and values."""
    pairs = feats.split("|")
    return feats if all(pair.count("=") == 1 for pair in pairs) else ""


def _doc_label(word: TreebankWord, has_labels: bool) -> str | None:
    if word.head is None:
        return None
    label = word.deprel or ("root" if word.head == 0 and has_labels else None)
    return "ROOT" if word.head == 0 and label == "root" else label


def heads_and_labels(doc: Doc) -> tuple[list[int | None], list[str | None]]:
    """The heads and labels of a Doc, with heads numbered as in CoNLL-U.

    A head is a position in the Doc, counted from 1; 0 is the root, and None is spaCy's
    missing head (a token that is its own head and has no label). A label is None for a
    token without one.
    """
    arrays, strings = ReferenceArrays(doc), doc.vocab.strings
    heads = [
        None if head == UNKNOWN_HEAD else 0 if head == i else head + 1
        for i, head in enumerate(arrays.heads.tolist())
    ]
    labels = [strings[dep] if dep else None for dep in arrays.labels.tolist()]
    return heads, labels
