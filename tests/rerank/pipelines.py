"""Pipelines with a beam, and documents with a morphology."""

import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc

from ..harbour import BANK, FILE, ROOT

DEV = ROOT / "treebanks" / BANK / "dev.conllu"
PARSER = "dynoracle_parser"
CONFIG = {
    "tag_attr": "POS",
    "system": {"@misc": "spacy_dynoracle.ArcStandard.v1"},
    "search": {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4},
}


def with_numbers(doc):
    """A Doc with a morphology, which the treebank does not have."""
    for token in doc:
        if token.tag_ in ("NN", "NNS"):
            token.set_morph(f"Number={'Plur' if token.tag_ == 'NNS' else 'Sing'}")
    return doc


def gold_docs(vocab, path, n=None, tree=True):
    found = list(read_conllu(path))[:n]
    return [with_numbers(to_doc(s, vocab, tree=tree)) for s in found]


def make_nlp(config, **settings):
    nlp = spacy.blank("en")
    nlp.add_pipe(PARSER, config=config | settings)
    return nlp


def initialized(config, n=24, **settings):
    """(a pipeline that is not trained, its examples)."""
    nlp = make_nlp(config, **settings)
    golds = gold_docs(nlp.vocab, FILE, n)
    plain = gold_docs(nlp.vocab, FILE, n, tree=False)
    examples = [Example(*pair) for pair in zip(plain, golds, strict=True)]
    nlp.initialize(lambda: examples)
    return nlp, examples


def trained(config, n=24, **settings):
    nlp, examples = initialized(config, n, **settings)
    nlp.update(examples)
    return nlp
