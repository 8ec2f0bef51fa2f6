"""The experiments of the papers, on your own treebanks.

``python -m experiments list`` shows them, and ``python -m experiments run NAME`` does
one. An experiment is a file of settings in the folder ``plans``. One runner trains all
models with spaCy from ``configs/papers.cfg`` with the changes that the settings make.
"""
