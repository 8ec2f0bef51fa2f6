"""The configs of docs/from_spacys_parser.md, before and after the change."""

import re
import warnings

import pytest
import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.util import load_config_from_str, load_model_from_config

from spacy_dynoracle.treebank import read_conllu, to_doc_bin

from ..programs import ROOT

PAGE = (ROOT / "docs" / "from_spacys_parser.md").read_text(encoding="utf8")
DIFFS = re.findall(r"```diff\n(.*?)```", PAGE, flags=re.DOTALL)
WITH_TAGGER, ALONE = DIFFS


def side(diff, sign):
    """The config before ("-") or after ("+") the change."""
    lines = [line for line in diff.splitlines() if line[:1] in (sign, " ", "")]
    return "\n".join(line[1:] for line in lines)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Some sentences of the embedded treebank as a corpus of spaCy's."""
    path = tmp_path_factory.mktemp("corpus") / "dev.spacy"
    sentences = read_conllu(ROOT / "treebanks" / "English-Harbour" / "dev.conllu")
    to_doc_bin(list(sentences)[:20], spacy.blank("en").vocab, 2).to_disk(path)
    return path


@pytest.mark.parametrize("diff", DIFFS)
def test_before_it_was_spacys_parser(diff):
    config = load_config_from_str(side(diff, "-"))
    nlp = load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names[-1] == "parser"
    assert nlp.get_pipe_meta("parser").factory == "parser"
    text = side(diff, "-")
    assert "dynoracle" not in text


@pytest.mark.heavy
@pytest.mark.parametrize("diff", DIFFS)
def test_what_spacy_fills_in_is_not_removed(diff):
    """The removed settings are the defaults of spaCy's parser, so that the diff shows
    no other setting of a pipeline that `spacy init config` made.
    """
    config = load_config_from_str(side(diff, "-"))
    nlp = load_model_from_config(config, auto_fill=True)
    default = spacy.blank("en")
    default.add_pipe("parser")
    removed = config["components"]["parser"]["model"]
    expected = default.config["components"]["parser"]["model"]
    assert all(
        expected[key] == value for key, value in removed.items() if key != "tok2vec"
    )
    assert nlp.config["training"]["max_steps"] == 20000


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("diff", DIFFS)
def test_after_it_trains(diff, corpus, tmp_path):
    config = tmp_path / "config.cfg"
    filled = load_model_from_config(
        load_config_from_str(side(diff, "+")), auto_fill=True
    ).config
    filled.to_disk(config)
    settings = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus),
        "training.max_epochs": 2,
    }
    train(config, tmp_path / "model", overrides=settings)
    nlp = spacy.load(tmp_path / "model" / "model-last")
    assert nlp.pipe_names[-1] == "dynoracle_parser"
    scores = nlp.meta["performance"]
    assert scores["dep_las"] > 0.2
    assert scores["sents_f"] is not None


def test_no_annotating_components_are_needed():
    config = load_config_from_str(side(WITH_TAGGER, "+"))
    assert "annotating_components" not in config["training"]
    assert config["components"]["dynoracle_parser"]["tag_attr"] == "TAG"


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("pipeline", "steps", "least"),
    [(["dynoracle_senter", "dynoracle_tagger", "dynoracle_parser"], 300, 0.8),
     (["tagger", "dynoracle_parser"], 60, 0.4)],
)  # fmt: skip
def test_the_file_of_init_config_unedited(tmp_path, pipeline, steps, least):
    """Only the paths and the length of the training are given."""
    paths = {}
    for split in ("train", "dev"):
        source = ROOT / "treebanks" / "English-Harbour" / f"{split}.conllu"
        paths[split] = tmp_path / f"{split}.spacy"
        docs = to_doc_bin(list(read_conllu(source)), spacy.blank("en").vocab, 5)
        docs.to_disk(paths[split])
    config = tmp_path / "config.cfg"
    init_config(lang="en", pipeline=pipeline).to_disk(config)
    settings = {f"paths.{split}": str(path) for split, path in paths.items()}
    settings["training.max_steps"] = steps
    settings["training.eval_frequency"] = steps
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*dynoracle_parser")
        train(config, tmp_path / "model", overrides=settings)
    nlp = spacy.load(tmp_path / "model" / "model-last")
    assert nlp.meta["performance"]["dep_las"] > least
    doc = nlp("The captain sold the old boat.")
    assert next(doc.noun_chunks).text == "The captain"


def test_alone_it_reads_no_tags():
    config = load_config_from_str(side(ALONE, "+"))
    assert config["components"]["dynoracle_parser"]["tag_attr"] is None
