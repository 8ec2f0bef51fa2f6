"""The certainty of a trained parser on a treebank, and whether it is right.

Sentences are parsed one by one and greedily, as `evaluate` does. Words without a known
gold head are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from ..core.state.projectivity import base_label
from ..core.state.sentence import Sentence
from ..core.training.decisions import decisions
from ..doc.attribute_table import AttributeTable
from ..parser.annotations import NO_LABEL, ROOT_LABEL
from ..parser.component import DynOracleParser
from ..parser.gold_trees import AnnotatedTree, GoldReader, projective_version
from ..parser.label_names import restored_tree
from ..parser.lookup import find_parser
from ..treebank import TreebankSentence, TreebankWord, read_treebank, to_doc
from ..treebank.pipelines import BATCH_SIZE, piped
from ..util.arrays import BoolArray, FloatArray, Int32Array, IntArray
from .calibration import Calibration, calibration


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
        defined. Where training lifts crossing arcs, costs refer to the lifted tree.
        Sentences in which gold heads are unknown are left out if the costs of the
        system need all gold heads.
        """
        lifts = self.parser.recipe.nonprojective == "projectivize"
        inventory = Labels(model.labels)
        sentences, golds = [], []
        for sentence, tree in zip(self.sentences, self.trees, strict=True):
            if model.system.needs_full_tree and tree.n_known < len(tree.heads):
                continue
            heads, labels = (
                projective_version(tree) if lifts else (tree.heads, tree.labels)
            )
            sentences.append(sentence)
            golds.append(GoldTree(heads, labels, inventory))
        rule = model.system.training_root_rule(False)
        return decisions(model, sentences, golds, keep_scores, rule)

    def arcs(self, model: Model, n_samples: int, seed: int) -> ArcConfidence:
        """The arcs of the greedy parses of all sentences, with their probabilities.

        Args:
            n_samples, seed: Of the derivations of each sentence that are drawn at
                random.
        """
        one_root = self.parser.parser.single_root
        rule = RootRule.ANY if one_root is False else RootRule.TREE
        greedy = parse_with_probabilities(model, self.sentences, rule)
        heads, labels, probabilities = greedy
        drawn = sample_arcs(model, self.sentences, n_samples, seed, rule)
        ids = _LabelIds(model)
        share = _Shares(drawn, n_samples, ids)
        gold_heads, gold_labels = _gold_heads(self.trees), _gold_labels(self.trees, ids)
        found_heads, found_labels = self._restored(model, heads, labels)
        head_correct = found_heads == gold_heads
        same = np.array(list(map(ids.add, found_labels)), dtype=np.int64) == gold_labels
        known = gold_heads >= 0
        return ArcConfidence(
            n_samples=n_samples,
            known=known,
            labelled=known & (gold_labels >= 0),
            transition=probabilities.arcs,
            head=share.of(heads),
            arc=share.of(heads, ids.of(heads, labels)),
            head_correct=head_correct,
            arc_correct=head_correct & same,
            gold_head=share.of(gold_heads),
            gold_arc=share.of(gold_heads, gold_labels),
        )

    def _restored(
        self, model: Model, heads: Int32Array, labels: Int32Array
    ) -> tuple[IntArray, list[str]]:
        """The trees of all sentences after lifted arcs have been put back."""
        names = [*model.labels, None]
        new_heads: list[int] = []
        new_labels: list[str] = []
        start = 0
        for sentence in self.sentences:
            part = slice(start, start + len(sentence))
            named = [names[i] for i in labels[part].tolist()]
            own_heads, own_labels = restored_tree(model, heads[part].tolist(), named)
            new_heads += own_heads
            new_labels += own_labels
            start = part.stop
        return np.array(new_heads, dtype=np.int64), new_labels


@dataclass(frozen=True)
class ArcConfidence:
    """The predicted arcs of words and their probabilities, one entry for each word.

    Attributes:
        known: Whether the gold head is known.
        labelled: Whether the gold label is known as well.
        transition: Probability of the transition that made the arc, 1 if a rule made
            it; None for a committee.
        head, arc: The marginals of the predicted head, without and with its label: the
            share of n_samples derivations that have it, before lifted arcs were put
            back. n_samples is None if they are probabilities of another kind.
        head_correct, arc_correct: Whether the head, without and with its label, is
            right.
        gold_head, gold_arc: The marginals of the gold head, without and with its label.
            For a committee they are the probability that the predicted head, or arc, is
            right if it is, or else that it is wrong.
    """

    n_samples: int | None
    known: BoolArray
    labelled: BoolArray
    transition: FloatArray | None
    head: FloatArray
    arc: FloatArray
    head_correct: BoolArray
    arc_correct: BoolArray
    gold_head: FloatArray
    gold_arc: FloatArray

    def calibration_of_heads(self) -> Calibration:
        """The calibration of the marginals of heads."""
        return calibration(
            self.head[self.known],
            self.head_correct[self.known],
            self._log(self.gold_head[self.known]),
        )

    def calibration_of_arcs(self) -> Calibration:
        """The calibration of the marginals of heads with labels."""
        return calibration(
            self.arc[self.labelled],
            self.arc_correct[self.labelled],
            self._log(self.gold_arc[self.labelled]),
        )

    def _log(self, share: FloatArray) -> FloatArray:
        """The logarithm of a share of the samples; the share may be 0."""
        if self.n_samples is None:
            # Fitted probabilities need no smoothing.
            with np.errstate(divide="ignore"):
                found: FloatArray = np.log(share)
            return found
        return np.log((share * self.n_samples + 0.5) / (self.n_samples + 1))


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
