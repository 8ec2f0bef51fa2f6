"""Arc-eager with Unshift, explored exhaustively through the package.

The system: Nivre & Fernandez-Gonzalez (2014, CL 40:2), section 3. ROOT last with the
tree constraint is a combination not described there: ROOT stays in the buffer behind
an unshifted word until a single headless word is left.
"""

from functools import cache

import pytest

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.state.configuration import RootRule

from ..core.builders import all_trees, is_projective_tree
from .brute_force import Graph
from .reference_systems import ROOT, ArcEagerUnshift

every_root = pytest.mark.parametrize("root", ["none", "first", "last"])
every_n = pytest.mark.parametrize(
    "n", [1, 2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)]
)


class Package:
    """The package's system behind the interface of the brute-force reference.

    The state of a configuration is what the package's configuration shows.
    """

    def __init__(self, root, rule=RootRule.TREE):
        self.package = ArcEager(root=root)
        self.rule = rule
        self.configurations = {}

    def _state(self, config):
        state = config.stack, config.buffer, config.heads, bool(config.end_seen)
        self.configurations.setdefault(state, config)
        return state

    def initial(self, n):
        return self._state(self.package.initial(n, self.rule))

    def is_terminal(self, state):
        return self.package.is_terminal(self.configurations[state])

    def successors(self, state):
        config = self.configurations[state]
        steps = []
        for name in self.package.legal(config):
            following = config.copy()
            self.package.apply(following, name)
            added = set(following.arcs) - set(config.arcs)
            arc = next(((h, d) for h, _, d in added), None)
            steps.append((name, arc, self._state(following)))
        return steps

    def arcs(self, state):
        return [(h, d) for h, _, d in self.configurations[state].arcs]

    def final_arcs(self, state):
        config = self.configurations[state]
        finished = config.copy()
        self.package.finish(finished)
        return [(h, d) for h, _, d in set(finished.arcs) - set(config.arcs)]


@cache
def package_graph(root, n):
    return Graph(Package(root), n)


@cache
def reference_graph(root, n):
    return Graph(ArcEagerUnshift(root), n)


def shown(root, state):
    """A state without the flag e where the flag makes no difference."""
    stack, buffer, heads, end_seen = state
    if root == "last" and buffer == (ROOT,):
        return stack, buffer, heads, None
    return stack, buffer, heads, end_seen


@every_root
@every_n
def test_same_configurations_and_transitions(root, n):
    def steps_of(graph):
        return {
            shown(root, c): sorted(
                (name, arc, shown(root, after)) for name, arc, after in steps
            )
            for c, steps in graph.successors.items()
        }

    package, reference = package_graph(root, n), reference_graph(root, n)
    assert steps_of(package) == steps_of(reference)
    assert {shown(root, c) for c in package.terminal} == {
        shown(root, c) for c in reference.terminal
    }


@every_root
@every_n
def test_sound_and_complete(root, n):
    """Every terminal configuration is a tree and every tree has a derivation."""
    graph = package_graph(root, n)
    for c in graph.terminal:
        (arcs,) = graph.outcomes(c)
        heads = {d: h for h, d in arcs}
        tree = tuple(heads.get(word) for word in range(1, n + 1))
        assert None not in tree
        assert is_projective_tree(tree)
        assert root == "first" or tree.count(ROOT) == 1
    assert graph.trees() == set(
        all_trees(n, projective=True, single_root=root != "first")
    )


@every_root
@every_n
def test_one_root(root, n):
    """ROOT gets one dependent wherever it stands, and no tree of one root is lost."""
    graph = Graph(Package(root, RootRule.ONE), n)
    assert not graph.dead_ends()
    assert graph.trees() == set(all_trees(n, projective=True, single_root=True))
    if root != "first":
        assert graph.successors == package_graph(root, n).successors


@every_root
@every_n
def test_end_phase_is_forced(root, n):
    """With no word in the buffer there is one transition, never asking a model."""
    rest = (ROOT,) if root == "last" else ()
    graph = package_graph(root, n)
    for c in graph.nonterminal:
        names = {name for name, _, _ in graph.successors[c]}
        if c[1] == rest:
            assert len(names) == 1
        else:
            assert "UNSHIFT" not in names
