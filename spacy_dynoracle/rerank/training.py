"""From a parser with a beam to one that ranks what its beam finds.

Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.reranking.fitting import Example, Round, rounds
from ..core.reranking.groups import GROUPS
from ..core.reranking.losses import losses
from ..core.reranking.template_sets import LIU_2015_UD
from ..core.reranking.templates import RankingTemplates
from ..core.reranking.trainer import RankerTrainer
from ..core.results import Candidates
from ..doc.columns import source_of
from ..parser.component import DynOracleParser
from ..util.config_errors import check_choice
from .candidates import Material, model_of
from .word_classes import word_classes


@dataclass(frozen=True)
class RankSettings:
    """How a ranker is trained.

    groups: "fine" or "coarse", see `ranking_pairs`. n_rounds: over the candidates.
    seed: of the order of the pairs. templates: of whole trees.

    Raises ValueError for what cannot be.
    """

    groups: str = "fine"
    n_rounds: int = 10
    seed: int = 0
    templates: tuple[str, ...] = tuple(LIU_2015_UD)

    def __post_init__(self) -> None:
        check_choice("groups", self.groups, GROUPS)
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds = {self.n_rounds}: expected at least 1")
        RankingTemplates(self.templates)


def with_losses(material: Material, candidates: Sequence[Candidates]) -> list[Example]:
    """Sentences with their candidates and the losses of these."""
    return [
        (sentence, found, losses(found, gold))
        for sentence, found, gold in zip(
            material.sentences, candidates, material.golds, strict=True
        )
    ]


def tag_attr_of(parser: DynOracleParser) -> str:
    """The attribute with the tags for a ranker.

    Raises ValueError if a parser has none.
    """
    if parser.tag_attr is None:
        raise ValueError(
            "a ranker needs tags, but the parser has tag_attr = null: train it with "
            'tag_attr = "TAG" or "POS"'
        )
    return parser.tag_attr


def new_trainer(parser: DynOracleParser, settings: RankSettings) -> RankerTrainer:
    """The training state of a ranker that has learned nothing.

    Raises ValueError for a parser without tags.
    """
    templates = RankingTemplates(settings.templates)
    return RankerTrainer(
        templates,
        templates.behind(parser.recipe.features.columns),
        word_classes(tag_attr_of(parser)),
        settings.groups,
        settings.seed,
    )


def prepare(parser: DynOracleParser, settings: RankSettings) -> None:
    """Let a trained parser read what its ranker will need; it gets one without weights.

    Raises ValueError for a parser without tags.
    """
    ranker = new_trainer(parser, settings).freeze()
    sources = {name: source_of(name, tag_attr_of(parser)) for name in ranker.columns}
    parser.set_model(model_of(parser).with_ranker(ranker, sources))


def rankers(
    parser: DynOracleParser,
    training: list[Example],
    development: list[Example],
    settings: RankSettings,
) -> Iterator[Round]:
    """The rankers after each round of training on candidates.

    parser: prepared (see `prepare`) with the same settings. training: what other
    parsers found that have not seen the sentences. development: what `parser` found for
    sentences that it was not trained on.
    """
    trainer = new_trainer(parser, settings)
    return rounds(trainer, training, development, settings.n_rounds)


def least_loss(examples: Sequence[Example]) -> int:
    """The loss of the best candidates of some sentences."""
    return int(sum(np.min(found) for _, _, found in examples if len(found)))


def first_loss(examples: Sequence[Example]) -> int:
    """The loss of the candidates that the search puts first."""
    return int(sum(found[0] for _, _, found in examples if len(found)))
