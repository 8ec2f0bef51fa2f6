"""Makes word clusters for spacy_dynoracle, from word vectors or from text."""

from .learning import learn_clusters

__all__ = ["learn_clusters"]
