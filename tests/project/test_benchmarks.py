"""Benchmarks run on a tiny size and report all that they should. No times checked."""

import json
import mmap
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmarks.counters import MEASURED, Counter, counted
from benchmarks.data import cut_treebank
from benchmarks.steps import Step
from spacy_dynoracle import confidence
from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.doc.noun_chunks import noun_chunks
from spacy_dynoracle.treebank import read_conllu

from ..committee.committees import harbour_committee
from ..harbour import FILE, copy_some, examples, parser, train
from ..programs import ROOT, new_process, python

pytestmark = pytest.mark.heavy


def run(command: list[str], directory: Path, *arguments: str):
    return python(*command, *arguments, cwd=directory)


def bench(name: str, directory: Path, *options: str):
    """Run a benchmark, which must succeed."""
    result = run([str(ROOT / "benchmarks" / f"{name}.py")], directory, *options)
    assert result.returncode == 0, result.stderr
    return result


def untrained(path: Path, temperature: float | None = None) -> Path:
    """Save a pipeline whose parser knows its labels, but has no weights."""
    nlp = train(parser(), epochs=0)
    if temperature is not None:
        confidence.set_temperature(nlp, temperature)
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="session")
def treebank(tmp_path_factory):
    """Options for a treebank that is soon learnt."""
    return ["--treebank", str(copy_some(tmp_path_factory.mktemp("treebanks")))]


def test_every_table_is_there(tmp_path, treebank):
    output = tmp_path / "speed.json"
    sizes = ["--words", "200", "--repeats", "1", "--epochs", "2", "--long", "300"]
    sizes += ["--spacy-steps", "1", "--udpipe-iterations", "1"]
    result = bench("speed", tmp_path, *sizes, *treebank, "--output", str(output))
    for step in ("This takes", "Training spaCy's parser", "Single documents", "done"):
        assert step in result.stderr
    data = json.loads(output.read_text(encoding="utf-8"))
    names: dict[str, list[str]] = {}
    for row in data["rows"]:
        names.setdefault(row["table"], []).append(row["name"])
        numbers = row.get("cpu", {"median": row.get("value")})
        assert all(isinstance(number, float) for number in numbers.values()), row
        assert row["name"] in result.stdout
    # Few machines count events of the processor.
    names.pop("counters", None)
    assert names.keys() == {
        "speed", "ratio", "latency", "cost", "scaling", "training", "memory", "model",
        "accuracy",
    }  # fmt: skip
    assert {"nlp.pipe", "core alone", "spaCy's parser"} <= set(names["speed"])
    assert data["settings"]["treebank"] == "English-Harbour"
    for setting in ("CPUs", "python", "spacy"):
        assert data["settings"][setting] in result.stdout


def test_what_a_broken_step_leaves_is_made_again(tmp_path):
    made = tmp_path / "made"
    failing = (
        f"import pathlib; pathlib.Path({str(made)!r}).mkdir(); raise SystemExit(1)"
    )
    with pytest.raises(CommandError, match="status 1"):
        Step(made, ["-c", failing]).run(Console(quiet=True))
    write = (
        f"import pathlib; pathlib.Path({str(made / 'done')!r}).touch(exist_ok=False)"
    )
    for _ in range(2):
        Step(made, ["-c", write]).run(Console(quiet=True))
    assert (made / "done").exists()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--treebank", "nowhere"], "nowhere: no such directory"),
        (["--model", "nowhere"], "nowhere: not the directory of a pipeline"),
        (["--epochs", "0"], "--epochs 0 needs a --model"),
        (["--output", "nowhere/file.json"], "--output nowhere/file.json"),
    ],
)
def test_errors_are_one_line(arguments, message, tmp_path, monkeypatch):
    # Which Windows cannot import.
    from benchmarks.command import app

    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


def test_scaling_prints_every_system(tmp_path, treebank):
    options = ["--epochs", "2", "--repeats", "1", "--length", "5", "--length", "50"]
    result = bench("scaling", tmp_path, *options, *treebank)
    for name in ("ArcHybrid", "ArcStandard", "NonMonotonicArcEager", "EasyFirst"):
        assert result.stdout.count(name) == 2


def test_long_texts_prints_searches_and_training(tmp_path, treebank):
    sizes = ["--length", "20", "--length", "40", "--repeats", "1", "--sentences", "5"]
    result = bench("long_texts", tmp_path, *sizes, *treebank)
    rows = [line.split("│")[1:-1] for line in result.stdout.splitlines() if "│" in line]
    kinds = [row[0].strip() for row in rows]
    assert kinds.count("search") > kinds.count("training") > 20
    for kind, name, *cells in rows:
        *times, growth = cells
        assert all(float(time) >= 0 for time in times)
        assert len(times) == 2
        # A clock may be too coarse to tell the growth of so short times.
        assert growth.strip() == "" or float(growth) >= 0
        assert name.strip(), kind


def test_threads_beside_one_thread(tmp_path, treebank):
    sizes = ["--words", "100", "--epochs", "1", "--repeats", "1", "--batch", "4"]
    result = bench("threads", tmp_path, *sizes, *treebank)
    for name in ("one thread", "n_threads = 2", "2 threads of the caller"):
        assert name in result.stdout
    assert "of the time of one thread" in result.stdout


def test_cost_of_probabilities_is_printed(tmp_path, treebank):
    options = ["--epochs", "1", "--repeats", "1", "--words", "100"]
    result = bench("probabilities", tmp_path, *options, *treebank)
    for name in ("perceptron", "AdaGrad-RDA", "none", "transition", "marginal"):
        assert f"│ {name} " in result.stdout


def test_cost_of_probabilities_needs_a_model(tmp_path):
    script = str(ROOT / "benchmarks" / "probabilities.py")
    result = run([script], tmp_path, "--epochs", "0")
    assert result.returncode == 1
    assert result.stderr.startswith("Error: --epochs 0: nothing to parse with")


def table_rows(text):
    """The cells of the rows of printed tables."""
    return [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in text.splitlines()
        if line.startswith("│")
    ]


def test_constraints_counts_violations(tmp_path):
    sizes = ["--n-boundaries", "300", "--n-arcs", "100", "--epochs", "1"]
    systems = ["--system", "ArcStandard", "--system", "ArcHybridSwap"]
    result = bench("constraints", tmp_path, *sizes, *systems, "--spacy-epochs", "0")
    rows = table_rows(result.stdout)
    totals = [row for row in rows if row[1] == "all"]
    assert [row[0] for row in totals] == ["ours, ArcStandard", "ours, ArcHybridSwap"]
    for row in totals:
        assert int(row[2]) >= 300
        assert row[3] == "0"
    for kind in ("of the treebank", "of random trees", "at random"):
        found = [row for row in rows if row[1] == kind]
        assert len(found) == 2
        for row in found:
            preset, kept, named, violated = map(int, row[2:6])
            assert preset >= 100
            assert kept + named >= preset
            assert violated == 0
            assert named == 0 or kind == "at random"


def test_sentences_prints_every_contestant(tmp_path, treebank):
    epochs = ["--epochs", "1", "--parser-epochs", "0", "--senter-epochs", "1"]
    epochs += ["--splitter-epochs", "2"]
    systems = ["--system", "ArcStandard", "--system", "EasyFirst", "--split", "dev"]
    result = bench("sentences", tmp_path, *epochs, *systems, *treebank)
    rows = table_rows(result.stdout)
    assert [row[0] for row in rows] == [
        "ours, ArcStandard, gold UPOS",
        "ours, ArcStandard, no tags",
        "ours, EasyFirst, gold UPOS",
        "ours, EasyFirst, no tags",
        "spaCy's sentencizer",
        "our senter, words",
        "our senter, tags",
        "spaCy's senter, 1 epochs",
    ]
    for row in rows:
        precision, recall, f = map(float, row[1:4])
        assert min(precision, recall) <= f <= max(precision, recall) <= 100


def test_beams_beside_greedy_search(tmp_path, treebank):
    output = tmp_path / "beam.json"
    systems = ["--system", "ArcEager", "--system", "ArcStandard"]
    sizes = ["--beam-size", "1", "--beam-size", "5", "--epochs", "2", "--limit", "30"]
    options = [*systems, *sizes, "--repeats", "1", "--output", str(output)]
    result = bench("beam", tmp_path, *options, *treebank)
    data = json.loads(output.read_text(encoding="utf-8"))
    shown = [row[:4] for row in table_rows(result.stdout) if len(row) == 7]
    names = [(row["model"], row["search"]) for row in data["rows"]]
    assert names == [
        (system, search)
        for system in ("ArcEager", "ArcStandard")
        for search in ("greedy", "beam of 1", "beam of 5")
    ]
    for row, cells in zip(data["rows"], shown, strict=True):
        scores = [f"{100 * row[key]:.2f}" for key in ("uas", "las")]
        assert cells == [row["model"], row["search"], *scores]
        assert row["core"]["median"] > 0
        assert row["pipe"]["median"] > 0
    for greedy, one in ((0, 1), (3, 4)):
        for key in ("uas", "las"):
            assert data["rows"][greedy][key] == data["rows"][one][key]


def test_one_document_counts_calls(tmp_path, treebank):
    options = ["--sentences", "20", "--repeats", "5"]
    result = bench("one_document", tmp_path, *options, *treebank)
    assert "calls" in result.stdout
    assert "microseconds" in result.stdout


@pytest.mark.parametrize("search", [["--beam-size", "2"], ["--probabilities"]])
def test_core_beside_another_tree(tmp_path, treebank, search):
    """The other tree is this one, so its answers are the same."""
    nlp = untrained(tmp_path / "model", temperature=1.0)
    options = ["--peer", str(ROOT), "--rounds", "1", *search, *treebank]
    result = python("-m", "benchmarks.core_speed", str(nlp), *options, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    rows = table_rows(result.stdout)
    assert [row[0] for row in rows][1:] == ["this tree", "this tree, portable"]
    assert {row[4].split()[0] for row in rows} == {"0"}
    result = python("-m", "benchmarks.core_speed", str(tmp_path), *options, cwd=ROOT)
    assert result.returncode == 1
    assert result.stderr.startswith("Error: ")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is shared")
def test_memory_of_processes(tmp_path, treebank):
    untrained(tmp_path / "model")
    options = ["--processes", "1", "--processes", "2", *treebank]

    def run_alone(model):
        """Run in a new process, whose main module the started processes import."""
        return new_process("-m", "benchmarks.processes", "--model", model, *options)

    result = run_alone(str(tmp_path / "model"))
    assert result.returncode == 0, result.stderr
    rows = table_rows(result.stdout)
    assert [row[:2] for row in rows] == [
        [method, n] for method in ("fork", "spawn") for n in "12"
    ]
    for _, n, resident, together, _ in rows:
        assert int(resident) <= int(together) < (int(n) + 1) * int(resident)
    result = run_alone(str(tmp_path / "nowhere"))
    assert result.returncode == 1
    assert "nowhere: not the directory of a pipeline" in result.stderr


def test_noun_chunks_of_a_treebank(tmp_path):
    nlp = train(parser("dynoracle_tagger", sentences="preset"), epochs=3)
    nlp.to_disk(tmp_path / "model")
    result = bench("noun_chunks", tmp_path, str(tmp_path / "model"), str(FILE))
    ((_, gold, predicted, *scores),) = (
        row for row in table_rows(result.stdout) if row[0] == "dev.conllu"
    )
    n_gold = sum(1 for eg in examples(nlp.vocab) for _ in noun_chunks(eg.reference))
    assert int(gold.replace(",", "")) == n_gold
    assert abs(int(predicted.replace(",", "")) - n_gold) < 0.2 * n_gold
    precision, recall, f = map(float, scores)
    assert 70 < min(precision, recall) <= f <= max(precision, recall) <= 100


def test_pipelines_from_raw_text(tmp_path):
    copy_some(tmp_path / "treebanks")
    output = tmp_path / "scores.json"
    arguments = [
        *("English-Harbour:en", "--treebanks", str(tmp_path / "treebanks")),
        *("--work", str(tmp_path / "work"), "--output", str(output)),
        *("--pipelines", "fast", "--set", "fast:training.max_epochs=1"),
    ]
    command = ["-m", "benchmarks.from_text"]
    result = run(command, ROOT, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(output.read_text())["English-Harbour"]
    for condition in ("raw text", "gold tokens and sentences"):
        (scores,) = found["scores"][condition]["fast"]
        assert scores["LAS"] > 40
    assert found["words per second"]["fast"]["median"] > 0
    result = run(command, ROOT, "English-Harbour", *arguments[1:])
    assert "expected a treebank and its language" in result.stderr
    for wrong in ("training.max_epochs=1", "quick:a.b=1", "fast:training.max_epoch=1"):
        result = run(command, ROOT, *arguments, "--set", wrong)
        assert f"--set {wrong.removeprefix('fast:')}" in result.stderr
        assert result.returncode == 1
    model = tmp_path / "work" / "English-Harbour" / "fast-1" / "model-last"
    text = tmp_path / "treebanks" / "English-Harbour" / "test.conllu"
    command = ["-m", "benchmarks.new_text"]
    (tmp_path / "peer").symlink_to(model)
    arguments = [str(model), str(text), "--peer", str(tmp_path / "peer")]
    result = run(command, ROOT, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    for stage in ("tokenizer", "dynoracle_parser", "whole pipeline", "times as fast"):
        assert stage in result.stdout
    command = ["-m", "benchmarks.core_speed"]
    for part in ("parser", "senter", "tagger", "lemmatizer"):
        options = ["--component", f"dynoracle_{part}", "--rounds", "1"]
        result = run(command, ROOT, str(model), *options)
        assert {row[4][:5] for row in table_rows(result.stdout)} == {"0 of "}


def test_votes(tmp_path):
    harbour_committee(n_sentences=20).to_disk(tmp_path / "model")
    copy_some(tmp_path / "treebanks")
    test = tmp_path / "treebanks" / "English-Harbour" / "test.conllu"
    result = bench("votes", tmp_path, str(tmp_path / "model"), str(test))
    rows = [line for line in result.stdout.splitlines() if "swap" in line]
    # Of the sets of three members those with this one; it alone cannot lose a vote.
    assert len(rows) == 4
    alone, *_, together = ([*map(float, row.split("│")[2:6:2])] for row in rows)
    assert alone[0] == alone[1] > 0
    assert min(together) > 0


def test_lemmas(tmp_path):
    copy_some(tmp_path / "treebanks")
    options = [
        *("--treebanks", str(tmp_path / "treebanks"), "--work", str(tmp_path / "work")),
        *("--epochs", "1", "--skip-spacy"),
    ]
    result = bench("lemmas", tmp_path, "English-Harbour:en", *options)
    for name in ("ours", "dictionary"):
        (row,) = [line for line in result.stdout.splitlines() if f" {name} " in line]
        right, of_unknown, *_ = re.findall(r"[\d.]+", row)
        assert float(right) > float(of_unknown) > 20


def test_a_cut_treebank_ends_after_the_sentence_with_the_last_word(tmp_path):
    whole = ROOT / "treebanks" / "English-Harbour"
    copy = cut_treebank(whole, tmp_path, 50)
    before = list(read_conllu(whole / "train.conllu"))
    found = list(read_conllu(copy / "train.conllu"))
    assert [s.words for s in found] == [s.words for s in before[: len(found)]]
    sizes = [len(sentence.words) for sentence in found]
    assert sum(sizes[:-1]) < 50 <= sum(sizes)
    for name in ("dev.conllu", "test.conllu"):
        assert (copy / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these counters")
def test_events_are_counted():
    # The kernel counts page faults on every machine, unless it allows no counters.
    try:
        counter = Counter("page faults")
    except OSError as error:
        pytest.skip(str(error))
    before = counter.read()
    # Memory of the heap may have been touched before.
    touched = mmap.mmap(-1, 20_000_000)
    touched.write(b"x" * 20_000_000)
    assert counter.read() > before
    counter.close()
    assert len(touched) == 20_000_000
    assert set(counted(lambda: None)) <= set(MEASURED)
