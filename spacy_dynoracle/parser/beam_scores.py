"""The errors of a parser with a beam: either the beam has no better tree, or the parser
does not choose it.

Source: Liu et al. 2015, sections 3.1 and 4.4; see `evaluation.beam_losses`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language

from ..core.results import Candidates
from ..errors import PipelineError
from ..evaluation.attachment import DEFAULT_EXCLUSION, comparable, scored_words
from ..evaluation.batches import in_batches
from ..evaluation.beam_losses import UNKNOWN, GoldHeads, decompose
from ..treebank import TreebankSentence, TreebankWord, read_treebank
from ..treebank.pipelines import batched, file_has_tags, parsed_batch
from .best_trees import BestTrees
from .k_best import KBest
from .lookup import find_parser, kept_trees


@dataclass(frozen=True, slots=True)
class BeamLosses:
    """Losses as fractions of the scored words; 0 if no word is scored.

    Attributes:
        words: Number of scored words.
        oracle_score: Attachment score of the best trees in the beam.
        generation: The loss of these trees.
        selection: The additional loss of the parser's tree, so that total = generation
            + selection.
        mean_distance: Distance of the parser's tree to the best trees, averaged over
            these. Table 2 of Liu et al. (2015) gives this value as selection loss.
        total: The loss of the parser's tree.
    """

    words: int
    oracle_score: float
    generation: float
    selection: float
    mean_distance: float
    total: float


@dataclass(frozen=True)
class BeamScores:
    """The losses of a beam.

    Attributes:
        beam_size: Its size.
        heads, heads_and_labels: The losses in heads, and in heads and labels, by
            definition of scored words (a key of `evaluation.SCORED_WORDS`).
    """

    beam_size: int
    heads: Mapping[str, BeamLosses]
    heads_and_labels: Mapping[str, BeamLosses]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "beam_size": self.beam_size,
            "heads": {name: asdict(x) for name, x in self.heads.items()},
            "heads_and_labels": {
                name: asdict(x) for name, x in self.heads_and_labels.items()
            },
        }


def evaluate_beam(
    nlp: Language,
    treebank: str | Path,
    *,
    gold_tags: bool = True,
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
    batch_size: int = 256,
    n_jobs: int = 1,
    on_progress: Callable[[int], object] = lambda n: None,
) -> BeamScores:
    """Measure how good the trees in the beam of a pipeline's parser are.

    The arguments are those of `evaluation.evaluate`.

    Raises:
        PipelineError: If the parser has no beam, and otherwise as
            `evaluation.evaluate`.
    """
    parser = find_parser(nlp)
    search = parser.parser.search
    if search.beam_size == 0:
        raise PipelineError(
            f"the parser {parser.name!r} has no beam: expected "
            f"spacy_dynoracle.BeamSearch.v1, not {search!r}"
        )
    gold_tags = gold_tags and file_has_tags(treebank)
    whole = _evaluations(scored)
    score = partial(_score_beams, scored, search.beam_size, gold_tags)
    batches = batched(read_treebank(treebank), batch_size)
    for n_sentences, part in in_batches(nlp, score, batches, n_jobs):
        for evaluation, found in zip(whole, part, strict=True):
            evaluation.merge(found)
        on_progress(n_sentences)
    return BeamScores(
        search.beam_size,
        {each.scored: each.losses() for each in whole if not each.labelled},
        {each.scored: each.losses() for each in whole if each.labelled},
    )


def _evaluations(scored: Sequence[str]) -> list[BeamEvaluation]:
    """For heads, then for heads and labels."""
    return [
        BeamEvaluation(name, labelled) for labelled in (False, True) for name in scored
    ]


def _score_beams(
    scored: Sequence[str],
    beam_size: int,
    gold_tags: bool,
    nlp: Language,
    sentences: list[TreebankSentence],
) -> tuple[int, list[BeamEvaluation]]:
    """Parse a batch and score its beams.

    Returns:
        The number of sentences too.
    """
    parser = find_parser(nlp)
    evaluations = _evaluations(scored)
    search = parser.recipe.search
    parser.change(search=search.with_n_best(beam_size))
    try:
        batch = parsed_batch(nlp, sentences, gold_tags=gold_tags)
    finally:
        parser.change(search=search)
    for sentence, doc in batch.pairs:
        trees = kept_trees(doc)
        for evaluation in evaluations:
            evaluation.add(sentence.words, trees)
    return len(sentences), evaluations


class BeamEvaluation:
    """Collects the losses of a corpus under one definition of scored words.

    Args:
        scored: A key of `evaluation.SCORED_WORDS`.
        labelled: Whether the label of an arc must be right too. Words without a gold
            head are not scored, and neither are words without a gold label if labels
            count.

    Raises:
        ValueError: For other names.
    """

    def __init__(self, scored: str = "all", labelled: bool = False) -> None:
        self.scored = scored
        self.labelled = labelled
        self._is_scored = scored_words(scored)
        self._words = 0
        # Sums over the words of what `decompose` gives, in its order.
        self._sums = np.zeros(4)

    def add(self, gold: Sequence[TreebankWord], trees: KBest) -> None:
        """Add the trees of a Doc.

        Args:
            gold: The words of the Doc.
            trees: The whole beam, the parser's tree first. The segments of a Doc have
                beams of their own, so their losses add up.

        Raises:
            ValueError: If the numbers of words differ.
        """
        if len(gold) != len(trees.doc):
            raise ValueError(
                f"{len(gold)} gold words for a document of {len(trees.doc)} tokens"
            )
        for segment in trees:
            words = [gold[i] for i in segment.words.tolist()]
            numbers = {comparable(n): i for i, n in enumerate(segment.label_names)}
            found = decompose(
                [_candidates(segment, numbers)], [self._gold(words, numbers)], [0]
            )
            self._words += found.n_words
            self._sums += found.n_words * np.array(found[1:]) / 100

    def merge(self, other: BeamEvaluation) -> None:
        """Add the Docs of another evaluation by the same definition."""
        self._words += other._words
        self._sums += other._sums

    def losses(self) -> BeamLosses:
        """The losses of all Docs so far."""
        generation, selection, distance, total = (
            self._sums / max(self._words, 1)
        ).tolist()
        return BeamLosses(
            self._words, 1 - generation, generation, selection, distance, total
        )

    def _gold(self, words: list[TreebankWord], numbers: dict[str, int]) -> GoldHeads:
        heads = [UNKNOWN if word.head is None else word.head for word in words]
        is_scored = [
            self._is_scored(word) and not (self.labelled and word.deprel is None)
            for word in words
        ]
        labels = None
        if self.labelled:
            # A label that the parser does not know matches no predicted label.
            unheard = len(numbers)
            labels = np.array(
                [
                    UNKNOWN
                    if word.deprel is None
                    else numbers.get(comparable(word.deprel), unheard)
                    for word in words
                ],
                dtype=np.int32,
            )
        return GoldHeads(np.array(heads, dtype=np.int32), labels, np.array(is_scored))


def _candidates(trees: BestTrees, numbers: dict[str, int]) -> Candidates:
    """The trees with heads counted from 1, and one number for each label."""
    heads = np.where(trees.heads == trees.words, 0, trees.heads + 1)
    same = np.array([numbers[comparable(name)] for name in trees.label_names])
    log_sums = trees.scores if trees.log_sums is None else trees.log_sums
    return Candidates(
        heads.astype(np.int32),
        same[trees.label_numbers].astype(np.int32),
        trees.scores,
        log_sums,
    )
