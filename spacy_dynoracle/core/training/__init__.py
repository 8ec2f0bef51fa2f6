"""The training step of the papers."""
