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
        (sealed({"models": [["a", 5]], "parts": []}, b"model"), "not a model"),
        (sealed({"models": [["a", 50]], "parts": []}, b"model"), "not a model"),
        (
            sealed({"models": [["a", -5]], "parts": []}, b"model"),
            "cannot have -5 bytes",
        ),
        (
            sealed({"models": [["a", "5"]], "parts": []}, b"model"),
            "cannot have '5' bytes",
        ),
        (
            sealed({"models": [["a", 1.5]], "parts": []}, b"model"),
            "cannot have 1.5 bytes",
        ),
        (sealed({"models": [["a", 0], ["a", 0]], "parts": []}), "twice"),
        (sealed({"models": 5, "parts": []}), "inconsistent"),
        (sealed({"models": [5], "parts": []}), "inconsistent"),
        (
            sealed(NOTHING | {"parts": [["a", 1, crc32(b"y")]]}, b"x"),
            "checksum of its a",
        ),
        (sealed(NOTHING | {"parts": [["a", 2, crc32(b"x")]]}, b"x"), "it has"),
        (sealed(NOTHING | {"parts": [["a", -1, 0]]}), "cannot have -1 bytes"),
        (sealed(NOTHING | {"parts": [["a", 0, 0], ["a", 0, 0]]}), "twice"),
        (sealed(NOTHING | {"parts": [["a", 0]]}), "inconsistent"),
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
