"""Parsing a document as the component does, but in Python and with a record.

The component's own `DocumentParser` cuts the document and chooses the variant of the
system for each part. Only the search is replaced, by one that records its derivations.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np
from spacy.tokens import Doc

from ..core.model.model import Model
from ..core.results import ScoredTransition
from ..core.search.inspect import offered_actions
from ..core.state.configuration import Configuration, RootRule
from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..core.state.projectivity import base_label, is_projective, projectivize
from ..core.state.sentence import Sentence
from ..core.systems.easy_first import EasyFirst
from ..doc.attribute_table import AttributeTable
from ..doc.segments import Segment
from ..errors import PipelineError
from ..parser.annotations import ROOT_LABEL
from ..parser.component import DynOracleParser
from ..parser.gold_trees import AnnotatedTree, GoldReader
from ..parser.strategies import Parses
from ..treebank.multiword import word_forms
from .derivation import (
    Derivation,
    Follow,
    LabelledHeads,
    Limits,
    Step,
    best,
    best_correct,
    best_other,
)
from .features import FeatureReader

# Each step keeps the whole configuration, so a derivation takes memory and time that
# grow with the square of its words.
MOST_WORDS = 1000


def trace(
    component: DynOracleParser,
    doc: Doc,
    reference: Doc | None = None,
    *,
    follow: Follow = "model",
    limits: Limits | None = None,
    features: int = 0,
) -> list[Derivation]:
    """Parse a document, in place, and return its derivations.

    Args:
        reference: The same tokens with gold heads and labels, which costs refer to.
        follow: "model" takes the transitions that the component takes: those with the
            best scores, or those that its beam finds;
            "oracle" takes the best of the correct transitions.
        limits: How many legal transitions each step keeps; by default all.
        features: The number of features to compare the scores by; 0 for none.

    Raises:
        PipelineError: If the component has no model or its search has a ranker, and
            for more than MOST_WORDS words that are parsed at once.
        ValueError: If the reference has other tokens than the document.
    """
    model = component.frozen_model()
    if model is None:
        raise PipelineError(
            f"the parser {component.name!r} has no model: train it first"
        )
    if component.parser.search.needs_part is not None:
        raise PipelineError(
            f"the parser {component.name!r} uses {component.parser.search!r}: only the "
            f"derivations of GreedySearch and BeamSearch can be shown"
        )
    tokens = AttributeTable([doc], list(component.sources.values()))
    tokens.keeps_starts = component.keeps_starts
    component.check_annotation(tokens)
    gold = None if reference is None else _gold_tree(doc, reference)
    tracer = _Tracer(component, doc, gold, follow, limits or Limits(), features)
    parser = replace(component.parser, strategy=tracer.parse, n_threads=1)
    found_trees = parser.parse(model, component.label_names(model), tokens)
    component.set_annotations([doc], found_trees)
    found: list[Derivation] = []
    seen: set[int] = set()
    for derivation in reversed(tracer.derivations):
        again = not seen.isdisjoint(derivation.tokens)
        found.append(replace(derivation, parsed_again=again))
        seen.update(derivation.tokens)
    return found[::-1]


# Chooses among the legal transitions, of which the second argument is the best one.
Choose = Callable[[Collection[ScoredTransition], ScoredTransition], ScoredTransition]


@dataclass
class _Tracer:
    """Parses as the component does, and keeps what it sees."""

    component: DynOracleParser
    doc: Doc
    gold: AnnotatedTree | None
    follow: Follow
    limits: Limits
    features: int
    derivations: list[Derivation] = field(default_factory=list)

    @cached_property
    def forms(self) -> list[str]:
        """The forms of all tokens."""
        return word_forms(self.doc)

    def parse(self, model: Model, rule: RootRule, segments: list[Segment]) -> Parses:
        """A strategy of the parser, see `spacy_dynoracle.parser.strategies`."""
        found = [self._derive(model, segment, rule) for segment in segments]
        self.derivations += found
        heads = [head for d in found for head in d.derived.heads]
        labels = [model.labels.find(label) for d in found for label in d.derived.labels]
        return Parses(np.array(heads, dtype=np.int32), np.array(labels, dtype=np.int32))

    def _derive(self, model: Model, segment: Segment, rule: RootRule) -> Derivation:
        system = model.system
        sentence = segment.sentence
        if len(sentence) > MOST_WORDS:
            raise PipelineError(
                f"{len(sentence):,} words are parsed at once, but a derivation can be "
                f"shown of at most {MOST_WORDS:,}: explain a part of the text"
            )
        tokens = tuple(segment.words.tolist())
        treebank = None
        outside: tuple[int, ...] = ()
        if self.gold is not None:
            root_label = model.root_label or ROOT_LABEL
            treebank, outside = _part_of(self.gold, tokens, root_label)
        gold = None if treebank is None else self._gold(model, treebank)
        tree = None if gold is None else GoldTree(*gold, Labels(model.labels))
        c = system.initial(len(sentence), rule)
        # The features hash the model's numbers of the labels.
        for label in model.labels:
            c.labels.add(label)
        words = [self.doc[i] for i in tokens]
        reader = None
        if self.features:
            sources = self.component.sources
            reader = FeatureReader(model, sources, sentence, words, self.features)
        choose: Choose = best_correct
        if self.follow == "model":
            search = self.component.parser.search
            choose = _planned(search.derivation(model, sentence, rule))
        taken = tuple(_steps(model, c, sentence, tree, choose, self.limits, reader))
        stack, buffer, arcs = c.stack, c.buffer, c.arcs
        attached = tuple(k for k, head in enumerate(c.heads, 1) if head is None)
        system.finish(c, model.root_label)
        derived = LabelledHeads(c.heads, tuple(label for _, label, _ in c.arcs))
        tag = model.sources.get("p")
        tags = [getattr(word, f"{tag.lower()}_") if tag else "" for word in words]
        return Derivation(
            words=(ROOT_LABEL, *(self.forms[i] for i in tokens)),
            tags=("", *tags),
            tokens=tokens,
            system=system,
            root_rule=rule,
            steps=taken,
            stack=stack,
            buffer=buffer,
            arcs=arcs,
            attached=attached,
            derived=derived,
            restored=self._restored(model, derived),
            treebank=treebank,
            outside=outside,
            gold=gold,
        )

    def _restored(self, model: Model, tree: LabelledHeads) -> LabelledHeads:
        """A derived tree as the component writes it."""
        names = self.component.label_names(model)
        # Every word has a head now.
        heads = np.array(tree.heads, dtype=np.int32)
        labels = np.array(list(map(model.labels.find, tree.labels)), dtype=np.int32)
        (restored,) = names.restored(heads[np.newaxis], labels[np.newaxis])
        given = [names.distinct[i] for i in names.numbers_of(heads, labels).tolist()]
        return LabelledHeads(tuple(restored.tolist()), tuple(given))

    def _gold(self, model: Model, tree: LabelledHeads) -> LabelledHeads | None:
        """The tree that costs refer to; None if they are not defined."""
        system, known = model.system, model.labels
        if system.needs_full_tree and None in tree.heads:
            return None
        if not system.projective or is_projective(tree.heads):
            return tree
        heads, labels = projectivize(tree.heads, tree.labels)
        # The model may never have seen a label that records this lift.
        labels = [x and (x if x in known else base_label(x)) for x in labels]
        return LabelledHeads(tuple(heads), tuple(labels))


def _planned(plan: list[tuple[str, str | None]] | None) -> Choose:
    """The choice of a derivation; without one, that of the best transition."""
    if plan is None:
        return lambda found, predicted: predicted
    steps = iter(plan)

    def choose(
        found: Collection[ScoredTransition], predicted: ScoredTransition
    ) -> ScoredTransition:
        step = next(steps)
        (taken,) = [x for x in found if (x.transition, x.label) == step]
        return taken

    return choose


def _steps(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: GoldTree | None,
    choose: Choose,
    limits: Limits,
    features: FeatureReader | None,
) -> Iterator[Step]:
    """Yield the steps of a derivation from `c` until it is terminal.

    Args:
        c: A configuration whose labels have the numbers of the model; it changes.
        gold: The tree that costs refer to.
        choose: Tells which transition is taken.
        features: Compares the scores of two transitions; None to leave that out.
    """
    system = model.system
    while not system.is_terminal(c):
        found = offered_actions(model, c, sentence, gold)
        predicted = best(found)
        chosen = choose(found, predicted)
        if chosen.position is not None:
            cast(EasyFirst, system).focus(c, chosen.position)
        other = best_other(found, chosen) if chosen == predicted else predicted
        compared = None
        if features is not None and other is not None:
            compared = features.compare(c, chosen, other)
        step = Step(
            stack=c.stack,
            buffer=c.buffer,
            arcs=c.arcs,
            candidates=tuple(found),
            n_candidates=len(found),
            chosen=chosen,
            predicted=predicted,
            forced=all(x.score is None for x in found),
            contributions=compared,
        )
        yield step.limited(limits)
        system.apply(c, chosen.transition, chosen.label)


def _gold_tree(doc: Doc, reference: Doc) -> AnnotatedTree | None:
    """The gold tree over a whole document."""
    if [token.text for token in doc] != [token.text for token in reference]:
        raise ValueError("the tokens of the gold tree are not those of the document")
    reader = GoldReader("doc", projective=True)
    tree = next(reader.reference_trees(reference), None)
    if tree is not None and tree.problem is not None:
        raise ValueError(f"the gold tree cannot be used because {tree.problem}")
    return tree


def _part_of(
    tree: AnnotatedTree, tokens: tuple[int, ...], root_label: str
) -> tuple[LabelledHeads, tuple[int, ...]]:
    """The gold tree over some of its tokens, in which heads outside them are unknown,
    and the words that have such heads.

    Args:
        root_label: Label of the root in the model, which replaces root and ROOT.
    """
    place = {token: i for i, token in enumerate(tree.words.tolist())}
    number = {place[token] + 1: i for i, token in enumerate(tokens, 1)}
    number[0] = 0
    heads = [tree.heads[place[token]] for token in tokens]
    labels = [tree.labels[place[token]] for token in tokens]
    found = LabelledHeads(
        tuple(None if head is None else number.get(head) for head in heads),
        tuple(
            root_label if label and label.lower() == root_label.lower() else label
            for label in labels
        ),
    )
    pairs = enumerate(zip(heads, found.heads, strict=True), 1)
    outside = (k for k, (head, own) in pairs if head is not None and own is None)
    return found, tuple(outside)
