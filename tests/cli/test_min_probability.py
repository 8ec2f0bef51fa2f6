"""Keeping only sure arcs."""

import json

import pytest
from spacy.tokens import Doc

from spacy_dynoracle.confidence import keep_sure
from spacy_dynoracle.treebank import doc_to_conllu, to_doc

from ..commands import fails, run, works
from ..conllu import sentences_of
from ..harbour import FILE as DEV
from .trained import RDA, TEXT, trained

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def nlp():
    return trained(30, **RDA)


@pytest.fixture(scope="module")
def model(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "rda"
    nlp.to_disk(path)
    return str(path)


def probability(word):
    """What MISC says."""
    (entry,) = [e for e in word.misc.split("|") if e.startswith("Prob=")]
    return float(entry.removeprefix("Prob="))


def test_only_arcs_above_the_threshold_are_kept(model):
    arguments = ["parse", model, DEV]
    everything = sentences_of(works(run(*arguments, "--min-probability", 0)))
    some = sentences_of(works(run(*arguments, "--min-probability", 0.9)))
    n_unknown = 0
    for full, partial in zip(everything, some, strict=True):
        assert all(head is not None for head in full.heads)
        for word, kept in zip(full.words, partial.words, strict=True):
            assert probability(word) == probability(kept)
            arc = (word.head, word.deprel)
            is_sure = probability(word) >= 0.9
            assert (kept.head, kept.deprel) == (arc if is_sure else (None, None))
            n_unknown += not is_sure
    assert 0 < n_unknown < sum(len(s.words) for s in some)


def test_without_a_wish_nothing_is_said_of_probabilities(model):
    assert "Prob=" not in works(run("parse", model, DEV))


def test_sentence_boundaries_stay_where_roots_are_unknown(model):
    full = works(run("parse", model, "--text", TEXT))
    partial = works(run("parse", model, "--text", TEXT, "--min-probability", 1))
    assert full.count("# text = ") == partial.count("# text = ") == 3
    heads = [head for s in sentences_of(partial) for head in s.heads]
    assert None in heads


def test_an_older_probability_is_replaced(nlp):
    row = "1\tGo\t_\t_\t_\t_\t0\troot\t_\tProb=0.1|SpaceAfter=No\n"
    (sentence,) = sentences_of(row)
    doc = to_doc(sentence, nlp.vocab)
    assert doc_to_conllu(doc, sentence, probabilities=[0.25]).endswith(
        "\tSpaceAfter=No|Prob=0.25\n\n"
    )
    for none in ([None], None):
        written = doc_to_conllu(doc, sentence, probabilities=none)
        assert written.endswith("\tSpaceAfter=No\n\n")


def test_json_has_probabilities_where_spacy_has_extensions(nlp, model):
    out = works(
        run("parse", model, "--text", TEXT, "--format=json", "--min-probability=0.9")
    )
    (values,) = json.loads(out)
    doc = Doc(nlp.vocab).from_json(values, validate=True)
    found = {
        item["start"]: item["value"]
        for item in values["underscore_token"]["dep_probability"]
    }
    assert set(found) == {token.idx for token in doc}
    for token in doc:
        assert token.has_head() == (found[token.idx] >= 0.9)
    assert len(values["sents"]) == 3


def test_a_folder_is_its_files(model, tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "b.txt").write_text("Nora sold the net.", encoding="utf8")
    (folder / "sub" / "a.conllu").write_bytes(DEV.read_bytes())
    (folder / "notes.md").write_text("Not this.", encoding="utf8")
    (folder / ".hidden" / "c.txt").write_text("Nor this.", encoding="utf8")
    files = [folder / "b.txt", folder / "sub" / "a.conllu"]
    assert works(run("parse", model, folder)) == works(run("parse", model, *files))


def test_a_model_without_temperature_is_one_clear_line(tmp_path):
    trained(3, epochs=1).to_disk(tmp_path / "perceptron")
    arguments = ("parse", tmp_path / "perceptron", DEV, "--min-probability", 0.5)
    message = fails(run(*arguments))
    assert "AveragedPerceptron" in message
    assert "spacy-dynoracle calibrate" in message


def test_words_without_a_probability_are_not_kept(nlp):
    doc = Doc(
        nlp.vocab, words=["a", " ", "b"], heads=[2, 0, 2], deps=["x", "dep", "ROOT"]
    )
    keep_sure(doc, [None, None, 0.5], 0.5)
    assert [token.has_head() for token in doc] == [False, True, True]
