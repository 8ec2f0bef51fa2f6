"""Errors and warnings: each once, and about the document that it concerns."""

import multiprocessing

import pytest
from spacy import language
from spacy.tokens import Doc

from spacy_dynoracle.core.search.greedy import GreedySearch

from ..warned import said
from .treebank import (
    NAME,
    SENTENCES,
    analysis,
    examples,
    gold_analysis,
    make_doc,
    make_nlp,
    mixed_examples,
    parse,
)

pytestmark = pytest.mark.heavy

BAD = ("Rain", "Rain", "Rain")


class BadDocumentError(Exception):
    """Raised for documents of three words."""


class FailingSearch(GreedySearch):
    """A search that fails for documents of three words."""

    def parse(self, model, sentences, root_rule=None):
        if any(len(sentence) == len(BAD) for sentence in sentences):
            raise BadDocumentError("three words")
        return super().parse(model, sentences, root_rule)


class Handler:
    """An error handler that takes notes and does not raise."""

    def __init__(self):
        self.calls = []

    def __call__(self, name, component, docs, error):
        self.calls.append((name, component, [doc.text for doc in docs], error))


@pytest.fixture
def failing_nlp(own_nlp):
    own_nlp.get_pipe(NAME).change(search=FailingSearch())
    return own_nlp


def fail_to_annotate(parser, monkeypatch):
    """Let `set_annotations` fail for documents of three words."""
    annotate = parser.set_annotations

    def fail(docs, annotations):
        if any(len(doc) == len(BAD) for doc in docs):
            raise BadDocumentError("three words")
        annotate(docs, annotations)

    monkeypatch.setattr(parser, "set_annotations", fail)


def some_docs(vocab):
    """Documents of which the third and the last fail."""
    words = [s.words for s in SENTENCES[:6]]
    words.insert(2, BAD)
    return [make_doc(vocab, w) for w in [*words, BAD]]


# ---- error handlers ------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_a_failing_document_goes_to_the_handler_alone(failing_nlp, batch_size):
    handler = Handler()
    parser = failing_nlp.get_pipe(NAME)
    parser.set_error_handler(handler)
    docs = some_docs(failing_nlp.vocab)
    parsed = list(parser.pipe(docs, batch_size=batch_size))
    expected = [gold_analysis(failing_nlp.vocab, s) for s in SENTENCES[:6]]
    assert [analysis(doc) for doc in parsed] == expected
    assert [texts for _, _, texts, _ in handler.calls] == [["Rain Rain Rain "]] * 2
    for name, component, _, error in handler.calls:
        assert name == NAME
        assert component is parser
        assert isinstance(error, BadDocumentError)


def test_the_default_handler_raises(failing_nlp):
    with pytest.raises(BadDocumentError):
        list(failing_nlp.pipe(some_docs(failing_nlp.vocab)))
    with pytest.raises(BadDocumentError):
        parse(failing_nlp, BAD)


def test_call_gives_a_failing_document_back_unchanged(failing_nlp):
    handler = Handler()
    failing_nlp.get_pipe(NAME).set_error_handler(handler)
    doc = make_doc(failing_nlp.vocab, BAD)
    before = doc.to_bytes()
    assert failing_nlp.get_pipe(NAME)(doc) is doc
    assert doc.to_bytes() == before
    assert failing_nlp(doc) is doc
    assert [texts for _, _, texts, _ in handler.calls] == [["Rain Rain Rain "]] * 2


def test_a_document_that_cannot_be_annotated_comes_back_unchanged(own_nlp):
    """Annotating is all or nothing, whatever fails on the way."""
    parser = own_nlp.get_pipe(NAME)
    handler = Handler()
    parser.set_error_handler(handler)
    predict = parser.predict

    def merge_after_predict(docs):
        """A component that changes the tokens under the parser's hands."""
        annotations = predict(docs)
        with docs[0].retokenize() as retokenizer:
            retokenizer.merge(docs[0][:2])
        return annotations

    parser.predict = merge_after_predict
    starts = [None, None, None, True, None, None]
    doc = make_doc(own_nlp.vocab, SENTENCES[0].words, starts)
    expected = doc.copy()
    with expected.retokenize() as retokenizer:
        retokenizer.merge(expected[:2])
    assert parser(doc) is doc
    assert doc.to_bytes() == expected.to_bytes()
    assert len(handler.calls) == 1


def take_notes(name, component, docs, error):
    """An error handler of worker processes: the notes are in the documents' file."""
    path = docs[0].user_data["notes"]
    with open(path, "a", encoding="utf8") as stream:
        stream.write(f"{name} {len(docs)} {docs[0].text.strip()} {error}\n")


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork here"
)
@pytest.mark.parametrize("where", ["predict", "set_annotations"])
def test_errors_in_worker_processes(failing_nlp, monkeypatch, tmp_path, where):
    """The failing documents are left out, those of the same batch are parsed."""
    nlp = failing_nlp
    parser = nlp.get_pipe(NAME)
    if where == "set_annotations":
        parser.change(search=GreedySearch())
        fail_to_annotate(parser, monkeypatch)
    parser.set_error_handler(take_notes)
    docs = some_docs(nlp.vocab)
    for doc in docs:
        doc.user_data["notes"] = str(tmp_path / "notes")
    # What a worker does not share it inherits.
    monkeypatch.setattr(language, "mp", multiprocessing.get_context("fork"))
    parsed = list(nlp.pipe(docs, n_process=2, batch_size=4))
    assert [analysis(doc) for doc in parsed] == [
        gold_analysis(nlp.vocab, s) for s in SENTENCES[:6]
    ]
    notes = (tmp_path / "notes").read_text(encoding="utf8").splitlines()
    assert notes == [f"{NAME} 1 Rain Rain Rain three words"] * 2


def test_an_error_in_the_stream_is_not_the_parsers(own_nlp):
    """What the source of documents raises reaches the caller."""
    handler = Handler()
    parser = own_nlp.get_pipe(NAME)
    parser.set_error_handler(handler)

    def stream():
        yield make_doc(own_nlp.vocab, SENTENCES[0].words)
        raise RuntimeError("source")

    with pytest.raises(RuntimeError, match="source"):
        list(parser.pipe(stream()))
    assert handler.calls == []


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_errors_of_threads(nlp_bytes, n_threads):
    nlp = make_nlp(n_threads=n_threads, model=nlp_bytes)
    parser = nlp.get_pipe(NAME)
    parser.change(search=FailingSearch())
    with pytest.raises(BadDocumentError):
        list(parser.pipe(some_docs(nlp.vocab)))
    handler = Handler()
    parser.set_error_handler(handler)
    assert len(list(parser.pipe(some_docs(nlp.vocab)))) == 6
    assert len(handler.calls) == 2


# ---- no model ------------------------------------------------------------------------


def test_without_a_model():
    nlp = make_nlp()
    parser = nlp.get_pipe(NAME)
    doc = make_doc(nlp.vocab, SENTENCES[0].words)
    for call in (
        lambda: nlp(doc),
        lambda: parser(doc),
        lambda: parser.predict([doc]),
        lambda: list(parser.pipe([doc])),
        lambda: list(nlp.pipe([doc])),
        lambda: parser.predict([]),
        lambda: parser.update(examples(nlp.vocab)),
        lambda: nlp.update(examples(nlp.vocab)),
        # spaCy replaces every KeyError with a guess of its own here.
        lambda: nlp.evaluate(examples(nlp.vocab)),
    ):
        with pytest.raises(ValueError, match=rf"'{NAME}'.*initialize"):
            call()


# ---- tags ----------------------------------------------------------------------------


def test_missing_tags_are_reported_once_in_predict(own_nlp):
    docs = [Doc(own_nlp.vocab, words=s.words) for s in SENTENCES * 2]
    n = len(SENTENCES)
    messages = said(lambda: [*map(own_nlp, docs[:n]), *own_nlp.pipe(docs[n:])])
    (message,) = [message for message in messages if "no token has a" in message]
    for word in ("POS", NAME, "annotating_components", "TaggedCorpus", "tag_attr"):
        assert word in message


def test_documents_without_tags_among_others(own_nlp):
    """Are told about once, with an example; those without words lack nothing."""
    s, vocab = SENTENCES[0], own_nlp.vocab
    docs = [
        Doc(vocab, words=s.words, pos=s.tags),
        Doc(vocab, words=["\n"]),
        Doc(vocab),
        Doc(vocab, words=["Rain", "fell"]),
        Doc(vocab, words=["Rain", "stops"]),
    ]
    (message,) = said(lambda: [list(own_nlp.pipe(docs)) for _ in range(2)])
    assert "in 2 of 3 documents (the first is 'Rain fell ')" in message


@pytest.mark.filterwarnings("error")
def test_no_warning_where_there_is_nothing_to_tag(own_nlp):
    """Nothing that the parser looks at lacks a tag in a document of blanks."""
    own_nlp(Doc(own_nlp.vocab, words=[]))
    own_nlp(Doc(own_nlp.vocab, words=["\n", " "]))
    own_nlp.get_pipe(NAME).update([])


@pytest.mark.filterwarnings("error")
def test_ordinary_training_and_parsing_warns_of_nothing():
    nlp = make_nlp(data=mixed_examples, epochs=2)
    parse(nlp, SENTENCES[0].words)
    parse(nlp, ["\n", *SENTENCES[0].words])
    nlp.evaluate(examples(nlp.vocab))
