"""What may not change a parse: everything but the words, their tags and the presets.

Every transition system, every value of `sentences`, and parsers with probabilities or a
beam, on random documents with blanks and preset boundaries.
"""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_dynoracle import set_threads
from spacy_dynoracle.parser.extensions import SPAN_EXTENSIONS, TOKEN_EXTENSIONS

from .treebank import (
    BLANKS,
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    SYSTEMS,
    VOCABULARY,
    analysis,
    assert_tree,
    make_doc,
    name_of,
)
from .uncertain import TRANSITION, marginal, plain, uncertain

pytestmark = pytest.mark.heavy

SETTINGS = ("predict", "preset", "doc")
# How documents are cut into sentences and how these are parsed are apart, so that each
# system stands beside one way to cut, and the slow tests do the rest.
SYSTEM_PARSERS = [
    pytest.param(
        (name_of(system), s), marks=[pytest.mark.slow] * (s != SETTINGS[i % 3])
    )
    for i, system in enumerate(SYSTEMS)
    for s in SETTINGS
]
# One setting of probabilities with each value of `sentences`.
# Fewer samples than by default: these parsers take the longest.
FEWER = (
    TRANSITION,
    marginal(n_samples=16),
)
PROBABILITY_PARSERS = [(0, "predict"), (1, "preset"), (1, "doc")]
BEAM = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 6}
BEAM_PARSERS = [("beam", s) for s in SETTINGS]
N_EXAMPLES = [8, pytest.param(100, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def parsers(confused):
    """Pipelines by system or number of ASKED, and value of `sentences`."""
    made = {
        (name_of(system), sentences): confused(system, sentences=sentences)
        for system in SYSTEMS
        for sentences in SETTINGS
    }
    probable = uncertain(SENTENCES + NONPROJECTIVE)
    for number, sentences in PROBABILITY_PARSERS:
        asked = probable(**FEWER[number], sentences=sentences)
        made[number, sentences] = asked
    for number, sentences in BEAM_PARSERS:
        asked = {"search": BEAM | {"n_best": 3}, "sentences": sentences}
        made[number, sentences] = probable(**asked)
    return made


every_parser = pytest.mark.parametrize(
    "key",
    SYSTEM_PARSERS + PROBABILITY_PARSERS + BEAM_PARSERS,
    ids=lambda key: f"{key[0]}-{key[1]}",
)
often = pytest.mark.parametrize("n_examples", N_EXAMPLES)

tokens = st.tuples(
    st.sampled_from(VOCABULARY), st.sampled_from((None, None, None, True, False))
)
blanks = st.tuples(st.sampled_from(BLANKS), st.sampled_from((None, None, True, False)))
# Words and preset starts; some of the tokens are blanks.
documents = st.lists(st.one_of(tokens, tokens, tokens, blanks), max_size=16)


def doc_of(nlp, document):
    words = [word for word, _ in document]
    starts = [start for _, start in document]
    any_preset = any(start is not None for start in starts)
    return make_doc(nlp.vocab, words, starts if any_preset else None)


def everything(doc):
    """All that the parser says of a document."""
    said = [analysis(doc)]
    for names, items in ((SPAN_EXTENSIONS, [doc, *doc.sents]), (TOKEN_EXTENSIONS, doc)):
        for name in names:
            said.append([plain(getattr(item._, name)) for item in items])
    said.append(best_arcs(doc))
    return said


def best_arcs(doc):
    """For each token its arcs in the best trees, with the scores of these."""
    said = [None] * len(doc)
    for segment in doc._.kbest or []:
        labels = zip(*segment.deps, strict=True)
        for word, heads, deps in zip(
            segment.words.tolist(), segment.heads.T.tolist(), labels, strict=True
        ):
            scores = segment.scores.tolist(), segment.log_sums.tolist()
            said[word] = list(zip(heads, deps, *scores, strict=True))
    return said


def alone(nlp, document):
    """What a pipeline says of a document by itself."""
    return everything(nlp(doc_of(nlp, document)))


def check(n_examples, *strategies):
    """Check a function on so many examples."""

    def run(function):
        too_slow = [HealthCheck.too_slow]
        limits = settings(max_examples=n_examples, suppress_health_check=too_slow)
        limits(given(*strategies)(function))()

    return run


# ---- idempotence ---------------------------------------------------------------------


@every_parser
@often
def test_parsing_twice_is_parsing_once(parsers, key, n_examples):
    nlp = parsers[key]

    @check(n_examples, documents)
    def twice(document):
        doc = nlp(doc_of(nlp, document))
        assert_tree(doc)
        first, data = everything(doc), doc.to_bytes()
        assert nlp(doc) is doc
        assert everything(doc) == first
        assert doc.to_bytes() == data
        (again,) = nlp.pipe([doc.copy()])
        assert everything(again) == first


# ---- batches -------------------------------------------------------------------------


@every_parser
@often
def test_batches_change_nothing(parsers, key, n_examples):
    """Neither their size, nor what else is in them, nor threads that share them."""
    nlp = parsers[key]
    strategies = (st.lists(documents, max_size=6), st.integers(1, 7), st.integers(1, 4))

    @check(n_examples, *strategies)
    def batches(batch, batch_size, n_threads):
        expected = [alone(nlp, document) for document in batch]
        set_threads(nlp, n_threads)
        try:
            docs = [doc_of(nlp, document) for document in batch]
            found = [everything(doc) for doc in nlp.pipe(docs, batch_size=batch_size)]
        finally:
            set_threads(nlp, 1)
        assert found == expected
        docs = [doc_of(nlp, document) for document in reversed(batch)]
        found = [everything(doc) for doc in nlp.pipe(docs, batch_size=batch_size)]
        assert found[::-1] == expected


@every_parser
@often
def test_what_was_parsed_before_changes_nothing(parsers, key, n_examples):
    """A parser that has parsed nothing yet says the same."""
    nlp = parsers[key]

    @check(n_examples, documents, st.lists(documents, max_size=3))
    def history(document, others):
        fresh = copy.deepcopy(nlp.get_pipe(NAME))
        expected = everything(fresh(doc_of(nlp, document)))
        for other in others:
            nlp(doc_of(nlp, other))
        assert alone(nlp, document) == expected


# ---- blanks --------------------------------------------------------------------------


@st.composite
def with_blanks(draw):
    """A document of words, the same with blanks, and the places of the words."""
    words = draw(st.lists(tokens, min_size=1, max_size=12))
    moved = draw(st.booleans())
    spaced, places = [], []
    for word, start in words:
        some = draw(st.lists(st.sampled_from(BLANKS), max_size=3))
        spaced += [(blank, None) for blank in some]
        places.append(len(spaced))
        if some and moved and start:
            # The sentence starts at the blanks before its first word.
            spaced[-len(some)] = (some[0], True)
            start = None
        spaced.append((word, start))
    some = draw(st.lists(st.sampled_from(BLANKS), max_size=3))
    return words, spaced + [(blank, None) for blank in some], places


def placed(said, places):
    """What was said of words, as if they stood elsewhere."""
    if isinstance(said, list):
        return [placed(item, places) for item in said]
    if isinstance(said, tuple):
        return tuple(placed(item, places) for item in said)
    # Heads are the only integers.
    return places[said] if type(said) is int else said


@every_parser
@often
def test_blanks_change_nothing(parsers, key, n_examples):
    nlp = parsers[key]

    @check(n_examples, with_blanks())
    def spaced(drawn):
        words, tokens, places = drawn
        plain_doc, doc = nlp(doc_of(nlp, words)), nlp(doc_of(nlp, tokens))
        assert_tree(doc)
        of_plain, of_doc = everything(plain_doc), everything(doc)
        assert [of_doc[0][0][i] for i in places] == [places[h] for h in of_plain[0][0]]
        assert [of_doc[0][1][i] for i in places] == of_plain[0][1]
        # Sentences start at the same words, the first at leading blanks.
        starts = [places[sent.start] for sent in plain_doc.sents]
        assert [sent.start for sent in doc.sents] == [0, *starts[1:]]
        n_spans = len(SPAN_EXTENSIONS)
        assert of_doc[1 : 1 + n_spans] == of_plain[1 : 1 + n_spans]
        for found, expected in zip(
            of_doc[1 + n_spans :], of_plain[1 + n_spans :], strict=True
        ):
            assert [found[i] for i in places] == placed(expected, places)
        for token in doc:
            if token.is_space:
                before = [i for i in places if i < token.i]
                assert token.head.i == (before[-1] if before else places[0])
                assert token.dep_ == "dep"
                assert not token.is_sent_start or token.i == 0


@every_parser
def test_documents_of_blanks(parsers, key):
    nlp = parsers[key]
    for words in (BLANKS, ["\n"], [" "] * 5):
        for start in (None, True, False):
            doc = nlp(doc_of(nlp, [(word, start) for word in words]))
            assert_tree(doc)
            assert [token.head.i for token in doc] == [0] * len(words)
            labels = ["ROOT", *["dep"] * (len(words) - 1)]
            assert [token.dep_ for token in doc] == labels
            first = everything(doc)
            assert everything(nlp(doc)) == first


# ---- copies --------------------------------------------------------------------------


def saved(nlp, path):
    nlp.to_disk(path)
    return spacy.load(path)


COPIES = {
    "to_disk": saved,
    "to_bytes": lambda nlp, path: copy.deepcopy(nlp).from_bytes(nlp.to_bytes()),
    "pickle": lambda nlp, path: pickle.loads(pickle.dumps(nlp)),
    "deepcopy": lambda nlp, path: copy.deepcopy(nlp),
    "frozen": lambda nlp, path: frozen(nlp),
}


def frozen(nlp):
    """The weights as they are saved instead of those in training."""
    other = copy.deepcopy(nlp)
    parser = other.get_pipe(NAME)
    parser.set_model(parser.model.freeze())
    return other


@every_parser
def test_copies_say_the_same(parsers, key, tmp_path):
    nlp = parsers[key]
    others = [copied(nlp, tmp_path) for copied in COPIES.values()]

    @check(10, documents)
    def copies(document):
        expected = alone(nlp, document)
        assert [alone(other, document) for other in others] == [expected] * len(COPIES)


# ---- threads of the caller -----------------------------------------------------------


@every_parser
def test_eight_threads_share_a_pipeline(parsers, key):
    """One by one and in batches, all at the same time."""
    nlp = parsers[key]
    words = [word for s in SENTENCES for word in s.words]
    batch = [[(word, None) for word in words[i : i + i % 13]] for i in range(0, 90, 4)]
    expected = [alone(nlp, document) for document in batch]

    def work(number):
        docs = [doc_of(nlp, document) for document in batch]
        if number % 2:
            parsed = list(map(nlp, docs))
        else:
            parsed = list(nlp.pipe(docs, batch_size=number + 1))
        return [everything(doc) for doc in parsed]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [expected] * 8


@pytest.mark.filterwarnings("ignore:dynoracle_parser. no token has a POS")
def test_eight_threads_parse_texts(parsers):
    """The tokenizer and the vocab are shared too, and the words are new to them."""
    key = (name_of(SYSTEMS[0]), "predict")
    words = [word for s in SENTENCES for word in s.words]

    def texts(n):
        parts = [words[i : i + 9] for i in range(0, len(words), 9)]
        return ["  ".join(f"{word}{i % n}" for word in part)
                for i, part in enumerate(parts)]  # fmt: skip

    expected = [analysis(parsers[key](text)) for text in texts(7)]
    nlp = copy.deepcopy(parsers[key])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list(map(nlp, texts(7))), range(8)))
    assert [[analysis(doc) for doc in docs] for docs in found] == [expected] * 8
