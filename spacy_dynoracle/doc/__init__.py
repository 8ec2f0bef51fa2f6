"""Reads a `Doc` into arrays: attributes, preset boundaries and arcs, alignment."""
