"""The commands evaluate and cross-validate on files; one spelling everywhere."""

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spacy
from typer.main import get_command

from spacy_dynoracle.cli import app
from spacy_dynoracle.evaluation import CrossValidationSettings, cross_validate
from spacy_dynoracle.treebank import doc_to_conllu, read_treebank, to_doc

from ..commands import fails, run, works
from ..evaluation.test_errors import GOLD, PREDICTED, files  # noqa: F401
from ..harbour import FILE as BANK
from .test_cli import DATA, data, model  # noqa: F401


def result_of(*arguments):
    return json.loads(works(run(*arguments, "--format=json")))


# ---- evaluate ------------------------------------------------------------------------


def test_evaluate_a_file(files):  # noqa: F811
    gold, predicted = files
    shown = works(
        run("evaluate", predicted, gold, "--by", "label", "--by", "length",
            "--by", "confusion", "--worst", 1)
    )  # fmt: skip
    for text in (
        "MLAS", "60.00", "By label", "By length", "aux:pass", "taken for one another",
        "one: 3 of 5 words wrong, 1 head", "5 .: outside punct instead of 4 punct",
        "outside: the parser has the head in another sentence",
    ):  # fmt: skip
        assert text in shown
    assert "two:" not in shown
    assert "no such word" not in shown
    values = result_of("evaluate", predicted, gold)
    assert values["scores"]["MLAS"]["f1"] == 0.6
    assert "errors" not in values
    asked = result_of("evaluate", predicted, gold, "--worst=2")
    assert [each["sentence"] for each in asked["errors"]["worst"]] == ["one", "two"]
    assert "by" not in asked["errors"]


def test_evaluate_a_file_from_standard_input(files):  # noqa: F811
    result = run("evaluate", "-", files[0], "--format=json", stdin=PREDICTED)
    assert json.loads(works(result))["scores"]["LAS"]["f1"] == pytest.approx(5 / 7)


@pytest.mark.heavy
def test_evaluate_shows_tags_and_errors_of_a_pipeline(model, data):  # noqa: F811
    shown = works(run("evaluate", model, data, "--from=words", "--worst", 1))
    assert "With tags of the pipeline" in shown
    assert "MLAS" in shown
    assert "one: " in shown
    values = result_of("evaluate", model, data, "--from=text", "--by", "pos")
    assert values["errors"]["by"]["pos"]["VERB"]["gold"] == 2
    assert "With tags" not in works(run("evaluate", model, data))


def test_evaluate_says_what_does_not_go(files, model):  # noqa: F811
    gold, predicted = files
    fails(run("evaluate", predicted, gold, "--from=text"), "needs a pipeline")
    fails(run("evaluate", predicted, gold, "--exclude=ud"), "--exclude")
    fails(run("evaluate", gold, gold), "with itself")
    fails(run("evaluate", "no.conllu", gold), "no such file")
    fails(run("evaluate", model, files[0].parent), "is a directory")


# ---- compare -------------------------------------------------------------------------


def test_compare_files(files):  # noqa: F811
    gold, predicted = files
    best = gold.with_name("best.conllu")
    best.write_text(GOLD, encoding="utf-8")
    shown = works(run("evaluate", best, gold, "--against", predicted))
    notes = " ".join(shown.split())
    assert "10,000 trials, seed 0" in notes
    assert "parses of files" in notes
    assert "+57.14" in shown
    values = result_of("evaluate", best, gold, "--against", predicted)
    assert values["rows"][1]["b"] == 1.0
    fails(run("evaluate", gold, gold, "--against", gold), "with itself")
    with_other = (best, gold, "--against", predicted)
    fails(run("evaluate", *with_other, "--exclude=x"), "expected one of")
    fails(run("evaluate", *with_other, "--worst=1"), "--against goes with neither")


@pytest.mark.heavy
def test_compare_a_pipeline_with_a_file(model, data, tmp_path):  # noqa: F811
    parsed = tmp_path / "parsed.conllu"
    works(run("parse", model, data, "--output", parsed))
    compared = ("evaluate", parsed, data, "--against", model)
    values = result_of(*compared)
    assert {row["difference"] for row in values["rows"]} == {0.0}
    for option, given in (
        ("--from=tags", "tags of the file"),
        ("--from=words", "tags of the pipeline"),
        ("--from=text", "raw text"),
    ):
        shown = works(run(*compared, option))
        assert given in " ".join(shown.split())
    assert {row["p"] for row in values["rows"]} == {1.0}
    text = result_of(*compared, "--from=text")
    assert text["sentences"] == values["sentences"] == 2


# ---- cross-validate ------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A treebank of 12 sentences in 4 documents, and a config that trains fast."""
    directory = tmp_path_factory.mktemp("small")
    blocks = BANK.read_text(encoding="utf-8").split("\n\n")[:12]
    marked = [("# newdoc\n" if i % 3 == 0 else "") + b for i, b in enumerate(blocks)]
    (directory / "bank.conllu").write_text("\n\n".join([*marked, ""]), "utf-8")
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None, "sentences": "preset"})
    config = nlp.config.copy()
    config["training"] |= {"patience": 0, "max_epochs": 1, "max_steps": 0}
    config.to_disk(directory / "config.cfg")
    return directory


@pytest.mark.parametrize(
    "own", ["fold-1.conllu", "gold.conllu", "settings.json", "notes.txt"]
)
def test_a_folder_with_other_files_is_refused(small, tmp_path, own):
    work = tmp_path / "work"
    work.mkdir()
    (work / own).write_text("my own")
    result = run(
        "cross-validate", small / "bank.conllu", "--config", small / "config.cfg",
        "--folds", 2, "--output", work,
    )  # fmt: skip
    fails(result, "is not the directory of a cross-validation")
    assert [p.name for p in work.iterdir()] == [own]
    assert (work / own).read_text() == "my own"


@pytest.mark.heavy
def test_unequal_documents_are_cut_by_sentences(small):
    """One document has ten of twelve sentences."""
    blocks = (small / "bank.conllu").read_text("utf-8").split("\n\n")
    blocks = [b.replace("# newdoc\n", "") for b in blocks]
    blocks[0] = "# newdoc\n" + blocks[0]
    blocks[10] = "# newdoc\n" + blocks[10]
    bank = small / "unequal.conllu"
    bank.write_text("\n\n".join(blocks), "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=2)
    result = cross_validate(bank, settings)
    assert result.settings.unit == "sentence"
    assert max(result.sizes) < 1.5 * min(result.sizes)


@pytest.mark.heavy
def test_folds_of_sentences_have_intervals_of_documents(small):
    """Where documents are enough to be drawn, but too unequal to be folds."""
    block = (small / "bank.conllu").read_text("utf-8").replace("# newdoc\n", "")
    bank = small / "many.conllu"
    first = "# newdoc\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    bank.write_text(first * 20 + "# newdoc\n" + block, "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=2)
    result = cross_validate(bank, settings)
    assert result.settings.unit == "sentence"
    assert (result.sample.unit, result.sample.n_units) == ("document", 21)
    assert sorted(np.bincount(result.sample.unit_of).tolist()) == [1] * 20 + [12]


@pytest.mark.heavy
def test_few_equal_documents_are_cut_by_sentences(small):
    """Four documents cannot be five folds, although they are of similar sizes."""
    settings = CrossValidationSettings(small / "config.cfg", n_folds=5)
    result = cross_validate(small / "bank.conllu", settings)
    assert result.settings.unit == "sentence"


@pytest.mark.heavy
def test_folds_of_single_sentences_have_no_mean(small):
    bank = small / "three.conllu"
    blocks = (small / "bank.conllu").read_text("utf-8").split("\n\n")
    bank.write_text("\n\n".join([*blocks[:3], ""]), "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=3)
    result = cross_validate(bank, settings)
    assert not result.has_mean
    assert result.as_dict()["scores"]["LAS"]["mean"] is None


@pytest.mark.heavy
def test_cross_validate(small, tmp_path, monkeypatch):
    bank, work = small / "bank.conllu", tmp_path / "work"
    arguments = (
        "cross-validate", bank, "--config", small / "config.cfg", "--folds", 2,
        "--set", "training.max_epochs=2", "--output", work,
    )  # fmt: skip
    shown = works(run(*arguments))
    assert "2 folds of sentences" not in shown
    assert "2 folds of documents, seed 0" in shown
    assert "language: en" in " ".join(shown.split())
    assert "UPOS" not in shown  # the pipeline sets none
    values = result_of(*arguments)
    scores = values["scores"]["LAS"]
    assert scores["mean"] == pytest.approx(
        sum(fold["LAS"] for fold in values["folds"]) / 2
    )
    assert 0 < scores["f1"] < 1
    # Every sentence is parsed once, and whole documents stay together.
    gold, parsed = (
        [s.forms for s in read_treebank(work / f"{name}.conllu")]
        for name in ("gold", "predicted")
    )
    assert gold == parsed
    assert sorted(gold) == sorted(s.forms for s in read_treebank(bank))
    # Other programs read the file: the root has the label of Universal Dependencies.
    written = (work / "predicted.conllu").read_text(encoding="utf-8")
    assert "\t0\troot\t" in written
    assert "ROOT" not in written
    # A fold that is missing is made again, and is the same; the others are kept.
    kept, again = work / "fold-1.conllu", work / "fold-2.conllu"
    before, made = kept.stat().st_mtime_ns, again.read_bytes()
    again.unlink()
    assert result_of(*arguments) == values
    assert kept.stat().st_mtime_ns == before
    assert again.read_bytes() == made
    # The pooled score is that of the files.
    pooled = result_of("evaluate", work / "predicted.conllu", work / "gold.conllu")
    assert pooled["scores"]["LAS"]["f1"] == scores["f1"]


@pytest.mark.heavy
def test_cross_validate_a_treebank_without_xpos(small, tmp_path):
    """TAG stands for UPOS then, and the parses do not say that it is XPOS."""
    sentences = [
        replace(s, words=tuple(w._replace(xpos="_") for w in s.words))
        for s in read_treebank(small / "bank.conllu")
    ]
    bank, work = tmp_path / "bank.conllu", tmp_path / "work"
    vocab = spacy.blank("en").vocab
    bank.write_text(
        "".join(doc_to_conllu(to_doc(s, vocab), s) for s in sentences), "utf-8"
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_tagger")
    nlp.add_pipe("dynoracle_parser", config={"sentences": "preset"})
    config = nlp.config.copy()
    config["training"] |= {"patience": 0, "max_epochs": 1, "max_steps": 0}
    config.to_disk(tmp_path / "config.cfg")
    settings = CrossValidationSettings(tmp_path / "config.cfg", n_folds=2)
    cross_validate(bank, settings, directory=work)
    words = [w for s in read_treebank(work / "predicted.conllu") for w in s.words]
    assert {word.xpos for word in words} == {"_"}
    assert "_" not in {word.upos for word in words}


@pytest.mark.heavy
def test_cross_validation_depends_on_its_seed(small):
    found = [
        cross_validate(
            small / "bank.conllu",
            CrossValidationSettings(
                small / "config.cfg", n_folds=2, seed=seed, unit="sentence"
            ),
        )
        for seed in (0, 0, 1)
    ]
    first, same, other = (dict(result.scores) for result in found)
    assert first == same != other
    assert found[0].settings.unit == "sentence"


def test_cross_validate_says_what_is_wrong(small, tmp_path, monkeypatch):
    bank = small / "bank.conllu"
    monkeypatch.chdir(tmp_path)
    fails(run("cross-validate", bank), "no such config", "--config")
    with_config = ("cross-validate", bank, "--config", small / "config.cfg")
    fails(run(*with_config, "--folds=99"), "12 sentences cannot be cut")
    fails(run(*with_config, "--set", "epochs"), "section.key=value")
    fails(
        run(*with_config, "--set", "training.max_epoch=1"),
        "no 'max_epoch'",
        "max_epochs",
    )
    fails(run(*with_config, "--set", "nlp.language=de"), "no 'language'", "lang")


# ---- --output and --json -------------------------------------------------------------


@pytest.mark.parametrize("command", ["evaluate", "against", "check"])
def test_output_and_json_mean_the_same_everywhere(command, files, tmp_path):  # noqa: F811
    other = tmp_path / "other.conllu"
    other.write_text(GOLD, encoding="utf-8")
    gold, predicted = files
    arguments = {
        "evaluate": (predicted, gold),
        "against": (other, gold, "--against", predicted),
        "check": (gold,),
    }[command]
    command = "check" if command == "check" else "evaluate"
    out = tmp_path / "out.json"
    tables = works(run(command, *arguments))
    as_json = works(run(command, *arguments, "--format=json"))
    assert works(run(command, *arguments, "--output", out)) == tables
    assert out.read_text(encoding="utf-8") == as_json
    assert works(run(command, *arguments, "--output", "-")) == as_json
    assert works(run(command, *arguments, "--output", "-", "--format=json")) == as_json
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "target.json")
    works(run(command, *arguments, "--output", link))
    assert link.is_symlink()
    assert link.read_text(encoding="utf-8") == as_json
    works(run(command, *arguments, "--output", os.devnull))
    assert not Path(os.devnull).is_file()
    fails(run(command, *arguments, "--output", tmp_path), "is a directory")
    fails(run(command, *arguments, "--output", "no/where"), "no such directory")
    packed = tmp_path / "out.json.gz"
    fails(run(command, *arguments, "--output", packed), "output is not packed")
    assert not packed.exists()


def test_options_have_one_spelling():
    for name, command in get_command(app).commands.items():
        *_, last = (opt for option in command.params for opt in option.opts[:1])
        names = {name for parameter in command.params for name in parameter.opts}
        assert {"--output", "-o"} <= names, name
        assert last == "--output"


@pytest.mark.heavy
def test_parse_reads_and_keeps_everything(model, data, tmp_path):  # noqa: F811
    packed, text = tmp_path / "data.conllu.gz", tmp_path / "text.txt.gz"
    packed.write_bytes(gzip.compress(DATA.encode()))
    text.write_bytes(gzip.compress(b"Go home.\n"))
    expected = works(run("parse", model, data))
    assert expected.startswith("# newdoc\n# sent_id = one\n")
    assert works(run("parse", model, packed)) == expected
    assert works(run("parse", model, "-", stdin=DATA)) == expected
    assert works(run("parse", model, data, "--output", "-")) == expected
    assert "# text = Go home." in works(run("parse", model, text))
    assert "\tDATA\t" in works(run("parse", model, "-", stdin="# DATA\n"))
    works(run("parse", model, data, "--output", tmp_path / "docs.json"))
    docs = works(run("parse", model, data, "--format", "json"))
    assert (tmp_path / "docs.json").read_text(encoding="utf-8") == docs
