"""Parts that plug-ins add to a model; here a plug-in that only keeps bytes."""

import numpy as np
import pytest

from spacy_dynoracle.core.model import parts
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.errors import ModelFileError


class Owl:
    def __init__(self, settings, array):
        self.columns, self.array = tuple(settings["columns"]), np.array(array)

    def settings(self):
        return {"columns": list(self.columns)}


class EntryPoint:
    def load(self):
        return Owl


@pytest.fixture
def model(small_model):
    owl = Owl({"columns": small_model.columns}, np.arange(40, dtype=np.uint8))
    return small_model.with_part("owl", owl)


def test_a_part_is_read_by_what_is_installed(model, monkeypatch):
    def entry_points(group, name):
        return [EntryPoint()] if (group, name) == (parts.GROUP, "owl") else []

    monkeypatch.setattr(parts, "entry_points", entry_points)
    data = write_model(model)
    read = read_model(data)
    assert read.parts["owl"].array.tolist() == list(range(40))
    assert write_model(read) == data


def test_a_part_that_nothing_reads(model):
    data = write_model(model)
    with pytest.raises(ModelFileError, match="'owl', which no installed package reads"):
        read_model(data)
