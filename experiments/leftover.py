"""How to attach the words that arc-eager leaves on the stack: to ROOT, or by the tree
constraint (Nivre & Fernandez-Gonzalez 2014, section 4).

Both systems use one model, trained with ROOT first. The old system attaches the words
that have no head to ROOT. The new system unshifts them. Both derivations are the same
up to the first configuration with an empty buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.state.configuration import Configuration, RootRule
from spacy_dynoracle.core.state.projectivity import (
    base_label,
    deprojectivize,
    find_cycle,
)
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.evaluation.attachment import Evaluation
from spacy_dynoracle.parser.annotations import NO_LABEL, ROOT_LABEL
from spacy_dynoracle.treebank import read_conllu

from .parsing import attachment, core_sentences, counts, derive, model_of, parse

ROOT = 0
# The old system and the new one, as rows.
RULES = {"old": RootRule.ANY, "new": RootRule.TREE}


class Leftover(NamedTuple):
    """A headless word on the stack when the buffer is empty for the first time.

    Attributes:
        gold: Its gold head, which is known.
        is_possible: Whether the gold head is on the stack too.
    """

    word: int
    gold: int
    is_possible: bool


def leftover_words(
    stack: Sequence[int], headless: Sequence[int], gold: Sequence[int | None]
) -> list[Leftover]:
    """The leftover words of one sentence.

    Args:
        stack: Words on the stack, including ROOT.
        headless: Words on the stack that have no head.
        gold: Heads of the words 1..n. Words with an unknown gold head do not count.
    """
    found = []
    for word in headless:
        head = gold[word - 1]
        if head is not None:
            found.append(Leftover(word, head, head in stack))
    return found


def first_empty_buffer(model: Model, sentence: Sentence) -> Configuration:
    """The first configuration with an empty buffer, in a system with ROOT first."""
    return next(c for c in derive(model, sentence) if not c.buffer)


def leftover(nlp: Language, path: Path, file: Path) -> dict[str, dict[str, Any]]:
    """Parse a file with both systems, and measure the rows "old" and "new".

    Raises:
        ValueError: Unless the parser is arc-eager with ROOT first, and if the two
            systems differ before the buffer is empty.
    """
    model, gold = model_of(nlp), list(read_conllu(path))
    if model.system.root != "first":
        raise ValueError(f"{file}: its parser does not have ROOT first")
    sentences = core_sentences(nlp, gold)
    trees = {name: parse(model, sentences, rule) for name, rule in RULES.items()}
    words = []
    for i, (tree, sentence) in enumerate(zip(gold, sentences, strict=True)):
        c = first_empty_buffer(model, sentence)
        for word, head in enumerate(c.heads, 1):
            if head is not None and {head} != {
                own[i][0][word - 1] for own in trees.values()
            }:
                raise ValueError(f"{tree.name}: word {word} lost its head {head}")
        headless = [w for w in c.stack if w != ROOT and c.heads[w - 1] is None]
        words.append(leftover_words(c.stack, headless, tree.heads))
    return {name: _measured(model, gold, own, words) for name, own in trees.items()}


def restored_tree(
    model: Model, heads: Sequence[int], labels: Sequence[str | None]
) -> tuple[list[int], list[str]]:
    """A tree of the core as the component writes it: lifted arcs are put back, and
    roots without a label get one.

    Args:
        heads: 0 for ROOT.
        labels: As the model names them; None for arcs without one.
    """
    root = model.root_label or ROOT_LABEL
    named = [
        label or NO_LABEL if head else base_label(label or root)
        for head, label in zip(heads, labels, strict=True)
    ]
    return deprojectivize(heads, named)


def _measured(
    model: Model,
    gold: Sequence[Any],
    trees: Sequence[tuple[list[int], list[str]]],
    words: Sequence[Sequence[Leftover]],
) -> dict[str, Any]:
    evaluation = Evaluation("all")
    restored = [restored_tree(model, *tree) for tree in trees]
    for sentence, tree in zip(gold, restored, strict=True):
        evaluation.add(sentence.words, *tree)
    one = [1] * len(trees)
    return {
        **attachment(evaluation.scores()),
        "recall": _recall(words, restored, (True, False)),
        "recall_root": _recall(words, restored, (True,)),
        "recall_other": _recall(words, restored, (False,)),
        "leftover": counts(
            [len(own) for own in words], [len(sentence.words) for sentence in gold]
        ),
        "trees": counts([not find_cycle(heads) for heads, _ in trees], one),
        "one_root": counts([heads.count(ROOT) == 1 for heads, _ in trees], one),
    }


def _recall(
    words: Sequence[Sequence[Leftover]],
    trees: Sequence[tuple[Sequence[int | None], Any]],
    with_root: Sequence[bool],
) -> dict[str, Any]:
    """The share of the possible leftover words that get their gold head.

    Args:
        with_root: Whether words with the gold head ROOT count, and others.
    """
    of_sentences = [
        [w for w in own if w.is_possible and (w.gold == ROOT) in with_root]
        for own in words
    ]
    right = [
        sum(heads[w.word - 1] == w.gold for w in own)
        for own, (heads, _) in zip(of_sentences, trees, strict=True)
    ]
    return counts(right, [len(own) for own in of_sentences])
