"""Several models in one file."""

import json
from zlib import crc32

import pytest

from spacy_dynoracle.core.model.bundle import PREAMBLE, read_models, write_models
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.errors import ModelFileError

from ..builders import TREEBANK, build_trainer, model_of, trained

PARTS = {"x": b"", "two": b"some bytes"}
NOTHING = {"models": [], "parts": []}


@pytest.fixture(scope="module")
def models():
    return {
        "b": model_of(trained(TREEBANK)),
        "a": model_of(build_trainer([])),
        "c": model_of(trained(TREEBANK, root="first")),
    }


def sealed(header, body=b"", version=2):
    """A file with any header and the right checksum."""
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    crc = crc32(header)
    return PREAMBLE.pack(b"DYNORCS\n", version, crc, len(header)) + header + body


def with_models(body, *models):
    return sealed(NOTHING | {"models": models}, body)


def with_parts(body, *parts):
    return sealed(NOTHING | {"parts": parts}, body)


def test_round_trip(models):
    data = write_models(models, PARTS)
    again, parts = read_models(data)
    assert list(again) == ["b", "a", "c"]
    for name, model in models.items():
        assert write_model(again[name]) == write_model(model)
    assert list(parts.items()) == list(PARTS.items())
    assert write_models(again, parts) == data


def test_no_models():
    assert read_models(write_models({}, {})) == ({}, {})


def test_each_model_is_a_file_of_its_own(models):
    data = write_models(models, {})
    assert data.endswith(b"".join(map(write_model, models.values())))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a model"),
        (b"DYNORCL\n" + bytes(100), "is not a model"),
        (sealed(NOTHING, version=1), "format version 1"),
        (sealed(NOTHING)[:-1], "checksum of its header"),
        (sealed(NOTHING) + b"x", "it has"),
        (with_models(b"model", ["a", 5]), "not a model"),
        (with_models(b"model", ["a", 50]), "not a model"),
        (with_models(b"model", ["a", -5]), "cannot have -5 bytes"),
        (with_models(b"model", ["a", "5"]), "cannot have '5' bytes"),
        (with_models(b"model", ["a", 1.5]), "cannot have 1.5 bytes"),
        (with_models(b"", ["a", 0], ["a", 0]), "twice"),
        (with_models(b"", 5), "inconsistent"),
        (sealed({"models": 5, "parts": []}), "inconsistent"),
        (with_parts(b"x", ["a", 1, crc32(b"y")]), "checksum of its a"),
        (with_parts(b"x", ["a", 2, crc32(b"x")]), "it has"),
        (with_parts(b"", ["a", -1, 0]), "cannot have -1 bytes"),
        (with_parts(b"", ["a", 0, 0], ["a", 0, 0]), "twice"),
        (with_parts(b"", ["a", 0]), "inconsistent"),
        (sealed({"models": []}), "inconsistent"),
        (sealed({}), "inconsistent"),
        (sealed([]), "inconsistent"),
        (sealed(b"\xff"), "inconsistent"),
        (sealed(b"[" * 100_000), "inconsistent"),
    ],
)
def test_damage(data, message):
    with pytest.raises(ModelFileError, match=message):
        read_models(data)


def test_a_model_that_is_damaged(models):
    data = write_models(models, PARTS)
    for place in range(PREAMBLE.size, len(data), len(data) // 200):
        bad = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(ModelFileError):
            read_models(bad)
