"""The algorithms, without spaCy.

This package is internal; `spacy_dynoracle` exports its public names.
"""
