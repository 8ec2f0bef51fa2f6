"""Oracles on top of the costs of a transition system, one file each."""
