"""Probabilities of the decisions of greedy parses, against their definition."""

import math

import numpy as np
import pytest

from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.search.greedy import GreedySearch

from ..naive_derivations import greedy, initial, share
from ..random_models import every_kind, every_system, random_batch, random_model


def equal(a, b):
    return len(a) == len(b) and all(map(np.array_equal, a, b))


def credited_word(c, option):
    """The word to which a decision counts."""
    if option.arc is not None:
        return option.arc[1]
    if (option.name == "SHIFT" and c.buffer[0] != 0) or c.stack[-1] == 0:
        return c.buffer[0]
    return c.stack[-1]


def assert_as_naive(model, batch):
    """Parses and probabilities of a batch are those of the definitions."""
    heads, labels, p = parse_with_probabilities(model, batch)
    assert equal(GreedySearch().parse(model, batch), (heads, labels))
    start = 0
    for item in batch:
        c = initial(model, len(item))
        arcs, words = [1.0] * len(item), [[1.0] for _ in range(len(item))]
        for _, choices, best in greedy(model, item, c):
            if choices:
                share_of_best = share(model, best.score, [o.score for o in choices])
                words[credited_word(c, best) - 1].append(share_of_best)
                if best.arc is not None:
                    arcs[best.arc[1] - 1] = share_of_best
        part = slice(start, start + len(item))
        start = part.stop
        assert heads[part].tolist() == list(c.heads)
        names = [None if k == -1 else model.labels[k] for k in labels[part]]
        assert names == [label for _, label, _ in c.arcs]
        assert p.arcs[part] == pytest.approx(arcs, rel=1e-9)
        logs = [math.fsum(map(math.log, word)) for word in words]
        assert p.log_words[part] == pytest.approx(logs, abs=1e-12)
        assert p.lowest_words[part] == pytest.approx(list(map(min, words)))
    assert start == len(heads)


@every_system
def test_probabilities_of_greedy_parses(system):
    for seed, temperature in enumerate((0.5, 2.0, 20.0)):
        model = random_model(system, seed=seed, temperature=temperature)
        assert_as_naive(model, random_batch(seed, [5, 0, 12, 1, 2, 9]))


@every_kind
def test_types(system):
    batch = random_batch(9, [4, 0, 3])
    heads, labels, p = parse_with_probabilities(random_model(system), batch)
    assert [a.dtype for a in (heads, labels)] == [np.int32] * 2
    assert {a.dtype for a in p} == {np.dtype(np.float64)}
    assert {a.shape for a in (heads, labels, *p)} == {(7,)}
