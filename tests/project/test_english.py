"""The English pipeline of `models`: its data, and what is compared."""

import os
import re
from pathlib import Path

import pytest
import spacy
from spacy.training import Example

from scripts import english, harmonise
from scripts.page_outputs import english_pipeline
from spacy_dynoracle.evaluation import evaluate_text

from ..programs import in_checkout

TREEBANKS = Path(os.environ.get("DYNORACLE_TREEBANKS", "nowhere"))

REFERENCE = [
    *[("now", "ADV", "RB", "PronType=Dem")] * 5,
    *[("that", "PRON", "WDT", "PronType=Rel")] * 5,
    *[("that", "PRON", "WDT", "PronType=Int")] * 5,
    *[("run", "VERB", "VB", "VerbForm=Fin")] * 9,
    *[("ever", "ADV", "RB", "PronType=Ind")] * 4,
]


def conllu(words):
    lines = [
        f"{i}\t{form}\t_\t{upos}\t{xpos}\t{feats}\t0\troot\t_\t_"
        for i, (form, upos, xpos, feats) in enumerate(words, start=1)
    ]
    return "# text = x\n" + "\n".join(lines) + "\n\n"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # As the reference has the word, in its case or another one.
        (("now", "ADV", "RB", "_"), "PronType=Dem"),
        (("Now", "ADV", "RB", "Degree=Pos|Typo=Yes"), "PronType=Dem|Typo=Yes"),
        # The reference does not decide, is no list, or has too few.
        (("that", "PRON", "WDT", "PronType=Rel"), "PronType=Rel"),
        (("run", "VERB", "VB", "Person=2|VerbForm=Inf"), "VerbForm=Inf"),
        (("ever", "ADV", "RB", "_"), "_"),
        # Rules.
        (("soon", "ADV", "RB", "Degree=Pos"), "_"),
        (("sooner", "ADV", "RBR", "Degree=Cmp"), "Degree=Cmp"),
        (("you", "PRON", "PRP", "Case=Nom|Number=Sing|Person=2"), "Case=Nom|Person=2"),
        (
            ("yourself", "PRON", "PRP", "Number=Sing|Person=2|Reflex=Yes"),
            "Number=Sing|Person=2|Reflex=Yes",
        ),
        (
            ("go", "VERB", "VB", "Mood=Imp|Person=2|VerbForm=Fin"),
            "Mood=Imp|VerbForm=Fin",
        ),
        (("NATO", "PROPN", "NNP", "Abbr=Yes|Number=Sing"), "Number=Sing"),
        (("Sept.", "PROPN", "NNP", "Abbr=Yes|Number=Sing"), "Abbr=Yes|Number=Sing"),
    ],
)
def test_harmonised_features(word, expected):
    text = harmonise.harmonise(conllu([word]), conllu(REFERENCE))
    assert text == conllu([(*word[:3], expected)])


def test_the_rest_of_a_file_stays():
    text = "# text = du\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + conllu(REFERENCE)[11:]
    assert harmonise.harmonise(text, conllu(REFERENCE)) == text


def bank(directory, n_sentences):
    directory.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        text = conllu([("now", "ADV", "RB", "_")]) * n_sentences
        (directory / f"{split}.conllu").write_text(text, "utf8")
    (directory / "LICENSE.txt").write_text(f"licence of {directory.name}", "utf8")


def test_both_treebanks_become_one(tmp_path, monkeypatch):
    # A distribution that is always there, with the same licence.
    monkeypatch.setattr(english, "LOOKUPS", "spacy")
    bank(tmp_path / english.EWT, 2)
    bank(tmp_path / english.GUM, 3)
    english.merge(tmp_path, tmp_path / "English")
    train = (tmp_path / "English" / "train.conllu").read_text("utf8")
    assert train == conllu([("now", "ADV", "RB", "_")]) * 5
    licence = (tmp_path / "English" / "LICENSE").read_text("utf8")
    assert "licence of UD_English-EWT" in licence
    assert "licence of UD_English-GUM10" in licence
    assert "ExplosionAI" in licence


def test_what_is_compared(tmp_path):
    for name, model in (("one", b"1"), ("same", b"1"), ("other", b"2")):
        data = tmp_path / name / "en_x" / "en_x-0.0"
        (data / "parser").mkdir(parents=True)
        (data / "config.cfg").write_text("same", "utf8")
        (data / "README.md").write_text(name, "utf8")
        (data / "parser" / "model").write_bytes(model)
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    assert english.differences(one, same) == []
    assert english.differences(one, other) == ["parser/model"]
    (same / "en_x" / "en_x-0.0" / "tokenizer").write_bytes(b"")
    assert english.differences(one, same) == ["tokenizer"]


# ---- the pipeline in the repository --------------------------------------------------


@pytest.fixture(scope="module")
def nlp():
    return spacy.load(english_pipeline())


@in_checkout
def test_it_parses(nlp):
    doc = nlp("The mice weren't eaten. Nora's maps show 3 harbours.")
    found = [(t.text, t.lemma_, t.pos_, t.dep_, t.head.text) for t in doc]
    assert found[:6] == [
        ("The", "the", "DET", "det", "mice"),
        ("mice", "mouse", "NOUN", "nsubj:pass", "eaten"),
        ("were", "be", "AUX", "aux:pass", "eaten"),
        ("n't", "not", "PART", "advmod", "eaten"),
        ("eaten", "eat", "VERB", "ROOT", "eaten"),
        (".", ".", "PUNCT", "punct", "eaten"),
    ]
    assert len(list(doc.sents)) == 2


@in_checkout
def test_another_component_needs_no_tables():
    again = spacy.load(english_pipeline())
    again.add_pipe("textcat_multilabel").add_label("X")
    doc = again.make_doc("Nora left.")
    doc.cats = {"X": 1.0}
    with again.select_pipes(enable="textcat_multilabel"):
        again.initialize(lambda: [Example(again.make_doc(doc.text), doc)])
    assert again("Nora left.")[1].dep_ == "ROOT"


@in_checkout
def test_what_it_says_of_itself(nlp):
    assert (nlp.meta["author"], nlp.meta["license"]) == (english.AUTHOR, "CC BY-SA 4.0")
    names = [source["name"] for source in nlp.meta["sources"]]
    expected = [known["name"] for known in english.SOURCES]
    assert [
        name[: len(of)] for name, of in zip(names, expected, strict=True)
    ] == expected
    files = [f for f in english_pipeline().rglob("*") if f.is_file()]
    assert sum(f.stat().st_size for f in files) < 30e6
    names = ("config.cfg", "meta.json", "README.md")
    texts = [f.read_text("utf8") for f in files if f.name in names]
    assert not any(re.search(r"\"/\w", text) for text in texts)


@in_checkout
@pytest.mark.heavy
@pytest.mark.parametrize("name", [english.EWT, english.GUM])
@pytest.mark.skipif(not TREEBANKS.is_dir(), reason="needs the treebanks")
def test_it_scores_what_its_card_says(nlp, name):
    scores = evaluate_text(nlp, TREEBANKS / name / "test.conllu").scores
    card = (english.MODEL / "README.md").read_text("utf8")
    for measure in ("Sentences", "UPOS", "Lemmas", "LAS"):
        assert f" {100 * scores[measure].f1:.2f} |" in card, measure
