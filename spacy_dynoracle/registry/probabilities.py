"""The blocks `probabilities` of a parser."""

from __future__ import annotations

from dataclasses import dataclass

from spacy.util import registry

from ..util.config_errors import block_function, check_count

N_SAMPLES = 64
# So many samples leave an error of a thousandth, and take minutes for each sentence.
MAX_SAMPLES = 1_000_000


@dataclass(frozen=True)
class WantedProbabilities:
    """The probabilities that a parse comes with.

    Attributes:
        n_samples: Derivations drawn of each sentence, from which the marginals of arcs
            are computed; 0 for the probabilities of the decisions alone.
        temperature: Of the probabilities alone; None for that of the model.
    """

    n_samples: int = 0
    temperature: float | None = None


MARGINALS = WantedProbabilities(N_SAMPLES)


@registry.misc("spacy_dynoracle.TransitionProbabilities.v1")
def make_transition_probabilities() -> WantedProbabilities:
    """The probabilities of the decisions of greedy parsing."""
    return WantedProbabilities()


@registry.misc("spacy_dynoracle.MarginalProbabilities.v1")
@block_function("probabilities")
def make_marginal_probabilities(n_samples: int = N_SAMPLES) -> WantedProbabilities:
    """Also distributions over heads and labels, from sampled derivations.

    Args:
        n_samples (int): Derivations that are sampled of each sentence.
    """
    check_count("n_samples", n_samples, 1, MAX_SAMPLES)
    return WantedProbabilities(n_samples)
