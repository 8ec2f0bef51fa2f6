"""Threads that share a component of which one trains it."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Event

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.components import snapshots
from spacy_dynoracle.util.threads import in_chunks

pytestmark = pytest.mark.heavy

SECONDS = 60
both = pytest.mark.parametrize("kind", ["parser", "tagger"])
GOLD = {
    "words": ["Nora", "sold", "the", "old", "boat"],
    "heads": [1, 1, 4, 4, 1],
    "deps": ["nsubj", "ROOT", "det", "amod", "obj"],
    "tags": ["P", "V", "D", "A", "N"],
}


def document(nlp):
    return Doc(nlp.vocab, words=GOLD["words"] * 3, tags=GOLD["tags"] * 3)


def examples(nlp):
    doc = Doc(nlp.vocab, words=GOLD["words"], tags=GOLD["tags"])
    return [Example.from_dict(doc, GOLD)]


def analysis(doc):
    return [(token.head.i, token.dep_, token.tag_) for token in doc]


@pytest.fixture
def trained(kind):
    """A pipeline in training, and its component."""
    nlp = spacy.blank("en")
    settings = {"tag_attr": "TAG"} if kind == "parser" else {"attrs": ["TAG"]}
    settings |= {"overwrite": True} if kind == "tagger" else {}
    pipe = nlp.add_pipe(f"dynoracle_{kind}", config=settings)
    nlp.initialize(lambda: examples(nlp))
    for _ in range(4):
        pipe.update(examples(nlp))
    return nlp, pipe


@pytest.fixture
def search(kind, monkeypatch):
    """Two events: a search has begun; searches may go on."""
    begun, may_go_on = Event(), Event()

    def wait(*arguments):
        begun.set()
        assert may_go_on.wait(SECONDS)
        return in_chunks(*arguments)

    module = {"parser": "parser.parsing", "tagger": "tagger.tagging"}[kind]
    monkeypatch.setattr(import_module(f"spacy_dynoracle.{module}"), "in_chunks", wait)
    return begun, may_go_on


@both
@pytest.mark.parametrize("change", ["add_label", "update", "set_model"])
def test_changes_wait_for_searches_with_a_model_in_training(trained, search, change):
    nlp, pipe = trained
    begun, may_go_on = search
    arguments = {
        "add_label": "new",
        "update": examples(nlp),
        "set_model": pipe.frozen_model(),
    }
    with ThreadPoolExecutor(2) as pool:
        doc = pool.submit(pipe, document(nlp))
        assert begun.wait(SECONDS)
        changed = pool.submit(getattr(pipe, change), arguments[change])
        try:
            with pytest.raises(TimeoutError):
                changed.result(timeout=0.1)
        finally:
            may_go_on.set()
        changed.result(timeout=SECONDS)
        assert len(analysis(doc.result(timeout=SECONDS))) == 15


@both
@pytest.mark.parametrize("is_loaded", [False, True])
def test_searches_with_frozen_weights_do_not_see_changes(
    trained, search, is_loaded, monkeypatch
):
    nlp, pipe = trained
    begun, may_go_on = search
    may_go_on.set()
    expected = analysis(pipe(document(nlp)))
    begun.clear()
    may_go_on.clear()
    if is_loaded:
        pipe.set_model(pipe.frozen_model())
    else:
        monkeypatch.setattr(snapshots, "ENOUGH_WORDS", 0)
    with ThreadPoolExecutor(2) as pool:
        doc = pool.submit(pipe, document(nlp))
        try:
            assert begun.wait(SECONDS)
            for number in range(40):
                pool.submit(pipe.add_label, f"new{number}").result(timeout=SECONDS)
            pool.submit(pipe.update, examples(nlp)).result(timeout=SECONDS)
        finally:
            may_go_on.set()
        assert analysis(doc.result(timeout=SECONDS)) == expected


@both
@pytest.mark.parametrize("enough", [0, 10**9])
def test_eight_threads_parse_while_another_trains(trained, enough, monkeypatch):
    """With frozen copies and with the model in training."""
    monkeypatch.setattr(snapshots, "ENOUGH_WORDS", enough)
    nlp, pipe = trained
    end = Event()

    def parse(_):
        n_docs = 0
        while not end.is_set():
            assert all(tag for *_, tag in analysis(nlp(document(nlp))))
            n_docs += 1
        return n_docs

    with ThreadPoolExecutor(8) as pool:
        parsed = pool.map(parse, range(8))
        try:
            for number in range(60):
                assert pipe.add_label(f"new{number}") == 1
                if number % 10 == 0:
                    pipe.update(examples(nlp))
                    pipe.from_bytes(pipe.to_bytes(exclude=["vocab"]))
        finally:
            end.set()
        assert sum(parsed) > 0
