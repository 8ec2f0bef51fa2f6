"""Makes the best trees of a document from the beams of its segments."""

from functools import partial
from itertools import chain

import numpy as np

from ..core.learners.averaged_perceptron import AveragedPerceptron
from ..core.model.model import Model
from ..core.results import Candidates
from ..core.search.base import Search
from ..core.state.configuration import RootRule
from ..doc.attribute_table import AttributeTable
from ..doc.segments import Segment
from ..util.arrays import FloatArray, Int32Array, IntArray
from ..util.threads import in_chunks
from .annotations import Annotations
from .best_trees import BestTrees
from .k_best import KBest, combined
from .label_names import LabelNames
from .parsing import Batch, DocumentParser
from .strategies import root_rule, sentences_of
from .tree_records import tree_record

PERCEPTRON = AveragedPerceptron.__name__


def unfit_for_beams(model: Model, search: Search) -> str | None:
    """Why the scores of a model do not suit a beam; None if they do.

    Greedy training only makes the right transition win in its configuration, by any
    margin, so that a derivation may get a high score for a mistake.
    """
    if (
        search.beam_size <= 1
        or search.threshold
        or model.temperature is not None
        or model.learner != PERCEPTRON
    ):
        return None
    return (
        f"scores of the learner {model.learner} are for greedy search, and a beam adds "
        f"them up: parses will be worse. Set threshold = 0.5, fit a temperature to the "
        f"trained model (spacy-dynoracle calibrate), or train with AdaGradRDA or for "
        f"a beam"
    )


def best_trees(
    parser: DocumentParser,
    model: Model,
    names: LabelNames,
    tokens: AttributeTable,
    k: int,
) -> list[KBest]:
    """The k best trees of each segment of some documents, or fewer if the beam has
    fewer.

    The first trees are the trees of `DocumentParser.parse`. The search must have a
    beam.
    """
    batch = parser.read(model, names, tokens)
    found = [
        KBest(doc, [], presets)
        for doc, presets in zip(tokens.docs, parser.presets(tokens), strict=True)
    ]
    cut = parser.segments(batch)
    for single_root in (True, False):
        some = [segment for segment in cut if segment.single_root == single_root]
        if not some:
            continue
        beams = in_chunks(
            partial(_candidates, parser.search, model, root_rule(single_root)),
            some,
            parser.n_threads,
            len,
        )
        for segment, ranked in zip(some, chain.from_iterable(beams), strict=True):
            lists = TreeLists(parser, batch, segment)
            found[segment.doc].segments.append(lists.best(ranked, k))
    for trees in found:
        trees.segments.sort(key=lambda best: int(best.words[0]))
    return found


def annotations_of(tokens: AttributeTable, found: list[KBest]) -> list[Annotations]:
    """The annotations of each document: its best tree and the record of all trees."""
    annotations = []
    for number, trees in enumerate(found):
        part = tokens.part(number)
        best = combined(part.stop - part.start, [(segment, 0) for segment in trees])
        best.presets = trees.presets
        best.trees = tree_record(trees, tokens.characters[part], tokens.orth[part])
        annotations.append(best)
    return annotations


def _candidates(
    search: Search, model: Model, rule: RootRule, segments: list[Segment]
) -> list[Candidates]:
    return search.candidates(model, sentences_of(segments), rule)


class TreeLists:
    """Makes trees of a document from the candidates of one segment."""

    def __init__(self, parser: DocumentParser, batch: Batch, segment: Segment) -> None:
        self.parser = parser
        self.batch = batch
        self.segment = segment
        self.names = batch.names

    def best(self, candidates: Candidates, k: int) -> BestTrees:
        """The k best candidates as trees of the document."""
        ranker_scores, mixture = candidates.ranker_scores, candidates.mixture
        labels = candidates.labels
        heads = self.names.restored(candidates.heads, labels)
        if not self.segment.single_root:
            heads, labels = self._respect_sentences(heads, labels)
        numbers = self.names.numbers_of(heads, labels)
        log_sums = candidates.log_sums
        changed = heads is not candidates.heads
        if changed or self.names.any_decorated:
            kept, log_sums = distinct(np.hstack([heads, numbers]), log_sums)
        else:
            kept = np.arange(len(heads))
        kept = kept[:k]
        tokens = self.batch.tokens
        words = self.segment.words - tokens.bounds[self.segment.doc]
        own = np.where(heads > 0, heads - 1, np.arange(len(words)))
        has_temperature = self.batch.model.temperature is not None
        return BestTrees(
            tokens.docs[self.segment.doc],
            words,
            words[own[kept]],
            numbers[kept],
            self.names.distinct,
            candidates.scores[kept],
            log_sums[:k] if has_temperature else None,
            None if ranker_scores is None else ranker_scores[kept],
            None if mixture is None else mixture[kept],
        )

    def _respect_sentences(
        self, heads: Int32Array, labels: Int32Array
    ) -> tuple[Int32Array, Int32Array]:
        """Parse the parts of the trees again that a parse would parse again."""
        parts = [
            (rank, part)
            for rank, tree in enumerate(heads)
            for part in self.parser.wrong_parts(self.batch, self.segment, tree)
        ]
        if not parts:
            return heads, labels
        heads, labels = heads.copy(), labels.copy()
        # The new tree of a part depends only on its words.
        found: dict[tuple[int, int], tuple[Int32Array, Int32Array]] = {}
        for rank, part in parts:
            key = (part.start, part.stop)
            if key not in found:
                found[key] = self._one_tree(part)
            new_heads, labels[rank, part] = found[key]
            heads[rank, part] = np.where(new_heads > 0, new_heads + part.start, 0)
        return heads, labels

    def _one_tree(self, place: slice) -> tuple[Int32Array, Int32Array]:
        part = self.parser.part(self.batch, self.segment, place)
        heads, labels = self.parser.search.parse(
            self.batch.model, [part.sentence], RootRule.ONE
        )
        return self.names.restored(heads[np.newaxis], labels[np.newaxis])[0], labels


def distinct(trees: IntArray, log_sums: FloatArray) -> tuple[IntArray, FloatArray]:
    """(places of the distinct trees among all trees, the first of equal trees; for each
    the logarithm of the sum of the probabilities of the equal trees).
    """
    _, first, which = np.unique(trees, axis=0, return_index=True, return_inverse=True)
    sums = np.full(len(first), -np.inf)
    np.logaddexp.at(sums, which.ravel(), log_sums)
    order = np.argsort(first)
    return first[order], sums[order]
