"""Pipelines saved by an earlier version load and parse as before."""

import shutil
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc

SAVED = Path(__file__).parents[1] / "data" / "saved_by_0_1.zip"
PIPELINES = ("arc_eager", "tagger_and_parser", "beam_and_ranker")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The directory of the pipelines."""
    path = tmp_path_factory.mktemp("saved")
    shutil.unpack_archive(SAVED, path)
    return path


def found(doc, names):
    values = {
        "heads": lambda t: t.head.i,
        "deps": lambda t: t.dep_,
        "pos": lambda t: t.pos_,
        "tags": lambda t: t.tag_,
        "probabilities": lambda t: t._.dep_probability,
    }
    return {name: [values[name](token) for token in doc] for name in names}


@pytest.mark.parametrize("name", PIPELINES)
def test_parses_are_the_same(saved, name):
    nlp = spacy.load(saved / name)
    sentences = srsly.read_json(saved / "parses.json")[name]
    docs = [Doc(nlp.vocab, **sentence["given"]) for sentence in sentences]
    for doc, sentence in zip(nlp.pipe(docs), sentences, strict=True):
        expected = sentence["found"]
        # Loading rounds the weights of earlier versions, which changes probabilities.
        probabilities = expected.pop("probabilities", None)
        assert found(doc, expected) == expected
        if probabilities:
            values = found(doc, ["probabilities"])["probabilities"]
            assert values == pytest.approx(probabilities, abs=0.02)


@pytest.mark.parametrize("name", PIPELINES)
def test_models_are_saved_in_the_present_format(saved, tmp_path, name):
    """Once converted, they stay as they are."""
    spacy.load(saved / name).to_disk(tmp_path / "once")
    spacy.load(tmp_path / "once").to_disk(tmp_path / "twice")
    models = sorted(
        path.relative_to(saved / name) for path in saved.glob(f"{name}/*/model")
    )
    assert models
    for model in models:
        once, twice = (tmp_path / n / model for n in ("once", "twice"))
        assert once.read_bytes() == twice.read_bytes()
        assert once.read_bytes() != (saved / name / model).read_bytes()
        settings = model.with_name("cfg")
        assert srsly.read_json(tmp_path / "once" / settings) == srsly.read_json(
            saved / name / settings
        )
