"""The certainty of a trained parser on a treebank, and whether it is right.

Sentences are parsed one by one and greedily, as `evaluate` does. Words without a known
gold head are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from spacy.language import Language
from spacy.tokens import Doc

from ..core.model.model import Model
from ..core.probability.greedy import parse_with_probabilities
from ..core.probability.sampling import sample_arcs
from ..core.results import ArcCounts, Decisions
from ..core.state.configuration import RootRule
from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..core.state.projectivity import base_label, is_decorated
from ..core.state.sentence import Sentence
from ..core.training.decisions import decisions
from ..doc.attribute_table import AttributeTable
from ..parser.annotations import NO_LABEL, ROOT_LABEL
from ..parser.component import DynOracleParser
from ..parser.gold_trees import AnnotatedTree, GoldReader
from ..parser.label_names import LabelNames
from ..parser.lookup import find_parser
from ..treebank import TreebankSentence, TreebankWord, read_treebank, to_doc
from ..treebank.pipelines import BATCH_SIZE, piped
from ..util.arrays import BoolArray, FloatArray, Int32Array, IntArray
from .calibration import Calibration, calibration

# How probabilities of arcs are found.
MARGINAL, TRANSITION = "marginal", "transition"
# What is right or wrong.
HEADS, ARCS = "heads", "labelled arcs"


class HeldOut(NamedTuple):
    """The sentences of a treebank file, and their Docs as a component gets them."""

    path: Path
    sentences: list[TreebankSentence]
    docs: list[Doc]

    @classmethod
    def read(
        cls, nlp: Language, component: str, path: str | Path, gold_tags: bool
    ) -> HeldOut:
        """Read a file, and run the components before the one of this name.

        Args:
            gold_tags: Whether documents have the tags of the sentences that have some.

        Raises:
            TreebankError: For a file that cannot be used.
        """
        found = list(read_treebank(path))
        docs = [to_doc(s, nlp.vocab, tags=gold_tags, tree=False) for s in found]
        before = nlp.pipe_names[: nlp.pipe_names.index(component)]
        with nlp.select_pipes(enable=before):
            return cls(Path(path), found, piped(nlp, docs, BATCH_SIZE))


class CalibrationSet:
    """The sentences of a treebank file, as a parser gets them.

    Attributes:
        tokens: For each sentence its words in the file, in the order in which the
            parser reads them.
        sentences: Input of the core.
        trees: Gold trees. Sentences whose gold heads form a cycle are left out.
    """

    def __init__(self, parser: DynOracleParser, held_out: HeldOut) -> None:
        self.parser = parser
        self.path = held_out.path
        self.tokens: list[list[TreebankWord]] = []
        self.sentences: list[Sentence] = []
        self.trees: list[AnnotatedTree] = []
        attributes = list(parser.sources.values())
        parser.check_annotation(AttributeTable(held_out.docs, attributes))
        recipe = parser.recipe
        reader = GoldReader(
            "doc", recipe.system.projective, lambda why, doc: None, recipe.backward
        )
        for sentence, doc in zip(held_out.sentences, held_out.docs, strict=True):
            values = AttributeTable([doc], attributes)
            # One tree or, if it cannot be used, none.
            for tree in reader.reference_trees(to_doc(sentence, doc.vocab)):
                self.tokens.append([sentence.words[i] for i in tree.words.tolist()])
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
            PipelineError: For a pipeline without a parser.
            TreebankError: For a file that cannot be used.
        """
        parser = find_parser(nlp)
        return cls(parser, HeldOut.read(nlp, parser.name, path, gold_tags))

    @property
    def words(self) -> list[TreebankWord]:
        """The words of all sentences."""
        return [word for sentence in self.tokens for word in sentence]

    def decisions(self, model: Model, keep_scores: bool = False) -> Decisions:
        """The decisions of the derivations of all sentences.

        The system is the one of training, without UNSHIFT, because only its costs are
        defined. Where labels record lifts, costs refer to the lifted tree. Sentences in
        which gold heads are unknown are left out if the costs of the system need all
        gold heads.
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
        rule = model.system.training_root_rule(False)
        return decisions(model, sentences, golds, keep_scores, rule)

    def arcs(self, model: Model, n_samples: int, seed: int) -> ArcConfidence:
        """The arcs of the parses of all sentences, with their probabilities.

        Args:
            n_samples, seed: Of the derivations of each sentence that are drawn at
                random.
        """
        one_root = self.parser.parser.single_root
        rule = RootRule.ANY if one_root is False else RootRule.TREE
        heads, labels, probabilities = parse_with_probabilities(
            model, self.sentences, rule, self.parser.parser.search
        )
        drawn = sample_arcs(model, self.sentences, n_samples, seed, rule)
        ids = _LabelIds(model)
        share = _Shares(drawn, n_samples, ids)
        own_labels = ids.of(heads, labels)
        gold_heads, gold_labels = _gold_heads(self.trees), _gold_labels(self.trees, ids)
        lengths = list(map(len, self.sentences))
        restored = LabelNames(model).restore_lifted(heads, labels, lengths)
        is_right = restored == gold_heads
        known = gold_heads >= 0

        def log(share: FloatArray) -> FloatArray:
            # The share of the samples may be 0.
            return np.log((share * n_samples + 0.5) / (n_samples + 1))

        return ArcConfidence(
            JudgedArcs(
                known,
                share.of(heads),
                probabilities.arcs,
                is_right,
                log(share.of(gold_heads)),
            ),
            JudgedArcs(
                known & (gold_labels >= 0),
                share.of(heads, own_labels),
                probabilities.arcs,
                is_right & (own_labels == gold_labels),
                log(share.of(gold_heads, gold_labels)),
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
        """Their probabilities by how these were found."""
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


class _LabelIds:
    """Numbers for labels without the record of a lift. `root` and `ROOT` have the same
    number: spaCy writes ROOT where treebanks write root.
    """

    def __init__(self, model: Model) -> None:
        self._numbers: dict[str, int] = {}
        # The last stands for -1, no label.
        names = [*map(base_label, model.labels), NO_LABEL]
        self._of_ids = np.array([self.add(name) for name in names])
        self._root = self.add(model.root_label or ROOT_LABEL)

    def add(self, name: str) -> int:
        """The number of a label."""
        name = ROOT_LABEL if name.lower() == ROOT_LABEL.lower() else name
        return self._numbers.setdefault(name, len(self._numbers))

    def of(self, heads: Int32Array, labels: Int32Array) -> IntArray:
        """The numbers of labels of the model, on arcs to some heads."""
        numbers: IntArray = np.where(
            (heads == 0) & (labels < 0), self._root, self._of_ids[labels]
        )
        return numbers


class _Shares:
    """The share of the samples in which words have an arc."""

    def __init__(self, counts: ArcCounts, n_samples: int, ids: _LabelIds) -> None:
        self._n_words = len(counts.first) - 1
        self._word = np.repeat(np.arange(self._n_words), np.diff(counts.first))
        self._heads = counts.heads
        self._labels = ids.of(counts.heads, counts.labels)
        self._shares = counts.counts / n_samples

    def of(
        self,
        heads: npt.NDArray[np.integer],
        labels: npt.NDArray[np.integer] | None = None,
    ) -> FloatArray:
        """The share of one head for each word, with its label or with any label."""
        same = self._heads == heads[self._word]
        if labels is not None:
            same &= self._labels == labels[self._word]
        shares = np.bincount(self._word, self._shares * same, minlength=self._n_words)
        # A sum of shares may be a little more than 1.
        return np.minimum(shares.astype(np.float64), 1)


def _gold_heads(trees: Sequence[AnnotatedTree]) -> IntArray:
    """The gold heads of all words; -1 where unknown."""
    return np.array(
        [-1 if head is None else head for tree in trees for head in tree.heads],
        dtype=np.int64,
    )


def _gold_labels(trees: Sequence[AnnotatedTree], ids: _LabelIds) -> IntArray:
    """The gold labels of all words; -1 where unknown."""
    return np.array(
        [
            -1 if label is None else ids.add(base_label(label))
            for tree in trees
            for label in tree.labels
        ],
        dtype=np.int64,
    )
