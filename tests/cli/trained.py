"""A small pipeline that gives probabilities, for the tests of commands."""

from spacy.tokens import Doc
from spacy.training import Example

from ..harbour import examples, parser
from ..parser.treebank import train

TEXT = "Nora found a map. Pavel sold the boat in the harbour. The net is old."
RDA = {
    "learner": {"@misc": "spacy_dynoracle.AdaGradRDA.v1", "alpha": 0.25},
    "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1", "k": 0},
}


def trained(n_sentences, epochs=4, **settings):
    nlp = parser(tag_attr=None, **settings)
    data = examples(nlp.vocab, n_sentences)
    # Pairs of sentences teach where one ends.
    pairs = [
        Doc.from_docs([a.reference, b.reference])
        for a, b in zip(data[::2], data[1::2], strict=False)
    ]
    data += [Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc) for doc in pairs]
    train(nlp, data, epochs)
    return nlp
