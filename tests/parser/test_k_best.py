"""The best trees of documents: what `k_best` gives, and what is kept with a Doc."""

import math
from itertools import islice, pairwise, product

import numpy as np
import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_dynoracle.parser.beam_parsing import distinct
from spacy_dynoracle.parser.best_trees import BestTrees
from spacy_dynoracle.parser.k_best import KBest

from ..warned import said
from .test_invariance import doc_of, documents
from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    SYSTEMS,
    analysis,
    assert_tree,
    examples,
    make_doc,
    make_nlp,
    name_of,
    parse,
)
from .uncertain import DOC_ROUND_TRIPS, text_of

pytestmark = pytest.mark.heavy

BEAM = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 8}


def n_best(n):
    """The beam of a parser that keeps its n best trees."""
    return BEAM | {"n_best": n}


WIDE = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4096}
# Systems that have beams.
SEARCHED = [
    system
    for system in SYSTEMS
    if "EasyFirst" not in system["@misc"] and "Covington" not in system["@misc"]
]


def values(trees):
    """All that is said of the best trees of a document."""
    if trees is None:
        return None
    return [
        (
            s.words.tolist(),
            s.heads.tolist(),
            s.deps,
            s.scores.tolist(),
            None if s.log_sums is None else s.log_sums.tolist(),
        )
        for s in trees
    ]


def starts_of(sentences):
    return [i == 0 for s in sentences for i in range(len(s.words))]


# ---- lists of trees ------------------------------------------------------------------


@pytest.mark.parametrize("sentences", ["predict", "preset", "doc"])
@pytest.mark.parametrize("system", SEARCHED, ids=name_of)
def test_trees_of_any_document(confused, system, sentences):
    """Trees, distinct, sorted, the first one that of a parse, the Doc as it was."""
    nlp = confused(system, sentences=sentences, search=BEAM)
    parser = nlp.get_pipe(NAME)

    @settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
    @given(documents, st.integers(1, 9))
    def check(document, k):
        doc = doc_of(nlp, document)
        before = doc.to_bytes()
        best = parser.k_best(doc, k)
        assert doc.to_bytes() == before
        words = [i for s in best for i in s.words.tolist()]
        assert words == [token.i for token in doc if not token.is_space]
        for segment in best:
            assert 1 <= len(segment) <= k
            arcs = zip(segment.heads.tolist(), segment.deps, strict=True)
            assert len({str(tree) for tree in arcs}) == len(segment)
            assert (np.diff(segment.scores) <= 0).all()
        docs = best.docs(3)
        parsed = nlp(doc_of(nlp, document))
        assert analysis(docs[0]) == analysis(parsed)
        for tree in docs:
            assert_tree(tree)
            assert [t.text for t in tree] == [t.text for t in doc]
            # What was preset is in force in the copy too.
            assert analysis(nlp(tree)) == analysis(parsed)

    check()


def test_the_list_is_what_is_kept_on_request(pipelines):
    nlp = pipelines(search=n_best(3))
    best = nlp.get_pipe(NAME).k_best(make_doc(nlp.vocab, text_of()), 3)
    doc = nlp(make_doc(nlp.vocab, text_of()))
    assert values(doc._.kbest) == values(best)
    plain = pipelines(search=BEAM)(make_doc(nlp.vocab, text_of()))
    assert analysis(doc) == analysis(plain)
    assert plain._.kbest is None
    # A parser whose parses come with probabilities has the same list.
    wanted = {"@misc": "spacy_dynoracle.TransitionProbabilities.v1"}
    surest = pipelines(search=BEAM, probabilities=wanted).get_pipe(NAME)
    assert values(surest.k_best(make_doc(nlp.vocab, text_of()), 3)) == values(best)


def test_trees_of_a_parsed_document_are_those_of_the_text(pipelines):
    nlp = pipelines(search=BEAM)
    parser = nlp.get_pipe(NAME)
    doc = make_doc(nlp.vocab, text_of())
    expected = values(parser.k_best(doc, 4))
    assert values(parser.k_best(nlp(doc), 4)) == expected


def test_preset_sentences_have_lists_of_their_own(pipelines):
    nlp = pipelines(search=BEAM, sentences="preset")
    parser = nlp.get_pipe(NAME)
    starts = starts_of(SENTENCES[:3])
    best = parser.k_best(make_doc(nlp.vocab, text_of(), starts), 4)
    assert len(best) == 3
    for segment, s in zip(best, SENTENCES, strict=False):
        (alone,) = parser.k_best(make_doc(nlp.vocab, s.words), 4)
        assert segment.deps == alone.deps
        assert (segment.heads - segment.words[0] == alone.heads).all()
        assert (segment.scores == alone.scores).all()
        expected = list(map(analysis, KBest(alone.doc, [alone]).docs(4)))
        part = best.alone()[SENTENCES.index(s)]
        assert [token.text for token in part.doc] == list(s.words)
        assert list(map(analysis, part.docs(4))) == expected


def test_whitespace_is_in_no_list(pipelines):
    nlp = pipelines(search=BEAM)
    parser = nlp.get_pipe(NAME)
    words = ["\n", *text_of(1)[:3], " ", *text_of(1)[3:], "\t"]
    best = parser.k_best(make_doc(nlp.vocab, words), 2)
    (alone,) = parser.k_best(make_doc(nlp.vocab, text_of(1)), 2)
    assert best[0].deps == alone.deps
    first, second = best.docs(2)
    assert_tree(first)
    assert [t.i for t in first if t.is_space] == [0, 4, len(words) - 1]
    assert (
        analysis(first)[1] != analysis(second)[1]
        or analysis(first)[0] != (analysis(second)[0])
    )
    (cut,) = best.alone()[0].docs(1)
    assert [t.text for t in cut] == words[1:-1]
    assert_tree(cut)
    assert next(iter(best.trees())).support()[0] is None


def test_crossing_arcs_are_put_back_and_equal_trees_merged(lifting):
    nlp = lifting(search=WIDE)
    parser = nlp.get_pipe(NAME)
    doc = make_doc(nlp.vocab, NONPROJECTIVE[1].words[:6])
    (best,) = parser.k_best(doc, 4096)
    names = {label for tree in best.deps for label in tree}
    assert names <= set(parser.labels) | {"ROOT"}
    trees = list(zip(best.heads.tolist(), best.deps, strict=True))
    assert len({str(tree) for tree in trees}) == len(trees) > 100

    def crosses(heads):
        arcs = [sorted((i, h)) for i, h in enumerate(heads) if h != i]
        return any(a < c < b < d for a, b in arcs for c, d in arcs)

    assert any(crosses(heads) for heads, _ in trees)


def test_words_are_parsed_again_in_every_tree(pipelines):
    """As in a parse: see `DocumentParser.wrong_parts`."""
    nlp = pipelines(search=BEAM)
    words = text_of(2)
    starts = [None] * len(words)
    starts[len(SENTENCES[0].words)] = False
    doc = make_doc(nlp.vocab, words, starts)
    for tree in nlp.get_pipe(NAME).k_best(doc, 8).docs(8):
        assert_tree(tree)
        assert tree[len(SENTENCES[0].words)].is_sent_start is False


# ---- scores --------------------------------------------------------------------------


def test_probabilities_of_all_trees_sum_to_one(pipelines):
    """Of a text so short that the beam holds every derivation."""
    nlp = pipelines(search=WIDE, sentences="doc")
    (best,) = nlp.get_pipe(NAME).k_best(make_doc(nlp.vocab, text_of()[:2]), 10**6)
    assert len(best) < 4096
    assert best.probabilities.sum() == pytest.approx(1)
    assert (best.log_sums >= best.scores - 1e-12).all()


def test_scores_of_other_learners_are_no_probabilities():
    nlp = make_nlp(search=BEAM, epochs=0)
    nlp.update(examples(nlp.vocab))
    parser = nlp.get_pipe(NAME)
    with pytest.warns(UserWarning, match="a beam adds them up"):
        best = parser.k_best(make_doc(nlp.vocab, text_of(1)), 3)
    # Once is enough.
    assert said(parse, nlp, text_of(1)) == []
    assert best[0].log_sums is None
    assert best[0].probabilities is None
    assert next(best.trees()).log_probability is None
    assert next(best.trees()).score == best[0].scores[0]


def test_scores_that_suit_a_beam_are_no_reason_to_warn(pipelines):
    for nlp in (pipelines(search=BEAM), make_nlp(search={**BEAM, "beam_size": 1})):
        if not nlp.get_pipe(NAME).labels:
            nlp.initialize(lambda nlp=nlp: examples(nlp.vocab))
        assert said(parse, nlp, text_of(1)) == []


def by_hand(doc):
    """Three trees of two words."""
    return BestTrees(
        doc,
        np.array([0, 1]),
        np.array([[0, 0], [0, 0], [1, 1]]),
        np.array([[0, 1], [0, 2], [1, 0]]),
        ["ROOT", "a", "b"],
        np.array([-0.5, -1.5, -2.0]),
        np.log([0.5, 0.25, 0.125]),
    )


def test_support_of_arcs():
    doc = Doc(spacy.blank("xx").vocab, words=["x", "y"])
    best = by_hand(doc)
    assert best.deps == [["ROOT", "a"], ["ROOT", "b"], ["a", "ROOT"]]
    third = 1 / 3
    assert best.support() == pytest.approx(
        np.array([[2 * third, third], [2 * third, third], [third, third]])
    )
    tree = list(KBest(doc, [best]).trees())[1]
    assert tree.support() == pytest.approx([2 * third, third])
    assert tree.log_probability == pytest.approx(math.log(0.25))
    assert [t.dep_ for t in tree.as_doc()] == ["ROOT", "b"]


def test_distinct_trees():
    trees = np.array([[2, 1], [1, 1], [2, 1], [1, 1], [0, 3]])
    kept, sums = distinct(trees, np.log([0.5, 0.1, 0.25, 0.2, 0.05]))
    assert kept.tolist() == [0, 1, 4]
    assert np.exp(sums) == pytest.approx([0.75, 0.3, 0.05])


# ---- trees of whole documents --------------------------------------------------------


@given(
    st.lists(
        st.lists(st.integers(-9, 0), min_size=1, max_size=4), min_size=1, max_size=5
    )
)
def test_segments_are_combined_best_first(scores):
    doc = Doc(spacy.blank("xx").vocab, words=["x"] * len(scores))
    segments = []
    for i, values in enumerate(scores):
        found = np.array(sorted(values, reverse=True), dtype=float)
        k = len(found)
        segments.append(
            BestTrees(
                doc,
                np.array([i]),
                np.full((k, 1), i),
                np.arange(k).reshape(-1, 1),
                list("abcd"),
                found,
                None,
            )
        )
    best = KBest(doc, segments)
    trees = list(best.trees())
    everything = set(product(*(range(len(s)) for s in segments)))
    assert len(trees) == len(everything)
    assert {tree.ranks for tree in trees} == everything
    assert trees[0].ranks == (0,) * len(scores)
    assert all(a.score >= b.score for a, b in pairwise(trees))
    for tree in trees:
        chosen = zip(segments, tree.ranks, strict=True)
        assert tree.score == sum(s.scores[i] for s, i in chosen)
        assert [t.dep_ for t in tree.as_doc()] == ["abcd"[i] for i in tree.ranks]


def test_combinations_are_made_as_they_are_asked_for(pipelines):
    """Of 15 sentences there are 8 ** 15."""
    nlp = pipelines(search=BEAM, sentences="preset")
    doc = make_doc(nlp.vocab, text_of(15), starts_of(SENTENCES))
    best = nlp.get_pipe(NAME).k_best(doc, 8)
    trees = list(islice(best.trees(), 500))
    assert len({tree.ranks for tree in trees}) == 500
    assert all(a.score >= b.score for a, b in pairwise(trees))


# ---- kept with the Doc ---------------------------------------------------------------


@pytest.mark.parametrize("how", DOC_ROUND_TRIPS)
def test_saved_documents_keep_their_trees(pipelines, how):
    nlp = pipelines(search=n_best(3))
    doc = nlp(make_doc(nlp.vocab, ["\n", *text_of()]))
    again = DOC_ROUND_TRIPS[how](doc)
    assert values(again._.kbest) == values(doc._.kbest)
    assert list(map(analysis, again._.kbest.docs(3))) == list(
        map(analysis, doc._.kbest.docs(3))
    )


def test_documents_that_are_cut_and_joined(pipelines):
    nlp = pipelines(search=n_best(3), sentences="preset")
    doc = nlp(make_doc(nlp.vocab, text_of(), starts_of(SENTENCES[:3])))
    parts = [sent.as_doc(copy_user_data=True) for sent in doc.sents]
    for part, segment in zip(parts, doc._.kbest, strict=True):
        (found,) = part._.kbest
        assert found.deps == segment.deps
        assert (found.heads + segment.words[0] == segment.heads).all()
    joined = Doc.from_docs(parts[::-1])
    assert [s.deps for s in joined._.kbest] == [s.deps for s in doc._.kbest][::-1]
    assert doc[1:].as_doc(copy_user_data=True)._.kbest is None
    assert doc[:4].as_doc()._.kbest is None
    silent = pipelines()(make_doc(nlp.vocab, text_of(1)))
    assert Doc.from_docs([doc, silent])._.kbest is None


def test_trees_go_when_words_do(pipelines):
    nlp = pipelines(search=n_best(3))
    doc = nlp(make_doc(nlp.vocab, text_of()))
    expected = values(doc._.kbest)
    doc[0].dep_ = "x"
    doc[3].head = doc[0]
    assert values(doc._.kbest) == expected
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    assert doc._.kbest is None


def test_trees_are_those_of_the_same_forms(pipelines):
    nlp = pipelines(search=n_best(3))
    doc = nlp(make_doc(nlp.vocab, text_of(1)))
    for words, is_known in ((text_of(1), True), (["Yyy", *text_of(1)[1:]], False)):
        other = Doc(doc.vocab, words=words, user_data=doc.user_data)
        assert [t.idx for t in other] == [t.idx for t in doc]
        assert (other._.kbest is not None) == is_known


def test_a_new_parse_replaces_the_trees(pipelines):
    doc = pipelines(search=n_best(3))(make_doc(spacy.vocab.Vocab(), text_of()))
    assert len(doc._.kbest[0]) == 3
    pipelines(search=n_best(2))(doc)
    assert len(doc._.kbest[0]) == 2
    pipelines(search=BEAM)(doc)
    assert doc._.kbest is None
    assert doc.user_data == {}


# ---- errors --------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1])
def test_no_trees_cannot_be_asked_for(pipelines, k):
    nlp = pipelines(search=BEAM)
    with pytest.raises(ValueError, match=f"k = {k}: expected at least 1"):
        nlp.get_pipe(NAME).k_best(make_doc(nlp.vocab, text_of()), k)


def test_greedy_search_has_no_list(pipelines):
    nlp = pipelines()
    with pytest.raises(ValueError, match=r"BeamSearch\.v1, not GreedySearch"):
        nlp.get_pipe(NAME).k_best(make_doc(nlp.vocab, text_of()), 1)
    with pytest.raises(ValueError, match=r"BeamSearch\.v1, not GreedySearch"):
        nlp.get_pipe(NAME).recipe.search.with_n_best(3)
    with pytest.raises(ValueError, match="n_best = -1: expected 0 to"):
        make_nlp(search=n_best(-1))


def test_a_parser_without_a_model_has_no_list():
    nlp = make_nlp(search=BEAM)
    with pytest.raises(ValueError, match="has no model"):
        nlp.get_pipe(NAME).k_best(make_doc(nlp.vocab, text_of()), 1)
