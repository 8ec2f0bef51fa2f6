"""The features of a configuration that made the scores of two transitions differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from spacy.tokens import Token

from ..core.features.templates import LABEL_SETS, SIZES, VALENCIES, Atom
from ..core.model.model import Model
from ..core.results import ScoredTransition
from ..core.search.inspect import feature_weights
from ..core.state.configuration import Configuration
from ..core.state.sentence import Sentence
from ..core.systems.easy_first import EasyFirst
from ..doc import columns
from ..doc.attribute_table import n_line_breaks
from ..doc.cluster_numbers import CLUSTER_0, clusters_of
from ..util.typography import lower_case, normal_form
from .derivation import Contribution, Contributions

# A node that an address does not have, and a value that a word does not have.
_NOTHING = "-"
_MAX_VALENCY = 15


@dataclass(frozen=True)
class FeatureReader:
    """Compares the scores of two transitions feature by feature.

    Attributes:
        model: The model that scores.
        sources: The source of each column of its features.
        tokens: The words of the sentence.
        most: The number of features to name.
    """

    model: Model
    sources: Mapping[str, str]
    sentence: Sentence
    tokens: Sequence[Token]
    most: int

    def compare(
        self, c: Configuration, chosen: ScoredTransition, other: ScoredTransition
    ) -> Contributions | None:
        """The features with the largest difference of weights, the largest first.

        Features with equal weights are left out. In easy-first, transitions of two
        pairs have different features. None if a transition has no score. The focus of
        `c` is afterwards on the pair of `chosen`.
        """
        if chosen.score is None or other.score is None:
            return None
        against = self._weights(c, other)
        found = self._weights(c, chosen)
        rows = [
            Contribution(name, found.get(name, 0.0), against.get(name, 0.0))
            for name in dict.fromkeys([*found, *against])
        ]
        unequal = [row for row in rows if row.chosen != row.other]
        unequal.sort(key=lambda row: -abs(row.difference))
        top, rest = unequal[: self.most], unequal[self.most :]
        return Contributions(
            other, tuple(top), len(rest), sum(row.difference for row in rest)
        )

    def _weights(self, c: Configuration, x: ScoredTransition) -> dict[str, float]:
        """The features of a transition by their names, with their weights."""
        if x.position is not None:
            cast(EasyFirst, self.model.system).focus(c, x.position)
        values = _Values(self, c)
        action = (x.transition, x.label)
        return {
            values.name(feature.template, feature.nodes): feature.weight
            for feature in feature_weights(self.model, c, self.sentence, action)
        }


class _Values:
    """The values of atoms in a configuration, for people."""

    def __init__(self, reader: FeatureReader, c: Configuration) -> None:
        self.reader = reader
        self.c = c
        self.labels = {dependent: label for _, label, dependent in c.arcs}
        self.root_first = reader.model.system.root == "first"

    def name(self, template: int, nodes: Sequence[tuple[int, ...]]) -> str:
        """A feature as its atoms with their values: ``S0w=found N0p=DET``."""
        atoms = self.reader.model.extractor.templates.atoms[template]
        return " ".join(
            f"{''.join(atom.address)}{atom.attribute}={self._value(atom, of)}"
            for atom, of in zip(atoms, nodes, strict=True)
        )

    def _value(self, atom: Atom, nodes: tuple[int, ...]) -> str:
        node, attribute = nodes[0], atom.attribute
        if min(nodes) < 0:
            return _NOTHING
        if attribute == "d":
            left, right = nodes
            return bucket(abs(right - left)) if left and right else _NOTHING
        if attribute == "l":
            return self.labels.get(node) or _NOTHING
        if attribute in VALENCIES:
            side = self._dependents(node)[VALENCIES.index(attribute)]
            return str(min(len(side), _MAX_VALENCY))
        if attribute in LABEL_SETS:
            side = self._dependents(node)[LABEL_SETS.index(attribute)]
            found = {self.labels.get(k) or _NOTHING for k in side}
            return "{" + ",".join(sorted(found)) + "}"
        if attribute in SIZES:
            if attribute == "nc":
                return "no" if self.c.dependents(node) else "yes"
            return bucket(self._size(node))
        if node == 0:
            return "ROOT"
        return value_of(self.reader.tokens[node - 1], self.reader.sources[attribute])

    def _dependents(self, node: int) -> tuple[list[int], list[int]]:
        """The left and the right dependents of a node."""
        found = self.c.dependents(node)
        if node == 0:
            return ([], list(found)) if self.root_first else (list(found), [])
        left = [k for k in found if k < node]
        return left, [k for k in found if k > node]

    def _size(self, node: int) -> int:
        nodes = [node]
        for k in nodes:
            nodes += self.c.dependents(k)
        return len(nodes)


def bucket(number: int) -> str:
    """The bucket that the extractor puts a distance or a size into."""
    if number <= 5:
        return str(number)
    return "6-10" if number <= 10 else "more than 10"


def value_of(token: Token, source: str) -> str:
    """The value of a column for a token.

    Args:
        source: As `spacy_dynoracle.doc.columns` lists them.
    """
    attribute, _, kind = source.partition(":")
    if attribute == columns.CLUSTER:
        raw = np.array([token.orth], dtype=np.uint64)
        plain = columns.plain_forms(token.vocab, raw)
        number = int(clusters_of(token.vocab, plain, raw)[0])
        mask = (1 << int(kind)) - 1 if kind else CLUSTER_0 - 1
        return str(number & mask) if number else _NOTHING
    if attribute == "MORPH":
        return ",".join(token.morph.get(kind, [])) or _NOTHING
    if attribute == "SPACY":
        return _following(token, kind)
    if attribute == "LEMMA" and kind:
        parts = columns.parts_of_lemma(token.lemma_)
        return parts[columns.LEMMA_PARTS.index(kind)] or _NOTHING
    form = normal_form(token.text)
    if kind == "flags":
        flags = [flag.__name__ for flag in columns.FLAGS if flag(form)]
        return "+".join(name.removeprefix("is_") for name in flags) or _NOTHING
    if attribute in columns.OF_FORM:
        forms = {"ORTH": form, "LOWER": lower_case(form)}
        text: str = forms.get(attribute) or columns.shape_of(form)
    else:
        text = getattr(token, f"{attribute.lower()}_")
    if kind.startswith("pre"):
        return text[: int(kind[3:])]
    if kind.startswith("suf"):
        return text[-int(kind[3:]) :]
    if kind == "lexical":
        joined = text in (*columns.ADPOSITIONS, *columns.CONJUNCTIONS)
        return f"{text}/{form}" if joined else text or _NOTHING
    if kind == "adposition":
        return form if text in columns.ADPOSITIONS else _NOTHING
    return text or _NOTHING


def _following(token: Token, kind: str) -> str:
    """Whether whitespace, or a line break, follows a token."""
    rest = token.doc[token.i + 1 : token.i + 2]
    text = token.whitespace_ + (rest.text if rest and rest[0].is_space else "")
    if kind == "line":
        return "yes" if n_line_breaks(text) else _NOTHING
    return "yes" if text else "no"
