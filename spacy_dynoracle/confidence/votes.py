"""The probabilities of the votes of a committee, on a treebank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from spacy.language import Language
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..committee.calibration import VoteCalibration
from ..committee.component import DynOracleCommittee
from ..committee.lookup import find_committee
from ..committee.votes import Votes
from ..committee.voting import vote
from ..core.state.projectivity import base_label
from ..errors import PipelineError, TreebankError
from ..parser.annotations import ROOT_LABEL, ROOT_LABEL_ID
from ..parser.gold_trees import AnnotatedTree, GoldReader
from ..treebank import to_doc
from ..treebank.pipelines import batched, called
from ..util.arrays import BoolArray, FloatArray, IntArray
from .measured import BATCH_SIZE, ArcConfidence, held_out_docs

# spaCy writes the last one where treebanks write the first one.
ROOT_LABELS = ("root", "Root", ROOT_LABEL)


@dataclass(frozen=True)
class FittedVotes:
    """Probabilities of votes that were fitted to held-out data.

    calibration: the probabilities by the number of votes. path: the held-out file.
    n_sentences: its sentences.
    """

    calibration: VoteCalibration
    path: Path
    n_sentences: int


def fit_votes(
    nlp: Language, path: str | Path, *, gold_tags: bool = True
) -> FittedVotes:
    """Fit the probabilities of arcs to the votes of the committee of a pipeline, which
    stays as it is.

    `set_votes` lets the committee use the result. path: a treebank file, held out from
    training and from what is to be measured. gold_tags: whether to use the tags of the
    file instead of those of the pipeline.

    Raises PipelineError for a pipeline without a committee, and TreebankError if the
    file cannot be used.
    """
    data = VoteSet(nlp, _committee(nlp), path, gold_tags=gold_tags)
    return FittedVotes(data.fit(), data.path, data.n_sentences)


def set_votes(nlp: Language, calibration: VoteCalibration) -> None:
    """Let the committee of a pipeline use fitted probabilities. No parse changes.

    Raises PipelineError for a pipeline without a committee, and ValueError for the
    probabilities of another number of members.
    """
    committee = _committee(nlp)
    if calibration.n_members != len(committee.members):
        raise ValueError(
            f"probabilities for {calibration.n_members} members, but the committee "
            f"{committee.name!r} has {len(committee.members)}"
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

    gold_tags: see `CalibrationSet`. Sentences whose gold heads form a cycle are left
    out.

    Raises TreebankError for a file that cannot be used.

    votes: of all words. n_sentences: the number of sentences.
    """

    def __init__(
        self,
        nlp: Language,
        committee: DynOracleCommittee,
        path: str | Path,
        *,
        gold_tags: bool = True,
    ) -> None:
        self.path = Path(path)
        found, docs = held_out_docs(nlp, committee.name, path, gold_tags)
        reader = GoldReader("doc", False, lambda why, doc: None)
        kept: list[Doc] = []
        trees: list[AnnotatedTree] = []
        for sentence, doc in zip(found, docs, strict=True):
            # One tree or, if it cannot be used, none.
            for tree in reader.reference_trees(to_doc(sentence, nlp.vocab)):
                kept.append(doc)
                trees.append(tree)
        self.n_sentences = len(trees)
        if not trees:
            raise TreebankError(
                f"{path}: no sentence to measure anything on", str(path)
            )
        parts = [committee.votes(batch) for batch in batched(kept, BATCH_SIZE)]
        tables = [np.concatenate(of_member) for of_member in zip(*parts, strict=True)]
        starts = np.cumsum([0, *map(len, kept[:-1])])
        words = np.concatenate(
            [start + tree.words for start, tree in zip(starts, trees, strict=True)]
        )
        root = [get_string_id(name) for name in ROOT_LABELS]
        for table in tables:
            table[np.isin(table[:, 1], root), 1] = ROOT_LABEL_ID
        self.votes = Votes.of(tables, words)
        self._chosen = Votes.of([vote(tables, committee.recipe.votes)], words)
        self._heads = np.concatenate([_gold_offsets(tree) for tree in trees])
        self._labels = np.array(
            [_gold_label(label) for tree in trees for label in tree.labels],
            dtype=np.uint64,
        )
        known = np.array([h is not None for tree in trees for h in tree.heads])
        self._known: BoolArray = np.stack([known, known & (self._labels != 0)])

    def fit(self) -> VoteCalibration:
        """The probabilities by the number of votes. Raises TreebankError if the file
        has no gold head."""
        try:
            return VoteCalibration.fit(
                self.votes,
                self.votes.heads == self._heads,
                self.votes.labels == self._labels,
                self._known,
            )
        except ValueError as error:
            raise TreebankError(f"{self.path}: {error}", str(self.path)) from error

    def arcs(self, calibration: VoteCalibration | None) -> ArcConfidence:
        """The arcs of the trees with the most votes, with their probabilities.

        If no member has the gold head or arc, its probability is that of everything
        that no member has. calibration: None for the shares of the votes.
        """
        votes, chosen = self.votes, self._chosen
        of_heads, of_arcs = votes.probabilities(calibration)
        heads, labels = chosen.heads[0], chosen.labels[0]
        has_head, has_gold = votes.heads == heads, votes.heads == self._heads
        has_gold_arc = has_gold & (votes.labels == self._labels)
        shares = calibration is None
        known, labelled = self._known
        head_correct = heads == self._heads
        return ArcConfidence(
            n_samples=None,
            known=known,
            labelled=labelled,
            transition=None,
            head=_of(of_heads, has_head),
            arc=_of(of_arcs, has_head & (votes.labels == labels)),
            head_correct=head_correct,
            arc_correct=head_correct & (labels == self._labels),
            gold_head=_of_gold(of_heads, has_gold, votes.first_head, shares),
            gold_arc=_of_gold(of_arcs, has_gold_arc, votes.first_arc, shares),
        )


def _of(probabilities: FloatArray, has: BoolArray) -> FloatArray:
    """The probability of one arc of each word, given which members have it; 0 if none
    has it."""
    found: FloatArray = (probabilities * has).max(axis=0)
    return found


def _of_gold(
    probabilities: FloatArray, has: BoolArray, first: BoolArray, smoothed: bool
) -> FloatArray:
    """As `_of`, but for arcs that no member has, the probability of all of those.

    first: marks each arc that was voted for once. smoothed: whether to add half a vote
    for each outcome: these arcs, and all others.
    """
    others = np.maximum(1 - (probabilities * first).sum(axis=0), 0)
    found = np.where(has.any(axis=0), _of(probabilities, has), others)
    if smoothed:
        n_members, n_outcomes = len(has), first.sum(axis=0) + 1
        found = (found * n_members + 0.5) / (n_members + 0.5 * n_outcomes)
    return found


def _gold_offsets(tree: AnnotatedTree) -> IntArray:
    """The offset of the gold head of each word; 0 for roots and unknown heads."""
    own = np.arange(len(tree.heads))
    heads = [i if not head else head - 1 for i, head in enumerate(tree.heads)]
    found: IntArray = tree.words[np.array(heads, dtype=np.int64)] - tree.words[own]
    return found


def _gold_label(label: str | None) -> int:
    """The id of a gold label; 0 if it is unknown."""
    if label is None:
        return 0
    name = base_label(label)
    return get_string_id(ROOT_LABEL if name in ROOT_LABELS else name)
