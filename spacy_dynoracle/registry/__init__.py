"""What a config can name: blocks, learners and default feature sets."""
