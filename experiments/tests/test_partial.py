"""Treebanks with unknown heads, and what is learned from them."""

import pytest
import srsly
from typer.testing import CliRunner

from experiments import partial
from experiments.command import app
from experiments.partial import SENTENCES, WORDS
from experiments.runs import Experiments
from experiments.settings import Setting
from spacy_dynoracle.treebank import read_conllu
from tests.harbour import BANK, FILE, ROOT, copy_some

from .builders import result, run

pytestmark = pytest.mark.heavy

SETTING = Setting("eager", nonprojective="projectivize")


def blocks():
    return partial.blocks_of(FILE.read_text(encoding="utf-8"))


def n_known(found):
    return len(partial.words_of(found))


def test_files_are_read_and_written_as_they_are():
    assert partial.text_of(blocks()) == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("percent", [20, 50, 80])
def test_words_lose_their_heads(percent):
    found = blocks()
    partial.forget_words(found, percent)
    n = n_known(blocks())
    assert n_known(found) == n - round(n * percent / 100)
    for old, new in zip(blocks(), found, strict=True):
        for before, after in zip(old, new, strict=True):
            if before != after:
                changed = [i for i in range(10) if before[i] != after[i]]
                assert changed == [partial.HEAD, partial.DEPREL]
                assert after[partial.HEAD] == after[partial.DEPREL] == "_"


@pytest.mark.parametrize("percent", [20, 50, 80])
def test_sentences_are_left_out(percent):
    found = blocks()
    partial.forget_sentences(found, percent)
    n = n_known(blocks())
    longest = max(len(block) for block in blocks())
    assert 0 <= n * (1 - percent / 100) - n_known(found) <= longest
    # The others stay as they are, in their order.
    kept = iter(blocks())
    assert all(block in kept for block in found)


def test_what_is_removed_is_drawn_at_random():
    found = [blocks() for _ in range(3)]
    for seed, each in zip((0, 0, 1), found, strict=True):
        partial.forget_words(each, 50, seed)
    assert found[0] == found[1] != found[2]


def test_new_treebanks(tmp_path):
    lab = Experiments(tmp_path, ROOT / "configs" / "parser.cfg", ROOT / "treebanks")
    made = partial.Partial(lab, tmp_path / "treebanks")
    name = made.make(BANK, 80, WORDS)
    sentences = list(read_conllu(tmp_path / "treebanks" / name / "train.conllu"))
    heads = [head for sentence in sentences for head in sentence.heads]
    assert made.known[name] == sum(head is not None for head in heads)
    assert made.known[name] == pytest.approx(0.2 * len(heads), abs=1)
    for split in ("dev", "test"):
        old = ROOT / "treebanks" / BANK / f"{split}.conllu"
        new = tmp_path / "treebanks" / name / f"{split}.conllu"
        assert old.read_bytes() == new.read_bytes()


def test_table():
    names = {(0, WORDS): "whole", (50, WORDS): "half", (50, SENTENCES): "other"}
    known = {"whole": 100, "half": 50, "other": 49}
    results = {
        run("whole", nonprojective="projectivize"): result([8, 9]),
        run("half", nonprojective="projectivize"): result([7, 8]),
    }
    grid = partial.table("A", names, known, results, "test")
    assert grid.rows == [
        ["0 %", "", "100", "85.00", "75.00"],
        ["50 %", "words", "50", "75.00", "65.00"],
        ["50 %", "sentences", "49", "-", "-"],
    ]
    found = partial.records(names, known, results)
    assert [(r["percent"], r["removed"], r["uas"]) for r in found] == [
        (0, WORDS, 85.0),
        (50, WORDS, 75.0),
    ]


def test_runs_are_ordered_by_seed():
    runs = partial.runs_of(["a", "b"], SETTING, 2)
    assert [(r.treebank, r.seed) for r in runs] == [
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("b", 2),
    ]


@pytest.mark.parametrize("percent", [0, 100, -5])
def test_percentages_that_make_no_sense(percent):
    with pytest.raises(ValueError, match=f"removed {percent}: expected"):
        partial.combinations([percent])


def test_the_command(tmp_path, monkeypatch):
    """From a treebank to a table; training learns from what is left."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    copy_some(tmp_path / "treebanks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DYNORACLE_TREEBANKS", raising=False)
    arguments = ["partial", BANK, "--removed", "60", "--epochs", "2"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    values = srsly.read_json(tmp_path / "training" / "partial" / "partial.json")
    whole, words, sentences = values["treebanks"][BANK]
    assert words["known"] == pytest.approx(0.4 * whole["known"], abs=1)
    assert sentences["known"] <= words["known"]
    for record in (whole, words, sentences):
        assert record["training"]["decisions"] > 0
        assert 40 < record["las"] < record["uas"] < 100
        assert f"{record['las']:.2f}" in found.stdout
    # All sentences were trained on, not just those that are whole.
    assert words["training"]["decisions"] > 2 * sentences["training"]["decisions"]


def test_errors_are_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        (["nowhere", "--treebanks", str(ROOT / "treebanks")], "no treebank 'nowhere'"),
        ([BANK, "--removed", "100"], "removed 100: expected"),
    ):
        config = str(ROOT / "configs" / "parser.cfg")
        found = CliRunner().invoke(app, ["partial", *arguments, "--config", config])
        assert found.exit_code == 1
        assert message in found.stderr
        assert found.stderr.count("\n") == 1
