"""Noun chunks of sentences whose chunks are known, in several languages."""

import pickle

import pytest
import spacy
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_dynoracle.doc.noun_chunks import noun_chunks, provide_noun_chunks

# Words as form/POS/head/label; the chunks.
CASES = {
    "en": [
        ("the/DET/3/det old/ADJ/3/amod captain/NOUN/4/nsubj sold/VERB/0/root "
         "her/PRON/6/nmod:poss boat/NOUN/4/obj to/ADP/9/case the/DET/9/det "
         "baker/NOUN/4/obl",
         ["the old captain", "her boat", "the baker"]),
        # A possessor inside a phrase, a compound, a clause without chunks of its own.
        ("the/DET/2/det man/NOUN/5/nmod:poss 's/PART/2/case stone/NOUN/5/compound "
         "house/NOUN/7/nsubj that/PRON/7/obj fell/VERB/0/root",
         ["the man 's stone house", "that"]),
        # Coordination; an expletive; a predicate with a copula.
        ("there/PRON/2/expl are/VERB/0/root cats/NOUN/2/nsubj and/CCONJ/6/cc "
         "big/ADJ/6/amod dogs/NOUN/3/conj",
         ["cats", "big dogs"]),
        ("she/PRON/5/nsubj is/AUX/5/cop not/PART/5/advmod a/DET/5/det "
         "doctor/NOUN/0/root",
         ["she", "a doctor"]),
        ("a/DET/5/det big/ADJ/5/amod ,/PUNCT/4/punct bad/ADJ/5/amod "
         "wolf/NOUN/6/nsubj saw/VERB/0/root John/PROPN/6/obj Smith/PROPN/7/flat",
         ["a big , bad wolf", "John Smith"]),
        ("they/PRON/2/nsubj put/VERB/0/root the/DET/4/det lid/NOUN/2/obj "
         "on/ADP/2/compound:prt",
         ["they", "the lid"]),
    ],
    "fr": [
        ("la/DET/2/det maison/NOUN/6/nsubj blanche/ADJ/2/amod de/ADP/5/case "
         "Marie/PROPN/2/nmod brûle/VERB/0/root",
         ["la maison blanche", "Marie"]),
        ("il/PRON/3/nsubj se/PRON/3/expl:comp lave/VERB/0/root les/DET/5/det "
         "mains/NOUN/3/obj",
         ["il", "les mains"]),
    ],
    "de": [
        ("der/DET/5/det von/ADP/3/case Peter/PROPN/4/obl gekaufte/ADJ/5/amod "
         "Hut/NOUN/6/nsubj passt/VERB/0/root",
         ["der von Peter gekaufte Hut"]),
        ("im/ADP/2/case Haus/NOUN/0/root meines/DET/4/det:poss Vaters/NOUN/2/nmod",
         ["Haus", "meines Vaters"]),
    ],
    "tr": [
        ("küçük/ADJ/3/amod bir/DET/3/det çocuk/NOUN/5/nsubj kitap/NOUN/5/obj "
         "okuyor/VERB/0/root",
         ["küçük bir çocuk", "kitap"]),
    ],
}  # fmt: skip
ALL = [(lang, *case) for lang, cases in CASES.items() for case in cases]


def tree(vocab, text, tags=True):
    words, pos, heads, deps = zip(
        *(token.split("/") for token in text.split()), strict=True
    )
    heads = [int(head) - 1 if head != "0" else i for i, head in enumerate(heads)]
    pos = list(pos) if tags else None
    return Doc(vocab, words=list(words), pos=pos, heads=heads, deps=list(deps))


def chunks(doclike):
    return [doclike.doc[start:end].text for start, end, _ in noun_chunks(doclike)]


@pytest.mark.parametrize("tags", [True, False])
@pytest.mark.parametrize(("lang", "text", "expected"), ALL)
def test_known_chunks(lang, text, expected, tags):
    """With parts of speech, and without."""
    assert chunks(tree(spacy.blank(lang).vocab, text, tags)) == expected


@pytest.mark.parametrize("blank", [" ", "\n"])
@pytest.mark.parametrize(("lang", "text", "expected"), ALL)
def test_whitespace_changes_nothing(lang, text, expected, blank):
    plain = tree(spacy.blank(lang).vocab, text)
    words = [x for token in plain for x in (token.text, blank)]
    heads = [x for t in plain for x in (2 * t.head.i, 2 * t.i)]
    deps = [x for token in plain for x in (token.dep_, "dep")]
    pos = [x for token in plain for x in (token.pos_, "SPACE")]
    doc = Doc(plain.vocab, words=words, heads=heads, deps=deps, pos=pos)
    assert [" ".join(chunk.split()) for chunk in chunks(doc)] == expected
    assert all(chunk == chunk.strip() for chunk in chunks(doc))


def test_a_root_may_be_a_conjunct():
    doc = tree(spacy.blank("en").vocab, "and/X/2/cc boats/X/0/conj", tags=False)
    assert chunks(doc) == []


def test_documents_and_spans():
    nlp = spacy.blank("en")
    provide_noun_chunks(nlp.vocab, ["nsubj", "obj", "case"])
    text, expected = CASES["en"][0]
    doc = tree(nlp.vocab, text)
    assert [chunk.text for chunk in doc.noun_chunks] == expected
    assert [chunk.label_ for chunk in doc.noun_chunks] == ["NP"] * len(expected)
    assert [chunk.text for chunk in doc[3:6].noun_chunks] == [expected[1]]
    # Documents that worker processes and files give back have the iterator too.
    copy = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [chunk.text for chunk in copy.noun_chunks] == expected
    nlp = pickle.loads(pickle.dumps(nlp))
    assert nlp.vocab.get_noun_chunks is noun_chunks


def test_phrases_are_merged():
    nlp = spacy.blank("en")
    provide_noun_chunks(nlp.vocab, ["obj"])
    text, expected = CASES["en"][0]
    doc = nlp.add_pipe("merge_noun_chunks")(tree(nlp.vocab, text))
    assert [token.text for token in doc] == [
        expected[0], "sold", expected[1], "to", expected[2]
    ]  # fmt: skip


def test_other_relations_get_spacys_chunks():
    """Another parser may share the vocab."""
    nlp = spacy.blank("en")
    docs = [
        tree(nlp.vocab, "the/DET/2/det cat/NOUN/3/nsubj saw/VERB/0/ROOT a/DET/5/det "
                        "dog/NOUN/3/dobj of/ADP/5/prep mine/PRON/6/pobj"),
        tree(nlp.vocab, "Tom/PROPN/3/poss 's/PART/1/case cat/NOUN/4/nsubj "
                        "saw/VERB/0/ROOT"),
    ]  # fmt: skip
    found = [[chunk.text for chunk in doc.noun_chunks] for doc in docs]
    assert found == [["the cat", "a dog", "mine"], ["Tom 's cat"]]
    provide_noun_chunks(nlp.vocab, ["obj"])
    assert list(map(chunks, docs)) == found


@pytest.mark.parametrize(
    ("lang", "relations", "is_ours"),
    [("en", ["obj"], True), ("en", ["dobj"], False), ("en", [], False),
     ("eu", ["obj"], True), ("fr", ["obj"], False), ("xx", ["obj"], True)],
)  # fmt: skip
def test_who_gets_the_iterator(lang, relations, is_ours):
    vocab = spacy.blank(lang).vocab
    provide_noun_chunks(vocab, relations)
    assert (vocab.get_noun_chunks is noun_chunks) == is_ours
    # Other pipelines keep theirs.
    assert spacy.blank(lang).vocab.get_noun_chunks is not noun_chunks


def test_a_language_of_the_user():
    """It has the iterator of English."""
    vocab = type("Own", (English,), {"lang": "own"})().vocab
    provide_noun_chunks(vocab, ["obj"])
    assert vocab.get_noun_chunks is noun_chunks


def test_an_iterator_of_the_user_stays():
    vocab = spacy.blank("en").vocab
    vocab.get_noun_chunks = own = lambda doc: iter(())
    provide_noun_chunks(vocab, ["obj"])
    assert vocab.get_noun_chunks is own


def test_without_a_tree():
    with pytest.raises(ValueError, match="run a parser"):
        chunks(spacy.blank("en")("no tree"))
