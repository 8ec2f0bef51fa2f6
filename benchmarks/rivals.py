"""The parsers that the speed benchmark compares, all trained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spacy.language import Language

from .data import Text
from .latency import COMPONENT, one_by_one
from .pipelines import the_parser, train_spacy
from .progress import Steps
from .running import (
    PIPE,
    SPACY,
    UDPIPE,
    Prepare,
    Tree,
    of_udpipe,
    trees_of,
    trees_of_udpipe,
)
from .udpipe import UDPipe, is_installed


@dataclass
class Rivals:
    """Trained parsers.

    Attributes:
        nlp: A pipeline with our parser.
        spacy_nlp: One with spaCy's.
        udpipe: The library and the file of its parser. The last two are None if they do
            not take part.
    """

    nlp: Language
    spacy_nlp: Language | None
    udpipe: tuple[UDPipe, Path] | None

    @classmethod
    def trained(
        cls,
        treebank: Path,
        nlp: Language,
        spacy_steps: int,
        udpipe_iterations: int,
        seed: int,
        work: Path,
        steps: Steps,
    ) -> Rivals:
        """Train the other parsers. 0 steps or iterations leave one out.

        Args:
            nlp: The pipeline with our parser.
            work: A directory for files.
        """
        found = cls(nlp, None, None)
        if spacy_steps:
            task = steps.begin("Training spaCy's parser", spacy_steps)
            found.spacy_nlp = train_spacy(
                treebank, nlp.lang or "xx", nlp.vocab, spacy_steps, seed, task
            )
        if udpipe_iterations and is_installed():
            steps.begin("Training UDPipe's parser")
            library, path = UDPipe(), work / "udpipe"
            library.train(treebank, udpipe_iterations, path)
            found.udpipe = library, path
        return found

    def one_by_one(self) -> dict[str, Prepare]:
        """For each parser a function that prepares the parsing of one Doc."""
        parser = the_parser(self.nlp)
        found = {PIPE: one_by_one(self.nlp), COMPONENT: one_by_one(self.nlp, parser)}
        if self.spacy_nlp is not None:
            found[SPACY] = one_by_one(self.spacy_nlp)
        if self.udpipe is not None:
            found[UDPIPE] = of_udpipe(*self.udpipe)
        return found

    def trees(self, texts: list[Text]) -> dict[str, Iterable[Tree]]:
        """The trees that each parser finds."""
        found: dict[str, Iterable[Tree]] = {PIPE: trees_of(self.nlp, texts)}
        if self.spacy_nlp is not None:
            found[SPACY] = trees_of(self.spacy_nlp, texts)
        if self.udpipe is not None:
            found[UDPIPE] = trees_of_udpipe(*self.udpipe, texts)
        return found

    def descriptions(self, spacy_steps: int, udpipe_iterations: int) -> dict[str, str]:
        """How the other parsers were made."""
        names = "" if self.spacy_nlp is None else ", ".join(self.spacy_nlp.pipe_names)
        return {
            SPACY: f"init config --optimize efficiency: {names}; {spacy_steps} batches "
            f"of 1000 words"
            if names
            else "left out",
            UDPIPE: f"greedy, dynamic oracle, a hidden layer of 100; "
            f"{udpipe_iterations} iterations"
            if self.udpipe is not None
            else "left out",
        }
