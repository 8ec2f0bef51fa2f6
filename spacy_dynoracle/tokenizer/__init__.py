"""`WordTokenizer`: from text to the words of a treebank.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .tokenizer import WordTokenizer

__all__ = ["WordTokenizer"]
