"""``parse --k-best``: every tree of a list as if it were a parse."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..parser.beam_parsing import check_k_best
from ..parser.component import DynOracleParser
from ..parser.extensions import check_registered, kbest
from ..parser.k_best import KBest
from .common import CommandError


class Ranked(NamedTuple):
    """What a list says of one of its trees.

    rank: from 1. score: of the tree; probability: None for models without a
    temperature. support: for each token the share of the trees with its arc, None for
    whitespace. ranker_score, mixture: None without a ranker.
    """

    rank: int
    score: float
    probability: float | None
    support: Sequence[float | None]
    ranker_score: float | None = None
    mixture: float | None = None

    def values(self) -> dict[str, str]:
        """What a reader should see of the tree as a whole, by its name."""
        found = {"k_best": str(self.rank), "score": f"{self.score:.4f}"}
        if self.probability is not None:
            found["probability"] = f"{self.probability:.4g}"
        for name in ("ranker_score", "mixture"):
            value = getattr(self, name)
            if value is not None:
                found[name] = f"{value:.4f}"
        return found

    def comments(self) -> list[str]:
        """The same for CoNLL-U."""
        return [f"# {name} = {value}" for name, value in self.values().items()]

    def caption(self) -> str:
        """The same in a line."""
        _, *others = self.values().items()
        return ", ".join(
            [f"tree {self.rank}", *(f"{name} {value}" for name, value in others)]
        )


def last_parser(nlp: Language) -> DynOracleParser | None:
    """The last of our parsers in a pipeline, whose trees stay; None if there are
    none."""
    for _, component in reversed(nlp.pipeline):
        if isinstance(component, DynOracleParser):
            return component
    return None


def ask_for_trees(nlp: Language, model: str, k: int) -> None:
    """Make the parser of a pipeline keep its best trees with each Doc.

    Raises CommandError if it has none to keep.
    """
    parser = last_parser(nlp)
    if parser is None:
        raise CommandError(f"the pipeline {model!r} has no dynoracle_parser")
    try:
        check_k_best(k, parser.parser.search)
        check_registered()
    except ValueError as error:
        raise CommandError(f"the pipeline {model!r}: {error}") from error
    parser.change(k_best=k)


def kept_trees(doc: Doc) -> KBest:
    """The best trees of a parsed Doc.

    Raises CommandError if a component has changed the words since.
    """
    trees = kbest(doc)
    if trees is None:
        raise CommandError(
            "a component behind the parser changes words, so that there is no list of "
            "trees; remove it from the pipeline"
        )
    return trees


def ranked_trees(doc: Doc, k: int, whole: bool) -> Iterator[tuple[Doc, Ranked]]:
    """The best trees of a parsed Doc, each in a Doc of its own; see `kept_trees`.

    whole: trees of the whole Doc, rather than of one segment after the other.
    """
    trees = kept_trees(doc)
    parts = [trees] if whole or len(trees) <= 1 else trees.alone()
    for part in parts:
        for rank, tree in enumerate(islice(part.trees(), k), 1):
            yield (
                tree.as_doc(),
                Ranked(
                    rank,
                    tree.score,
                    tree.probability,
                    tree.support(),
                    tree.ranker_score,
                    tree.mixture,
                ),
            )
