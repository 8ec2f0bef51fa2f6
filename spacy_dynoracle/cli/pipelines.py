"""The parser of a loaded pipeline: asking it for probabilities and for best trees."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import PipelineError, value_errors_as
from ..evaluation.attachment import comparable
from ..parser.component import DynOracleParser
from ..parser.k_best import DocTree
from ..parser.lookup import find_any, find_parser, kept_trees
from ..treebank import Problem, TreebankSentence, heads_and_labels
from ..treebank.pipelines import called
from ..treebank.sentence import UNKNOWN

# How the scores of a tree are written. All but the first may be missing.
_SCORES = {
    "score": ".4f",
    "probability": ".4g",
    "ranker_score": ".4f",
    "mixture": ".4f",
}


class ListedTree(NamedTuple):
    """A tree in a list of the best trees.

    Attributes:
        rank: Place in the list, counted from 1.
    """

    rank: int
    tree: DocTree

    def as_dict(self) -> dict[str, Any]:
        """The place, the scores and the support of the arcs, for JSON."""
        scores = {name: getattr(self.tree, name) for name in _SCORES}
        return {"rank": self.rank, **scores, "support": self.tree.support()}

    def values(self) -> dict[str, str]:
        """The values of the tree as a whole as text, by name."""
        found = {"k_best": str(self.rank)}
        for name, form in _SCORES.items():
            value = getattr(self.tree, name)
            if value is not None:
                found[name] = format(value, form)
        return found

    def comments(self) -> list[str]:
        """The values as comments of CoNLL-U."""
        return [f"# {name} = {value}" for name, value in self.values().items()]

    def caption(self) -> str:
        """The values in one line."""
        _, *others = self.values().items()
        return ", ".join(
            [f"tree {self.rank}", *(f"{name} {value}" for name, value in others)]
        )


def ask_for_probabilities(nlp: Language, kind: str) -> None:
    """Make the parser or committee of a pipeline give probabilities.

    Raises:
        PipelineError: If it has none.
    """
    with value_errors_as(PipelineError, f"{called(nlp)}: "):
        find_any(nlp).ask_for(kind)


def ask_for_trees(nlp: Language, k: int) -> None:
    """Make the parser of a pipeline keep its best trees with each Doc.

    Raises:
        PipelineError: If the parser has no list of trees.
    """
    parser = find_parser(nlp)
    with value_errors_as(PipelineError, f"{called(nlp)}: "):
        search = parser.recipe.search.with_n_best(k)
        # Lists of trees have scores of their own.
        parser.change(search=search, probabilities=None)


def ask_to_keep_heads(nlp: Language) -> None:
    """Make the parser of a pipeline keep the heads that Docs have, each of which is one
    sentence.

    Raises:
        PipelineError: If the parser cannot.
    """
    parser = find_any(nlp)
    if not isinstance(parser, DynOracleParser):
        raise PipelineError(
            f"{called(nlp)} has the committee {parser.name!r}, whose votes keep no "
            "heads; use a pipeline with one dynoracle_parser"
        )
    parsers = [each for _, each in nlp.pipeline if isinstance(each, DynOracleParser)]
    if len(parsers) > 1:
        raise PipelineError(
            f"{called(nlp)} has {len(parsers)} parsers, of which the first would not "
            "keep the heads; use a pipeline with one dynoracle_parser"
        )
    with value_errors_as(PipelineError, f"{called(nlp)}: "):
        parser.change(keep_preset_heads=True, sentences="doc", probabilities=None)


def check_kept(doc: Doc, sentence: TreebankSentence) -> None:
    """Check that a parsed Doc has all heads and labels of the sentence that it was made
    from.

    Raises:
        TreebankError: Names the words whose arcs cannot be in one tree with those
            before them.
    """
    lost = []
    found = zip(sentence.words, *heads_and_labels(doc), strict=True)
    for number, (word, head, label) in enumerate(found, 1):
        kept = word.deprel is None or comparable(word.deprel) == comparable(label or "")
        if word.head is not None and not (kept and word.head == head):
            arc = f"(HEAD {word.head}, DEPREL {word.deprel or UNKNOWN})"
            lost.append((word.line, f"word {number} {word.form!r} {arc}"))
    if lost:
        message = (
            f"cannot keep {', '.join(arc for _, arc in lost)} beside the arcs before "
            "it: a tree has one root, and a parser that was trained with nonprojective "
            "= 'drop' makes no crossing arcs; correct one of them, or write _"
        )
        raise Problem(sentence.path, lost[0][0], sentence.name, "head", message).error()


def listed_trees(doc: Doc, k: int, whole: bool) -> Iterator[tuple[Doc, ListedTree]]:
    """The best trees of a parsed Doc, each in a Doc of its own; see `kept_trees`.

    Args:
        whole: Trees of the whole Doc, rather than of one segment after the other.
    """
    trees = kept_trees(doc)
    parts = [trees] if whole or len(trees) <= 1 else trees.alone()
    for part in parts:
        for rank, tree in enumerate(islice(part.trees(), k), 1):
            yield tree.as_doc(), ListedTree(rank, tree)
