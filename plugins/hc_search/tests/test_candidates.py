"""Candidates by parsers that have not seen the sentences, and sentences to rank."""

from dataclasses import replace

import numpy as np
import pytest
import spacy
from spacy.training import Example

from dynoracle_hcsearch import candidates as held_out
from dynoracle_hcsearch.candidate_files import CandidateFileError
from dynoracle_hcsearch.candidates import (
    FoldParserSettings,
    RerankingSet,
    make_candidates,
    without_tree,
)
from dynoracle_hcsearch.search import HCSearch
from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc.cluster_numbers import add_clusters, clusters_of
from spacy_dynoracle.parser.label_names import LabelNames
from spacy_dynoracle.util.folds import cut_into_folds
from tests.harbour import FILE

from .pipelines import CONFIG, PARSER, gold_docs, trained

pytestmark = pytest.mark.heavy

N_SENTENCES = 24


@pytest.fixture(scope="module")
def nlp():
    return trained(CONFIG)


@pytest.fixture
def docs(nlp):
    return gold_docs(nlp.vocab, FILE, N_SENTENCES)


def settings_of(nlp, epochs=1):
    labels = nlp.get_pipe(PARSER).label_data
    return FoldParserSettings("en", CONFIG, epochs, labels)


def as_lists(found):
    return [[array.tolist() for array in candidates[:4]] for candidates in found]


def test_a_fold_is_parsed_by_a_parser_that_has_not_seen_it(nlp, docs, tmp_path):
    """Heads that are wrong in one document alone: no parser of its fold has them."""
    found = make_candidates(docs, settings_of(nlp, 3), 4, tmp_path)
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
            morphs=[str(t.morph) for t in docs[i]],
            heads=[0] * len(docs[i]),
            deps=["root", *["punct"] * (len(docs[i]) - 1)],
        )
    others = make_candidates(changed, settings_of(nlp, 3), 4, tmp_path / "changed")
    assert as_lists(others[: len(fold)]) == as_lists(found[: len(fold)])
    assert as_lists(others) != as_lists(found)


def test_interruptions_and_processes_change_nothing(nlp, docs, tmp_path, monkeypatch):
    settings = settings_of(nlp)
    once = make_candidates(docs, settings, 3, tmp_path / "once")
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
    (done,) = (tmp_path / "twice").iterdir()
    assert done.name == "fold-01-of-03.msgpack.gz"
    again = make_candidates(docs, settings, 3, tmp_path / "twice")
    # The first fold was not done again.
    assert len(calls) == 4
    assert as_lists(again) == as_lists(once)


@pytest.mark.slow
def test_processes_change_nothing(nlp, docs, tmp_path):
    settings = settings_of(nlp)
    once = make_candidates(docs, settings, 3, tmp_path / "once")
    parallel = make_candidates(docs, settings, 3, tmp_path / "parallel", n_jobs=2)
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
    labels = LabelNames(parser.model).distinct
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
    back.
    """
    parser = nlp.get_pipe(PARSER)
    data = RerankingSet(parser, docs)
    found = data.candidates(parser)
    for doc, sentence, candidates in zip(docs, data.sentences, found, strict=True):
        assert candidates.heads.shape[1] == len(doc)
        heads, _ = parser.parser.search.parse(parser.model, [sentence], RootRule.ONE)
        assert candidates.heads[0].tolist() == heads.tolist()


def test_losses_are_those_of_what_the_parser_writes():
    nlp = trained(CONFIG, sentences="preset")
    parser = nlp.get_pipe(PARSER)
    parser.change(never_govern=["nsubj", "det", "obj"])
    docs = gold_docs(nlp.vocab, FILE, N_SENTENCES)
    data = RerankingSet(parser, docs, labelled=True)
    found = data.candidates(parser)
    moved = 0
    for doc, candidates, example in zip(
        docs, found, data.with_losses(found), strict=True
    ):
        parsed = without_tree(doc)
        for token in parsed:
            token.is_sent_start = token.i == 0
        nlp(parsed)
        pairs = list(zip(parsed, doc, strict=True))
        wrong = [(p.head.i, p.dep) != (g.head.i, g.dep) for p, g in pairs]
        assert example[2][0] == sum(wrong)
        moved += int((data.written(candidates).heads != candidates.heads).sum())
    assert moved


def test_lifted_arcs_are_put_back_before_losses(nlp, docs):
    parser = nlp.get_pipe(PARSER)
    labels, names = list(parser.model.labels), LabelNames(parser.model).distinct
    lifted = next(label for label in labels if "||" in label)
    own, above = lifted.split("||")
    numbers = [labels.index(above), labels.index(above), labels.index(lifted)]
    candidates = Candidates(
        np.array([[0, 1, 1]], dtype=np.int32),
        np.array([numbers], dtype=np.int32),
        np.zeros(1),
        np.zeros(1),
    )
    found = RerankingSet(parser, docs[:1]).written(candidates)
    # The second word has the label that the third one is lifted from.
    assert found.heads.tolist() == [[0, 1, 2]]
    assert [names[i] for i in found.labels[0]] == [above, above, own]


def test_a_label_that_the_parser_does_not_have_is_wrong(nlp, docs):
    parser = nlp.get_pipe(PARSER)
    for token in docs[0]:
        token.dep_ = "never_seen"
    data = RerankingSet(parser, docs[:1], labelled=True)
    ((_, _, found),) = data.with_losses(data.candidates(parser))
    assert set(found.tolist()) == {len(docs[0])}


def test_parsers_of_folds_are_like_that_of_the_pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    parser = nlp.add_pipe(PARSER, config=CONFIG)
    golds = gold_docs(nlp.vocab, FILE, 8)
    nlp.initialize(lambda: [Example(without_tree(gold), gold) for gold in golds])
    plain = FoldParserSettings.like(nlp, parser, 1)
    # Training has seen single sentences.
    assert plain.config["sentences"] == "preset"
    add_clusters(nlp.vocab.lookups, {"the": 3})
    settings = FoldParserSettings.like(nlp, parser, 1)
    form = np.array([nlp.vocab.strings["the"]], dtype=np.uint64)
    assert clusters_of(settings.parser().vocab, form).tolist() == [3]
    assert settings.digest(b"", []) != plain.digest(b"", [])


def test_labels_of_candidates_have_the_numbers_of_the_parser(nlp, docs):
    settings, fold = settings_of(nlp), range(2)
    plain = held_out.held_out_candidates(docs, fold, settings)
    names = tuple(reversed(nlp.get_pipe(PARSER).model.labels))
    other = replace(settings, names=names)
    for one, two in zip(
        plain, held_out.held_out_candidates(docs, fold, other), strict=True
    ):
        assert (one.labels >= 0).any()
        reversed_ = np.where(one.labels < 0, -1, len(names) - 1 - one.labels)
        assert two.labels.tolist() == reversed_.tolist()


def test_parsers_of_folds_have_the_temperature_of_the_parser(docs):
    nlp = trained(CONFIG)
    parser = nlp.get_pipe(PARSER)
    parser.replace_model(parser.model.with_temperature(20.0))
    settings = FoldParserSettings.like(nlp, parser, 1)
    for found in held_out.held_out_candidates(docs, range(2), settings):
        # Logarithms of probabilities.
        assert (found.scores <= 0).all()
    other = replace(settings, temperature=None)
    assert other.digest(b"", []) != settings.digest(b"", [])


def test_search_without_a_ranker(nlp):
    with pytest.raises(ValueError, match="needs a model with a ranker"):
        HCSearch(4).parse(nlp.get_pipe(PARSER).model, [])
    assert repr(HCSearch(4)) == "HCSearch(beam_size=4)"
    assert isinstance(HCSearch(4), BeamSearch)
