"""Heuristics and rankers compared: settings, tables, the whole run on the sample."""

import pytest
import spacy
import srsly
from typer.testing import CliRunner

from experiments import ranked
from experiments.command import app
from experiments.hcsearch import (
    BASELINE,
    COARSE,
    FINE,
    METHODS,
    HCSearchPlan,
    HCSearchTables,
    Method,
    Rankings,
)
from experiments.hcsearch_command import chosen_methods
from experiments.processes import RunError
from experiments.runs import Experiments
from experiments.settings import STRUCTURED, UPDATES, Setting
from experiments.subsets import LABEL
from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.treebank import read_conllu
from tests.harbour import BANK, FILE, ROOT

from .builders import record

PLAN = HCSearchPlan(
    "standard", "drop", 8, 2, folds=3, fold_epochs=1, rounds=2, labelled=False, jobs=1
)
LOSSES = {
    "n_words": 40,
    "generation": 4.0,
    "selection": 6.0,
    "mean_distance": 7.5,
    "total": 10.0,
}


# ---- settings ------------------------------------------------------------------------


def structured(**settings):
    defaults = {"oracle": "static", "learner": STRUCTURED, "beam_size": 8}
    return Setting("standard", **(defaults | settings))


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("oracle", ["static", "dynamic"])
def test_settings_of_beams_make_parsers(update, oracle):
    component = {"search": None}
    config = {"components": {"parser": component}, "training": {}}
    structured(update=update, oracle=oracle).change(config, "parser")
    parser = spacy.blank("en").add_pipe("dynoracle_parser", config=component)
    assert parser.parser.search.beam_size == 8
    learner = parser.recipe.learner(1, 1)
    block = UPDATES[update]
    assert (learner.rule, learner.negative) == (block["update"], block["negative"])


def test_names_of_settings_differ():
    settings = [
        *(structured(update=update) for update in UPDATES),
        structured(oracle="dynamic"),
        structured(beam_size=4),
        Setting("standard", "static"),
        Setting("standard", "static", beam_size=8),
    ]
    assert len({setting.name for setting in settings}) == len(settings)


def test_what_makes_no_difference_is_the_same():
    assert structured(k=3, p=0.1) == structured()
    assert Setting("eager", update="worst") == Setting("eager")


def test_a_structured_perceptron_needs_a_beam():
    with pytest.raises(ValueError, match="beam_size 0"):
        structured(beam_size=0)


def test_heuristics_of_methods():
    names = {str(method): PLAN.setting(method).update for method in METHODS}
    assert names["BASELINE"] == names["BASELINE+FINE"] == "early"
    assert names["BEST+COARSE"] == names["BEST+FINE, mixture"] == "best"
    assert names["WORST+COARSE"] == names["WORST+FINE, mixture"] == "worst"


def test_every_method_has_a_place_of_its_own(tmp_path):
    lab = Experiments(tmp_path, ROOT / "configs" / "parser.cfg")
    rankings = Rankings(lab, PLAN)
    models = {rankings.model(PLAN.run(BANK, m, 1), m) for m in METHODS}
    assert len(models) == len(METHODS)


# ---- tables --------------------------------------------------------------------------


def table(**heads):
    """A table of methods by the right heads of four sentences of ten words."""
    methods = {
        "base": BASELINE,
        "best": Method("BEST", FINE),
        "coarse": Method("BEST", COARSE),
    }
    records = {
        (PLAN.run("A", methods[name], 1), methods[name]): {
            **record(values),
            "losses": LOSSES,
        }
        for name, values in heads.items()
    }
    return HCSearchTables(records, {"A": {methods["best"]: 1.25}}, "test")


def rows_of(grid):
    return {row[0]: row[1:] for row in grid.rows}


def test_scores():
    (grid,) = table(base=[9, 9, 9, 5], best=[9, 9, 9, 9]).scores(["A"])
    rows = rows_of(grid)
    assert list(rows) == [str(method) for method in METHODS]
    assert rows["BASELINE"] == ["80.00", "70.00", "-", "-", "-"]
    uas, las, gain, _, time = rows["BEST+FINE"]
    assert (uas, las, time) == ("90.00", "80.00", "1.25x")
    assert gain.startswith("+10.00 (p = ")
    assert rows["WORST+FINE"] == ["-"] * 5


def test_losses():
    (grid,) = table(base=[9, 9, 9, 5]).losses(["A"])
    rows = rows_of(grid)
    assert rows["BASELINE"] == ["4.00", "6.00", "7.50", "10.00", "-", "-"]
    assert rows["BEST+FINE"] == ["-"] * 6


def test_losses_with_the_trees_of_the_beams():
    found = table(base=[9, 9, 9, 5])
    (record,) = found.records.values()
    # Of two sentences, the beam of one has the gold tree.
    record["loss_rows"] = [[10, 0, 1, 1, 4, True], [10, 2, 0, 2, 7, False]]
    (grid,) = found.losses(["A"])
    assert rows_of(grid)["BASELINE"][-2:] == ["5.5", "50.0"]


def test_values():
    (value,) = table(base=[9, 9, 9, 5]).values()
    assert value["method"] == "BASELINE"
    assert value["uas"] == 80
    assert value["losses"] == LOSSES
    assert "sentences" not in value


def test_only_some_rows():
    assert chosen_methods(None) == METHODS
    mixture = Method("BEST", FINE, mixture=True)
    assert chosen_methods([str(mixture)]) == (BASELINE, mixture)
    with pytest.raises(CommandError, match="'BETTER': expected one of BASELINE; BEST"):
        chosen_methods(["BETTER"])


# ---- runs ----------------------------------------------------------------------------


@pytest.mark.heavy
def test_losses_add_up_to_the_score(tmp_path):
    nlp = spacy.load(trained(tmp_path))
    found = ranked.measure(nlp, FILE)
    losses = found["losses"]
    assert losses["generation"] + losses["selection"] == pytest.approx(losses["total"])
    assert found["scores"]["all"]["uas"] == pytest.approx(1 - losses["total"] / 100)
    columns = zip(*found["loss_rows"], strict=True)
    table = dict(zip(found["loss_columns"], columns, strict=True))
    for name in ("generation", "mean_distance", "total"):
        share = 100 * sum(table[name]) / sum(table["words"])
        assert share == pytest.approx(losses[name])
    assert min(table["trees"]) >= 1
    assert [x == 0 for x in table["generation"]] == list(table["gold"])


def trained(directory):
    """A pipeline with a beam, of which every tree is projective as the gold trees are
    not changed by it."""
    from tests.cli.test_rank import make_nlp

    make_nlp(nonprojective="drop").to_disk(directory / "model")
    return directory / "model"


def test_without_labels(tmp_path):
    """The runs are beside those with labels, on copies of the treebank."""
    arguments = ["hcsearch", BANK, "--no-train", "--treebanks", ROOT / "treebanks"]
    arguments += ["--output", tmp_path, "--unlabelled"]
    outcome = CliRunner().invoke(app, list(map(str, arguments)))
    assert outcome.exit_code == 0, outcome.output
    values = srsly.read_json(tmp_path / "unlabelled" / "hcsearch.json")
    assert values["unlabelled"]
    copy = tmp_path / "unlabelled" / "treebanks" / BANK / "train.conllu"
    labels = {word.deprel for s in read_conllu(copy) for word in s.words}
    assert labels == {LABEL}
    outcome = CliRunner().invoke(app, [*map(str, arguments), "--labelled"])
    assert outcome.exit_code == 1
    assert "--labelled and --unlabelled exclude each other" in outcome.stderr


def test_methods_of_one_heuristic_take_turns(tmp_path, monkeypatch):
    """Of three heuristics, two at a time; a failure does not stop the others."""
    lab = Experiments(tmp_path, ROOT / "configs" / "parser.cfg")
    rankings = Rankings(lab, PLAN)

    def do(run, method, split):
        (tmp_path / str(method)).touch()
        if str(method) == "BEST+FINE":
            raise RunError("out of luck")

    monkeypatch.setattr(rankings, "_do", do)
    items = dict.fromkeys((PLAN.run(BANK, m, 1), m) for m in METHODS)
    assert rankings.complete(items, "dev", jobs=2) == ["out of luck"]
    done = [path.name for path in tmp_path.iterdir()]
    assert sorted(done) == sorted(map(str, METHODS))


@pytest.mark.slow
def test_the_whole_run(tmp_path):
    arguments = ["hcsearch", BANK, "--output", tmp_path / "hc", "--labelled"]
    numbers = {"beam-size": 4, "folds": 2, "rounds": 1, "epochs": 1, "repeats": 1}
    for name, value in numbers.items():
        arguments += [f"--{name}", value]
    arguments += ["--config", ROOT / "configs" / "parser.cfg"]
    arguments += ["--treebanks", ROOT / "treebanks"]
    outcome = CliRunner().invoke(app, list(map(str, arguments)))
    assert outcome.exit_code == 0, outcome.output
    values = srsly.read_json(tmp_path / "hc" / "hcsearch.json")
    assert len(values["methods"]) == len(METHODS)
    for method in values["methods"]:
        losses = method["losses"]
        assert method["uas"] == pytest.approx(100 - losses["total"])
        assert method["time"] > 0
    # What is done is not done again, and can be shown.
    models = sorted((tmp_path / "hc").rglob("model"))
    times = [model.stat().st_mtime_ns for model in models]
    outcome = CliRunner().invoke(app, [*map(str, arguments), "--no-train"])
    assert outcome.exit_code == 0, outcome.output
    assert [model.stat().st_mtime_ns for model in models] == times
