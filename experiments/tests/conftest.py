"""A trained pipeline, a laboratory, and what `pytest -m quick` takes."""

import pytest
import spacy
from spacy.training import Example

from experiments.runs import Laboratory
from spacy_dynoracle.treebank import read_conllu, to_doc
from tests.conftest import pytest_collection_modifyitems, pytest_generate_tests  # noqa: F401
from tests.harbour import FILE, ROOT


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory):
    """A parser so badly trained that it leaves words on the stack."""
    nlp = spacy.blank("en")
    system = {"@misc": "spacy_dynoracle.ArcEager.v1", "root": "first"}
    oracle = {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": "shift"}
    nlp.add_pipe(
        "dynoracle_parser",
        config={
            "tag_attr": "POS",
            "system": system,
            "oracle": oracle,
            "exploration": {"@misc": "spacy_dynoracle.NoExploration.v1"},
        },
    )
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in list(read_conllu(FILE))[:6]
    ]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    path = tmp_path_factory.mktemp("model")
    nlp.to_disk(path)
    return path


@pytest.fixture
def lab(tmp_path):
    config = ROOT / "configs" / "papers.cfg"
    sizes = {"train": 20, "dev": 10, "test": 10}
    return Laboratory(tmp_path / "out", config, ROOT / "treebanks", sizes)
