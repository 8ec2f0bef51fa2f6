"""Active learning, simulated on the embedded treebank."""

import shutil

import pytest
import srsly
from typer.testing import CliRunner

from experiments import learning_curves
from experiments.active_learning import (
    ALL,
    Chain,
    Settings,
    Simulator,
    chains_of,
    simulate,
)
from experiments.command import app
from experiments.processes import RunError
from spacy_dynoracle.confidence.uncertainty import MEASURES
from tests.harbour import BANK, ROOT

pytestmark = pytest.mark.heavy

SMALL = Settings(start=15, steps=2, step_words=100, epochs=2, n_samples=4, split="dev")


def chain(directory, strategy="random", seed=1, settings=SMALL):
    # The smaller files make the training set of this test.
    files = ROOT / "treebanks" / BANK
    return Chain(
        BANK,
        str(files / "dev.conllu"),
        str(files / "test.conllu"),
        strategy,
        seed,
        settings,
        str(directory / strategy),
    )


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """The simulator and the steps of each strategy."""
    directory = tmp_path_factory.mktemp("runs")
    found = {}
    for strategy in ("random", "derivation", ALL):
        simulator = Simulator(chain(directory, strategy))
        found[strategy] = simulator, list(simulator.steps([]))
    return found


def test_all_strategies_begin_alike(steps):
    assert steps["random"][1][0] == steps["derivation"][1][0]


def test_words_are_equal_to_less_than_a_sentence(steps):
    for strategy in ("random", "derivation"):
        simulator, records = steps[strategy]
        first = records[0]["words"]
        for step, record in enumerate(records):
            more = record["words"] - (first + 100 * step)
            assert 0 <= more < simulator.lengths[record["added"][-1]]


def test_no_sentence_is_annotated_twice(steps):
    for strategy in steps:
        chosen = [i for record in steps[strategy][1] for i in record["added"]]
        assert len(set(chosen)) == len(chosen)


def test_what_is_added_is_what_the_parser_is_least_sure_of(steps):
    simulator, records = steps["derivation"]
    chosen = records[0]["added"]
    simulator.train(chosen)
    pool = sorted(set(range(len(simulator.sentences))) - set(chosen))
    values = dict(zip(pool, simulator.uncertainty(pool), strict=True))
    added = records[1]["added"]
    least = [values[i] for i in added]
    assert least == sorted(least, reverse=True)
    assert min(least) >= max(values[i] for i in pool if i not in added)


def test_all_is_everything_at_once(steps):
    simulator, (record,) = steps[ALL]
    assert record["words"] == sum(simulator.lengths)
    assert record["is_last"]


def test_a_chain_that_goes_on_is_the_same(steps):
    simulator, records = steps["derivation"]
    assert list(simulator.steps(records[:2])) == records[2:]


def test_steps_that_are_done_stay(steps, tmp_path):
    one = chain(tmp_path)
    (tmp_path / "random").mkdir()
    simulate(one)
    assert one.is_done()
    expected = [record["las"] for record in steps["random"][1]]
    assert [record["las"] for record in one.records()] == pytest.approx(expected)
    one.step_file(2).unlink()
    assert not one.is_done()
    times = [one.step_file(step).stat().st_mtime_ns for step in (0, 1)]
    simulate(one)
    assert [one.step_file(step).stat().st_mtime_ns for step in (0, 1)] == times
    assert one.is_done()


def test_steps_of_another_treebank_are_an_error(tmp_path):
    one = chain(tmp_path)
    (tmp_path / "random").mkdir()
    srsly.write_json(one.step_file(0), {"digest": "other", "is_last": False})
    with pytest.raises(RunError, match="has changed since"):
        one.records()


# ---- tables --------------------------------------------------------------------------


def record(words, las):
    return {"added": [0], "words": words, "uas": las + 2, "las": las}


RECORDS = {
    ("random", 1): [record(100, 60.0), record(200, 70.0)],
    ("random", 2): [record(102, 62.0), record(204, 74.0)],
    ("entropy", 1): [record(100, 60.0), record(202, 74.0)],
    ("entropy", 2): [record(102, 62.0), record(202, 76.0)],
    (ALL, 1): [record(400, 80.0)],
    (ALL, 2): [record(400, 82.0)],
}


def test_table():
    grid = learning_curves.table("T", RECORDS, ["random", "entropy"])
    assert grid.columns == ["words", "random", "entropy", "entropy - random"]
    assert grid.rows == [
        ["101", "61.00 ± 1.41", "61.00 ± 1.41", "+0.00 ± 0.00"],
        ["202", "72.00 ± 2.83", "75.00 ± 1.41", "+3.00 ± 1.41"],
        ["400", "81.00 ± 1.41", "81.00 ± 1.41", "-"],
    ]
    # 11 of the 14 points from 61 to 75, on the way from 101 to 202 words.
    assert "entropy needs 180 words for the 72.00 that random has with 202 (-11 %)" in (
        " ".join(grid.notes)
    )


def test_words_for_a_score_out_of_reach():
    found = learning_curves.curve(RECORDS, "random")
    assert found.words_for(72.1) is None
    assert found.words_for(50.0) == 101


def test_missing_steps_are_dashes():
    some = {
        key: steps[:1] if key[0] == "entropy" else steps
        for key, steps in RECORDS.items()
    }
    grid = learning_curves.table("T", some, ["random", "entropy"])
    assert grid.rows[1] == ["202", "72.00 ± 2.83", "-", "-"]


def test_picture(tmp_path):
    files = learning_curves.picture("T", RECORDS, ["random", "entropy"], tmp_path / "x")
    assert [file.name for file in files] == ["x.png", "x.svg"]
    assert all(file.stat().st_size > 1000 for file in files)


# ---- the command ---------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A directory with a small treebank."""
    bank = tmp_path / "treebanks" / BANK
    bank.mkdir(parents=True)
    source = ROOT / "treebanks" / BANK
    shutil.copy(source / "dev.conllu", bank / "train.conllu")
    shutil.copy(source / "test.conllu", bank / "test.conllu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DYNORACLE_TREEBANKS", raising=False)
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(app, ["active-learning", BANK, *arguments])


def test_command(project):
    arguments = ["--seeds", "1", "--start", "20", "--steps", "1", "--epochs", "1"]
    arguments += ["--strategy", "random", "--strategy", "lowest", "--output", "out"]
    result = invoke(*arguments, "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert "lowest - random" in result.stdout
    values = srsly.read_json(project / "out" / "active-learning.json")
    assert [(v["strategy"], v["step"]) for v in values["treebanks"][BANK]] == [
        ("random", 0),
        ("random", 1),
        ("lowest", 0),
        ("lowest", 1),
        (ALL, 0),
    ]
    assert (project / "out" / f"active-learning-{BANK}.svg").exists()
    files = list(project.glob("out/**/step*.json"))
    times = {file: file.stat().st_mtime_ns for file in files}
    assert len(times) == 5
    assert invoke(*arguments).stdout == result.stdout
    assert times == {file: file.stat().st_mtime_ns for file in files}


def test_without_training_nothing_is_done(project):
    result = invoke("--no-train", "--output", "out")
    assert result.exit_code == 0, result.output
    assert not list(project.glob("out/**/step*.json"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "luck"], "strategy 'luck': expected one of random, entropy"),
        (["--split", "train"], "split 'train': expected test or dev"),
        (["--alpha", "0"], "alpha 0"),
        (["--treebanks", "nowhere"], "nowhere: no such directory"),
    ],
)
def test_errors_are_one_line(arguments, message, project):
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_start_without_a_rest_is_an_error(tmp_path):
    too_many = chain(tmp_path, settings=Settings(start=500))
    with pytest.raises(SystemExit, match="none to choose after a start of 500"):
        Simulator(too_many)


def test_measures_can_be_strategies(project):
    files = (project / "a", project / "b")
    chains = chains_of(BANK, files, list(MEASURES), 2, SMALL, project)
    assert len({chain.directory for chain in chains}) == 2 * (len(MEASURES) + 1)
