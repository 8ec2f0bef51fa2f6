"""Several models in one file."""

import json
import zlib

import pytest

from spacy_dynoracle.core.model_bundle import PREAMBLE, read_models, write_models
from spacy_dynoracle.core.model_file import write_model
from spacy_dynoracle.errors import ModelFileError

from .builders import TREEBANK, build_trainer, model_of, trained


@pytest.fixture(scope="module")
def models():
    return {
        "b": model_of(trained(TREEBANK)),
        "a": model_of(build_trainer([])),
        "c": model_of(trained(TREEBANK, root="first")),
    }


def sealed(header, body=b"", version=1):
    """A file with any header and the right checksum."""
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    crc = zlib.crc32(header)
    return PREAMBLE.pack(b"DYNORCS\n", version, crc, len(header)) + header + body


def test_round_trip(models):
    data = write_models(models)
    again = read_models(data)
    assert list(again) == ["b", "a", "c"]
    for name, model in models.items():
        assert write_model(again[name]) == write_model(model)
    assert write_models(again) == data


def test_no_models():
    assert read_models(write_models({})) == {}


def test_each_model_is_a_file_of_its_own(models):
    data = write_models(models)
    assert data.endswith(b"".join(map(write_model, models.values())))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no models"),
        (b"DYNORCL\n" + bytes(100), "holds no models"),
        (sealed({"models": []}, version=2), "format version 2"),
        (sealed({"models": []})[:-1], "checksum of its header"),
        (sealed({"models": []}) + b"x", "it has"),
        (sealed({"models": [["a", 5]]}, b"model"), "not a model"),
        (sealed({"models": [["a", 50]]}, b"model"), "not a model"),
        (sealed({"models": [["a", -5]]}, b"model"), "cannot have -5 bytes"),
        (sealed({"models": [["a", "5"]]}, b"model"), "cannot have '5' bytes"),
        (sealed({"models": [["a", 1.5]]}, b"model"), "cannot have 1.5 bytes"),
        (sealed({"models": [["a", 0], ["a", 0]]}), "twice"),
        (sealed({"models": 5}), "inconsistent"),
        (sealed({"models": [5]}), "inconsistent"),
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
    data = write_models(models)
    for place in range(PREAMBLE.size, len(data), len(data) // 200):
        bad = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(ModelFileError):
            read_models(bad)
