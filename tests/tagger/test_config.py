"""The tagger under spaCy's configs and commands."""

import re

import pytest
import spacy
import srsly
from spacy.cli.init_config import init_config
from spacy.util import load_config_from_str, load_model_from_config

from ..commands import run, works
from ..programs import ROOT
from .tagged import NAME, SENTENCES, examples, make_nlp, reference, tagger_of

pytestmark = pytest.mark.heavy


def test_init_config():
    config = init_config(lang="en", pipeline=[NAME])
    assert config["components"][NAME]["factory"] == NAME
    nlp = load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names == [NAME]
    weights = config["training"]["score_weights"]
    found = [weights[f"{name}_acc"] for name in ("tag", "pos", "morph")]
    assert found == [0.5, 0.25, 0.25]


def test_the_page_shows_all_settings_with_their_defaults():
    page = (ROOT / "docs" / "how_to" / "tag.md").read_text(encoding="utf8")
    (excerpt,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    text = f"[system]\nseed = 0\n\n[components]\n\n{excerpt}"
    block = load_config_from_str(text, interpolate=True)["components"][NAME]
    built = make_nlp().config["components"][NAME]
    assert set(block) == set(built)
    assert block == built


def test_labels_of_spacy_init_labels(tmp_path):
    """What the command writes makes the same actions."""
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    label_data = tagger_of(nlp).label_data
    srsly.write_json(tmp_path / "labels.json", label_data)
    other = make_nlp()
    labels = srsly.read_json(tmp_path / "labels.json")
    tagger_of(other).initialize(lambda: data[:1], labels=labels)
    assert tagger_of(other).label_data == label_data


def test_what_it_assigns():
    summary = make_nlp().analyze_pipes()["summary"][NAME]
    assert summary["assigns"] == ["token.tag", "token.pos", "token.morph"]


def test_tags_of_a_file_are_not_overwritten_by_the_command_line(tmp_path):
    """Components that set tags are left out where the file has tags."""
    nlp = make_nlp("en", overwrite=True, epochs=1)
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    gold = reference(nlp.vocab, SENTENCES[0])
    nlp.get_pipe("dynoracle_parser").initialize(
        lambda: [spacy.training.Example(gold.copy(), gold)]
    )
    nlp.to_disk(tmp_path / "model")
    row = "1\tThe\t_\tX\tODD\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "in.conllu").write_text(row)
    arguments = ["parse", tmp_path / "model", tmp_path / "in.conllu"]
    assert "\tX\tODD\t" in works(run(*arguments))
    assert "\tODD\t" not in works(run(*arguments, "--from", "words"))
