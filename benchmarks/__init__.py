"""Commands that measure; nothing in here asserts a time."""
