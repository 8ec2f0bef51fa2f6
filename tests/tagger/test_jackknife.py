"""Jackknifing: what is tagged by whom, files, the command."""

import gzip
import json
import pickle
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import load_config
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_dynoracle.cli import app
from spacy_dynoracle.clusters import WordCluster, write_clusters
from spacy_dynoracle.doc.readers import make_tagged_corpus
from spacy_dynoracle.tagger.jackknife import (
    FoldTagger,
    TaggerSettings,
    annotated_attrs,
    held_out_tables,
    held_out_tags,
    jackknife,
    replace_tags,
    without_annotation,
)
from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.util.folds import cut_into_folds

from .tagged import ATTRS, SENTENCES, analysis, make_nlp, reference

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
CONLLU = ROOT / "treebanks" / "English-Harbour" / "dev.conllu"
FAST = TaggerSettings(epochs=3)


@pytest.fixture
def docs():
    vocab = spacy.blank("xx").vocab
    return [reference(vocab, s) for s in SENTENCES]


def tables_of(docs, attrs, n_folds, n_jobs=1):
    folds = held_out_tables(docs, attrs, FAST, n_folds, n_jobs)
    return [table for tables in folds for table in tables]


def run(*arguments):
    return CliRunner().invoke(app, ["jackknife", *map(str, arguments)])


def jackknifed(*arguments):
    result = run(*arguments, "--epochs", 2, "--folds", 3)
    assert result.exit_code == 0, result.output
    return result.stdout


# ---- held-out tags -------------------------------------------------------------------


def test_a_fold_is_tagged_by_a_tagger_that_has_not_seen_it(docs):
    """A tag that occurs in one document alone is never predicted there."""
    docs[4] = Doc(
        docs[4].vocab, words=[t.text for t in docs[4]], tags=["ONLY"] * len(docs[4])
    )
    tables = tables_of(docs, ["TAG"], 10)
    only = docs[4].vocab.strings["ONLY"]
    assert not (tables[4] == only).any()
    seen = tags_of_fold([*docs, docs[4]], range(4, 5), ["TAG"])
    assert (seen[0] == only).any()


def tags_of_fold(docs, fold, attrs):
    tagger = replace(FAST, config={"attrs": attrs}).tagger()
    examples = [Example(without_annotation(doc), doc) for doc in docs]
    return held_out_tags(examples, fold, tagger, FAST.epochs)


def test_each_fold_gets_the_tags_of_its_own_tagger(docs):
    tables = tables_of(docs, list(ATTRS), 3)
    for fold in cut_into_folds([len(doc) for doc in docs], 3):
        own = tags_of_fold(docs, fold, list(ATTRS))
        for i, table in zip(fold, own, strict=True):
            assert (tables[i] == table).all()


def test_processes_change_nothing(docs):
    one = tables_of(docs, ["TAG", "POS"], 4)
    two = tables_of(docs, ["TAG", "POS"], 4, 2)
    assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_progress_is_told_of_every_fold(docs):
    told = []

    @contextmanager
    def progress(what):
        told.append(what)
        yield told.append

    jackknife(docs, FAST, ["TAG"], n_folds=4, progress=progress)
    assert told == ["folds tagged", 1, 1, 1, 1]


def test_jackknife(docs):
    """The documents get the tags of the folds; the accuracy is that of these tags."""
    again = [doc.copy() for doc in docs]
    accuracy = replace_tags(again, list(ATTRS), tables_of(docs, list(ATTRS), 3))
    result = jackknife(docs, FAST, n_folds=3)
    assert result.attrs == list(ATTRS)
    assert result.accuracy == accuracy
    assert result.as_dict() == {"documents": len(docs), "accuracy": accuracy}
    assert [analysis(doc) for doc in result.docs] == [analysis(doc) for doc in again]
    assert all(a is b for a, b in zip(result.docs, docs, strict=True))


def test_replace_tags(docs):
    doc = Doc(docs[0].vocab, words=["A", "\n", "gate"], tags=["DT", "", ""])
    docs.append(doc)
    gold = [analysis(doc) for doc in docs]
    tables = tables_of(docs, ["TAG"], 5)
    shares = replace_tags(docs, ["TAG"], tables)
    found = [analysis(doc) for doc in docs]
    assert found[-1][1][0] == "_SP"
    assert found[-1][2][0] != ""
    right = known = 0
    for old, new in zip(gold, found, strict=True):
        assert [a[1:] for a in old] == [a[1:] for a in new]
        known += sum(bool(a[0]) for a in old)
        right += sum(bool(a[0]) and a[0] == b[0] for a, b in zip(old, new, strict=True))
    assert shares == {"TAG": right / known}
    assert 0 < shares["TAG"] < 1


def test_annotated_attrs(docs):
    assert annotated_attrs(docs) == list(ATTRS)
    vocab = Vocab()
    bare = [s._replace(morphs=("",) * len(s.words)) for s in SENTENCES]
    assert annotated_attrs([reference(vocab, s) for s in bare]) == ["TAG", "POS"]
    assert annotated_attrs([Doc(vocab, words=["a"])]) == []


@pytest.mark.parametrize("n_folds", [1, 11])
def test_impossible_numbers_of_folds(docs, n_folds):
    with pytest.raises(ValueError, match=f"{n_folds} folds of 10 documents"):
        jackknife(docs, FAST, ["TAG"], n_folds=n_folds)


def test_features_of_tags_are_refused(docs):
    block = {"@misc": "spacy_dynoracle.FeatureTemplates.v1", "templates": ["N0lemma"]}
    with pytest.raises(ValueError, match="which comes from LEMMA"):
        jackknife(docs, TaggerSettings(config={"features": block}), ["TAG"], n_folds=2)


# ---- the command ---------------------------------------------------------------------


def test_conllu(tmp_path):
    output = jackknifed(CONLLU, tmp_path / "out.conllu")
    assert re.search(r"right tags: TAG \d\d\.\d\d %, POS \d\d\.\d\d %", output)
    old, new = list(read_conllu(CONLLU)), list(read_conllu(tmp_path / "out.conllu"))
    assert [s.comments for s in new] == [s.comments for s in old]
    rows = [
        (a, b)
        for s, t in zip(old, new, strict=True)
        for a, b in zip(s.words, t.words, strict=True)
    ]
    for a, b in rows:
        assert a._replace(upos="", xpos="") == b._replace(upos="", xpos="", line=a.line)
    wrong = sum(a.xpos != b.xpos for a, b in rows)
    assert 0 < wrong < len(rows) / 2


def test_packed_input_and_standard_output(tmp_path):
    packed = tmp_path / "in.conllu.gz"
    packed.write_bytes(gzip.compress(CONLLU.read_bytes()))
    output = tmp_path / "out.conllu"
    options = ("--epochs", 1, "--folds", 2)
    result = run(CONLLU, "--output", output, "--json", *options)
    assert 0 < json.loads(result.stdout)["accuracy"]["TAG"] < 1
    through = run(packed, "--output", "-", *options)
    assert through.stdout_bytes == output.read_bytes()
    assert "right tags" in through.stderr
    for arguments in ((CONLLU,), (CONLLU, output, "--output", output)):
        assert "name one file to write" in run(*arguments).stderr
    assert "standard output" in run(CONLLU, "--output", "-", "--json").stderr


def test_the_output_depends_on_the_settings_alone(tmp_path):
    for name, jobs in (("a.conllu", 1), ("b.conllu", 2)):
        jackknifed(CONLLU, tmp_path / name, "--jobs", jobs)
    assert (tmp_path / "a.conllu").read_bytes() == (tmp_path / "b.conllu").read_bytes()
    jackknifed(CONLLU, tmp_path / "c.conllu", "--seed", 5)
    assert (tmp_path / "a.conllu").read_bytes() != (tmp_path / "c.conllu").read_bytes()


def test_columns_that_are_empty_stay_empty(tmp_path):
    text = CONLLU.read_text(encoding="utf8")
    rows = [line.split("\t") for line in text.split("\n")]
    for row in rows:
        if len(row) == 10:
            row[4] = "_"
    source = tmp_path / "in.conllu"
    source.write_text("\n".join(map("\t".join, rows)), encoding="utf8")
    assert "TAG" not in jackknifed(source, tmp_path / "out.conllu")
    tokens = [t for s in read_conllu(tmp_path / "out.conllu") for t in s.words]
    assert {t.xpos for t in tokens} == {"_"}
    assert {t.feats for t in tokens} == {"_"}
    assert "NOUN" in {t.upos for t in tokens}


def test_features_of_words(tmp_path):
    """A word without features may get some, and one with features may lose them."""
    lines = []
    for s in SENTENCES:
        for i, (word, feats) in enumerate(zip(s.words, s.morphs, strict=True), 1):
            row = (i, word, "_", "_", "_", feats or "_", int(i > 1), "dep", "_", "_")
            lines.append("\t".join(map(str, row)))
        lines.append("")
    source = tmp_path / "in.conllu"
    source.write_text("\n".join(lines) + "\n", encoding="utf8")
    assert "TAG" not in jackknifed(source, tmp_path / "out.conllu")
    old = [t.feats for s in read_conllu(source) for t in s.words]
    new = [t.feats for s in read_conllu(tmp_path / "out.conllu") for t in s.words]
    assert "_" in new
    assert any(a != "_" and b == "_" for a, b in zip(old, new, strict=True))


def test_spacy_files(tmp_path):
    """The reader of the parser puts the predicted tags where the parser looks."""
    vocab = Vocab()
    gold = [to_doc(sentence, vocab) for sentence in read_conllu(CONLLU)]
    DocBin(docs=gold).to_disk(tmp_path / "in.spacy")
    jackknifed(tmp_path / "in.spacy", tmp_path / "out.spacy")
    jackknifed(CONLLU, tmp_path / "same.spacy")
    assert (tmp_path / "out.spacy").read_bytes() == (
        tmp_path / "same.spacy"
    ).read_bytes()
    nlp = make_nlp()
    corpus = make_tagged_corpus(
        tmp_path / "out.spacy", attrs=["TAG", "POS"], gold_preproc=True
    )
    found = list(corpus(nlp))
    n_other = 0
    for example, doc in zip(found, gold, strict=True):
        assert [t.head.i for t in example.reference] == [t.head.i for t in doc]
        assert [t.dep_ for t in example.reference] == [t.dep_ for t in doc]
        tags = [t.tag_ for t in example.predicted]
        assert all(tags)
        n_other += tags != [t.tag_ for t in doc]
    assert 0 < n_other < len(gold)


def test_settings_of_a_config(tmp_path, monkeypatch):
    seen = []

    def spy(docs, settings, attrs, **rest):
        seen.append((settings, attrs))
        return jackknife(docs, replace(settings, epochs=1), attrs, **rest)

    monkeypatch.setattr("spacy_dynoracle.tagger.jackknife_files.jackknife", spy)
    path = tmp_path / "tagger.cfg"
    path.write_text(
        "[system]\nseed = 4\n[nlp]\nlang = 'en'\n[components]\n[components.mine]\n"
        "factory = 'dynoracle_tagger'\nseed = ${system.seed}\nattrs = ['POS']\n"
        "[training]\nmax_epochs = 7\n".replace("'", '"')
    )
    output = tmp_path / "out.conllu"
    assert run(CONLLU, output, "--config", path).exit_code == 0
    assert (
        run(
            CONLLU, output, "--config", path, "--seed", 1, "--lang", "sv", "--epochs", 1
        ).exit_code
        == 0
    )
    config = {"seed": 4, "attrs": ["POS"]}
    assert seen == [
        (TaggerSettings("en", config, 7), ["POS"]),
        (TaggerSettings("sv", config | {"seed": 1}, 1), ["POS"]),
    ]
    xpos = [t.xpos for s in read_conllu(output) for t in s.words]
    assert xpos == [t.xpos for s in read_conllu(CONLLU) for t in s.words]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read as a config"),
        ("[components]\n", "cannot be read as a config"),
        (
            "[nlp]\nlang = 'en'\n[components]\n[components.a]\nfactory = 'tagger'\n",
            "expected one component of the factory dynoracle_tagger",
        ),
        ("nonsense", "cannot be read as a config"),
    ],
)
def test_bad_configs(tmp_path, content, message):
    path = tmp_path / "a.cfg"
    if content is not None:
        path.write_text(content.replace("'", '"'))
    result = run(CONLLU, tmp_path / "out.conllu", "--config", path)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("nowhere.conllu", "out.conllu", "no such file"),
        ("text.txt", "out.conllu", "expected a .conllu, .conll or .spacy file"),
        (CONLLU, "out.txt", "expected the name of a .conllu or .conll or .spacy file"),
        ("bad.spacy", "out.conllu", "expected the name of a .spacy file"),
        ("bad.spacy", "out.spacy", "cannot be read as a .spacy file"),
        (CONLLU, "nowhere/out.conllu", "no such directory"),
        ("bare.conllu", "out.conllu", "has no TAG or POS or MORPH to train taggers on"),
        ("short.conllu", "out.conllu", "10 folds of 1 documents"),
    ],
)
def test_bad_files(tmp_path, source, output, message):
    (tmp_path / "text.txt").write_text("text")
    (tmp_path / "bad.spacy").write_text("text")
    row = ["1", "a", "_", "_", "_", "_", "0", "root", "_", "_"]
    (tmp_path / "bare.conllu").write_text("\t".join(row) + "\n\n")
    row[3] = "NOUN"
    (tmp_path / "short.conllu").write_text("\t".join(row) + "\n\n")
    result = run(tmp_path / source, tmp_path / output)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not (tmp_path / output).exists()


def test_nothing_half_written(tmp_path, monkeypatch):
    def fail(*arguments):
        raise KeyboardInterrupt

    output = tmp_path / "out.conllu"
    output.write_text("old")
    monkeypatch.setattr(FoldTagger, "__call__", fail)
    assert run(CONLLU, output).exit_code != 0
    assert output.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.conllu"]


def test_tables_of_a_config(tmp_path):
    """The taggers of the folds read the clusters that the config loads."""
    clusters = tmp_path / "clusters.tsv"
    write_clusters(clusters, [WordCluster("01", "cat", 1)])
    config = load_config(ROOT / "configs" / "fast.cfg")
    config["initialize"] = {
        "lookups": {
            "@misc": "spacy_dynoracle.ClusterTable.v1",
            "source": str(clusters),
        }
    }
    config.to_disk(tmp_path / "config.cfg")
    settings = TaggerSettings.from_config(tmp_path / "config.cfg")
    table = settings.tagger().vocab.lookups.get_table("lexeme_cluster")
    assert table["cat"] == 2
    # Processes that tag folds get the tables too.
    copy = pickle.loads(pickle.dumps(settings))
    assert copy.tagger().vocab.lookups.get_table("lexeme_cluster")["cat"] == 2
