"""HC-search for spacy_dynoracle: rerankers, which choose among the trees in the beam of
a parser.
"""

from .training import RerankResult, RerankSettings, train

__all__ = ["RerankResult", "RerankSettings", "train"]
