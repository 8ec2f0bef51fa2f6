"""The command that trains a reranker, and what other commands do with the result."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
import spacy
from spacy.training import Example
from typer.testing import CliRunner

from dynoracle_hcsearch.__main__ import app as plugin
from dynoracle_hcsearch.candidates import RerankingSet
from dynoracle_hcsearch.losses import losses
from dynoracle_hcsearch.search import HCSearch
from spacy_dynoracle.cli import app
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.treebank import read_conllu, to_doc
from tests.harbour import FILE

from .pipelines import CONFIG, DEV, PARSER, gold_docs, initialized, trained

pytestmark = pytest.mark.heavy

N_SENTENCES = 24
# The command, in a process that ends at once when the file of the second fold is
# written, but does not have its name yet.
KILLED = """
import os
from dynoracle_hcsearch.__main__ import main
replace = os.replace
def killed(old, new):
    if "fold-02" in str(new):
        os._exit(9)
    replace(old, new)
os.replace = killed
main()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("trained") / "model"
    # The training file has no morphology.
    features = {"@misc": "spacy_dynoracle.ZhangNivre2011Standard.v1"}
    trained(CONFIG, features=features).to_disk(path)
    return path


@pytest.fixture(scope="module")
def train_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "train.conllu"
    blocks = FILE.read_text(encoding="utf-8").split("\n\n")[:N_SENTENCES]
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return path


def rank(model, *arguments, **options):
    flags = [
        part
        for name, value in {"folds": 3, "epochs": 1, **options}.items()
        for part in (f"--{name.replace('_', '-')}", value)
    ]
    arguments = [model, *arguments, *flags]
    return CliRunner().invoke(plugin, ["rank", *map(str, arguments)])


@pytest.fixture(scope="module")
def ranked(model, train_file, tmp_path_factory):
    """(the directory of a ranked pipeline, what the command has printed)."""
    output = tmp_path_factory.mktemp("ranked") / "model"
    result = rank(model, train_file, DEV, output=output)
    assert result.exit_code == 0, result.output
    return output, result.stdout


def test_rank(model, ranked):
    output, printed = ranked
    assert "best candidates" in printed
    assert printed.count("(taken)") == 1
    assert sorted(path.name for path in output.parent.iterdir()) == [
        "model",
        "model-candidates",
    ]
    nlp = spacy.load(output)
    parser = nlp.get_pipe(PARSER)
    assert isinstance(parser.parser.search, HCSearch)
    assert parser.parser.search.beam_size == 4
    assert "ranker" in parser.model.parts
    # What is stored is what was chosen: the mixture has its loss on DEV.
    docs = [to_doc(s, nlp.vocab) for s in read_conllu(DEV)]
    data = RerankingSet(parser, docs)
    before = spacy.load(model).get_pipe(PARSER)
    chosen = 0
    for sentence, found, gold in zip(
        data.sentences, data.candidates(before), data.golds, strict=True
    ):
        best = parser.model.parts["ranker"].choose(sentence, found)
        chosen += losses(data.written(found), gold)[best]
        heads, labels = parser.parser.search.parse(
            before.model.with_part("ranker", parser.model.parts["ranker"]),
            [sentence],
            RootRule.ONE,
        )
        assert heads.tolist() == found.heads[best].tolist()
        assert labels.tolist() == found.labels[best].tolist()
    n_words = sum(len(doc) for doc in docs)
    (taken,) = (line for line in printed.split("\n") if "(taken)" in line)
    assert f"{100 - 100 * chosen / n_words:.2f}" in taken


def files_in(directory):
    """The contents of all files that are complete."""
    files = (p for p in directory.rglob("*") if p.is_file() and p.name[0] != ".")
    return {file.relative_to(directory): file.read_bytes() for file in files}


def test_a_killed_run_goes_on(model, train_file, ranked, tmp_path):
    """Every file is in the end as after a run that was not killed."""
    output = tmp_path / "model"
    arguments = [model, train_file, DEV, "-o", output, "--folds", 3, "--epochs", 1]
    command = [sys.executable, "-c", KILLED, "rank", *map(str, arguments)]
    assert subprocess.run(command, check=False).returncode == 9
    (first,) = files_in(tmp_path)
    written = (tmp_path / first).stat().st_mtime_ns
    result = rank(model, train_file, DEV, output=output)
    assert result.stdout == ranked[1]
    # The first fold was not done again.
    assert (tmp_path / first).stat().st_mtime_ns == written
    assert files_in(tmp_path) == files_in(ranked[0].parent)


def test_scores_as_json(model, train_file, tmp_path):
    packed = tmp_path / "dev.conllu.gz"
    packed.write_bytes(gzip.compress(DEV.read_bytes()))
    flags = ["--folds", 2, "--epochs", 1, "--format", "json"]
    arguments = ["rank", model, train_file, packed, "-o", tmp_path / "out", *flags]
    result = CliRunner().invoke(plugin, list(map(str, arguments)))
    values = json.loads(result.stdout)
    assert values["words"] == sum(len(s.words) for s in read_conllu(DEV))
    assert values["search_alone"] <= values["best_candidates"]


def test_lists_of_trees_are_in_the_order_of_the_ranker(ranked):
    nlp = spacy.load(ranked[0])
    parser = nlp.get_pipe(PARSER)
    # The ranker alone: it must not agree with the search everywhere.
    parser.set_model(
        parser.model.with_part("ranker", parser.model.parts["ranker"].with_alpha(0.0))
    )
    n_other = 0
    for sentence in list(read_conllu(DEV))[:20]:
        doc = to_doc(sentence, nlp.vocab, tree=False)
        parsed = nlp(doc.copy())
        best = parser.k_best(doc, 4)
        (segment,) = best
        first = best.docs(1)[0]
        for attribute in ("head", "dep"):
            assert first.to_array([attribute]).tolist() == (
                parsed.to_array([attribute]).tolist()
            )
        assert (np.diff(segment.mixture) <= 0).all()
        assert (np.diff(segment.ranker_scores) <= 0).all()
        n_other += bool(segment.scores[0] < segment.scores.max())
        tree = next(iter(best.trees()))
        assert tree.mixture == segment.mixture[0]
        assert tree.ranker_score == segment.ranker_scores[0]
        search = parser.recipe.search
        parser.change(search=search.with_n_best(4))
        (kept,) = nlp(doc)._.kbest
        parser.change(search=search)
        assert kept.deps == segment.deps
        assert (kept.mixture == segment.mixture).all()
        assert (kept.ranker_scores == segment.ranker_scores).all()
        assert doc.to_array(["HEAD", "DEP"]).tolist() == (
            parsed.to_array(["HEAD", "DEP"]).tolist()
        )
    assert n_other > 0


def test_trees_on_the_command_line(ranked):
    arguments = ["parse", str(ranked[0]), str(DEV), "--k-best", "2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "# ranker_score = " in result.stdout
    assert "# mixture = 1.0000" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no.conllu", str(DEV)), "no.conllu"),
        ((str(DEV), "no.txt"), "no.txt: expected a .conllu, .conll or .spacy file"),
    ],
)
def test_files_that_are_none(model, tmp_path, arguments, message):
    result = rank(model, *arguments, output=tmp_path / "ranked")
    assert result.exit_code == 1
    assert message in result.output
    assert not (tmp_path / "ranked").exists()


def test_an_output_that_is_there(model, train_file, tmp_path):
    (tmp_path / "file").write_text("mine")
    result = rank(model, train_file, DEV, output=tmp_path)
    assert result.exit_code == 1
    assert "is there already" in result.output


def test_the_directory_that_the_command_is_in(model, train_file, tmp_path, monkeypatch):
    (tmp_path / "ranked").mkdir()
    monkeypatch.chdir(tmp_path / "ranked")
    result = rank(model, train_file, DEV, output=".")
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ranked", "ranked-candidates"]


def test_a_parser_without_a_beam(train_file, tmp_path):
    search = {"@misc": "spacy_dynoracle.GreedySearch.v1"}
    nlp, _ = initialized(CONFIG, search=search)
    nlp.to_disk(tmp_path / "model")
    result = rank(tmp_path / "model", train_file, DEV, output=tmp_path / "ranked")
    assert result.exit_code == 1
    assert "candidates come from a beam" in result.output


def test_a_committee(train_file, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_committee")
    docs = gold_docs(nlp.vocab, FILE, 4)
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in docs])
    nlp.to_disk(tmp_path / "model")
    result = rank(tmp_path / "model", train_file, DEV, output=tmp_path / "ranked")
    assert result.exit_code == 1
    assert "no list of the best trees" in result.output
    assert not (tmp_path / "ranked").exists()
