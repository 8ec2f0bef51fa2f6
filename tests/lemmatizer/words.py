"""A small treebank with lemmas, and builders on top of it."""

import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.lemmatizer import factory  # noqa: F401

NAME = "dynoracle_lemmatizer"
# What each tag stands for.
TAGS = {
    "DT": ("DET", ""),
    "NN": ("NOUN", "Number=Sing"),
    "NNS": ("NOUN", "Number=Plur"),
    "NNP": ("PROPN", "Number=Sing"),
    "VBD": ("VERB", "Tense=Past|VerbForm=Fin"),
    "VB": ("VERB", "VerbForm=Inf"),
    ".": ("PUNCT", ""),
}
# Words, tags and lemmas.
SENTENCES = [
    "The/DT/the bakers/NNS/baker painted/VBD/paint boats/NNS/boat ././.",
    "The/DT/the bodies/NNS/body walked/VBD/walk ././.",
    "The/DT/the parties/NNS/party ended/VBD/end ././.",
    "Nora/NNP/Nora covered/VBD/cover the/DT/the walls/NNS/wall ././.",
    "Oslo/NNP/Oslo saw/VBD/see the/DT/the saw/NN/saw ././.",
    "The/DT/the dogs/NNS/dog found/VBD/find a/DT/a path/NN/path ././.",
]


def tagged(vocab, text, *, lemmas=True):
    """A Doc of `word/TAG/lemma` items; "_" is no lemma."""
    words, tags, bases = zip(*(item.split("/") for item in text.split()), strict=True)
    pos, morphs = zip(*(TAGS[tag] for tag in tags), strict=True)
    doc = Doc(vocab, words=words, pos=pos, morphs=morphs)
    if lemmas:
        for token, lemma in zip(doc, bases, strict=True):
            token.lemma_ = lemma
    return doc


def examples(vocab, sentences=SENTENCES):
    docs = [tagged(vocab, text) for text in sentences]
    return [Example(Doc(vocab, words=[t.text for t in doc]), doc) for doc in docs]


def make_nlp(sentences=SENTENCES, dictionary=None, **settings):
    """A pipeline with a trained lemmatizer."""
    nlp = spacy.blank("xx")
    lemmatizer = nlp.add_pipe(NAME, config=settings)
    data = examples(nlp.vocab, sentences)
    lemmatizer.initialize(lambda: data, nlp=nlp, dictionary=dictionary)
    return nlp


def lemmas(nlp, text):
    """The lemmas of a Doc of `word/TAG` items."""
    items = " ".join(f"{item}/_" for item in text.split())
    doc = nlp.get_pipe(NAME)(tagged(nlp.vocab, items, lemmas=False))
    return [token.lemma_ for token in doc]
