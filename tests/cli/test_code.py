"""``--code``: what a pipeline names may be in a file of the user."""

import json

import pytest

from ..commands import fails, listed, run
from ..harbour import TEST
from ..programs import new_process

pytestmark = pytest.mark.heavy

# The file imports a module that stands beside it.
FILES = {
    "use_own.py": "import own_hybrid\n",
    "own_hybrid.py": """\
from spacy_dynoracle import ArcHybrid, register_system


class OwnHybrid(ArcHybrid):
    default_features = "spacy_dynoracle.ZhangNivre2011.v1"


register_system(OwnHybrid)
""",
    "train.py": """\
import spacy
import own_hybrid
from tests.harbour import train

nlp = spacy.blank("en")
system = {"@misc": "spacy_dynoracle.OwnHybrid.v1"}
nlp.add_pipe("sentencizer")
nlp.add_pipe("dynoracle_parser", config={"tag_attr": None, "system": system})
train(nlp, 30).to_disk("model")
nlp.config["paths"] |= {"train": None, "dev": None}
nlp.config["training"] |= {"patience": 0, "max_epochs": 1, "max_steps": 0}
nlp.config.to_disk("config.cfg")
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A trained pipeline with a system of its own, and the files that define it."""
    path = tmp_path_factory.mktemp("own")
    (path / "code").mkdir()
    for name, content in FILES.items():
        (path / "code" / name).write_text(content, encoding="utf-8")
    # A process of its own, which no other test has taught the system.
    done = new_process("code/train.py", cwd=path)
    assert done.returncode == 0, done.stderr
    return path


def command(folder, *arguments):
    return new_process("-m", "spacy_dynoracle", *arguments, cwd=folder)


CODE = ("--code", "code/use_own.py")


def test_parse_in_one_process_and_in_several(folder):
    without = command(folder, "parse", "model", "--text", "Nora left.")
    assert without.returncode == 1
    assert "OwnHybrid" in without.stderr
    one = command(folder, "parse", "model", TEST, *CODE)
    assert one.returncode == 0, one.stderr
    assert one.stdout.count("\troot\t") == 76
    two = command(folder, "parse", "model", TEST, *CODE, "--jobs", 2)
    assert two.stdout == one.stdout, two.stderr


def test_other_commands(folder):
    scores = command(folder, "evaluate", "model", TEST, *CODE, "--format", "json")
    assert json.loads(scores.stdout)["scores"]["all"]["uas"] > 0
    steps = command(folder, "explain", "model", TEST, *CODE)
    assert "OwnHybrid" in steps.stdout, steps.stderr


def test_every_command_that_loads_a_pipeline_has_it():
    for name, program in listed().items():
        options = {option for p in program.params for option in p.opts}
        assert "--code" in options, name


def test_it_says_what_is_wrong(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import spacy\nspacy.nothing\n", encoding="utf-8")
    parse = ("parse", "model", "--text", "a", "--code")
    fails(run(*parse, bad), f"{bad}: AttributeError")
    fails(run(*parse, tmp_path), "no such Python file")
    other = bad.rename(tmp_path / "bad.txt")
    fails(run(*parse, other), "expected one with .py")
