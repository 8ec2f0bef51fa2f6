"""Scores from raw text: alignment of words, and every measure by hand."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_dynoracle.evaluation.conll2018 import MEASURES, score_docs
from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.treebank.text import paragraphs

from ..conllu import sentences_of
from ..harbour import TEST

GOLD = """\
# newpar
1\tNora\t_\tPROPN\tNNP\t_\t4\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\t_\tAUX\tVBD\t_\t4\taux\t_\t_
3\tn't\t_\tPART\tRB\t_\t4\tadvmod:neg\t_\t_
4\tsing\t_\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t_\tPUNCT\t.\t_\t4\tpunct\t_\t_

1\tSam\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\twaved\t_\tVERB\tVBD\t_\t0\troot\t_\t_

"""
WORDS = ["Nora", "did", "n't", "sing", ".", "Sam", "waved"]


def evaluate(gold, doc):
    return score_docs([(sentences_of(gold), doc)])


def counts(score):
    return score.gold, score.predicted, score.correct, score.aligned


def make_doc(words, heads, labels, **tags):
    """
    Args:
        heads: From 1, 0 for roots. labels and tags are separated by blanks.
    """
    return Doc(
        Vocab(),
        words=words,
        heads=[(head or i) - 1 for i, head in enumerate(heads, 1)],
        deps=labels.split(),
        **{name: values.split() for name, values in tags.items()},
    )


def test_a_treebank_without_upos_says_nothing_about_tags():
    bare = re.sub("(PROPN|AUX|PART|VERB|PUNCT)\t", "_\t", GOLD)
    doc = make_doc(WORDS, [4, 4, 4, 0, 4, 4, 6], "a b c ROOT d e f")
    assert not {"UPOS", "AllTags", "MLAS"} & set(evaluate(bare, doc))
    assert {"UFeats", "LAS", "CLAS"} <= set(evaluate(bare, doc))
    bare = re.sub("_\t(NNP|VBD|RB|VB|[.])\t", "_\t_\t", bare)
    assert not {"XPOS", "UFeats"} & set(evaluate(bare, doc))


def test_every_measure():
    """One sentence instead of two: the second subject goes wrong."""
    doc = make_doc(
        WORDS,
        [4, 4, 4, 0, 4, 4, 6],
        "nsubj aux advmod ROOT punct obj parataxis",
        pos="PROPN AUX PART VERB PUNCT NOUN VERB",
        tags="NNP VBD RB VBP . NNP VBD",
    )
    scores = evaluate(GOLD, doc)
    # The treebank has no lemmas, whatever the pipeline has.
    assert list(scores) == [m for m in MEASURES if m not in ("Lemmas", "BLEX")]
    # The multiword token was found as two.
    assert counts(scores["Tokens"]) == (6, 7, 5, None)
    assert counts(scores["Sentences"]) == (2, 1, 0, None)
    assert counts(scores["Words"]) == (7, 7, 7, None)
    assert counts(scores["UPOS"]) == (7, 7, 6, 7)
    assert counts(scores["XPOS"]) == (7, 7, 6, 7)
    assert counts(scores["UAS"]) == (7, 7, 5, 7)
    assert counts(scores["LAS"]) == (7, 7, 5, 7)
    # Without aux and punct.
    assert counts(scores["CLAS"]) == (5, 5, 3, 5)
    assert scores["LAS"].f1 == pytest.approx(5 / 7)
    assert scores["Tokens"].precision == pytest.approx(5 / 7)
    assert scores["Tokens"].recall == pytest.approx(5 / 6)
    assert scores["Tokens"].aligned_accuracy is None
    assert scores["UPOS"].as_dict()["aligned_accuracy"] == pytest.approx(6 / 7)


def test_xpos_does_not_count_where_the_treebank_has_none():
    text = re.sub(r"\t(NNP|VBD?|RB)\t", "\t_\t", GOLD).replace("PUNCT\t.", "PUNCT\t_")
    doc = make_doc(
        WORDS,
        [4, 4, 4, 0, 4, 7, 0],
        "nsubj aux advmod ROOT punct nsubj ROOT",
        pos="PROPN AUX PART VERB PUNCT PROPN VERB",
        tags="PROPN AUX PART VERB PUNCT PROPN VERB",
    )
    scores = evaluate(text, doc)
    assert "XPOS" not in scores
    assert scores["AllTags"].f1 == 1.0


def test_words_that_are_split_otherwise():
    """A word without a counterpart is wrong, and so is what depends on it."""
    words = ["Nora", "did", "n't", "sing", ".", "Sam", "wa", "ved"]
    doc = make_doc(
        words, [4, 4, 4, 0, 4, 7, 0, 7], "nsubj aux advmod ROOT punct nsubj ROOT dep"
    )
    scores = evaluate(GOLD, doc)
    assert counts(scores["Words"]) == (7, 8, 6, None)
    assert counts(scores["UAS"]) == (7, 8, 5, 6)
    assert counts(scores["Sentences"]) == (2, 2, 2, None)
    # Nothing was tagged.
    assert not {"UPOS", "XPOS"} & set(scores)


@pytest.mark.parametrize(
    ("parts", "aligned"),
    [
        (["didn't"], []),
        (["did", "n't"], [1, 2]),
        (["DID", "N'T"], [1, 2]),
        (["d", "id", "n't"], [2]),
        (["did", "n", "'t"], [1]),
    ],
)
def test_multiword_tokens_are_aligned_by_form(parts, aligned):
    text = GOLD.replace("didn't", "".join(parts))
    words = ["Nora", *parts, "sing", ".", "Sam", "waved"]
    n = len(words)
    doc = make_doc(words, [0] + [1] * (n - 1), "ROOT " + "dep " * (n - 1))
    scores = evaluate(text, doc)
    assert scores["Words"].correct == 5 + len(aligned)
    assert scores["Tokens"].correct == 5 + (len(parts) == 1)


def test_unknown_heads_are_not_scored():
    unknown = GOLD.replace("VBD\t_\t4\taux", "VBD\t_\t_\t_")
    doc = make_doc(
        WORDS, [4, 1, 4, 0, 4, 7, 0], "nsubj dep advmod ROOT punct nsubj ROOT"
    )
    scores = evaluate(unknown, doc)
    assert counts(scores["Words"]) == (7, 7, 7, None)
    assert counts(scores["LAS"]) == (6, 6, 6, 6)
    # Nor do they count for the words that they are function words of.
    doc = make_doc(
        WORDS,
        [4, 4, 4, 0, 4, 7, 0],
        "nsubj aux advmod:neg ROOT punct nsubj ROOT",
        pos="PROPN AUX PART VERB PUNCT PROPN VERB",
        morphs="_ _ _ _ _ _ _",
    )
    assert evaluate(unknown, doc)["MLAS"].f1 == evaluate(GOLD, doc)["MLAS"].f1 == 1


def test_unknown_labels_count_only_in_uas():
    unknown = GOLD.replace("VBD\t_\t4\taux", "VBD\t_\t4\t_")
    scores = evaluate(
        unknown,
        make_doc(
            WORDS, [4, 4, 4, 0, 4, 7, 0], "nsubj dep advmod ROOT punct nsubj ROOT"
        ),
    )
    assert counts(scores["UAS"]) == (7, 7, 7, 7)
    assert counts(scores["LAS"]) == (6, 6, 6, 6)


def test_unknown_predictions_are_wrong():
    scores = evaluate(GOLD, Doc(Vocab(), words=WORDS))
    assert counts(scores["UAS"]) == (7, 7, 0, 7)


def test_whitespace_tokens_are_no_words():
    words = ["\n", *WORDS[:5], "  ", *WORDS[5:], "\n\n"]
    heads = [2, 5, 5, 5, 0, 5, 5, 9, 0, 9]
    labels = "dep nsubj aux advmod ROOT punct dep nsubj ROOT dep"
    scores = evaluate(GOLD, make_doc(words, heads, labels))
    for measure in ("Words", "Sentences", "UAS", "LAS", "CLAS"):
        assert scores[measure].f1 == 1, measure


def test_other_characters_are_an_error():
    with pytest.raises(ValueError, match="at character 5") as caught:
        evaluate(GOLD, Doc(Vocab(), words=["Nora", "dad"]))
    assert "'ad' instead of" in str(caught.value)
    with pytest.raises(ValueError, match="at character 4"):
        evaluate(GOLD, Doc(Vocab(), words=["Nora"]))


def test_nothing_is_zero():
    scores = score_docs([])
    assert scores["LAS"].f1 == 0
    assert scores["LAS"].aligned_accuracy == 0


@given(st.data())
def test_without_multiword_tokens_words_correspond_by_their_spans(data):
    """However a text is cut."""
    text = "abcdefghij" * 2
    cuts = st.sets(st.integers(1, len(text) - 1))

    def spans(of):
        return list(pairwise([0, *sorted(of), len(text)]))

    gold, found = spans(data.draw(cuts)), spans(data.draw(cuts))
    rows = [
        f"{i}\t{text[a:b]}\t_\t_\t_\t_\t{i - 1}\tx\t_\t_\n"
        for i, (a, b) in enumerate(gold, 1)
    ]
    words = [text[a:b] for a, b in found]
    heads = list(range(len(words)))
    scores = evaluate("".join(rows) + "\n", make_doc(words, heads, "x " * len(words)))
    common = set(gold) & set(found)
    assert scores["Words"].correct == scores["Tokens"].correct == len(common)
    # A head is right where the word before is the same, too.
    before = {span: a for a, span in pairwise([(0, 0), *gold])}
    found_before = {span: a for a, span in pairwise([(0, 0), *found])}
    right = sum(before[span] == found_before[span] for span in common)
    assert scores["UAS"].correct == right


def test_gold_trees_are_perfect():
    """A treebank against itself, as one text."""
    found = list(paragraphs(read_conllu(TEST)))
    texts = []
    for _, group in found:
        vocab = Vocab()
        texts.append((group, Doc.from_docs([to_doc(s, vocab) for s in group])))
    for measure, score in score_docs(texts).items():
        assert score.f1 == 1, measure


def test_texts_begin_at_paragraphs():
    more = (
        GOLD.replace("# newpar", "# newdoc id = b") + "1\t!\t_\t_\t_\t_\t0\tx\t_\t_\n"
    )
    found = list(paragraphs(sentences_of(GOLD + more)))
    assert [len(group) for _, group in found] == [2, 3]
    assert [text for text, _ in found] == [
        "Nora didn't sing. Sam waved",
        "Nora didn't sing. Sam waved !",
    ]
