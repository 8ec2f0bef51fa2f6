"""``parse --keep-heads``: what a person has corrected stays."""

import random

import pytest
import spacy

from spacy_dynoracle.cli.sources import ready
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.writer import sentence_to_conllu

from ..commands import fails, run, works
from ..harbour import TEST, parser, train

pytestmark = pytest.mark.heavy

SETTINGS = {
    "lift": {"nonprojective": "lift", "sentences": "predict"},
    "drop": {"nonprojective": "drop"},
    "beam": {"search": {"@misc": "spacy_dynoracle.BeamSearch.v1", "threshold": 0.5}},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Pipelines whose first component cuts sentences at full stops."""
    folder = tmp_path_factory.mktemp("models")
    for name, settings in SETTINGS.items():
        nlp = parser("sentencizer", tag_attr=None, **settings)
        train(nlp, 30).to_disk(folder / name)
    return folder


def given(tmp_path, *arcs):
    """A sentence of two sentences, with HEAD and DEPREL of each word."""
    words = ["Nora", "went", ".", "I", "stayed", "here", "."]
    rows = (
        f"{i}\t{word}\t_\t_\t_\t_\t{arc}\t_\tA={i}\n"
        for i, (word, arc) in enumerate(zip(words, arcs, strict=True), 1)
    )
    path = tmp_path / "given.conllu"
    path.write_text("# sent_id = mine\n" + "".join(rows) + "\n", encoding="utf-8")
    return path


def arcs_of(text):
    return [line.split("\t")[6:8] for line in text.splitlines() if line[:1].isdigit()]


@pytest.mark.parametrize("model", ["lift", "beam"])
def test_what_is_given_stays(models, tmp_path, model):
    draw = random.Random(1)
    sentences = list(read_conllu(TEST))[:60]
    masked = tmp_path / "masked.conllu"
    with masked.open("w", encoding="utf-8") as file:
        for sentence in sentences:
            text = sentence_to_conllu(sentence)
            for line in text.splitlines():
                row = line.split("\t")
                if len(row) == 10:
                    row[6:8] = draw.choice([row[6:8], [row[6], "_"], ["_", "_"]])
                file.write("\t".join(row) + "\n")
            file.write("\n")
    parsed = works(run("parse", models / model, masked, "--keep-heads"))
    before = masked.read_text(encoding="utf-8")
    pairs = list(zip(arcs_of(before), arcs_of(parsed), strict=True))
    assert all(
        old in (new, "_") for a, b in pairs for old, new in zip(a, b, strict=True)
    )
    assert not any("_" in found for _, found in pairs)
    assert sum(old == ["_", "_"] for old, _ in pairs) > 100
    # Each sentence is still one, and two processes find the same.
    assert sum(head == "0" for head, _ in arcs_of(parsed)) == len(sentences)
    jobs = run("parse", models / model, masked, "--keep-heads", "--jobs", 2)
    assert works(jobs) == parsed
    complete = works(run("parse", models / model, TEST, "--keep-heads"))
    assert complete == TEST.read_text(encoding="utf-8")


def test_the_components_before_the_parser_read_one_sentence(tmp_path):
    sentences = read_conllu(given(tmp_path, *4 * ["_\t_"], "0\troot", *2 * ["_\t_"]))
    [(doc, _)] = ready(sentences, spacy.blank("en"), gold_tags=False, keep_heads=True)
    assert [token.is_sent_start for token in doc] == [True, *6 * [False]]
    assert [token.i for token in doc if token.dep_ == "ROOT"] == [4]


@pytest.mark.parametrize("root", ["0\t_", "0\troot", "0\tROOT", "0\tparataxis"])
def test_a_root_of_any_label_stays(models, tmp_path, root):
    path = given(tmp_path, *4 * ["_\t_"], root, *2 * ["_\t_"])
    found = arcs_of(works(run("parse", models / "lift", path, "--keep-heads")))
    assert found[4] == root.replace("_", "root").split("\t")
    assert sum(head == "0" for head, _ in found) == 1


def test_labels_and_crossing_arcs_stay_if_the_parser_can_make_them(models, tmp_path):
    crossing = "3\tnew", "4\tx", "_\t_", "_\t_", "_\t_", "_\t_", "5\tpunct"
    path = given(tmp_path, *crossing)
    found = arcs_of(works(run("parse", models / "lift", path, "--keep-heads")))
    assert found[:2] == [["3", "new"], ["4", "x"]]
    result = run("parse", models / "drop", path, "--keep-heads", "--from", "words")
    fails(
        result, f"{path}:3: sentence mine: cannot keep word 2 'went' (HEAD 4, DEPREL x)"
    )


def test_what_cannot_be_kept_is_refused(models, tmp_path):
    path = given(tmp_path, "_\t_", "0\troot", "_\t_", "_\t_", "0\t_", "_\t_", "_\t_")
    keep = ("parse", models / "lift", path, "--keep-heads", "--from", "words")
    fails(
        run(*keep, "--output", tmp_path / "new"), "word 5 'stayed' (HEAD 0, DEPREL _)"
    )
    assert not (tmp_path / "new").exists()
    given(tmp_path, "_\tnsubj", *6 * ["_\t_"])
    fails(
        run(*keep), f"{path}:2: sentence mine: the word 'Nora' has DEPREL nsubj and no"
    )
    given(tmp_path, "2\t_", "1\t_", *5 * ["_\t_"])
    fails(run(*keep), "cycle: following the heads leads 1 -> 2 -> 1")
    fails(run("parse", models / "lift", "-", "--keep-heads", stdin="Go.\n"), "is text")
    nlp = spacy.load(models / "lift")
    nlp.add_pipe("dynoracle_parser", "second", source=spacy.load(models / "lift"))
    nlp.to_disk(tmp_path / "two")
    fails(run("parse", tmp_path / "two", TEST, "--keep-heads"), "has 2 parsers")
    for option in (
        ["--text", "Go."],
        [path, "--k-best", 2],
        [path, "--min-probability=0"],
    ):
        fails(
            run("parse", models / "lift", "--keep-heads", *option), "goes with neither"
        )
