"""Multiword tokens of Docs whose tokens are merged and split, and sentence starts."""

import pickle
import random
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_dynoracle.treebank import doc_to_conllu, multiword, to_doc

from ..conllu import sentences_of
from ..fuzz import merges
from ..fuzz.merges import FOUND, SPACES, WORDS


@pytest.fixture
def doc():
    doc = Doc(spacy.blank("xx").vocab, WORDS, SPACES)
    multiword.mark(doc, FOUND)
    return doc


def merge(doc, *bounds):
    with doc.retokenize() as retokenizer:
        for start, end in bounds:
            retokenizer.merge(doc[start:end])
    return doc


def ranges(doc):
    """The multiword tokens as texts, with the forms of their words."""
    return [(doc[a:b].text, forms) for a, b, forms in multiword.spans(doc)]


ALL = [("du", ["de", "le"]), ("des", ["de", "les"]), ("can't", ["ca", "n't"])]


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        ([(0, 2)], ALL),  # before
        ([(9, 11)], ALL[:2]),  # half of one, and a neighbour
        ([(2, 4)], ALL[1:]),  # one of them
        ([(1, 5)], ALL[1:]),  # over one
        ([(2, 7)], ALL[2:]),  # over two
        ([(0, 2), (7, 8)], ALL),
        ([(0, 11)], []),
        ([(3, 5)], ALL[1:]),
    ],
)
def test_merging(doc, bounds, left):
    assert ranges(merge(doc, *bounds)) == left


@pytest.mark.parametrize(
    ("token", "parts"), [(0, ["i", "l"]), (4, ["po", "rt"]), (7, ["î", "les"])]
)
def test_splitting_others(doc, token, parts):
    """Before, between and behind the multiword tokens."""
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[token], parts, heads=[doc[token]] * len(parts))
    assert ranges(doc) == ALL


def test_splitting_inside(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[6], ["e", "s"], heads=[doc[6], doc[6]])
    assert [text for text, _ in ranges(doc)] == ["du", "des", "can't"]
    assert [b - a for a, b, _ in multiword.spans(doc)] == [2, 3, 2]


USES = {
    "bytes": lambda doc: Doc(doc.vocab).from_bytes(doc.to_bytes()),
    "bin": lambda doc: next(iter(DocBin(docs=[doc]).get_docs(doc.vocab))),
    "json": lambda doc: Doc(doc.vocab).from_json(doc.to_json()),
    "copy": lambda doc: doc.copy(),
    "pickle": lambda doc: pickle.loads(pickle.dumps(doc)),
    "from_docs": lambda doc: Doc.from_docs([doc, doc]),
    "read": lambda doc: [list(doc.spans["multiword"]), doc][1],
}


@pytest.mark.parametrize("use", USES)
def test_merged_docs_can_be_saved(doc, use):
    merged = merge(doc, (0, 2), (4, 5), (7, 8))
    merged = merge(merged, (0, 1))
    wanted = [text for text, _ in ranges(merged)]
    assert wanted == ["du", "des", "can't"]
    found = USES[use](merged)
    assert [text for text, _ in ranges(found)] == wanted * (1 + (use == "from_docs"))
    assert "\n2-3\tdu\t" in doc_to_conllu(found)


def test_lost_forms_are_told(doc):
    """The JSON of spaCy has no NORM."""
    with pytest.warns(UserWarning, match="has a NORM of its own"):
        doc_to_conllu(USES["json"](doc))


@pytest.mark.parametrize("use", ["bytes", "bin", "json", "copy", "pickle", "from_docs"])
def test_saved_docs_can_be_merged(doc, use):
    merged = merge(USES[use](doc), (0, 2), (7, 8))
    for found in (merged, USES["bytes"](merged), USES["bin"](merged)):
        texts = [text for text, _ in ranges(found)]
        assert texts == ["du", "des", "can't"] * (1 + (use == "from_docs"))


@pytest.mark.heavy
@pytest.mark.parametrize("n", [40, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_changes(n):
    """The ranges are those of a Doc made anew: see `merges`."""
    case = merges.cases(Path())
    assert sum(case(random.Random(i)) for i in range(n)) > n


@pytest.mark.parametrize("starts", [(3,), (6,), (9,), (3, 6), (3, 9), (3, 6, 9)])
def test_no_sentence_starts_inside(doc, starts):
    for token in doc:
        token.is_sent_start = token.i in (0, *starts)
    moved = [start - 1 for start in starts]
    bounds = multiword.sentence_bounds(doc, multiword.spans(doc))
    assert bounds == [0, *moved, len(doc)]
    forms = [
        r.split("\t")[1] for r in doc_to_conllu(doc).split("\n") if r[:1].isdigit()
    ]
    assert "de" in forms
    assert "d" not in forms
    multiword.move_starts(doc)
    assert [s.start for s in doc.sents] == [0, *moved]


def test_starts_move_beside_preset_heads(doc):
    """spaCy refuses to set `token.is_sent_start` where a Doc has heads."""
    for token in doc:
        token.is_sent_start = token.i in (0, 3)
    doc[0].dep_ = "ROOT"
    multiword.move_starts(doc)
    assert [t.i for t in doc if t.is_sent_start] == [0, 2]


def test_the_norm_of_words_with_other_forms(doc):
    """NORM is the form in ``du``, and stays that of spaCy in ``can't``."""
    assert [t.norm_ for t in doc[2:4]] == ["de", "le"]
    other = Doc(doc.vocab, ["ca", "n't"], [False, False])
    other[1].norm_ = "not"
    multiword.mark(other, [(0, ["ca", "n't"])])
    assert [t.norm_ for t in other] == ["ca", "not"]
    assert multiword.word_forms(other) == ["ca", "n't"]


def test_a_norm_that_is_not_the_form_is_replaced(doc):
    other = Doc(doc.vocab, ["wo", "n't"], [False, False])
    other[1].norm_ = "not"
    multiword.mark(other, [(0, ["will", "n't"])])
    assert multiword.word_forms(other) == ["will", "n't"]


def test_forms_do_not_depend_on_the_vocab(tmp_path):
    """Vocabs of languages have other NORM than one without a language."""
    nlp = spacy.blank("de")
    doc = Doc(nlp.vocab, ["Bei", "m", "Haus"], [False, True, False])
    multiword.mark(doc, [(0, ["Bei", "dem"])])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "x.spacy")
    for vocab in (nlp.vocab, Vocab(), spacy.blank("en").vocab):
        (read,) = DocBin().from_disk(tmp_path / "x.spacy").get_docs(vocab)
        assert multiword.word_forms(read) == ["Bei", "dem", "Haus"]


def test_a_part_of_a_document_keeps_its_multiword_tokens(doc):
    (first, end, forms), *_ = multiword.spans(doc)
    part = multiword.as_doc(doc[first - 1 : end + 1])
    assert list(multiword.spans(part)) == [(1, 1 + end - first, forms)]
    # Half of one is none.
    assert list(multiword.spans(multiword.as_doc(doc[first + 1 : end + 1]))) == []


def test_no_word_is_a_blank():
    rows = [f"{i}\t{x}" + "\t_" * 8 for i, x in enumerate(("5", "per", "cent"), 1)]
    (sentence,) = sentences_of("\n".join(["1-3\t5 %" + "\t_" * 8, *rows, "", ""]))
    assert [token.text for token in to_doc(sentence, Vocab())] == ["5", "per", "cent"]


def test_long_tokens_are_divided_evenly():
    """The best division takes time with a high power of the length."""
    forms = tuple("ab" for _ in range(500))
    pieces = multiword.divide("x" * 2000, forms)
    assert set(map(len, pieces)) == {4}
    assert "".join(pieces) == "x" * 2000
