"""An ner of spaCy's behind a pipeline with our tokenizer, tagger and parser."""

import pytest
import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc_bin

from ..harbour import FILE

pytestmark = pytest.mark.heavy

DATA = {
    "Nora Brandt sailed to Lisbon.": [(0, 11, "PERSON"), (22, 28, "GPE")],
    "The ferry left Lisbon with Tom Vale.": [(15, 21, "GPE"), (27, 35, "PERSON")],
}
TEXT = "Nora Brandt sailed to Lisbon."
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}


def make_ner(listens):
    """A pipeline with an ner that finds the entities of its training data."""
    nlp = spacy.blank("en")
    if listens:
        nlp.add_pipe("tok2vec")
    nlp.add_pipe("ner", config={"model": {"tok2vec": LISTENER}} if listens else {})
    examples = [
        Example.from_dict(nlp.make_doc(text), {"entities": entities})
        for text, entities in DATA.items()
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="module")
def listening():
    return make_ner(listens=True)


@pytest.fixture
def parsing():
    """A pipeline of ours."""
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {
        "@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}}})  # fmt: skip
    nlp.add_pipe("dynoracle_senter")
    nlp.add_pipe("dynoracle_tagger")
    nlp.add_pipe("dynoracle_parser")
    docs = to_doc_bin(list(read_conllu(FILE))[:100], nlp.vocab, 10).get_docs(nlp.vocab)
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    return nlp


def entities(doc):
    return [(e.start_char, e.end_char, e.label_) for e in doc.ents]


def analyses(doc):
    return [(t.text, t.tag_, t.dep_, t.head.i, t.is_sent_start) for t in doc]


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("listens", [True, False])
def test_an_ner_is_taken_over(parsing, tmp_path, listens, place):
    source = make_ner(listens)
    before = analyses(parsing(TEXT))
    if listens:
        source.replace_listeners("tok2vec", "ner", ["model.tok2vec"])
    parsing.add_pipe("ner", source=source, **{place: True})
    assert entities(parsing(TEXT)) == DATA[TEXT]
    assert analyses(parsing(TEXT)) == before
    parsing.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert [entities(doc) for doc in loaded.pipe(DATA)] == list(DATA.values())
    assert analyses(loaded(TEXT)) == before


def test_a_listener_without_its_tok2vec_finds_nothing(parsing, listening):
    """What the page warns of; when spaCy says so itself, the page can be shorter."""
    assert entities(listening(TEXT)) == DATA[TEXT]
    parsing.add_pipe("ner", source=listening)
    assert entities(parsing(TEXT)) != DATA[TEXT]


def test_no_entity_crosses_the_start_of_a_sentence(listening):
    """As the page says; so the order of the components counts."""
    doc = listening.make_doc(TEXT)
    for token in doc:
        token.is_sent_start = token.i in (0, 1)
    for _, component in listening.pipeline:
        doc = component(doc)
    assert all(e.start >= 1 or e.end <= 1 for e in doc.ents)
