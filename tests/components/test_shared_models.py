"""Models that are mapped into memory, so that processes share them."""

import mmap
import os

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import ModelFileError
from spacy_dynoracle.util.files import SHARING, read_file

from ..harbour import parser, train

pytestmark = pytest.mark.heavy

WORDS = ["The", "ships", "that", "left", "the", "harbour", "came", "back", "."]


@pytest.fixture(scope="module")
def trained():
    """A tagger and a parser."""
    return train(parser("dynoracle_tagger"), 20)


@pytest.fixture
def pipeline(trained, tmp_path):
    """The directory of the tagger and the parser."""
    trained.to_disk(tmp_path / "saved")
    return tmp_path / "saved"


@pytest.mark.parametrize("as_bytes", [True, False])
def test_without_the_part_for_training(trained, pipeline, as_bytes):
    """Components without it are smaller and find the same, and are not trained on."""
    nlp = spacy.load(pipeline)
    for name, component in nlp.components:
        before = (pipeline / name / "model").stat().st_size
        if as_bytes:
            component.from_bytes(component.to_bytes(exclude=["vocab", "resume"]))
        else:
            component.to_disk(pipeline / name, exclude=["vocab", "resume"])
            component.from_disk(pipeline / name)
            assert (pipeline / name / "model").stat().st_size < before
    assert found(nlp) == found(trained)
    example = Example(nlp.make_doc("Boats left."), nlp("Boats left."))
    for name, component in nlp.components:
        message = f"{name}: .* saved without its part 'resume': .*select_pipes"
        with pytest.raises(ValueError, match=message):
            component.update([example])


def found(nlp):
    (doc,) = nlp.pipe([Doc(nlp.vocab, words=WORDS)])
    return [(token.tag_, token.head.i, token.dep_) for token in doc]


def models(nlp):
    """The core models of all components."""
    for _, component in nlp.pipeline:
        model = component.model
        yield from getattr(model, "by_attr", {"": model}).values()


def is_mapped(array):
    """Whether the memory of an array belongs to a mapping."""
    while not isinstance(array, memoryview):
        array = array.base
    return isinstance(array.obj, mmap.mmap)


def test_models_are_used_as_they_lie_in_the_file(pipeline, monkeypatch):
    expected = found(spacy.load(pipeline))
    monkeypatch.setenv(SHARING, "1")
    nlp = spacy.load(pipeline)
    assert found(nlp) == expected
    arrays = [a for model in models(nlp) for a in model.weights.arrays().values()]
    assert arrays
    assert all(map(is_mapped, arrays))
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps files that are in use")
def test_a_file_in_use_can_be_replaced(pipeline, monkeypatch):
    monkeypatch.setenv(SHARING, "1")
    nlp = spacy.load(pipeline)
    expected = found(nlp)
    for name, component in spacy.load(pipeline).pipeline:
        file = pipeline / name / "model"
        before = file.stat().st_ino
        component.to_disk(pipeline / name)
        assert file.stat().st_ino != before
    assert found(nlp) == expected


def test_a_damaged_file_is_found_out(pipeline, monkeypatch):
    monkeypatch.setenv(SHARING, "1")
    path = pipeline / "dynoracle_parser" / "model"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match="checksum"):
        spacy.load(pipeline)


def test_an_empty_file_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv(SHARING, "1")
    path = tmp_path / "empty"
    path.touch()
    assert read_file(path) == b""


@pytest.mark.parametrize("value", ["", "0"])
def test_files_are_read_unless_sharing_is_asked_for(tmp_path, monkeypatch, value):
    monkeypatch.setenv(SHARING, value)
    path = tmp_path / "file"
    path.write_bytes(b"content")
    found = read_file(path)
    assert found == b"content"
    path.write_bytes(b"changed")
    assert found == b"content"
