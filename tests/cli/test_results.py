"""The command evaluate on files; one spelling everywhere."""

import gzip
import json
import os
from pathlib import Path

import pytest

from ..commands import fails, listed, run, works
from ..evaluation.test_errors import GOLD, PREDICTED, files  # noqa: F401
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
    assert "no such word, or" not in shown
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
    assert "tags: pipeline" in shown
    assert "MLAS" in shown
    assert "one: " in shown
    values = result_of("evaluate", model, data, "--from=text", "--by", "pos")
    assert values["errors"]["by"]["pos"]["VERB"]["gold"] == 2
    assert "With tags" not in works(run("evaluate", model, data))


def test_evaluate_says_what_does_not_go(files):  # noqa: F811
    gold, predicted = files
    fails(run("evaluate", predicted, gold, "--from=text"), "needs a pipeline")
    fails(run("evaluate", gold, gold), "with itself")
    other_name = gold.parent / "." / ".." / gold.parent.name / gold.name
    fails(run("evaluate", other_name, gold), "with itself")
    fails(run("evaluate", "no.conllu", gold), "no such file")


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
    for name, command in listed().items():
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
    docs_file = tmp_path / "docs.json"
    assert works(run("parse", model, data, "--output", docs_file)) == ""
    docs = works(run("parse", model, data, "--format", "json"))
    assert docs_file.read_text(encoding="utf-8") == docs
