"""Arc-hybrid: derivations with all costs.

Legality and costs are compared with brute force in tests/oracles; what is here can be
followed by hand. Formulas: Goldberg & Nivre (2013), section 4.5.
"""

from spacy_dynoracle import ArcHybrid, GoldTree

from .derivations import assert_derivation

# Young <- readers <- ask -> questions, hard <- questions -> about -> books -> old,
# ask -> full stop
READERS = GoldTree([2, 3, 0, 5, 3, 5, 8, 6, 3])


# ---- derivations ---------------------------------------------------------------------


def test_right_as_soon_as_possible():
    """ROOT first: about takes books, questions takes about, ask takes questions."""
    system = ArcHybrid(root="first")
    c = assert_derivation(
        system,
        READERS,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 2}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            # Here ROOT, ask, questions, about, books are on the stack.
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((0,), ())
    assert c.heads == READERS.heads


def test_four_mistakes_cost_four_words():
    """She <- ate -> soup, cold <- soup: mistakes, and the best that is left."""
    system, gold = ArcHybrid(root="first"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            # ate is pushed onto She: both lose their heads.
            ("SHIFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            # She takes ate before ate could take soup.
            ("RIGHT", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            # She takes cold, whose head is soup.
            ("RIGHT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert c.heads == (0, 1, 1, 1)
