"""Parts that plug-ins add to a model, with a plug-in that is none."""

import numpy as np
import pytest

from spacy_dynoracle.core.model import parts
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.errors import ModelFileError


class Owl:
    """A part that keeps a number and some bytes."""

    def __init__(self, settings, array):
        self.number, self.array = settings["number"], np.array(array)
        self.columns = ()

    def settings(self):
        return {"number": self.number}


class Found:
    """An entry point that reads owls."""

    def load(self):
        return Owl


@pytest.fixture
def model(small_model):
    columns = small_model.extractor.columns
    owl = Owl({"number": 3}, np.arange(40, dtype=np.uint8))
    owl.columns = columns
    return small_model.with_part("owl", owl)


def test_a_part_is_read_by_what_is_installed(model, monkeypatch):
    installed = {"owl": [Found()]}
    monkeypatch.setattr(
        parts, "entry_points", lambda group, name: installed.get(name, [])
    )
    monkeypatch.setattr(Owl, "columns", model.parts["owl"].columns, raising=False)
    read = read_model(write_model(model))
    assert read.parts["owl"].number == 3
    assert read.parts["owl"].array.tolist() == list(range(40))
    assert write_model(read) == write_model(model)


def test_a_part_that_nothing_reads(model):
    with pytest.raises(ModelFileError, match="'owl', which no installed package reads"):
        read_model(write_model(model))
