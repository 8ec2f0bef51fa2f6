"""Pipelines that say how sure they are, and all that they say."""

import math
import pickle
from collections import Counter
from itertools import pairwise

import spacy
from spacy.tokens import Doc, DocBin, Token

from spacy_dynoracle.parser.extensions import SPAN_EXTENSIONS, TOKEN_EXTENSIONS

from ..harbour import RDA
from .treebank import NAME, SENTENCES, block, make_doc, make_nlp, mixed_examples, train

# So high that the parser is not sure of everything.
TEMPERATURE = 5.0
TRANSITION = {"probabilities": block("TransitionProbabilities")}


def marginal(**settings):
    """The settings of a parser with marginals."""
    return {"probabilities": block("MarginalProbabilities", **settings)}


MARGINAL = marginal()
ASKED = (TRANSITION, MARGINAL)
MARGINAL_ONLY = (
    "head_probability",
    "head_distribution",
    "dep_distribution",
    "head_entropy",
    "dep_entropy",
)


class Pipelines:
    """Pipelines with different settings that share a trained model."""

    def __init__(self, model, **trained_with):
        self.model = model
        self.trained_with = trained_with
        self.made = {}

    def __call__(self, **settings):
        key = repr(sorted(settings.items()))
        if key not in self.made:
            nlp = make_nlp(**{**self.trained_with, **settings})
            nlp.get_pipe(NAME).set_model(self.model)
            self.made[key] = nlp
        return self.made[key]


def uncertain(sentences, epochs=3, **settings):
    """Pipelines of a parser that was trained on sentences."""
    settings = {**RDA, **settings}
    nlp = make_nlp(**settings)
    train(nlp, mixed_examples(nlp.vocab, sentences), epochs=epochs)
    model = nlp.get_pipe(NAME).model.freeze().with_temperature(TEMPERATURE)
    return Pipelines(model, **settings)


def through_docbin(doc):
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab)
    return loaded


# The ways in which a Doc with records gets somewhere else.
DOC_ROUND_TRIPS = {
    "bytes": lambda doc: Doc(spacy.blank("xx").vocab).from_bytes(doc.to_bytes()),
    "docbin": through_docbin,
    "pickle": lambda doc: pickle.loads(pickle.dumps(doc)),
    "copy": Doc.copy,
    "cut": lambda doc: doc[:].as_doc(copy_user_data=True),
}


def text_of(n_sentences=3):
    return [word for s in SENTENCES[:n_sentences] for word in s.words]


def parsed(nlp, words=None, starts=None):
    return nlp(make_doc(nlp.vocab, words or text_of(), starts))


def plain(value):
    """A value without tokens, which are equal to themselves only."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return value.i if isinstance(value, Token) else value


def of_tokens(tokens):
    """All that is said of tokens; those of a span are numbered from its start."""
    return [
        {
            name: shifted(plain(getattr(token._, name)), tokens[0].i)
            for name in TOKEN_EXTENSIONS
        }
        for token in tokens
    ]


def shifted(value, first):
    if not isinstance(value, list):
        return value
    return [(None if i is None else i - first, *rest) for i, *rest in value]


def values(doc):
    """All that is said of a Doc, its sentences and its tokens."""
    return [
        {name: getattr(words._, name) for name in SPAN_EXTENSIONS}
        for words in [doc, *doc.sents]
    ] + of_tokens(doc)


def entropies(drawn, labelled=True):
    """The entropy of the head of each word, and of its label, in sampled arcs."""
    found = []
    for first, end in pairwise(drawn.first.tolist()):
        totals = Counter()
        for i in range(first, end):
            totals[drawn.heads[i], labelled and drawn.labels[i]] += drawn.counts[i]
        shares = [n / sum(totals.values()) for n in totals.values()]
        found.append(-sum(p * math.log(p) for p in shares))
    return found


def is_silent(doc):
    return all(value is None for item in values(doc) for value in item.values())
