"""The names that a config can use: blocks, learners and default feature sets."""

# Importing any module of this room registers all blocks.
from . import blocks, probabilities, systems

__all__ = ["blocks", "probabilities", "systems"]
