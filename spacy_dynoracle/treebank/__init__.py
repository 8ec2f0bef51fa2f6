"""Treebanks in CoNLL-U and CoNLL-X: reading, checking, conversion to and from `Doc`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .checking import check
from .corpora import read_treebank
from .docs import heads_and_labels, to_doc, to_doc_bin
from .reader import read_conllu
from .report import FileReport, TreebankReport, WordsFound
from .sentence import MultiwordToken, Problem, TreebankSentence, TreebankWord
from .writer import doc_to_conllu

__all__ = [
    "FileReport",
    "MultiwordToken",
    "Problem",
    "TreebankReport",
    "TreebankSentence",
    "TreebankWord",
    "WordsFound",
    "check",
    "doc_to_conllu",
    "heads_and_labels",
    "read_conllu",
    "read_treebank",
    "to_doc",
    "to_doc_bin",
]
