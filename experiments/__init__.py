"""Commands that make the tables and figures of the papers on your own treebanks.

Run ``python -m experiments --help`` for the list of commands. The
commands train every model with ``spacy train``, from ``configs/parser.cfg`` with the
changes that ``settings`` makes.
"""
