"""Training of rerankers, which choose among the trees of a beam."""
