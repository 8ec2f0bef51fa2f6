"""The settings for the probabilities of a parser, and the checks of these settings."""

from __future__ import annotations

from dataclasses import dataclass

from ..components.settings import check_count
from ..core.model.model import Model
from ..core.search.base import Search
from ..util.config_errors import check_choice

PROBABILITIES = ("none", "transition", "marginal")
DECODE = ("greedy", "marginal")
# So many samples leave an error of a thousandth, and take minutes for each sentence.
MAX_SAMPLES = 1_000_000


@dataclass(frozen=True)
class ProbabilitySettings:
    """Which probabilities are computed, and how.

    probabilities: "none", "transition" (of the decisions of greedy parsing) or
        "marginal" (also of arcs, from sampled derivations).
    n_samples: derivations sampled of each sentence.
    decode: "greedy", or "marginal" for the tree of minimum risk under the marginals.
    seed: seeds sampling.
    """

    probabilities: str = "none"
    n_samples: int = 64
    decode: str = "greedy"
    seed: int = 0

    def check(self, search: Search) -> None:
        """Raise ValueError for settings that are unknown or do not go together."""
        check_choice("probabilities", self.probabilities, PROBABILITIES)
        check_choice("decode", self.decode, DECODE)
        check_count("n_samples", self.n_samples, 1, MAX_SAMPLES)
        if self.decode == "marginal" and self.probabilities != "marginal":
            raise ValueError(
                f"decode = 'marginal' needs probabilities = 'marginal', not "
                f"{self.probabilities!r}"
            )
        if self.wanted and not search.gives_probabilities:
            raise ValueError(
                f"probabilities = {self.probabilities!r} are those of greedy parsing: "
                f"use spacy_dynoracle.GreedySearch.v1, not {search!r}"
            )

    @property
    def wanted(self) -> bool:
        """Whether there are any probabilities to compute."""
        return self.probabilities != "none"

    def check_model(self, name: str, model: Model) -> None:
        """Raise ValueError if the settings ask for probabilities that a model lacks.

        name: the name of the parser.
        """
        if self.wanted and model.temperature is None:
            raise ValueError(
                f"probabilities = {self.probabilities!r}, but scores of the learner "
                f"{model.learner}, which trained {name!r}, are not probabilities: fit "
                f"a temperature to the trained model (spacy-dynoracle calibrate), "
                f"train with AdaGradRDA, or set probabilities = 'none'"
            )
