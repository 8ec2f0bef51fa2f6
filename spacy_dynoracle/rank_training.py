"""From a parser with a beam to one that ranks what its beam finds.

Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .columns import tag_attribute
from .config_errors import check_choice
from .core.ranking.fitting import Example, Round, rounds
from .core.ranking.groups import GROUPS
from .core.ranking.losses import losses
from .core.ranking.template_sets import LIU_2015_UD
from .core.ranking.templates import RankingTemplates
from .core.ranking.trainer import RankerTrainer
from .core.results import Candidates
from .held_out import Material
from .pipeline import DynOracleParser
from .word_classes import word_classes


@dataclass(frozen=True)
class RankSettings:
    """How a ranker is trained.

    groups: "fine" or "coarse", see `ranking_pairs`. n_rounds: over the candidates.
    seed: of the order of the pairs. templates: of whole trees.
    """

    groups: str = "fine"
    n_rounds: int = 10
    seed: int = 0
    templates: tuple[str, ...] = tuple(LIU_2015_UD)

    def __post_init__(self) -> None:
        check_choice("groups", self.groups, GROUPS)
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds = {self.n_rounds}: expected at least 1")


def with_losses(material: Material, candidates: Sequence[Candidates]) -> list[Example]:
    """Sentences with their candidates and the losses of these."""
    return [
        (sentence, found, losses(found, gold))
        for sentence, found, gold in zip(
            material.sentences, candidates, material.golds, strict=True
        )
    ]


def rankers(
    parser: DynOracleParser,
    training: list[Example],
    development: list[Example],
    settings: RankSettings,
) -> Iterator[Round]:
    """The rankers after each round of training on candidates.

    training: what other parsers found that have not seen the sentences. development:
    what `parser` found for sentences that it was not trained on.
    """
    sources = parser.recipe.sources
    trainer = RankerTrainer(
        RankingTemplates(settings.templates),
        list(sources),
        word_classes(tag_attribute(sources) or "TAG"),
        settings.groups,
        settings.seed,
    )
    return rounds(trainer, training, development, settings.n_rounds)


def least_loss(examples: Sequence[Example]) -> int:
    """The loss of the best candidates of some sentences."""
    return int(sum(np.min(found) for _, _, found in examples if len(found)))


def first_loss(examples: Sequence[Example]) -> int:
    """The loss of the candidates that the search puts first."""
    return int(sum(found[0] for _, _, found in examples if len(found)))
