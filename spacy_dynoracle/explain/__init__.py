"""Derivations step by step, as data, text and HTML."""
