"""The certainty of a trained parser on a treebank, and whether it is right.

Sentences are parsed one by one, as `evaluate` does. Words without a known gold head are
left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..committee.votes import ArcShares
from ..core.model.model import Model
from ..core.probability.greedy import parse_with_probabilities
from ..core.probability.sampling import sample_arcs
from ..core.results import Decisions
from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..core.state.projectivity import base_label, is_decorated
from ..core.state.sentence import Sentence
from ..core.training.decisions import decisions
from ..doc.attribute_table import AttributeTable
from ..doc.borders import string_ids
from ..errors import PipelineError, TreebankError, value_errors_as
from ..parser.annotations import ROOT_LABEL, ROOT_LABEL_ID
from ..parser.any_parser import AnyParser
from ..parser.component import DynOracleParser
from ..parser.gold_trees import AnnotatedTree, GoldReader
from ..parser.label_names import LabelNames
from ..parser.lookup import find_parser
from ..parser.strategies import root_rule
from ..treebank import TreebankSentence, read_treebank, to_doc
from ..treebank.pipelines import BATCH_SIZE, piped
from ..util.arrays import BoolArray, FloatArray, IdArray, Int32Array, IntArray
from .calibration import Calibration, calibration

# How probabilities of arcs are found.
MARGINAL, TRANSITION = "marginal", "transition"
# spaCy writes the last one where treebanks write the first one.
_ROOTS = string_ids(("root", "Root", ROOT_LABEL))
# What is right or wrong.
HEADS, ARCS = "heads", "labelled arcs"


class HeldOut(NamedTuple):
    """The sentences of a treebank file, and their Docs as a component gets them."""

    path: Path
    sentences: list[TreebankSentence]
    docs: list[Doc]

    @classmethod
    def read(
        cls, nlp: Language, component: AnyParser, path: str | Path, gold_tags: bool
    ) -> HeldOut:
        """Read a file, and run the components before this one.

        Args:
            gold_tags: Whether documents have the tags of the sentences that have some.

        Raises:
            TreebankError: For a file that cannot be used, or that has no heads.
        """
        found = list(read_treebank(path))
        if all(head is None for sentence in found for head in sentence.heads):
            raise TreebankError(
                f"{path}: no word has a HEAD, and trees are needed to tell whether "
                "probabilities are right; name a treebank",
                str(path),
            )
        docs = [to_doc(s, nlp.vocab, tags=gold_tags, tree=False) for s in found]
        # It may have another name in a pipeline that took it from this one.
        before = takewhile(lambda pipe: pipe[1] is not component, nlp.pipeline)
        with nlp.select_pipes(enable=[name for name, _ in before]):
            return cls(Path(path), found, piped(nlp, docs, BATCH_SIZE))

    def trees(self, reader: GoldReader) -> Iterator[tuple[Doc, AnnotatedTree]]:
        """Yield the gold trees that can be used, each with the Doc of its words."""
        for sentence, doc in zip(self.sentences, self.docs, strict=True):
            for tree in reader.reference_trees(to_doc(sentence, doc.vocab)):
                if tree.problem is None:
                    yield doc, tree


def probable_parser(nlp: Language) -> DynOracleParser:
    """The parser of a pipeline.

    Raises:
        PipelineError: If there is none, or if its decisions have no probabilities.
    """
    parser = find_parser(nlp)
    with value_errors_as(PipelineError):
        parser.recipe.require_probabilities()
    return parser


class CalibrationSet:
    """The sentences of a treebank file, as a parser gets them.

    Attributes:
        sentences: Input of the core.
        trees: Gold trees. Sentences whose gold heads form a cycle are left out.
    """

    def __init__(self, parser: DynOracleParser, held_out: HeldOut) -> None:
        self.parser = parser
        self.path = held_out.path
        self.sentences: list[Sentence] = []
        self.trees: list[AnnotatedTree] = []
        attributes = list(parser.sources.values())
        parser.check_annotation(AttributeTable(held_out.docs, attributes))
        recipe = parser.recipe
        reader = GoldReader("doc", recipe.system.projective, backward=recipe.backward)
        for doc, tree in held_out.trees(reader):
            values = AttributeTable([doc], attributes)
            self.sentences.append(values.sentence(tree.words))
            self.trees.append(tree)

    @classmethod
    def of(
        cls, nlp: Language, path: str | Path, *, gold_tags: bool = True
    ) -> CalibrationSet:
        """The sentences of a file, for the parser of a pipeline.

        Args:
            gold_tags: See `HeldOut.read`.

        Raises:
            PipelineError: For a pipeline without a parser, and for one whose decisions
                have no probabilities.
            TreebankError: For a file that cannot be used.
        """
        parser = probable_parser(nlp)
        return cls(parser, HeldOut.read(nlp, parser, path, gold_tags))

    def decisions(self, model: Model, keep_scores: bool = False) -> Decisions:
        """The decisions of the derivations of all sentences.

        The rule about roots is that of training; arc-eager has no UNSHIFT then, because
        only the costs without it are defined. Where labels record lifts, costs refer to
        the lifted tree. Sentences in which gold heads are unknown are left out if the
        costs of the system need all gold heads.
        """
        lifts = any(map(is_decorated, model.labels))
        inventory = Labels(model.labels)
        sentences, golds = [], []
        for sentence, tree in zip(self.sentences, self.trees, strict=True):
            if model.system.needs_full_tree and tree.n_known < len(tree.heads):
                continue
            if lifts and not tree.derivable:
                tree = tree.lifted(model.labels)
            sentences.append(sentence)
            golds.append(GoldTree(tree.heads, tree.labels, inventory))
        single_root = self.parser.recipe.sentences != "predict"
        rule = model.system.training_root_rule(single_root)
        return decisions(model, sentences, golds, keep_scores, rule)

    def arcs(self, model: Model, n_samples: int, seed: int) -> ArcConfidence:
        """The arcs of the parses of all sentences, with their probabilities.

        Args:
            n_samples, seed: Of the derivations of each sentence that are drawn at
                random.
        """
        single_root = self.parser.parser.single_root
        rule = root_rule(single_root is not False)
        heads, labels, probabilities = parse_with_probabilities(
            model, self.sentences, rule, self.parser.parser.search
        )
        drawn = sample_arcs(model, self.sentences, n_samples, seed, rule)
        names = LabelNames(model, self.parser.never_govern)
        labels_drawn = _label_ids(names, drawn.heads, drawn.labels)
        words = np.repeat(np.arange(len(heads)), np.diff(drawn.first))
        columns = (words, drawn.heads, labels_drawn, drawn.counts)
        shares = ArcShares.counted(len(heads), n_samples, [columns])
        of_head, of_arc = shares.probabilities(None)
        own_labels = _label_ids(names, heads, labels)
        right_heads, right_labels = _gold_heads(self.trees), gold_labels(self.trees)
        lengths = list(map(len, self.sentences))
        restored = names.restore_lifted(heads, labels, lengths)
        is_right = names.moved_up(restored, labels, lengths) == right_heads
        known = right_heads >= 0

        def log(share: FloatArray) -> FloatArray:
            # The share of the samples may be 0.
            return np.log((share * n_samples + 0.5) / (n_samples + 1))

        return ArcConfidence(
            JudgedArcs(
                known,
                shares.of_heads(of_head, heads),
                probabilities.arcs,
                is_right,
                log(shares.of_heads(of_head, right_heads)),
            ),
            JudgedArcs(
                known & (right_labels != 0),
                shares.of_arcs(of_arc, heads, own_labels),
                probabilities.arcs,
                is_right & (own_labels == right_labels),
                log(shares.of_arcs(of_arc, right_heads, right_labels)),
            ),
        )


class JudgedArcs(NamedTuple):
    """The heads of words, or their heads with labels, and their probabilities: one
    entry for each word.

    Attributes:
        known: Whether it is known what is right; other words do not count.
        marginal: The share of the sampled derivations that have the prediction, before
            lifted arcs were put back; or its probability by the votes of a committee.
        transition: Probability of the transition that made the arc, 1 if a rule made
            it; None for a committee.
        correct: Whether it is right.
        log_likelihood: The logarithm of the probability of what is right. For a
            committee that is the probability that the prediction is right if it is, or
            else that it is wrong.
    """

    known: BoolArray
    marginal: FloatArray
    transition: FloatArray | None
    correct: BoolArray
    log_likelihood: FloatArray

    @property
    def certainties(self) -> dict[str, FloatArray]:
        """The probabilities of the heads or arcs, by the method that found them."""
        found = {MARGINAL: self.marginal, TRANSITION: self.transition}
        return {name: values for name, values in found.items() if values is not None}

    def calibration(self) -> Calibration:
        """The calibration of the marginals."""
        of = self.known
        return calibration(self.marginal[of], self.correct[of], self.log_likelihood[of])


class ArcConfidence(NamedTuple):
    """The predicted arcs of words.

    Attributes:
        heads: Without their labels.
        arcs: With their labels.
    """

    heads: JudgedArcs
    arcs: JudgedArcs


def calibration_of(found: Decisions, *, forced: bool = True) -> Calibration:
    """The calibration of decisions.

    Args:
        forced: Whether decisions in which only one action was legal are included.
    """
    kept = forced | ~found.forced
    return calibration(
        found.probability[kept], found.correct[kept], found.log_likelihood[kept]
    )


def _gold_heads(trees: Sequence[AnnotatedTree]) -> IntArray:
    """The gold heads of all words; -1 where unknown."""
    return np.array(
        [-1 if head is None else head for tree in trees for head in tree.heads],
        dtype=np.int64,
    )


def gold_labels(trees: Sequence[AnnotatedTree]) -> IdArray:
    """The ids of the gold labels of all words, without the record of a lift; 0 where
    unknown.
    """
    names = [base_label(label or "") for tree in trees for label in tree.labels]
    return as_roots(string_ids(names))


def as_roots(labels: IdArray) -> IdArray:
    """The ids of labels, changed in place to have one id for `root` and `ROOT`."""
    labels[np.isin(labels, _ROOTS)] = ROOT_LABEL_ID
    return labels


def _label_ids(names: LabelNames, heads: Int32Array, labels: Int32Array) -> IdArray:
    """The ids of labels of a model, on arcs to some heads."""
    found = names.ids[labels]
    found[(heads == 0) & (labels < 0)] = names.root_id
    return as_roots(found)
