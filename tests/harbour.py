"""The treebank of the repository, with fewer sentences to train on.

A fifth of them is enough to see that training works and what it leaves behind.
"""

import shutil
from pathlib import Path

from .programs import ROOT

BANK = "English-Harbour"
FILE = ROOT / "treebanks" / BANK / "dev.conllu"


def copy_some(treebanks, n_sentences=150):
    """Copy the treebank into a directory of treebanks, with the first sentences of the
    training data alone; returns its directory.
    """
    directory = Path(treebanks) / BANK
    shutil.copytree(ROOT / "treebanks" / BANK, directory)
    train = directory / "train.conllu"
    sentences = train.read_text(encoding="utf8").split("\n\n")
    text = "\n\n".join([*sentences[:n_sentences], ""])
    train.write_text(text, encoding="utf8")
    return directory
