"""Small documents written for these tests, and builders on top of them."""

import random

from spacy.tokens import Doc
from spacy.training import Example

# Registered here too, for environments in which the package is not installed anew.
from spacy_dynoracle.senter import factory  # noqa: F401

from ..parser.treebank import make_pipeline, train, update  # noqa: F401

NAME = "dynoracle_senter"

SENTENCES = [
    text.split()
    for text in (
        "The baker waters the plants .",
        "She planted beans beside the old wall .",
        "Did Mr. Finn walk to the gate ?",
        "He met Dr. Moss !",
        "In the harbour",
        "A small bird sings in the trees .",
        "they painted the boats .",
        "It covers the trees",
        "Long walks tired the dog .",
    )
]


def make_nlp(lang="en", **settings):
    """A pipeline with the sentence splitter, as `make_pipeline` makes them."""
    return make_pipeline(NAME, examples, lang, **settings)


def senter_of(nlp):
    return nlp.get_pipe(NAME)


def words_of(sentences):
    return [word for s in sentences for word in s]


def reference(vocab, sentences):
    """A gold Doc of some sentences."""
    words = words_of(sentences)
    starts = [i == 0 for s in sentences for i in range(len(s))]
    return Doc(vocab, words=words, sent_starts=starts)


def example(vocab, sentences):
    """An Example whose prediction has words only."""
    gold = reference(vocab, sentences)
    return Example(Doc(vocab, words=[t.text for t in gold]), gold)


def documents():
    """Lists of sentences in several orders."""
    rng = random.Random(0)
    return [rng.sample(SENTENCES, 5) for _ in range(12)]


def examples(vocab):
    return [example(vocab, sentences) for sentences in documents()]


def starts(doc):
    """`sent_start` of all tokens: 1, -1 or 0."""
    return [{True: 1, False: -1, None: 0}[t.is_sent_start] for t in doc]


def split(nlp, words, **kwargs):
    """Split words, which may be whitespace tokens."""
    return nlp(Doc(nlp.vocab, words=list(words), **kwargs))


def split_all(nlp):
    """The starts that a pipeline finds in all documents."""
    return [starts(split(nlp, words_of(sentences))) for sentences in documents()]


def gold_starts(vocab):
    return [starts(reference(vocab, sentences)) for sentences in documents()]
