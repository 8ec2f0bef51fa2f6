"""The command parse with a parser that has a beam."""

import json
from itertools import groupby

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.treebank import read_conllu

from ..commands import fails, merge, run, works
from ..conllu import sentences_of
from ..harbour import FILE as DEV
from ..harbour import parser, train
from ..parser.treebank import block

pytestmark = pytest.mark.heavy

BEAM = block("BeamSearch", beam_size=8)
TEXT = "Nora found a map. The captain sold the boat to her."


def trained(path, learner, components=(), **settings):
    settings |= {"search": BEAM, "learner": block(learner)}
    nlp = parser(*components, tag_attr=None, **settings)
    train(nlp, 60, epochs=3).to_disk(path)
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("probable") / "model", "AdaGradRDA")


@pytest.fixture(scope="module")
def scoring(tmp_path_factory):
    """Without probabilities, and with sentences of its own."""
    return trained(
        tmp_path_factory.mktemp("scoring") / "model",
        "AveragedPerceptron",
        ["sentencizer"],
        sentences="preset",
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.conllu"
    blocks = DEV.read_text(encoding="utf8").strip().split("\n\n")[-6:]
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf8")
    return path


def value(sentence, name):
    (line,) = [c for c in sentence.comments if c.startswith(f"# {name} = ")]
    return float(line.partition(" = ")[2])


def test_trees_of_conllu(model, data):
    shown = works(run("parse", model, data, "--k-best", 3))
    assert run("parse", model, data, "--k-best", 3).stdout == shown
    gold = list(read_conllu(data))
    by_name = groupby(sentences_of(shown), key=lambda s: s.name)
    groups = [list(group) for _, group in by_name]
    assert [group[0].forms for group in groups] == [s.forms for s in gold]
    plain = sentences_of(run("parse", model, data).stdout)
    for group, first in zip(groups, plain, strict=True):
        assert [value(s, "k_best") for s in group] == [1, 2, 3]
        scores = [value(s, "score") for s in group]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < value(s, "probability") <= 1 for s in group)
        trees = [[(t.head, t.deprel) for t in s.words] for s in group]
        assert trees[0] == [(t.head, t.deprel) for t in first.words]
        for i, arcs in enumerate(zip(*trees, strict=True)):
            for arc, sentence in zip(arcs, group, strict=True):
                (support,) = [
                    entry.partition("=")[2]
                    for entry in sentence.words[i].misc.split("|")
                    if entry.startswith("Support=")
                ]
                assert float(support) == pytest.approx(arcs.count(arc) / 3, abs=1e-4)


def test_comments_and_support_are_replaced(model, data, tmp_path):
    once = run("parse", model, data, "--k-best", 1)
    path = tmp_path / "once.conllu"
    path.write_text(once.stdout, encoding="utf8")
    assert run("parse", model, path, "--k-best", 1).stdout == once.stdout


def test_pipelines_with_probabilities_list_the_same_trees(model, data, tmp_path):
    wanted = block("TransitionProbabilities")
    settings = {"components.dynoracle_parser.probabilities": wanted}
    spacy.load(model, config=settings).to_disk(tmp_path / "surest")
    shown = works(run("parse", tmp_path / "surest", data, "--k-best", 2))
    assert shown == works(run("parse", model, data, "--k-best", 2))


def test_trees_of_sentences(scoring, tmp_path):
    """Where boundaries are preset, each sentence has its list; scores of a perceptron
    are no probabilities.
    """
    shown = works(run("parse", scoring, "--text", TEXT, "--k-best", 2))
    found = sentences_of(shown)
    assert [value(s, "k_best") for s in found] == [1, 2, 1, 2]
    assert [s.forms[0] for s in found] == ["Nora", "Nora", "The", "The"]
    assert "probability" not in shown
    # A CoNLL-U sentence is written whole, whatever the pipeline makes of it.
    path = tmp_path / "whole.conllu"
    path.write_text(shown, encoding="utf8")
    assert run("parse", scoring, path, "--k-best", 2).exit_code == 0


def test_other_formats(model):
    arguments = ("parse", model, "--text", TEXT, "--k-best", 3, "--format")
    docs = json.loads(run(*arguments, "json").stdout)
    assert [doc["k_best"]["rank"] for doc in docs] == [1, 2, 3]
    for doc in docs:
        assert 0 < doc["k_best"]["probability"] <= 1
        assert len(doc["k_best"]["support"]) == len(doc["tokens"])
        loaded = Doc(spacy.blank("en").vocab).from_json(doc, validate=True)
        assert [t.dep_ for t in loaded] == [t["dep"] for t in doc["tokens"]]
    html = run(*arguments, "html").stdout
    assert html.count("<figcaption>tree 2, score -") >= 1
    assert html.count("<figcaption>") == html.count("<figure")
    tree = run(*arguments, "tree").stdout
    assert "# tree 3, score -" in tree
    assert ", probability " in tree


def test_documents_without_words(model, tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("\n\n", encoding="utf8")
    assert works(run("parse", model, path, "--k-best", 2)) == ""


def test_errors(model, tmp_path):
    both = ("--k-best", 2, "--min-probability", 0)
    fails(run("parse", model, "--text", TEXT, *both), "--k-best", "--min-probability")
    settings = {"components.dynoracle_parser.search": block("GreedySearch")}
    spacy.load(model, config=settings).to_disk(tmp_path / "greedy")
    greedy = ("parse", tmp_path / "greedy", "--text", TEXT)
    fails(run(*greedy, "--k-best", 2), "BeamSearch.v1")
    spacy.blank("en").to_disk(tmp_path / "blank")
    blank = ("parse", tmp_path / "blank", "--text", TEXT)
    fails(run(*blank, "--k-best", 2), "has no dynoracle_parser")


# One that does not say so.
Language.component("test_pair_merger", func=merge)


def test_a_component_that_merges_words(model, tmp_path):
    nlp = spacy.load(model)
    nlp.add_pipe("test_pair_merger")
    nlp.to_disk(tmp_path / "merging")
    result = run("parse", tmp_path / "merging", "--text", TEXT, "--k-best", 2)
    fails(result, "changes words")
