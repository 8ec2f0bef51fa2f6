"""`WordTokenizer`: from text to words, with multiword tokens split into their words.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .tokenizer import WordTokenizer

__all__ = ["WordTokenizer"]
