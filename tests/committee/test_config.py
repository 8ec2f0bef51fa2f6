"""The shipped config."""

from spacy.util import load_config

from spacy_dynoracle.committee.recipe import DEFAULT_MEMBERS

from ..programs import ROOT
from .committees import NAME


def test_only_the_parser_differs_from_the_fast_config():
    linear, committee = (
        load_config(ROOT / "configs" / f"{name}.cfg")
        for name in ("linear", "committee")
    )
    parser = linear["components"].pop("dynoracle_parser")
    found = committee["components"].pop(NAME)
    assert linear["nlp"].pop("pipeline")[:2] == committee["nlp"].pop("pipeline")[:2]
    assert committee == linear
    shared = ("tag_attr", "sentences", "nonprojective", "seed", "scorer")
    assert {key: found[key] for key in shared} == {key: parser[key] for key in shared}


def test_its_members_are_the_default_ones():
    committee = load_config(ROOT / "configs" / "committee.cfg")
    assert committee["components"][NAME]["members"] == DEFAULT_MEMBERS
