"""Commands that measure speed, memory and scores. No benchmark asserts a time."""
