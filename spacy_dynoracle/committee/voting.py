"""The tree on which several parsers agree most.

Every parser votes for its arcs. The result is the tree of such arcs with the largest
sum of votes, so that it is always a tree, unlike the arcs that win one by one. The
label of an arc is the one with the most votes among the parsers that have this arc.

Source: Sagae & Lavie 2006. In place of weights by the part of speech, each parser has
one weight, or one for each of its arcs.
"""

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ..core.graph.eisner import projective_tree
from ..core.graph.spanning import spanning_tree
from ..core.state.projectivity import is_projective
from ..doc.borders import string_ids
from ..doc.tables import moved_up
from ..parser.reparse import roots
from ..util.arrays import BoolArray, FloatArray, IdArray, Int32Array, IntArray

# Decoding takes memory in the square of the number of words: here about 100 MB.
MAX_WORDS = 2000


def vote(tables: Sequence[IdArray], weights: FloatArray) -> IdArray:
    """The tree with the most votes for each sentence.

    If the trees of all parsers for a sentence are projective, the result is projective.
    The memory is proportional to the square of the length of a sentence; those of more
    than `MAX_WORDS` tokens have the tree of the parser with the largest weight, with a
    warning.

    Args:
        tables: For each parser heads and labels of the tokens, uint64 of shape (n
            tokens, 2), see `spacy_dynoracle.parser.annotations`. All parsers have the
            same sentences.
        weights: The weight of the vote of each parser, above 0; or of shape (n parsers,
            n tokens), that of its vote about each token.

    Returns:
        A table of the same kind.
    """
    stacked = np.stack(tables)
    labels: IdArray = stacked[:, :, 1]
    heads: IntArray = stacked[:, :, 0].view(np.int64) + np.arange(stacked.shape[1])
    found: IdArray = tables[0].copy()
    equal: BoolArray = (stacked == stacked[0]).all(axis=(0, 2))
    if equal.all():
        return found
    weights = np.broadcast_to(weights.reshape(len(tables), -1), labels.shape)
    for words in disputed_sentences(heads[0], equal):
        if len(words) > MAX_WORDS:
            warnings.warn(
                f"a sentence of more than {MAX_WORDS:,} words has the tree of one "
                "member of the committee: votes on it need too much memory; set "
                "sentence boundaries before parsing",
                stacklevel=2,
            )
            heaviest = int(np.argmax(weights[:, words].sum(axis=1)))
            found[words] = stacked[heaviest, words]
            continue
        own = np.searchsorted(words, heads[:, words])
        chosen = voted_heads(own, weights[:, words])
        found[words, 0] = (words[chosen] - words).view(np.uint64)
        found[words, 1] = voted_labels(
            own == chosen, labels[:, words], weights[:, words]
        )
    return found


def without_governors(
    table: IdArray, never_govern: Sequence[str], is_space: BoolArray
) -> None:
    """Let the words of some labels have no dependents but whitespace, in place: the
    label that wins may be that of a parser in whose tree the word has none.

    Args:
        table: As `vote` returns it.
        never_govern: The labels.
    """
    leaves = np.isin(table[:, 1], string_ids(never_govern))
    offsets = table[:, 0].view(np.int64)
    heads = np.where(offsets == 0, 0, np.arange(1, len(table) + 1) + offsets)
    heads = heads.astype(np.int32)
    moved = moved_up(heads, leaves.view(np.uint8), [len(table)])
    if moved is not None:
        # Whitespace belongs to the word before it.
        changed = np.flatnonzero((moved != heads) & ~is_space)
        table[changed, 0] = (moved[changed] - 1 - changed).view(np.uint64)


def disputed_sentences(heads: IntArray, equal: BoolArray) -> Iterator[IntArray]:
    """The tokens of each sentence about which the parsers differ.

    Args:
        heads: For each token of the document its head, itself for a root.
        equal: For each token whether all parsers agree.
    """
    tokens = np.arange(len(heads))
    root = roots(np.where(heads == tokens, 0, heads + 1))
    order = np.argsort(root, kind="stable")
    cuts = np.flatnonzero(np.diff(root[order])) + 1
    for words in np.split(order, cuts):
        if not equal[words].all():
            yield words


def voted_heads(heads: IntArray, weights: FloatArray) -> IntArray:
    """The heads of one sentence with the most votes, those of a tree with one root.

    Args:
        heads: Of shape (n parsers, n words), words from 0; the head of the root is
            itself.
        weights: Of the same shape.
    """
    n_words = heads.shape[1]
    own = np.arange(n_words)
    nodes = np.where(heads == own, 0, heads + 1)
    arcs = np.zeros((n_words + 1, n_words + 1))
    np.add.at(arcs, (nodes, own + 1), weights)
    arcs[arcs == 0] = -np.inf
    projective = all(is_projective(row.tolist()) for row in nodes)
    tree: Int32Array = (projective_tree if projective else spanning_tree)(
        arcs, single_root=True
    )
    return np.where(tree == 0, own, tree.astype(np.int64) - 1)


def voted_labels(has_arc: BoolArray, labels: IdArray, weights: FloatArray) -> IdArray:
    """The labels with the most votes.

    Args:
        has_arc: Of shape (n parsers, n words), whether the parser has the arc of the
            tree.
        labels, weights: Of the same shape. Among labels with equal votes that of the
            first parser wins.
    """
    found: IdArray = labels[0].copy()
    for word in np.flatnonzero((labels != found).any(axis=0) | ~has_arc[0]).tolist():
        votes: dict[int, float] = {}
        for parser in np.flatnonzero(has_arc[:, word]).tolist():
            label = int(labels[parser, word])
            votes[label] = votes.get(label, 0.0) + float(weights[parser, word])
        found[word] = max(votes, key=votes.__getitem__)
    return found
