"""What a config can name: blocks, learners and default feature sets."""

# Importing any module of this room registers all blocks.
from . import blocks, probabilities, systems

__all__ = ["blocks", "probabilities", "systems"]
