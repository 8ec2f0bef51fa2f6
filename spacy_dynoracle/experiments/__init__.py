"""Commands that make the tables and figures of the papers on your own treebanks.

Run ``python -m spacy_dynoracle.experiments --help`` for the list of commands. The
commands train every model with ``spacy train``, from ``configs/papers.cfg`` with the
changes that ``settings`` makes.
"""
