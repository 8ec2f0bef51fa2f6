"""Arc-hybrid with SWAP: swaps and exploration.

Legality and costs are compared with brute force in tests/oracles.
De Lhoneux, Stymne & Nivre (2017).
"""

import pytest

from spacy_dynoracle import ArcHybridSwap, GoldTree
from spacy_dynoracle.core.training.exploration import ErrorExploration

from ..builders import Tree, build_trainer, examples

# ---- legal transitions ---------------------------------------------------------------


def test_swap():
    system = ArcHybridSwap()
    c = system.configuration(4, stack=[1, 2], buffer=[3, 4, 0])
    system.apply(c, "SWAP")
    assert (c.stack, c.buffer, c.arcs) == ((1,), (3, 2, 4, 0), ())
    system.apply(c, "SWAP")
    assert (c.stack, c.buffer) == ((), (3, 1, 2, 4, 0))
    with pytest.raises(ValueError, match="SWAP adds no arc"):
        system.apply(system.configuration(2, stack=[1], buffer=[2, 0]), "SWAP", "a")


def test_partial_trees_have_no_oracle():
    trainer = build_trainer(["a"], system=ArcHybridSwap())
    tree = GoldTree([0, None], inventory=trainer.actions.labels)
    ((sentence, _),) = examples([Tree("xy", "NN", (0, 1), "aa")], trainer)
    with pytest.raises(ValueError, match="needs the head of every word"):
        trainer.train([(sentence, tree)], 1)


# ---- exploration ---------------------------------------------------------------------


def blind(heads):
    """A tree over words that cannot be told apart."""
    n = len(heads)
    return Tree(("x",) * n, ("N",) * n, heads, ("a",) * n)


PLAIN = [blind(heads) for heads in [(2, 0, 2, 3), (0, 1, 2, 3), (3, 1, 0, 0)]]


@pytest.fixture
def trainer():
    """One that follows every mistake that it may follow."""
    exploration = ErrorExploration(k=0, p=1)
    return build_trainer(["a"], system=ArcHybridSwap(), exploration=exploration)


def test_exploration_never_follows_a_wrong_swap(trainer):
    """Every derivation has 2n transitions, and two more for each SWAP.

    Trees without crossing arcs need none, though half of the training says SWAP.
    """
    crossing = [blind(heads) for heads in [(3, 4, 0, 3), (0, 4, 1, 1), (4, 1, 4, 0)]]
    n_errors = 0
    for iteration in range(1, 20):
        trainer.train(examples(crossing, trainer), iteration)
        for pair in examples(PLAIN, trainer):
            n_decisions, wrong = trainer.train([pair], iteration)
            assert n_decisions == 8
            n_errors += wrong
    assert n_errors > 20


def test_exploration_never_leaves_a_swap_out(trainer):
    """What is due comes in any case: word 1 is swapped with 2 in the first place."""
    for iteration in range(1, 20):
        trainer.train(examples(PLAIN, trainer), iteration)
        crossing = examples([blind((4, 3, 0, 3))], trainer)
        n_decisions, n_errors = trainer.train(crossing, iteration)
        assert n_decisions >= 10
        assert n_errors > 0
