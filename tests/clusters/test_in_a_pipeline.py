"""Clusters in the features of a trained pipeline."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.core.features.clusters import OF_PARSERS
from spacy_dynoracle.doc.cluster_numbers import add_clusters

pytestmark = pytest.mark.heavy

WORDS = ["Nora", "saw", "boats"]


def trained(clusters):
    """A tagger and a parser, trained on a sentence, in a vocab with clusters."""
    nlp = spacy.blank("en")
    if clusters:
        add_clusters(nlp.vocab.lookups, clusters)
    features = {"@misc": "spacy_dynoracle.TaggerFeatures.v1", "clusters": "en"}
    nlp.add_pipe("dynoracle_tagger", config={"features": features} if clusters else {})
    nlp.add_pipe("dynoracle_parser", config={"sentences": "doc"})
    reference = Doc(
        nlp.vocab,
        words=WORDS,
        tags=["NNP", "VBD", "NNS"],
        pos=["PROPN", "VERB", "NOUN"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "obj"],
    )
    examples = [Example(Doc(nlp.vocab, words=WORDS), reference)] * 4
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    return nlp


def analysis(nlp, words):
    doc = nlp(Doc(nlp.vocab, words=words))
    return [(token.tag_, token.head.i, token.dep_) for token in doc]


def test_default_features_use_clusters_if_there_are_any(tmp_path):
    without = trained({}).get_pipe("dynoracle_parser").templates
    nlp = trained({"saw": 5, "found": 5, "Nora": 0, "Ida": 0, "boats": 9, "nets": 9})
    templates = nlp.get_pipe("dynoracle_parser").templates
    assert templates.templates == (*without.templates, *OF_PARSERS)
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert loaded.get_pipe("dynoracle_parser").templates == templates
    # Words that are in the clusters, but not in the training data.
    unknown = ["Ida", "found", "nets"]
    assert analysis(loaded, unknown) == analysis(nlp, unknown)
    assert analysis(loaded, unknown) == analysis(loaded, WORDS)
