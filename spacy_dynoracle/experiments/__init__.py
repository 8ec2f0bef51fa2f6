"""Experiments: the tables and figures of the papers, on treebanks of one's own.

``python -m spacy_dynoracle.experiments --help``. Models are trained by ``spacy train``
alone, with ``configs/parser.cfg`` and the changes of ``settings``.
"""
