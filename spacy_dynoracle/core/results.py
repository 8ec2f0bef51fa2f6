"""Results that the core returns beside arrays of trees."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Probabilities(NamedTuple):
    """How sure greedy parses are.

    Attributes:
        arcs: For each word the probability of the transition that made its arc, 1 if a
            rule made it.
        log_words, lowest_words: For each word the sum of the logarithms of the
            probabilities of its decisions, and the lowest of these probabilities. Every
            decision is credited to one word: one that adds an arc to the dependent,
            SHIFT to the word that is shifted, any other to the top of the stack; where
            that would be ROOT, to the other one of the two.
    """

    arcs: npt.NDArray[np.float64]
    log_words: npt.NDArray[np.float64]
    lowest_words: npt.NDArray[np.float64]


class ArcCounts(NamedTuple):
    """How often each arc occurred in sampled derivations.

    The entries first[i] to first[i + 1] belong to word i, the words of all sentences
    one after the other: heads (0 for ROOT), labels (-1 for none) and counts, the most
    frequent first.
    """

    first: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]


class Decisions(NamedTuple):
    """The decisions of greedy derivations, in their order.

    Attributes:
        probability: Of the chosen action among the legal ones.
        correct: Whether it is among those of the dynamic oracle.
        log_likelihood: Logarithm of the probability of the oracle's set.
        forced: Whether only one action was legal; one that is never scored counts as
            certain. What is a probability is NaN for a model without a temperature.
        scores, correct_sets: For each decision the scores of the legal actions and
            which of them are correct; None unless asked for.
    """

    probability: npt.NDArray[np.float64]
    correct: npt.NDArray[np.bool_]
    log_likelihood: npt.NDArray[np.float64]
    forced: npt.NDArray[np.bool_]
    scores: list[npt.NDArray[np.float32]] | None
    correct_sets: list[npt.NDArray[np.bool_]] | None


class FeatureWeight(NamedTuple):
    """A feature of a configuration, with its weight for an action.

    Attributes:
        template: Number of its template in the feature set.
        nodes: For each of its atoms the node that the atom describes, in a tuple; for a
            distance both nodes. 0 is ROOT, -1 an address without a node.
    """

    template: int
    nodes: tuple[tuple[int, ...], ...]
    weight: float


class EditRule(NamedTuple):
    """A rule that makes a lemma of a form.

    Attributes:
        case: The number of one of the `CASES` of edit_rules.pyx, which comes first.
        cut_before, add_before: What is then cut and added at the beginning.
        cut_behind, add_behind: The same at the end.
    """

    case: int
    cut_before: str
    add_before: str
    cut_behind: str
    add_behind: str


class ScoredTransition(NamedTuple):
    """A legal transition of a configuration, with its label, score and cost.

    Attributes:
        label: None if the transition adds no arc, and where the model has no legal
            action for it, which has no score then.
        position: In easy-first, i of the pair (l_i, l_i+1) of the list, counted from 1;
            None in other systems.
        arc: The arc (head, dependent) that the transition adds, with 0 for ROOT; None
            if it adds none.
        score: None if the transition is forced or the model has no such action.
        cost: Number of gold arcs that can no longer be reached, and one more if the arc
            is gold and its label is not, although the model has an action for the gold
            label; None without a gold tree, and where the cost is not defined.
    """

    transition: str
    label: str | None
    position: int | None
    arc: tuple[int, int] | None
    score: float | None
    cost: int | None


class Candidates(NamedTuple):
    """The distinct trees that a beam ends with, of one sentence of n words.

    Attributes:
        heads: Words 1..n, or 0 for ROOT, of shape (number of trees, n).
        labels: Ids of the model's labels, or -1, of the same shape.
        scores: Of the best derivation of each tree, highest first; logarithms of
            probabilities if the model has a temperature.
        log_sums: Logarithms of the sum of exp(score) over the derivations of each tree
            that are in the beam.
        ranker_scores, mixture: If a ranker has put the trees into its order, its
            scores, and the mixture of these and the scores of the search, both scaled
            to 0..1 over the trees, highest first.
    """

    heads: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    log_sums: npt.NDArray[np.float64]
    ranker_scores: npt.NDArray[np.float64] | None = None
    mixture: npt.NDArray[np.float64] | None = None
