"""Training a ranker: held-out candidates, resuming, the command and what it stores."""

import gzip
import json
import shutil

import numpy as np
import pytest
import spacy
from spacy.training import Example
from typer.testing import CliRunner

from spacy_dynoracle.cli import app
from spacy_dynoracle.core.reranking.losses import losses
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.hc import HCSearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.rerank import candidates as held_out
from spacy_dynoracle.rerank.candidate_files import CandidateFileError, read_candidates
from spacy_dynoracle.rerank.candidates import (
    FoldParserSettings,
    RerankingSet,
    make_candidates,
)
from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.util.folds import cut_into_folds

from ..harbour import BANK, FILE, ROOT

pytestmark = pytest.mark.heavy

DEV = ROOT / "treebanks" / BANK / "dev.conllu"
PARSER = "dynoracle_parser"
CONFIG = {
    "tag_attr": "POS",
    "system": {"@misc": "spacy_dynoracle.ArcStandard.v1"},
    "search": {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4},
}
N_SENTENCES = 24


def make_nlp(**settings):
    nlp = spacy.blank("en")
    nlp.add_pipe(PARSER, config=CONFIG | settings)
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in list(read_conllu(FILE))[:N_SENTENCES]
    ]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return make_nlp()


@pytest.fixture(scope="module")
def model(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("trained") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def train_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "train.conllu"
    blocks = FILE.read_text(encoding="utf-8").split("\n\n")[:N_SENTENCES]
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture
def docs(nlp, train_file):
    return [to_doc(s, nlp.vocab) for s in read_conllu(train_file)]


def settings_of(nlp, epochs=1):
    labels = nlp.get_pipe(PARSER).label_data
    return FoldParserSettings("en", CONFIG, epochs, labels)


def as_lists(found):
    return [[array.tolist() for array in candidates] for candidates in found]


def rank(model, *arguments, **options):
    flags = [
        part
        for name, value in {"folds": 3, "rounds": 2, "epochs": 1, **options}.items()
        for part in (f"--{name.replace('_', '-')}", value)
    ]
    arguments = [model, *arguments, *flags]
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


# ---- candidates ----------------------------------------------------------------------


def test_a_fold_is_parsed_by_a_parser_that_has_not_seen_it(nlp, docs, tmp_path):
    """Heads that are wrong in one document alone: no parser of its fold has them."""
    found = make_candidates(docs, settings_of(nlp, 3), 4, tmp_path).candidates
    fold = next(f for f in cut_into_folds([len(d) for d in docs], 4) if 0 in f)
    expected = held_out.held_out_candidates(docs, fold, settings_of(nlp, 3))
    assert as_lists(found[: len(fold)]) == as_lists(expected)
    changed = list(docs)
    # Other trees in the fold change nothing for the fold, but for the others.
    for i in fold:
        changed[i] = spacy.tokens.Doc(
            nlp.vocab,
            words=[t.text for t in docs[i]],
            pos=[t.pos_ for t in docs[i]],
            tags=[t.tag_ for t in docs[i]],
            heads=[0] * len(docs[i]),
            deps=["root", *["punct"] * (len(docs[i]) - 1)],
        )
    others = make_candidates(
        changed, settings_of(nlp, 3), 4, tmp_path / "changed"
    ).candidates
    assert as_lists(others[: len(fold)]) == as_lists(found[: len(fold)])
    assert as_lists(others) != as_lists(found)


def test_interruptions_and_processes_change_nothing(nlp, docs, tmp_path, monkeypatch):
    settings = settings_of(nlp)
    once = make_candidates(docs, settings, 3, tmp_path / "once").candidates
    calls = []
    make = held_out.held_out_candidates

    def interrupted(docs, fold, settings):
        calls.append(fold)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return make(docs, fold, settings)

    monkeypatch.setattr(held_out, "held_out_candidates", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_candidates(docs, settings, 3, tmp_path / "twice")
    assert [p.name for p in (tmp_path / "twice").iterdir()] == ["fold-01-of-03.npz"]
    again = make_candidates(docs, settings, 3, tmp_path / "twice")
    # The first fold was not done again.
    assert len(calls) == 4
    assert again.n_resumed == 1
    assert as_lists(again.candidates) == as_lists(once)


@pytest.mark.slow
def test_processes_change_nothing(nlp, docs, tmp_path):
    settings = settings_of(nlp)
    once = make_candidates(docs, settings, 3, tmp_path / "once").candidates
    parallel = make_candidates(
        docs, settings, 3, tmp_path / "parallel", n_jobs=2
    ).candidates
    assert as_lists(parallel) == as_lists(once)


def test_candidates_of_other_settings_are_refused(nlp, docs, tmp_path):
    make_candidates(docs, settings_of(nlp), 3, tmp_path)
    for other in (
        lambda: make_candidates(docs, settings_of(nlp, 2), 3, tmp_path),
        lambda: make_candidates(docs[:-1], settings_of(nlp), 3, tmp_path),
    ):
        with pytest.raises(CandidateFileError, match="made from other data"):
            other()


@pytest.mark.parametrize("n_folds", [1, N_SENTENCES + 1])
def test_impossible_folds(nlp, docs, tmp_path, n_folds):
    with pytest.raises(ValueError, match=f"{n_folds} folds of {N_SENTENCES} documents"):
        make_candidates(docs, settings_of(nlp), n_folds, tmp_path)


# ---- sentences as a parser reads them ------------------------------------------------


def test_reranking_set(nlp, docs):
    parser = nlp.get_pipe(PARSER)
    data = RerankingSet(parser, docs)
    assert len(data.sentences) == len(docs)
    for doc, gold in zip(docs, data.golds, strict=True):
        expected = [0 if t.head == t else t.head.i + 1 for t in doc]
        assert gold.heads.tolist() == expected
        assert gold.labels is None
        assert gold.is_scored is None
    labels = list(parser.model.labels)
    for doc, gold in zip(
        docs, RerankingSet(parser, docs, labelled=True).golds, strict=True
    ):
        assert [labels[i] for i in gold.labels] == [t.dep_ for t in doc]
    for doc, gold in zip(
        docs, RerankingSet(parser, docs, punctuation=False).golds, strict=True
    ):
        assert gold.is_scored.tolist() == [t.pos_ != "PUNCT" for t in doc]


def test_candidates_are_those_of_the_parser(nlp, docs):
    """The first candidate is the tree that the parser gives, before arcs are lifted
    back."""
    parser = nlp.get_pipe(PARSER)
    data = RerankingSet(parser, docs)
    found = data.candidates(parser)
    for doc, sentence, candidates in zip(docs, data.sentences, found, strict=True):
        assert candidates.heads.shape[1] == len(doc)
        heads, _ = parser.parser.search.parse(parser.model, [sentence], RootRule.ONE)
        assert candidates.heads[0].tolist() == heads.tolist()


# ---- the command ---------------------------------------------------------------------


def test_rank(model, train_file, tmp_path):
    output = tmp_path / "ranked"
    result = rank(model, train_file, DEV, output=output)
    assert result.exit_code == 0, result.output
    assert "best candidates" in result.stdout
    assert result.stdout.count("(taken)") == 1
    nlp = spacy.load(output)
    parser = nlp.get_pipe(PARSER)
    assert isinstance(parser.parser.search, HCSearch)
    assert parser.parser.search.beam_size == 4
    assert parser.model.ranker is not None
    # What is stored is what was chosen: the mixture has its loss on DEV.
    docs = [to_doc(s, nlp.vocab) for s in read_conllu(DEV)]
    data = RerankingSet(parser, docs)
    before = spacy.load(model).get_pipe(PARSER)
    chosen = 0
    for sentence, found, gold in zip(
        data.sentences, data.candidates(before), data.golds, strict=True
    ):
        best = parser.model.ranker.choose(sentence, found)
        chosen += losses(found, gold)[best]
        heads, labels = parser.parser.search.parse(
            before.model.with_ranker(parser.model.ranker), [sentence], RootRule.ONE
        )
        assert heads.tolist() == found.heads[best].tolist()
        assert labels.tolist() == found.labels[best].tolist()
    n_words = sum(len(doc) for doc in docs)
    (taken,) = (line for line in result.stdout.split("\n") if "(taken)" in line)
    assert f"{100 - 100 * chosen / n_words:.2f}" in taken


def test_scores_as_json(model, train_file, tmp_path):
    packed = tmp_path / "dev.conllu.gz"
    packed.write_bytes(gzip.compress(DEV.read_bytes()))
    flags = ["--folds", 2, "--rounds", 1, "--epochs", 1, "--json"]
    arguments = ["rank", model, train_file, packed, "-o", tmp_path / "out", *flags]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    values = json.loads(result.stdout)
    assert values["words"] == sum(len(s.words) for s in read_conllu(DEV))
    assert values["search_alone"] <= values["best_candidates"]


def test_lists_of_trees_are_in_the_order_of_the_ranker(model, train_file, tmp_path):
    assert rank(model, train_file, DEV, output=tmp_path / "out").exit_code == 0
    nlp = spacy.load(tmp_path / "out")
    parser = nlp.get_pipe(PARSER)
    # The ranker alone: it must not agree with the search everywhere.
    parser.set_model(parser.model.with_ranker(parser.model.ranker.with_alpha(0.0)))
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
        parser.change(k_best=4)
        (kept,) = nlp(doc)._.kbest
        parser.change(k_best=0)
        assert kept.deps == segment.deps
        assert (kept.mixture == segment.mixture).all()
        assert (kept.ranker_scores == segment.ranker_scores).all()
        assert doc.to_array(["HEAD", "DEP"]).tolist() == (
            parsed.to_array(["HEAD", "DEP"]).tolist()
        )
    assert n_other > 0


def test_trees_and_losses_on_the_command_line(model, train_file, tmp_path):
    assert rank(model, train_file, DEV, output=tmp_path / "out").exit_code == 0
    arguments = ["parse", str(tmp_path / "out"), str(DEV), "--k-best", "2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "# ranker_score = " in result.stdout
    assert "# mixture = 1.0000" in result.stdout
    metrics = tmp_path / "metrics.json"
    arguments = ["evaluate", str(tmp_path / "out"), str(DEV), "-o", str(metrics)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(metrics.read_text(encoding="utf-8"))
    losses_of_all = found["beam"]["heads"]["all"]
    # The tree that counts is the one that the ranker has chosen.
    assert losses_of_all["total"] == pytest.approx(1 - found["scores"]["all"]["uas"])


def test_the_same_again_is_the_same_model(model, train_file, tmp_path):
    models = []
    for name in ("one", "two"):
        result = rank(
            model, train_file, DEV, output=tmp_path / name, work=tmp_path / "folds"
        )
        assert result.exit_code == 0, result.output
        models.append((tmp_path / name / PARSER / "model").read_bytes())
    assert models[0] == models[1]


def test_parses_of_a_ranked_pipeline(model, train_file, tmp_path):
    result = rank(model, train_file, DEV, output=tmp_path / "ranked")
    assert result.exit_code == 0, result.output
    nlp = spacy.load(tmp_path / "ranked")
    docs = [to_doc(s, nlp.vocab, tree=False) for s in read_conllu(DEV)]
    parsed = list(nlp.pipe(docs, batch_size=7))
    alone = [nlp(to_doc(s, nlp.vocab, tree=False)) for s in read_conllu(DEV)]
    for a, b in zip(parsed, alone, strict=True):
        assert [(t.head.i, t.dep_) for t in a] == [(t.head.i, t.dep_) for t in b]


def test_a_docbin_as_training_data(model, train_file, docs, tmp_path):
    path = tmp_path / "train.spacy"
    spacy.tokens.DocBin(docs=docs).to_disk(path)
    result = rank(model, path, DEV, "--no-mixture", output=tmp_path / "ranked")
    assert result.exit_code == 0, result.output
    settings = json.loads((tmp_path / "ranked" / PARSER / "cfg").read_text())
    assert settings["trained"]
    assert spacy.load(tmp_path / "ranked").get_pipe(PARSER).model.ranker.alpha == 0
    (first, *_) = sorted((tmp_path / "ranked-candidates").iterdir())
    with np.load(first) as arrays:
        digest = str(arrays["digest"])
    assert read_candidates(first, digest)


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


def test_a_parser_without_a_beam(train_file, tmp_path):
    nlp = make_nlp(search={"@misc": "spacy_dynoracle.GreedySearch.v1"})
    nlp.to_disk(tmp_path / "model")
    result = rank(tmp_path / "model", train_file, DEV, output=tmp_path / "ranked")
    assert result.exit_code == 1
    assert "candidates come from a beam" in result.output


def test_epochs_must_be_known(train_file, tmp_path, model):
    shutil.copytree(model, tmp_path / "model")
    result = CliRunner().invoke(
        app, ["rank", str(tmp_path / "model"), str(train_file), str(DEV), "-o",
              str(tmp_path / "ranked")],
    )  # fmt: skip
    assert result.exit_code == 1
    assert "use --epochs" in result.output


def test_search_without_a_ranker(nlp):
    with pytest.raises(ValueError, match="needs a model with a ranker"):
        HCSearch(4).parse(nlp.get_pipe(PARSER).model, [])
    assert repr(HCSearch(4)) == "HCSearch(beam_size=4)"
    assert isinstance(HCSearch(4), BeamSearch)
