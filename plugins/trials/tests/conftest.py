"""The settings of the tests of every room, and a small treebank."""

import pytest
import spacy

from tests.conftest import (
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_generate_tests,
)
from tests.harbour import FILE as BANK

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A treebank of 12 sentences in 4 documents, and a config that trains fast."""
    directory = tmp_path_factory.mktemp("small")
    blocks = BANK.read_text(encoding="utf-8").split("\n\n")[:12]
    marked = [("# newdoc\n" if i % 3 == 0 else "") + b for i, b in enumerate(blocks)]
    (directory / "bank.conllu").write_text("\n\n".join([*marked, ""]), "utf-8")
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None, "sentences": "preset"})
    config = nlp.config.copy()
    config["training"] |= {"patience": 0, "max_epochs": 1, "max_steps": 0}
    config.to_disk(directory / "config.cfg")
    return directory
