"""The probabilities of the votes of a committee, on a treebank."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language

from ..committee.ballots import Ballot
from ..committee.calibration import Sampling, VoteCalibration
from ..committee.component import DynOracleCommittee
from ..committee.lookup import find_committee
from ..committee.votes import ArcShares
from ..doc.attribute_table import AttributeTable
from ..errors import PipelineError, TreebankError
from ..parser.gold_trees import AnnotatedTree, GoldReader
from ..parser.lookup import trained_model
from ..registry.probabilities import MAX_SAMPLES
from ..treebank.pipelines import BATCH_SIZE, batched, called
from ..util.arrays import BoolArray, FloatArray, IntArray
from ..util.config_errors import check_count
from .fitting import fit_on_transitions
from .measured import (
    ArcConfidence,
    CalibrationSet,
    HeldOut,
    JudgedArcs,
    as_roots,
    gold_labels,
)


@dataclass(frozen=True)
class FittedVotes:
    """Probabilities of votes that were fitted to held-out data.

    Attributes:
        calibration: The probabilities by the share of the votes.
        path: The held-out file.
        n_sentences: Its sentences.
    """

    calibration: VoteCalibration
    path: Path
    n_sentences: int

    @property
    def silent(self) -> list[str]:
        """The members that draw no derivations, because they learn from whole ones or
        no temperature fits them.
        """
        drawing = self.calibration.sampling.temperatures
        return [name for name in self.calibration.members if name not in drawing]

    @property
    def title(self) -> str:
        """The origin of the probabilities, in words."""
        title = f"Votes, fitted on {self.path.name}"
        if self.silent:
            title += f"; members without derivations: {', '.join(self.silent)}"
        return title

    @property
    def values(self) -> dict[str, Any]:
        """The arguments of `measure` that use them."""
        return {"votes": self.calibration}

    def use(self, nlp: Language) -> None:
        """As `set_votes`."""
        set_votes(nlp, self.calibration)


def fit_votes(
    nlp: Language, path: str | Path, *, n_samples: int = 64, gold_tags: bool = True
) -> FittedVotes:
    """Fit the probabilities of arcs to the votes of the committee of a pipeline, which
    stays as it is.

    `set_votes` lets the committee use the result.

    Args:
        path: A treebank file, held out from training and from what is to be measured.
        n_samples: Derivations that all members together draw of each sentence; members
            that learn from whole derivations draw none.
        gold_tags: Whether to use the tags of the file instead of those of the pipeline.

    Raises:
        PipelineError: For a pipeline without a committee.
        TreebankError: If the file cannot be used.
        ValueError: For an impossible number of samples.
    """
    check_count("n_samples", n_samples, 1, MAX_SAMPLES)
    committee = _committee(nlp)
    held_out = HeldOut.read(nlp, committee, path, gold_tags)
    temperatures = fit_members(committee, held_out)
    n_each = ceil(n_samples / max(len(temperatures), 1))
    data = VoteSet(committee, held_out)
    calibration = data.fit(Sampling(temperatures, n_each))
    return FittedVotes(calibration, data.path, data.n_sentences)


def fit_members(committee: DynOracleCommittee, held_out: HeldOut) -> dict[str, float]:
    """The temperatures of the members that can draw derivations, by their names.

    Raises:
        TreebankError: If there are such members, and the file fits none of them.
    """
    found = {}
    unfit: ValueError | None = None
    for name, parser in committee.members.items():
        if not parser.recipe.has_probabilities:
            continue
        data = CalibrationSet(parser, held_out)
        try:
            found[name] = fit_on_transitions(trained_model(parser), data)
        except ValueError as error:
            # It makes no mistakes there, or none that a temperature changes.
            unfit = error
    if unfit is not None and not found:
        path = held_out.path
        message = f"{path}: no temperature fits any member: {unfit}"
        raise TreebankError(message, str(path)) from unfit
    return found


def set_votes(nlp: Language, calibration: VoteCalibration) -> None:
    """Let the committee of a pipeline use fitted probabilities. No parse changes,
    unless sure votes get other weights.

    Raises:
        PipelineError: For a pipeline without a committee.
        ValueError: For the probabilities of other members.
    """
    committee = _committee(nlp)
    if calibration.members != tuple(committee.members):
        raise ValueError(
            f"the probabilities are those of the members "
            f"{', '.join(calibration.members)}, but the committee {committee.name!r} "
            f"has {', '.join(committee.members)}"
        )
    committee.calibration = calibration


def _committee(nlp: Language) -> DynOracleCommittee:
    committee = find_committee(nlp)
    if committee is None:
        raise PipelineError(
            f"{called(nlp)} has a parser and no committee: fit a temperature, with "
            f"confidence.fit"
        )
    return committee


class VoteSet:
    """The votes of a committee for the words of a treebank file, and the gold trees.

    Sentences whose gold heads form a cycle are left out.

    Attributes:
        path: The file.
        n_sentences: The number of sentences.

    Raises:
        TreebankError: If no sentence is left.
    """

    def __init__(self, committee: DynOracleCommittee, held_out: HeldOut) -> None:
        self.committee = committee
        self.path = held_out.path
        reader = GoldReader("doc", projective=False)
        found = list(held_out.trees(reader))
        self._docs, trees = [doc for doc, _ in found], [tree for _, tree in found]
        self.n_sentences = len(trees)
        if not trees:
            raise TreebankError(
                f"{self.path}: no sentence to measure anything on", str(self.path)
            )
        tokens = AttributeTable(self._docs, ())
        self._words, self._characters = tokens.words, tokens.characters
        self._is_space = tokens.is_space
        starts = np.cumsum([0, *map(len, self._docs[:-1])])
        heads = [
            at + _head_tokens(tree) for at, tree in zip(starts, trees, strict=True)
        ]
        self._distances = self._distance(np.concatenate(heads))
        self._labels = gold_labels(trees)
        known = np.array([h is not None for tree in trees for h in tree.heads])
        self._known: BoolArray = np.stack([known, known & (self._labels != 0)])

    def _distance(self, heads: IntArray) -> IntArray:
        """The distances in characters of tokens that are the heads of the words."""
        return self._characters[heads] - self._characters[self._words]

    def ballots(self, sampling: Sampling | None) -> list[Ballot]:
        """The votes of the members.

        Args:
            sampling: Which of them draw derivations.
        """
        parts = [
            self.committee.ballots(docs, sampling)
            for docs in batched(self._docs, BATCH_SIZE)
        ]
        starts = np.cumsum([0, *(len(part[0].table) for part in parts[:-1])])
        found = [
            Ballot.joined(of_member, starts.tolist())
            for of_member in zip(*parts, strict=True)
        ]
        for table, _, drawn in found:
            as_roots(table[:, 1])
            if drawn is not None:
                as_roots(drawn.labels)
        return found

    def shares(self, ballots: list[Ballot]) -> ArcShares:
        """The shares of the votes for arcs."""
        return ArcShares.of(ballots, self._words, self._characters)

    def fit(self, sampling: Sampling) -> VoteCalibration:
        """The probabilities by the share of the votes.

        Raises:
            TreebankError: If the file has no gold head.
        """
        shares = self.shares(self.ballots(sampling))
        head_right, arc_right = self.right(shares)
        members = tuple(self.committee.members)
        try:
            return VoteCalibration.fit(
                members, sampling, shares, head_right, arc_right, self._known
            )
        except ValueError as error:
            raise TreebankError(f"{self.path}: {error}", str(self.path)) from error

    def right(self, shares: ArcShares) -> tuple[BoolArray, BoolArray]:
        """Whether each head, and each arc, that was voted for is the gold one."""
        gold = self._distances[shares.words] == shares.distances
        gold_arc: BoolArray = gold & (self._labels[shares.words] == shares.labels)
        return gold[shares.first], gold_arc

    def arcs(self, calibration: VoteCalibration | None) -> ArcConfidence:
        """The arcs of the trees with the most votes, with their probabilities.

        Args:
            calibration: None for the shares of the votes.
        """
        ballots = self.ballots(None if calibration is None else calibration.sampling)
        shares = self.shares(ballots)
        found = self.committee.voted_trees(ballots, self._is_space)
        offsets = found[self._words, 0].view(np.int64)
        distances, labels = self._distance(self._words + offsets), found[self._words, 1]
        heads, arcs = shares.probabilities(calibration)
        head_correct = distances == self._distances
        arc_correct = head_correct & (labels == self._labels)

        def judged(
            known: BoolArray, chosen: FloatArray, correct: BoolArray
        ) -> JudgedArcs:
            right = np.where(correct, chosen, 1 - chosen)
            if calibration is None:
                # The share of the votes may be 0.
                right = (right * shares.total + 0.5) / (shares.total + 1)
            # Fitted probabilities need no smoothing.
            with np.errstate(divide="ignore"):
                return JudgedArcs(known, chosen, None, correct, np.log(right))

        known, labelled = self._known
        return ArcConfidence(
            judged(known, shares.of_heads(heads, distances), head_correct),
            judged(labelled, shares.of_arcs(arcs, distances, labels), arc_correct),
        )


def _head_tokens(tree: AnnotatedTree) -> IntArray:
    """The gold head of each word among the tokens of its Doc; the word itself for roots
    and unknown heads.
    """
    heads = [i if not head else head - 1 for i, head in enumerate(tree.heads)]
    return tree.words[np.array(heads, dtype=np.int64)]
