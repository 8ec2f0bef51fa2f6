"""Saving and loading the lemmatizer: the same lemmas, one error for a bad file."""

import json

import numpy as np
import pytest
import spacy

from spacy_dynoracle import ModelFileError
from spacy_dynoracle.core.model.bundle import read_models, write_models

from ..round_trips import every_way
from .words import NAME, lemmas

TEXT = "ferries/NNS boats/NNS Bergen/NNP saw/VBD"
EXPECTED = ["ferry", "boat", "Bergen", "see"]


def fresh():
    return spacy.blank("xx").add_pipe(NAME)


def lemmas_of(lemmatizer):
    """What a copy of a lemmatizer says in another pipeline."""
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME).set_model(lemmatizer.model)
    return lemmas(nlp, TEXT)


@every_way
def test_round_trip(trained, tmp_path, round_trip):
    lemmatizer = trained.get_pipe(NAME)
    loaded = round_trip(lemmatizer, fresh, tmp_path)
    assert lemmas_of(loaded) == EXPECTED
    assert loaded.dump_model() == lemmatizer.dump_model()


def test_without_what_training_needs(trained, tmp_path):
    lemmatizer = trained.get_pipe(NAME)
    lemmatizer.to_disk(tmp_path, exclude=["resume"])
    data = lemmatizer.to_bytes(exclude=["resume"])
    for loaded in (fresh().from_disk(tmp_path), fresh().from_bytes(data)):
        assert lemmas_of(loaded) == EXPECTED


def changed(data, **parts):
    _, found = read_models(data)
    return write_models({}, found | parts)


def with_settings(data, **settings):
    found = json.loads(read_models(data)[1]["settings"])
    return changed(data, settings=json.dumps(found | settings).encode("utf8"))


@pytest.mark.parametrize(
    "settings",
    [
        {"version": 99},
        {"version": None},
        {"lemmas": [1]},
        {"lemmas": ["a", ""]},
        {"lemmas": []},
        {"lemmas": ["\ud800"]},
        {"rules": [[[9, "", "", "", ""], []]]},
        {"rules": [[[0, "", "", ""], []]]},
        {"rules": [[[0, "", "", "", 1], []]]},
        {"rules": [[[0, "", "", "", ""], ["x", []]]]},
        {"rules": 1},
        {"scale": 0.0},
        {"scale": "1"},
        {"scale": float("nan")},
        {"scale": 1e9},
        {"temperature": 0.0},
        {"temperature": "warm"},
    ],
)
def test_damaged_settings(trained, settings):
    data = with_settings(trained.get_pipe(NAME).dump_model(), **settings)
    lemmatizer = fresh()
    with pytest.raises(ModelFileError):
        lemmatizer.from_bytes(
            spacy.util.to_bytes({"cfg": lambda: {}, "model": lambda: data}, [])
        )
    assert lemmatizer.model is None


@pytest.mark.parametrize("part", ["settings", "table", "known", "weights"])
@pytest.mark.parametrize("damage", ["gone", "cut", "noise"])
def test_damaged_parts(trained, part, damage):
    data = trained.get_pipe(NAME).dump_model()
    _, parts = read_models(data)
    if damage == "gone":
        del parts[part]
    elif damage == "cut":
        parts[part] = parts[part][:-3]
    else:
        rng = np.random.default_rng(0)
        parts[part] = rng.bytes(len(parts[part]))
    lemmatizer = fresh()
    try:
        model = lemmatizer.read_model(write_models({}, parts))
    except ModelFileError:
        return
    # Noise may be sound.
    assert damage == "noise"
    assert part in ("known", "weights")
    tags = np.array([1], dtype=np.uint64)
    assert model.rarer(["boats"], tags, tags, tags) != [""]


@pytest.mark.parametrize("data", [b"", b"x" * 100, write_models({}, {})])
def test_files_of_something_else(data, tmp_path):
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(ModelFileError, match="cannot load the lemmatizer"):
        fresh().from_disk(tmp_path)
