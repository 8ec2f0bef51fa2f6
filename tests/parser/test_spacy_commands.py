"""The component under the commands of spaCy, other than `spacy train`."""

import json
from importlib.metadata import version

import pytest
import spacy
import srsly
from packaging.requirements import Requirement
from spacy.cli._util import app
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_dynoracle.components.settings import default_config
from spacy_dynoracle.parser.recipe import ParserRecipe

from .treebank import NAME, SENTENCES, parse_all, reference

pytestmark = pytest.mark.heavy

SCORES = ("dep_uas", "dep_las", "dep_uas_all", "dep_las_all", "sents_f")


def run(*arguments, exit_code=0):
    """What a command prints."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == exit_code, result.output
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """A corpus, as arguments of the commands."""
    vocab = spacy.blank("xx").vocab
    pairs = [SENTENCES[i : i + 2] for i in range(len(SENTENCES) - 1)]
    docs = [reference(vocab, *pair) for pair in pairs]
    path = tmp_path_factory.mktemp("corpus") / "corpus.spacy"
    DocBin(attrs=["TAG", "POS", "HEAD", "DEP"], docs=docs).to_disk(path)
    return {"train": path, "dev": path}


@pytest.fixture(scope="module")
def trained(tmp_path_factory, trained_nlp):
    """The directory of a trained pipeline; its parser reads POS."""
    path = tmp_path_factory.mktemp("trained")
    trained_nlp.to_disk(path)
    return path


@pytest.fixture
def config(tmp_path):
    """The config that `spacy init config` makes, with a parser that needs no tags."""
    path = tmp_path / "config.cfg"
    run("init", "config", path, "--lang", "xx", "--pipeline", NAME)
    config = spacy.util.load_config(path)
    config["components"][NAME]["tag_attr"] = None
    config.to_disk(path)
    return path


def overrides(paths, **settings):
    """Paths of a corpus and other settings, as arguments."""
    values = {f"paths.{name}": path for name, path in paths.items()} | settings
    return [part for name, value in values.items() for part in (f"--{name}", value)]


def few_epochs(paths, **settings):
    return overrides(paths, **{"training.max_epochs": 4, **settings})


# ---- init ----------------------------------------------------------------------------


def test_init_config(tmp_path):
    path = tmp_path / "config.cfg"
    run("init", "config", path, "--lang", "xx", "--pipeline", NAME)
    config = spacy.util.load_config(path)
    block = dict(config["components"][NAME])
    assert block.pop("factory") == NAME
    system = dict(block.pop("system"))
    assert system.pop("root_label_constraint") is False
    assert block | {"system": system} == default_config(ParserRecipe)
    weights = config["training"]["score_weights"]
    assert sum(weight or 0.0 for weight in weights.values()) == 1.0


def test_init_config_with_a_tagger(tmp_path, paths, recwarn):
    """Components that make the tags must be among the annotating ones."""
    path = tmp_path / "config.cfg"
    run("init", "config", path, "--lang", "xx", "--pipeline", f"tagger,{NAME}")
    settings = few_epochs(
        paths, **{"training.annotating_components": '["tok2vec", "tagger"]'}
    )
    run("train", path, "--output", tmp_path / "output", *settings)
    assert not [w for w in recwarn if "no token has a TAG" in str(w.message)]
    nlp = spacy.load(tmp_path / "output" / "model-last")
    assert nlp.pipe_names == ["tok2vec", "tagger", NAME]
    assert nlp("Rain fell.")[0].tag_


def test_fill_config(tmp_path):
    (tmp_path / "base.cfg").write_text(
        f"""
        [nlp]
        lang = "xx"
        pipeline = ["{NAME}"]

        [components]

        [components.{NAME}]
        factory = "{NAME}"

        [components.{NAME}.system]
        @misc = "spacy_dynoracle.ArcHybrid.v1"

        [components.{NAME}.learner]
        @misc = "spacy_dynoracle.AdaGradRDA.v1"

        [training]

        [training.before_update]
        @callbacks = "spacy_dynoracle.set_epoch.v1"
        """
    )
    filled, again = tmp_path / "filled.cfg", tmp_path / "again.cfg"
    run("init", "fill-config", tmp_path / "base.cfg", filled)
    config = spacy.util.load_config(filled)
    block = config["components"][NAME]
    assert block["system"]["root"] == "first"
    assert block["learner"]["l1"] is None
    assert block["oracle"] == default_config(ParserRecipe)["oracle"]
    assert config["training"]["before_update"]["component"] == NAME
    run("init", "fill-config", filled, again)
    assert again.read_text() == filled.read_text()


def test_fill_config_names_a_setting_that_does_not_exist(tmp_path, config):
    text = config.read_text().replace("tag_attr", "tag_attribute")
    config.write_text(text)
    output = run("init", "fill-config", config, tmp_path / "filled.cfg", exit_code=1)
    assert "tag_attribute" in output


def test_init_labels(tmp_path, config, paths):
    run("init", "labels", config, tmp_path / "labels", *overrides(paths))
    file = tmp_path / "labels" / f"{NAME}.json"
    labels = srsly.read_json(file)
    assert ["RIGHT", "obj"] in labels["actions"]
    run("train", config, "--output", tmp_path / "without", *few_epochs(paths))
    filled = spacy.util.load_config(config)
    filled["initialize"]["components"] = {
        NAME: {"labels": {"@readers": "spacy.read_labels.v1", "path": str(file)}}
    }
    filled.to_disk(tmp_path / "with.cfg")
    output = tmp_path / "with"
    run("train", tmp_path / "with.cfg", "--output", output, *few_epochs(paths))
    models = [
        (tmp_path / name / "model-last" / NAME / "model").read_bytes()
        for name in ("with", "without")
    ]
    assert models[0] == models[1]


# ---- assemble, evaluate, benchmark ---------------------------------------------------


def test_assemble(tmp_path, trained):
    """A parser that is sourced comes out as it went in, under another name."""
    config = spacy.blank("en").config.copy()
    config["nlp"]["pipeline"] = ["sentencizer", "second"]
    config["components"] = {
        "sentencizer": {"factory": "sentencizer"},
        "second": {"source": str(trained), "component": NAME},
    }
    config.to_disk(tmp_path / "config.cfg")
    run("assemble", tmp_path / "config.cfg", tmp_path / "assembled")
    model = (tmp_path / "assembled" / "second" / "model").read_bytes()
    assert model == (trained / NAME / "model").read_bytes()
    nlp = spacy.load(tmp_path / "assembled", exclude=["sentencizer"])
    assert parse_all(nlp) == parse_all(spacy.load(trained))


def test_assemble_an_untrained_parser(tmp_path, config):
    with pytest.warns(UserWarning, match="no training example"):
        run("assemble", config, tmp_path / "assembled")
    doc = spacy.load(tmp_path / "assembled")("Rain fell.")
    assert doc.has_annotation("DEP", require_complete=True)


@pytest.mark.parametrize("command", [["evaluate"], ["benchmark", "accuracy"]])
def test_evaluate(tmp_path, config, paths, command):
    settings = few_epochs(paths, **{"training.eval_frequency": 3})
    run("train", config, "--output", tmp_path / "output", *settings)
    nlp = spacy.load(tmp_path / "output" / "model-last")
    assert nlp("The gardener waters the roses.").has_annotation("DEP")
    model, scores = tmp_path / "output" / "model-best", tmp_path / "scores.json"
    output = run(*command, model, paths["dev"], "--output", scores)
    for title in ("UAS", "LAS", "SENT F", "SPEED", "nsubj"):
        assert title in output
    scores = json.loads(scores.read_text(encoding="utf8"))
    performance = spacy.load(model).meta["performance"]
    for key in SCORES:
        assert scores[key] == pytest.approx(performance[key])
    assert scores["dep_las_per_type"]["nsubj"]["f"] > 0.5


def test_benchmark_speed(trained, paths):
    with pytest.warns(UserWarning, match="no token has a POS"):
        output = run("benchmark", "speed", trained, paths["dev"], "--batches", 30)
    assert "words/s" in output


# ---- package -------------------------------------------------------------------------


def test_package(tmp_path, trained, trained_nlp):
    """It asks for this distribution. .ci/package installs one."""
    options = ["--name", "garden", "--version", "1.2.3", "--build", "none"]
    run("package", trained, tmp_path, *options)
    path = tmp_path / "en_garden-1.2.3"
    own = version("spacy-dynoracle")
    (requirement,) = [
        line
        for line in srsly.read_json(path / "meta.json")["requirements"]
        if line.startswith("spacy-dynoracle")
    ]
    assert own in Requirement(requirement).specifier
    nlp = spacy.load(path / "en_garden" / "en_garden-1.2.3")
    assert parse_all(nlp) == parse_all(trained_nlp)


# ---- debug ---------------------------------------------------------------------------


def test_debug_data(config, paths):
    """spaCy looks at trees for its own parser only; `spacy-dynoracle check` is ours."""
    output = run("debug", "data", config, *overrides(paths), exit_code=1)
    assert "Pipeline can be initialized with data" in output
    assert f"Training pipeline: {NAME}" in output
    # The only complaint.
    assert output.count("✘") == 2
    assert "Low number of examples" in output
    assert "1 error" in output


def test_debug_config(config, paths):
    output = run("debug", "config", config, *overrides(paths))
    assert "Config is valid" in output


def test_debug_model(config, paths):
    """There is no network to look at; spaCy says so."""
    output = run("debug", "model", config, NAME, *overrides(paths), exit_code=1)
    assert "Requires a Thinc Model" in output
