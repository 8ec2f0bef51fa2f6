"""A small tagged treebank written for these tests, and builders on top of it."""

from typing import NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

# Registered here too, for environments in which the package is not installed anew.
from spacy_dynoracle.tagger import factory  # noqa: F401

from ..parser.treebank import make_pipeline, train, update  # noqa: F401

NAME = "dynoracle_tagger"
ATTRS = ("TAG", "POS", "MORPH")


class Sentence(NamedTuple):
    """The words of a sentence with the values of each attribute."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    pos: tuple[str, ...]
    morphs: tuple[str, ...]


# What each fine-grained tag stands for.
TAGS = {
    "DT": ("DET", ""),
    "NN": ("NOUN", "Number=Sing"),
    "NNS": ("NOUN", "Number=Plur"),
    "VBD": ("VERB", "Tense=Past|VerbForm=Fin"),
    "VBZ": ("VERB", "Number=Sing|Tense=Pres|VerbForm=Fin"),
    "PRP": ("PRON", "Case=Nom"),
    "IN": ("ADP", ""),
    "JJ": ("ADJ", "Degree=Pos"),
    ".": ("PUNCT", ""),
}


def sentence(text):
    """A Sentence from `word/TAG` items."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    pos, morphs = zip(*(TAGS[tag] for tag in tags), strict=True)
    return Sentence(words, tags, pos, morphs)


SENTENCES = [
    sentence(text)
    for text in (
        "The/DT baker/NN waters/VBZ the/DT plants/NNS ./.",
        "She/PRP planted/VBD beans/NNS beside/IN the/DT old/JJ wall/NN ./.",
        "He/PRP walks/VBZ to/IN the/DT red/JJ gate/NN ./.",
        "Long/JJ walks/NNS tired/VBD the/DT dog/NN ./.",
        "The/DT waters/NNS covered/VBD a/DT path/NN ./.",
        "A/DT small/JJ bird/NN sings/VBZ in/IN the/DT trees/NNS ./.",
        "They/PRP painted/VBD the/DT small/JJ boats/NNS ./.",
        "The/DT plants/NNS covered/VBD the/DT old/JJ boats/NNS ./.",
        "It/PRP covers/VBZ the/DT trees/NNS ./.",
        "The/DT storm/NN tired/VBD a/DT sailor/NN ./.",
    )
]


def make_nlp(lang="xx", **settings):
    """A pipeline with the tagger, as `make_pipeline` makes them."""
    return make_pipeline(NAME, examples, lang, **settings)


def tagger_of(nlp):
    return nlp.get_pipe(NAME)


def reference(vocab, *sentences, attrs=ATTRS):
    """A gold Doc of one or more sentences, with some of the attributes."""
    keys = {"TAG": "tags", "POS": "pos", "MORPH": "morphs"}
    columns = {
        keys[attr]: [v for s in sentences for v in getattr(s, keys[attr])]
        for attr in attrs
    }
    words = [word for s in sentences for word in s.words]
    starts = [i == 0 for s in sentences for i in range(len(s.words))]
    return Doc(vocab, words=words, sent_starts=starts, **columns)


def example(vocab, *sentences, attrs=ATTRS):
    """An Example whose prediction has words only."""
    gold = reference(vocab, *sentences, attrs=attrs)
    return Example(Doc(vocab, words=[t.text for t in gold]), gold)


def examples(vocab, sentences=SENTENCES, attrs=ATTRS):
    """One Example for each sentence."""
    return [example(vocab, s, attrs=attrs) for s in sentences]


def analysis(doc):
    """The tags of a Doc."""
    return [(t.tag_, t.pos_, str(t.morph)) for t in doc]


def tag(nlp, words):
    """Tag words, which may be whitespace tokens."""
    return nlp(Doc(nlp.vocab, words=list(words)))


def gold_analysis(vocab, *sentences, attrs=ATTRS):
    return analysis(reference(vocab, *sentences, attrs=attrs))


def tag_all(nlp, sentences=SENTENCES):
    """The tags that a pipeline finds, sentence by sentence."""
    return [analysis(tag(nlp, s.words)) for s in sentences]
