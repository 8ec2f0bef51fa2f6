"""Explanations from Python: what they take, what they show, and in notebooks."""

import html
import re
from xml.etree import ElementTree

import pytest
from spacy.tokens import Doc

from spacy_dynoracle import PipelineError
from spacy_dynoracle.explain import explain
from spacy_dynoracle.treebank.multiword import mark

from ..committee.committees import make_committee, train
from ..conllu import sentences_of
from ..parser.half_trained import ARC_EAGER, half_trained, system
from ..parser.treebank import examples, make_nlp

pytestmark = pytest.mark.heavy

TREEBANK = """\
# sent_id = one
1\tRain\train\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tfell\tfall\tVERB\tVBD\t_\t0\troot\t_\t_

"""
untagged = pytest.mark.filterwarnings("ignore:.*no token has a POS")


@pytest.fixture(scope="module")
def nlp():
    return half_trained(ARC_EAGER)


@pytest.fixture
def sentence():
    return sentences_of(TREEBANK)[0]


@untagged
def test_a_text(nlp):
    found = explain(nlp, "Rain  fell.")
    (derivation,) = found.derivations
    assert found.title == "Rain fell."
    assert derivation.gold is None
    assert str(found) == found.text()
    assert "\x1b" not in str(found)
    assert "\x1b[1m" in found.text(color=True)
    assert repr(found) == (
        f"<Explanation of 'Rain fell.': 1 derivation, {len(derivation.steps)} "
        "transitions>"
    )


@untagged
def test_a_member_of_a_committee(nlp):
    committee_nlp = make_committee()
    train(committee_nlp, examples(committee_nlp.vocab), epochs=1)
    committee = committee_nlp.get_pipe("dynoracle_committee")
    for name in ("eager", "swap"):
        doc = examples(committee_nlp.vocab)[0].predicted
        found = explain(committee_nlp, doc, member=name)
        assert found.pipeline.endswith(f", member {name}")
        (derivation,) = found.derivations
        tree = committee.members[name](doc.copy())
        heads = [0 if t.head.i == t.i else t.head.i + 1 for t in tree]
        assert list(derivation.restored.heads) == heads
    for member, message in (
        (None, r"name a member that reads forward \(eager, swap\)"),
        ("owl", "no member 'owl'"),
        ("backward", "member 'backward' reads backward"),
    ):
        with pytest.raises(PipelineError, match=message):
            explain(committee_nlp, "Rain fell.", member=member)
    with pytest.raises(PipelineError, match="has no committee"):
        explain(nlp, "Rain fell.", member="eager")


def test_a_sentence_of_a_treebank(nlp, sentence):
    (derivation,) = explain(nlp, sentence, sentence).derivations
    assert derivation.tags == ("", "NOUN", "VERB")
    assert derivation.gold.heads == (2, 0)
    (derivation,) = explain(nlp, sentence, sentence, follow="oracle").derivations
    assert derivation.total_cost == 0
    assert derivation.restored.heads == (2, 0)
    assert explain(nlp, sentence).derivations[0].gold is None


@untagged
def test_words_of_multiword_tokens_have_their_forms(nlp):
    doc = Doc(nlp.vocab, words=["d", "u", "x"], spaces=[False, True, False])
    mark(doc, [(0, ["de", "le"])])
    (derivation,) = explain(nlp, doc).derivations
    assert derivation.words[1:] == ("de", "le", "x")


def test_a_doc_is_not_changed(nlp):
    eg = examples(nlp.vocab)[0]
    doc = eg.predicted.copy()
    (derivation,) = explain(nlp, doc, eg.reference).derivations
    assert not doc.has_annotation("DEP")
    parsed = nlp(doc.copy())
    heads = [0 if t.head.i == t.i else t.head.i + 1 for t in parsed]
    assert list(derivation.restored.heads) == heads
    assert derivation.treebank is not None


@pytest.mark.parametrize("block", [ARC_EAGER, system("EasyFirst")])
def test_less_can_be_shown_than_is_kept(block):
    nlp = half_trained(block)
    eg = examples(nlp.vocab)[1]
    whole = explain(nlp, eg.predicted, eg.reference, top=None)
    some = explain(nlp, eg.predicted, eg.reference, top=2)
    assert whole.text(top=2) == some.text(top=2)
    assert len(whole.text(top=None)) > len(some.text(top=None))
    assert all(
        len(step.candidates) == step.n_candidates
        for derivation in whole.derivations
        for step in derivation.steps
    )


@untagged
def test_two_in_one_notebook(nlp):
    """Each has a document of its own, so that ids cannot meet."""
    found = [explain(nlp, text) for text in ("Rain fell.", 'A "cat" <b>.')]
    shown = [x._repr_html_() for x in found]
    for explanation, element in zip(found, shown, strict=True):
        (page,) = re.findall(r'^<iframe srcdoc="([^"]*)"', element)
        assert html.unescape(page) == explanation.html()
        assert " id=" not in element.replace(page, "")


def cells(explanation):
    lines = explanation.markdown().splitlines()
    assert len({line.count(" | ") for line in lines}) == 1
    return [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in lines]


@untagged
def test_a_table_for_slides(nlp, sentence):
    """Its rows are the steps of the derivation."""
    found = explain(nlp, sentence, sentence, gold_tags=False)
    (derivation,) = found.derivations
    titles, _, *rows, end = cells(found)
    assert titles == ["", "stack", "buffer", "transition", "arc", "cost", "correct"]
    assert rows[0][:4] == ["1", "", "Rain fell ROOT", "SHIFT"]
    assert end == ["end", "", "ROOT", "", "", "", ""]
    assert found._repr_markdown_() == found.markdown()
    for row, step in zip(rows, derivation.steps, strict=True):
        assert row[3].split()[0] == step.chosen.transition
        assert row[5].strip("*") == str(step.chosen.cost)
        assert (
            bool(row[6])
            == row[5].startswith("**")
            == (not step.is_correct(step.chosen))
        )


@untagged
def test_a_picture_for_slides(nlp, sentence):
    """It has the words of the table in its order; mistakes are red."""
    found = explain(nlp, sentence, sentence, gold_tags=False)
    picture = ElementTree.fromstring(found.svg())
    drawn = [x for x in picture if x.tag.endswith("text")]
    for place, size in ("x", "width"), ("y", "height"):
        ends = [float(x.attrib[place]) for x in drawn]
        assert 0 < min(ends) < max(ends) < float(picture.attrib[size])
    table = [cell for row in cells(found) for cell in row if cell not in ("", "---")]
    assert [x.text for x in drawn] == [re.sub(r"\\(.)|\*", r"\1", x) for x in table]
    red = {x.attrib["y"] for x in drawn if "fill" in x.attrib}
    (derivation,) = found.derivations
    assert len(red) == sum(not x.is_correct(x.chosen) for x in derivation.steps)


@untagged
def test_pictures_have_no_marks_of_xml_from_the_text(nlp):
    doc = Doc(nlp.vocab, words=["a<b&c", "\x01", "漢字"])
    picture = ElementTree.fromstring(explain(nlp, doc).svg())
    shown = [x.text for x in picture if x.tag.endswith("text")]
    assert "a<b&c \ufffd 漢字 ROOT" in shown


@untagged
def test_a_table_of_words_that_are_marks(nlp):
    """Markdown must not read them, and a long buffer must not fill the slide."""
    assert cells(explain(nlp, "@a ^b^ &"))[2][2].startswith(r"\@a \^b\^ \&")
    text = "a|b *c* <d> [e](f) " + "long " * 50
    titles, _, first, *_ = cells(explain(nlp, text))
    assert titles[-1] == "arc"
    assert first[2].startswith(r"a\|b \* c \* \< d")
    assert max(len(row[2]) for row in cells(explain(nlp, text))) < 50


@untagged
def test_errors(nlp, sentence):
    with pytest.raises(ValueError, match="no word"):
        explain(nlp, " ")
    with pytest.raises(ValueError, match="follow = 'Model': expected"):
        explain(nlp, "Nora found a map.", follow="Model")
    with pytest.raises(ValueError, match="needs a gold tree"):
        explain(nlp, "Rain fell.", follow="oracle")
    with pytest.raises(ValueError, match="not those of the document"):
        explain(nlp, "Rain fell.", sentence)
    with pytest.raises(PipelineError, match="no model"):
        explain(make_nlp(), "Rain fell.")


@untagged
def test_derivations_have_at_most_a_thousand_words(nlp):
    """Each step has the whole configuration."""
    (derivation,) = explain(nlp, "rain " * 1000, features=0, top=1).derivations
    assert len(derivation.words) == 1001
    message = "1,001 words are parsed at once, .* at most 1,000"
    with pytest.raises(PipelineError, match=message):
        explain(nlp, "rain " * 1001)
