"""Probabilities of derivations and arcs."""
