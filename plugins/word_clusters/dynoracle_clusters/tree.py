"""Clusters of vectors, joined to a tree.

scikit-learn clusters the vectors by k-means in mini-batches (Sculley 2010), and Ward's
method (Ward 1963) joins the clusters to a binary tree, in which every cluster has a
path.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import to_tree, ward
from sklearn.cluster import MiniBatchKMeans
from threadpoolctl import threadpool_limits

from spacy_dynoracle.util.arrays import Float32Array, IntArray
from spacy_dynoracle.util.progress import Advance

BATCH = 8192
ROUNDS = 20


def normalized(vectors: Float32Array) -> Float32Array:
    """The vectors with length 1. Vectors of zeros stay as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Float32Array = vectors / np.where(lengths > 0, lengths, np.float32(1))
    return result


def kmeans(
    vectors: Float32Array, n_clusters: int, seed: int, advance: Advance
) -> tuple[IntArray, Float32Array]:
    """Cluster vectors.

    Args:
        vectors: Shape (n, n dimensions).
        n_clusters: At most n.
        seed: Seeds the random order and the first means.
        advance: Is called after each of `ROUNDS` rounds.

    Returns:
        The cluster of each vector and the means, shape (n clusters, n dimensions).
        Every cluster has a vector, so there may be fewer clusters than asked for.
    """
    draw = np.random.default_rng(seed)
    first = vectors[draw.choice(len(vectors), n_clusters, replace=False)]
    model: Any = MiniBatchKMeans(n_clusters, init=first, n_init=1, random_state=seed)
    # Sums of several threads would depend on their order.
    with threadpool_limits(limits=1):
        for _ in range(ROUNDS):
            order = draw.permutation(len(vectors))
            # The first batch must have a vector for each cluster.
            size = max(BATCH, n_clusters)
            for start in range(0, len(order), size):
                model.partial_fit(vectors[order[start : start + size]])
            advance(1)
        used, numbers = np.unique(model.predict(vectors), return_inverse=True)
    return numbers, model.cluster_centers_[used]


def ward_paths(means: Float32Array) -> list[str]:
    """Join clusters to a binary tree.

    Returns:
        The path from its root to each cluster, as digits 0 and 1. The path of an only
        cluster is 0.
    """
    if len(means) == 1:
        return ["0"]
    paths = [""] * len(means)
    pending = [(to_tree(ward(means)), "")]
    while pending:
        node, path = pending.pop()
        if node.is_leaf():
            paths[node.id] = path
        else:
            pending += [(node.left, f"{path}0"), (node.right, f"{path}1")]
    return paths
