"""The shipped config."""

from spacy.util import load_config

from spacy_dynoracle.committee.recipe import DEFAULT_MEMBERS

from ..programs import ROOT
from .committees import NAME


def test_only_the_parser_differs_from_the_fast_config():
    fast, accurate = (
        load_config(ROOT / "configs" / f"{name}.cfg") for name in ("fast", "accurate")
    )
    parser = fast["components"].pop("dynoracle_parser")
    found = accurate["components"].pop(NAME)
    assert fast["nlp"].pop("pipeline")[:2] == accurate["nlp"].pop("pipeline")[:2]
    # Their settings of `initialize` have the component's name.
    found_start, start = (
        config["initialize"]["components"].pop(name)
        for config, name in ((accurate, NAME), (fast, "dynoracle_parser"))
    )
    assert found_start == start
    assert accurate == fast
    shared = ("tag_attr", "sentences", "nonprojective", "seed", "scorer")
    assert {key: found[key] for key in shared} == {key: parser[key] for key in shared}


def test_its_members_are_the_default_ones():
    accurate = load_config(ROOT / "configs" / "accurate.cfg")
    assert accurate["components"][NAME]["members"] == DEFAULT_MEMBERS
