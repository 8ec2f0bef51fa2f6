"""Boundaries that were preset stay preset when a Doc is parsed again."""

import pytest
from spacy.tokens import Doc

from spacy_dynoracle.doc.preset_boundaries import KEY

from .treebank import SENTENCES, analysis, make_doc, parse
from .uncertain import DOC_ROUND_TRIPS

WORDS = [*SENTENCES[0].words, *SENTENCES[2].words]
# A sentence starts in the middle of the first one, none at the second.
STARTS = [None] * len(WORDS)
STARTS[3], STARTS[6] = True, False


@pytest.fixture(scope="module")
def preset(trained_nlp):
    """A parsed Doc with presets that the parser would not have chosen."""
    free = analysis(parse(trained_nlp, WORDS))[2]
    assert free[3] is False
    assert free[6] is True
    return parse(trained_nlp, WORDS, STARTS)


def test_they_are_kept(trained_nlp, preset):
    assert preset[3].is_sent_start
    assert not preset[6].is_sent_start
    doc = preset.copy()
    for _ in range(2):
        assert analysis(trained_nlp(doc)) == analysis(preset)


WAYS = {
    **DOC_ROUND_TRIPS,
    "cut": lambda doc: doc[2:].as_doc(copy_user_data=True),
    "joined": lambda doc: Doc.from_docs([make_doc(doc.vocab, ["Rain", "fell"]), doc]),
}


@pytest.mark.parametrize("how", WAYS)
def test_they_follow_the_document(trained_nlp, preset, how):
    doc = trained_nlp(tagged(WAYS[how](preset)))
    shift = len(doc) - len(preset)
    assert doc[3 + shift].is_sent_start
    assert not doc[6 + shift].is_sent_start


def tagged(doc):
    """With the tags that the parser reads, which a DocBin does not keep."""
    again = make_doc(doc.vocab, [token.text for token in doc])
    for token, other in zip(doc, again, strict=True):
        token.pos = other.pos
    return doc


def test_new_presets_replace_them(trained_nlp, preset):
    """Of a Doc without a parse only what it has now counts."""
    doc = make_doc(trained_nlp.vocab, WORDS, [i == 9 for i in range(len(WORDS))])
    doc.user_data.update(preset.user_data)
    trained_nlp(doc)
    assert [sent.start for sent in doc.sents] == [0, 9]
    again = analysis(doc)
    assert analysis(trained_nlp(doc)) == again
    doc = make_doc(trained_nlp.vocab, WORDS)
    doc.user_data.update(preset.user_data)
    assert analysis(trained_nlp(doc)) == analysis(parse(trained_nlp, WORDS))
    assert KEY not in doc.user_data


def test_nothing_is_kept_where_nothing_is_preset(trained_nlp):
    for starts in (None, [True, *[None] * (len(WORDS) - 1)]):
        assert parse(trained_nlp, WORDS, starts).user_data == {}


def test_other_user_data_stays(trained_nlp):
    doc = make_doc(trained_nlp.vocab, WORDS, STARTS)
    doc.user_data["mine"] = 1
    doc.user_data["._.", "mine", 3, None] = 2
    for _ in range(2):
        trained_nlp(doc)
        assert doc.user_data["mine"] == 1
        assert doc.user_data["._.", "mine", 3, None] == 2
        assert len(doc.user_data) == 3


@pytest.mark.parametrize("sentences", ["preset", "doc"])
def test_a_parse_of_another_kind_in_between(trained_by_sentences, preset, sentences):
    doc = trained_by_sentences[sentences](preset.copy())
    assert analysis(trained_by_sentences["predict"](doc)) == analysis(preset)


def test_merged_tokens(trained_nlp, preset):
    """What is left of the tokens is bound as before."""
    doc = preset.copy()
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    trained_nlp(doc)
    assert doc[2].is_sent_start
    assert not doc[5].is_sent_start
