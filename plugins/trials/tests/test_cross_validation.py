"""Cross-validation of a small treebank."""

import json
from dataclasses import replace

import numpy as np
import pytest
import spacy

from dynoracle_trials import CrossValidationSettings, cross_validate, cross_validation
from spacy_dynoracle.treebank import doc_to_conllu, read_treebank, to_doc
from tests import commands
from tests.commands import fails, works

from .programs import result_of, run


def evaluated(*arguments):
    found = commands.run("evaluate", *arguments, "--format=json")
    return json.loads(works(found))


@pytest.mark.parametrize(
    "own", ["fold-1.conllu", "gold.conllu", "settings.json", "notes.txt"]
)
def test_a_folder_with_other_files_is_refused(small, tmp_path, own):
    work = tmp_path / "work"
    work.mkdir()
    (work / own).write_text("my own")
    result = run(
        "cross-validate", small / "bank.conllu", "--config", small / "config.cfg",
        "--folds", 2, "--output", work,
    )  # fmt: skip
    fails(result, "is not the directory of a cross-validation")
    assert [p.name for p in work.iterdir()] == [own]
    assert (work / own).read_text() == "my own"


@pytest.mark.heavy
def test_unequal_documents_are_cut_by_sentences(small):
    """One document has ten of twelve sentences."""
    blocks = (small / "bank.conllu").read_text("utf-8").split("\n\n")
    blocks = [b.replace("# newdoc\n", "") for b in blocks]
    blocks[0] = "# newdoc\n" + blocks[0]
    blocks[10] = "# newdoc\n" + blocks[10]
    bank = small / "unequal.conllu"
    bank.write_text("\n\n".join(blocks), "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=2)
    result = cross_validate(bank, settings)
    assert result.settings.unit == "sentence"
    assert max(result.sizes) < 1.5 * min(result.sizes)


@pytest.mark.heavy
def test_folds_of_sentences_have_intervals_of_documents(small):
    """Where documents are enough to be drawn, but too unequal to be folds."""
    block = (small / "bank.conllu").read_text("utf-8").replace("# newdoc\n", "")
    bank = small / "many.conllu"
    first = "# newdoc\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    bank.write_text(first * 20 + "# newdoc\n" + block, "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=2)
    result = cross_validate(bank, settings)
    assert result.settings.unit == "sentence"
    assert (result.sample.unit, result.sample.n_units) == ("document", 21)
    assert sorted(np.bincount(result.sample.unit_of).tolist()) == [1] * 20 + [12]


@pytest.mark.heavy
def test_few_equal_documents_are_cut_by_sentences(small):
    """Four documents cannot be five folds, although they are of similar sizes."""
    settings = CrossValidationSettings(small / "config.cfg", n_folds=5)
    result = cross_validate(small / "bank.conllu", settings)
    assert result.settings.unit == "sentence"


@pytest.mark.heavy
def test_folds_of_single_sentences_have_no_mean(small):
    bank = small / "three.conllu"
    blocks = (small / "bank.conllu").read_text("utf-8").split("\n\n")
    bank.write_text("\n\n".join([*blocks[:3], ""]), "utf-8")
    settings = CrossValidationSettings(small / "config.cfg", n_folds=3)
    result = cross_validate(bank, settings)
    assert not result.has_mean
    assert result.as_dict()["scores"]["LAS"]["mean"] is None


def test_a_column_that_the_pipeline_of_a_fold_does_not_set(small, monkeypatch):
    """A rare value is in few folds, and scores of the other columns remain."""
    bank = small / "feats.conllu"
    rows = "1\ta\ta\tX\t_\tNumber=Sing\t0\troot\t_\t_\n\n"
    bank.write_text(rows * 4, "utf-8")

    def parses(directory, name, every, *others):
        bare = [
            replace(s, words=tuple(word._replace(feats="_") for word in s.words))
            for s in every
        ]
        return [bare[:2], every[2:]]

    monkeypatch.setattr(cross_validation, "run_trials", parses)
    settings = CrossValidationSettings(small / "config.cfg", n_folds=2)
    scores = cross_validate(bank, settings).as_dict()["scores"]
    assert scores["LAS"]["mean"] == 1
    assert "UFeats" not in scores


@pytest.mark.heavy
def test_cross_validate(small, tmp_path):
    bank, work = small / "bank.conllu", tmp_path / "work"
    arguments = (
        "cross-validate", bank, "--config", small / "config.cfg", "--folds", 2,
        "--set", "training.max_epochs=2", "--output", work,
    )  # fmt: skip
    shown = works(run(*arguments))
    assert "2 folds of sentences" not in shown
    assert "2 folds of documents, seed 0" in shown
    assert "language: en" in " ".join(shown.split())
    assert "UPOS" not in shown  # the pipeline sets none
    values = result_of(*arguments)
    scores = values["scores"]["LAS"]
    assert scores["mean"] == pytest.approx(
        sum(fold["LAS"] for fold in values["folds"]) / 2
    )
    assert 0 < scores["f1"] < 1
    # Every sentence is parsed once, and whole documents stay together.
    gold, parsed = (
        [s.forms for s in read_treebank(work / f"{name}.conllu")]
        for name in ("gold", "predicted")
    )
    assert gold == parsed
    assert sorted(gold) == sorted(s.forms for s in read_treebank(bank))
    # Other programs read the file: the root has the label of Universal Dependencies.
    written = (work / "predicted.conllu").read_text(encoding="utf-8")
    assert "\t0\troot\t" in written
    assert "ROOT" not in written
    # A fold that is missing is made again, and is the same; the others are kept.
    kept, again = work / "fold-1.conllu", work / "fold-2.conllu"
    before, made = kept.stat().st_mtime_ns, again.read_bytes()
    again.unlink()
    assert result_of(*arguments) == values
    assert kept.stat().st_mtime_ns == before
    assert again.read_bytes() == made
    # The pooled score is that of the files.
    pooled = evaluated(work / "predicted.conllu", work / "gold.conllu")
    assert pooled["scores"]["LAS"]["f1"] == scores["f1"]


@pytest.mark.heavy
def test_cross_validate_a_treebank_without_xpos(small, tmp_path):
    """TAG stands for UPOS then, and the parses do not say that it is XPOS."""
    sentences = [
        replace(s, words=tuple(w._replace(xpos="_") for w in s.words))
        for s in read_treebank(small / "bank.conllu")
    ]
    bank, work = tmp_path / "bank.conllu", tmp_path / "work"
    vocab = spacy.blank("en").vocab
    bank.write_text(
        "".join(doc_to_conllu(to_doc(s, vocab), s) for s in sentences), "utf-8"
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_tagger")
    nlp.add_pipe("dynoracle_parser", config={"sentences": "preset"})
    config = nlp.config.copy()
    config["training"] |= {"patience": 0, "max_epochs": 1, "max_steps": 0}
    config.to_disk(tmp_path / "config.cfg")
    settings = CrossValidationSettings(tmp_path / "config.cfg", n_folds=2)
    cross_validate(bank, settings, directory=work)
    words = [w for s in read_treebank(work / "predicted.conllu") for w in s.words]
    assert {word.xpos for word in words} == {"_"}
    assert "_" not in {word.upos for word in words}


@pytest.mark.heavy
def test_patience_may_be_a_variable_of_the_config(small, tmp_path):
    """Otherwise early stopping would keep sentences from training."""
    text = (small / "config.cfg").read_text("utf-8")
    assert "\npatience = 0\n" in text
    text = text.replace("\npatience = 0\n", "\npatience = ${vars.patience}\n")
    other = tmp_path / "config.cfg"
    other.write_text(f"{text}\n[vars]\npatience = 0\n", "utf-8")
    found = []
    for number, config in enumerate([small / "config.cfg", other]):
        work = tmp_path / str(number)
        settings = CrossValidationSettings(config, n_folds=3)
        cross_validate(small / "bank.conllu", settings, directory=work)
        found.append((work / "predicted.conllu").read_bytes())
    assert found[0] == found[1]


@pytest.mark.heavy
def test_cross_validation_depends_on_its_seed(small):
    found = [
        cross_validate(
            small / "bank.conllu",
            CrossValidationSettings(
                small / "config.cfg", n_folds=2, seed=seed, unit="sentence"
            ),
        )
        for seed in (0, 0, 1)
    ]
    first, same, other = (dict(result.scores) for result in found)
    assert first == same != other
    assert found[0].settings.unit == "sentence"


def test_cross_validate_says_what_is_wrong(small, tmp_path, monkeypatch):
    bank = small / "bank.conllu"
    monkeypatch.chdir(tmp_path)
    fails(run("cross-validate", bank), "no such config", "--config")
    with_config = ("cross-validate", bank, "--config", small / "config.cfg")
    fails(run(*with_config, "--folds=99"), "12 sentences cannot be cut")
    fails(run(*with_config, "--set", "epochs"), "section.key=value")
    mistyped = run(*with_config, "--set", "training.max_epoch=1")
    fails(mistyped, "no 'max_epoch'", "max_epochs")
    fails(run(*with_config, "--set", "nlp.language=de"), "no 'language'", "lang")
    fails(run(*with_config, "--set", "nlp.lang=qtr"), "language 'qtr'", "'xx'")
    own = run(*with_config, "--set", "corpora.train.path=train.spacy")
    fails(own, "[corpora.train] must read ${paths.train}")
    fails(run(*with_config, "--set", "training.train_corpus=corpora.trian"), "trian")
