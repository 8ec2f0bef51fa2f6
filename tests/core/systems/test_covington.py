"""Covington's system with jumps: which derivation training learns.

Legality and costs are compared with brute force in tests/oracles.
"""

from spacy_dynoracle import Covington, ErrorExploration

from ..builders import Tree, build_trainer, examples


def test_training_learns_the_shortest_derivation():
    """PASS and JUMP are as correct as SHIFT where no gold arc is left, but longer."""
    crossing = Tree(tuple("abcd"), tuple("ABCD"), (2, 3, 0, 2), tuple("xxxx"))
    trainer = build_trainer(
        ["x"], system=Covington(), exploration=ErrorExploration(k=1, p=0.9)
    )
    for iteration in range(1, 15):
        n_decisions, n_errors = trainer.train(examples([crossing], trainer), iteration)
    assert (n_decisions, n_errors) == (9, 0)
