"""Clusters of vectors, joined to a tree.

The vectors are clustered by spherical k-means: all vectors have the length 1, and the
mean of a cluster too (Dhillon & Modha 2001). Ward's method (Ward 1963) joins the
clusters to a binary tree, in which every cluster has a path.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..util.arrays import Float32Array, IntArray
from ..util.progress import Advance

# Rows whose similarities to all means are computed at a time.
ROWS = 4096
ROUNDS = 20

Tree: TypeAlias = "int | tuple[Tree, Tree]"


def normalized(vectors: Float32Array) -> Float32Array:
    """The vectors with length 1. Vectors of zeros stay as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Float32Array = vectors / np.where(lengths > 0, lengths, np.float32(1))
    return result


def nearest(
    vectors: Float32Array, means: Float32Array
) -> tuple[IntArray, Float32Array]:
    """For each vector the most similar mean, and the similarity."""
    numbers, similarities = [], []
    for start in range(0, len(vectors), ROWS):
        products = vectors[start : start + ROWS] @ means.T
        best = products.argmax(axis=1)
        numbers.append(best)
        similarities.append(products[np.arange(len(best)), best])
    return np.concatenate(numbers), np.concatenate(similarities)


def kmeans(
    vectors: Float32Array, n_clusters: int, seed: int, advance: Advance
) -> tuple[IntArray, Float32Array]:
    """Cluster vectors.

    vectors: shape (n, n dimensions), of length 1. n_clusters: at most n. seed: draws
    the first means. advance: is called after each round.

    Returns the cluster of each vector and the means, shape (n clusters, n dimensions).
    Every cluster has a vector.
    """
    draw = np.random.default_rng(seed)
    means = vectors[draw.choice(len(vectors), n_clusters, replace=False)]
    numbers = np.full(len(vectors), -1)
    for _ in range(ROUNDS):
        before = numbers
        numbers, similarities = nearest(vectors, means)
        _fill_empty(numbers, similarities, n_clusters)
        sums = np.zeros_like(means)
        np.add.at(sums, numbers, vectors)
        means = normalized(sums)
        advance(1)
        if np.array_equal(before, numbers):
            break
    return numbers, means


def _fill_empty(numbers: IntArray, similarities: Float32Array, n_clusters: int) -> None:
    """Give each empty cluster the vector that is least similar to its mean and that
    does not leave another cluster empty, in place."""
    sizes = np.bincount(numbers, minlength=n_clusters)
    candidates = iter(np.argsort(similarities, kind="stable").tolist())
    for empty in np.flatnonzero(sizes == 0).tolist():
        chosen = next(i for i in candidates if sizes[numbers[i]] > 1)
        sizes[numbers[chosen]] -= 1
        sizes[empty] = 1
        numbers[chosen] = empty


def ward_tree(means: Float32Array, sizes: IntArray) -> Tree:
    """Join clusters to a binary tree.

    In each step the two clusters are joined that increase the sum of the squared
    distances from the means least. sizes: the vectors of each cluster, or other
    weights.
    """
    trees: dict[int, Tree] = {i: i for i in range(len(means))}
    points, weights = means.astype(np.float64), sizes.astype(np.float64)
    squares = (points**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * points @ points.T
    costs = distances * (weights[:, None] * weights[None, :])
    costs /= weights[:, None] + weights[None, :]
    np.fill_diagonal(costs, np.inf)
    while len(trees) > 1:
        pair = divmod(int(costs.argmin()), len(costs))
        i, j = min(pair), max(pair)
        trees[i] = (trees[i], trees.pop(j))
        total = weights[i] + weights[j]
        points[i] = (points[i] * weights[i] + points[j] * weights[j]) / total
        weights[i] = total
        costs[j, :] = costs[:, j] = np.inf
        rest = [k for k in trees if k != i]
        new = ((points[rest] - points[i]) ** 2).sum(axis=1)
        new *= weights[rest] * total / (weights[rest] + total)
        costs[i, rest] = costs[rest, i] = new
    (tree,) = trees.values()
    return tree


def paths_of(tree: Tree, n_clusters: int) -> list[str]:
    """The path of each cluster from the root of a tree, as digits 0 and 1."""
    paths = [""] * n_clusters
    pending: list[tuple[Tree, str]] = [(tree, "")]
    while pending:
        node, path = pending.pop()
        if isinstance(node, tuple):
            pending += [(node[0], f"{path}0"), (node[1], f"{path}1")]
        else:
            # A tree of one cluster has no step.
            paths[node] = path or "0"
    return paths
