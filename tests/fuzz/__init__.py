"""Hostile input for everything that reads input, and faults at any moment.

`python -m tests.fuzz` runs it by name; `tests/fuzz/test_fuzz.py` runs a little of every
surface with the other tests.

A *surface* (`surface.Surface`) is a part of the package that the world can reach, and
makes *cases*: each tries one thing that its number, the seed of the round and nothing
else decide. Cases run in another process, the *container*, so that a crash, a hang or a
lack of memory is a counted result (`runner`).
"""
