"""Parsing a document as the component does, but in Python and with a record.

How the document is cut and which variant of the system a part is parsed with is decided
by the component's own `DocumentParser`; only the search is exchanged for one that keeps
what it sees.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from spacy.tokens import Doc

from ..core.model.model import Model
from ..core.search.base import Search
from ..core.search.greedy import GreedySearch
from ..core.state.configuration import RootRule
from ..core.state.projectivity import base_label, is_projective, projectivize
from ..core.state.sentence import Sentence
from ..core.systems.base import TransitionSystem
from ..doc.token_arrays import TokenArrays
from ..parser.annotations import ROOT_LABEL
from ..parser.component import DynOracleParser
from ..parser.gold_trees import GoldReader, Tree
from ..parser.label_names import LabelNames
from ..util.arrays import Int32Array, IntArray
from .derivation import Derivation, Follow, Gold, Heads, Kept, steps


def trace(
    component: DynOracleParser,
    doc: Doc,
    reference: Doc | None = None,
    *,
    follow: Follow = "model",
    kept: Kept | None = None,
) -> list[Derivation]:
    """Parse a document, in place, and return how.

    reference: the same tokens with gold heads and labels; costs refer to them.
    follow: "model" takes the transition with the best score, as the component does;
    "oracle" the one with the best score among the correct ones.

    Raises ValueError when the component has no model, searches in another way than
    greedily, or when the tokens of the reference are not those of the document.
    """
    model = component.model
    if model is None:
        raise ValueError(f"the parser {component.name!r} has no model: train it first")
    if not isinstance(component.parser.search, GreedySearch):
        raise ValueError(
            f"the parser {component.name!r} uses {component.parser.search!r}: only the "
            f"derivations of GreedySearch can be shown"
        )
    tokens = _Tokens(doc, list(component.sources.values()))
    component.check_annotation([doc], [tokens])
    gold = None if reference is None else _gold_tree(doc, reference)
    tracer = _Tracer(component, doc, tokens, gold, follow, kept or Kept())
    parser = copy(component.parser)
    parser.search, parser.n_threads = tracer, 1
    component.set_annotations([doc], parser.parse(model, [doc], [tokens]))
    found: list[Derivation] = []
    seen: set[int] = set()
    for derivation in reversed(tracer.derivations):
        again = not seen.isdisjoint(derivation.tokens)
        found.append(replace(derivation, parsed_again=again))
        seen.update(derivation.tokens)
    return found[::-1]


class _Tokens(TokenArrays):
    """Remembers which words a sentence consists of."""

    def __init__(self, doc: Doc, attributes: list[str]) -> None:
        super().__init__(doc, attributes)
        self._words: list[tuple[Sentence, tuple[int, ...]]] = []

    def sentence(self, words: IntArray | None) -> Sentence:
        sentence = super().sentence(words)
        indices = range(len(self)) if words is None else words.tolist()
        self._words.append((sentence, tuple(indices)))
        return sentence

    def words_of(self, sentence: Sentence) -> tuple[int, ...]:
        """The indices of its tokens."""
        return next(words for known, words in self._words if known is sentence)


class _Tracer(Search):
    """The greedy search, keeping what it sees."""

    def __init__(
        self,
        component: DynOracleParser,
        doc: Doc,
        tokens: _Tokens,
        gold: Tree | None,
        follow: Follow,
        kept: Kept,
    ) -> None:
        self.recipe = component.recipe
        self.doc = doc
        self.tokens = tokens
        self.gold = gold
        self.follow = follow
        self.kept = kept
        self.derivations: list[Derivation] = []

    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[Int32Array, Int32Array]:
        """As the greedy search."""
        found = [self._derive(model, sentence, root_rule) for sentence in sentences]
        self.derivations += found
        heads = [head for d in found for head in d.derived.heads]
        labels = [model.labels.find(label) for d in found for label in d.derived.labels]
        return np.array(heads, dtype=np.int32), np.array(labels, dtype=np.int32)

    def _derive(
        self, model: Model, sentence: Sentence, root_rule: RootRule | None
    ) -> Derivation:
        system = model.system
        tokens = self.tokens.words_of(sentence)
        treebank = None
        if self.gold is not None:
            treebank = _part_of(self.gold, tokens, model.root_label or ROOT_LABEL)
        gold = None if treebank is None else self._gold(system, treebank)
        tree = None if gold is None else Gold(gold)
        c = system.initial(len(sentence), root_rule)
        # The features hash the model's numbers of the labels.
        for label in model.labels:
            c.labels.add(label)
        taken = tuple(steps(model, c, sentence, tree, self.follow, self.kept))
        stack, buffer, arcs = c.stack, c.buffer, c.arcs
        attached = tuple(k for k, head in enumerate(c.heads, 1) if head is None)
        system.finish(c, model.root_label)
        derived = Heads(c.heads, tuple(label for _, label, _ in c.arcs))
        words = [self.doc[i] for i in tokens]
        tag = self.recipe.sources.get("p")
        tags = [getattr(word, f"{tag.lower()}_") if tag else "" for word in words]
        return Derivation(
            words=(ROOT_LABEL, *(word.text for word in words)),
            tags=("", *tags),
            tokens=tokens,
            system=system,
            root_rule=c.root_rule,
            steps=taken,
            stack=stack,
            buffer=buffer,
            arcs=arcs,
            attached=attached,
            derived=derived,
            restored=_restored(model, derived),
            treebank=treebank,
            gold=gold,
        )

    def _gold(self, system: TransitionSystem, tree: Heads) -> Heads | None:
        """The tree that costs refer to, None if they are not defined."""
        if system.needs_full_tree and None in tree.heads:
            return None
        if not system.projective or is_projective(tree.heads):
            return tree
        heads, labels = projectivize(tree.heads, tree.labels)
        if self.recipe.nonprojective != "projectivize":
            # The model has never seen a label that records a lift.
            labels = [label and base_label(label) for label in labels]
        return Heads(tuple(heads), tuple(labels))


def _gold_tree(doc: Doc, reference: Doc) -> Tree | None:
    """The gold tree over a whole document."""
    if [token.text for token in doc] != [token.text for token in reference]:
        raise ValueError("the tokens of the gold tree are not those of the document")
    problems: list[str] = []
    reader = GoldReader("doc", True, lambda why, doc: problems.append(why))
    tree = next(iter(reader.reference_trees(reference)), None)
    if problems:
        raise ValueError(f"the gold tree cannot be used because {problems[0]}")
    return tree


def _part_of(tree: Tree, tokens: tuple[int, ...], root_label: str) -> Heads:
    """The gold tree over some of its tokens; heads elsewhere are unknown.

    root_label: the model's. Whether that is root or ROOT is no difference.
    """
    place = {token: i for i, token in enumerate(tree.words.tolist())}
    number = {place[token] + 1: i for i, token in enumerate(tokens, 1)}
    number[0] = 0
    heads = [tree.heads[place[token]] for token in tokens]
    labels = [tree.labels[place[token]] for token in tokens]
    return Heads(
        tuple(None if head is None else number.get(head) for head in heads),
        tuple(
            root_label if label and label.lower() == root_label.lower() else label
            for label in labels
        ),
    )


def _restored(model: Model, derived: Heads) -> Heads:
    """The tree as the component gives it: with lifted arcs put back."""
    names = LabelNames(model)
    ends = np.array([len(derived.heads)])
    labels = [model.labels.find(label) for label in derived.labels]
    heads = names.restore_lifted(
        np.array(derived.heads, dtype=np.int32),
        np.array(labels, dtype=np.int32),
        ends - len(labels),
        ends,
    )
    root_label = model.root_label or ROOT_LABEL
    return Heads(
        tuple(heads.tolist()),
        tuple(
            root_label if label < 0 and head == 0 else names.base_labels[label]
            for head, label in zip(heads.tolist(), labels, strict=True)
        ),
    )
