"""Training of the ranker: algorithm 4, passive-aggressive updates, averages."""

import random
from collections import defaultdict

import numpy as np
import pytest

from dynoracle_hcsearch.fitting import rounds, score_candidates
from dynoracle_hcsearch.losses import GoldHeads, losses
from dynoracle_hcsearch.mixture import best_alpha
from dynoracle_hcsearch.ranker import SLOT
from dynoracle_hcsearch.template_sets import GLOBAL
from dynoracle_hcsearch.templates import RankingTemplates
from dynoracle_hcsearch.trainer import ranking_pairs
from spacy_dynoracle.core.random import Random

from .naive import NaiveTree
from .ranking_builders import (
    FEW,
    NAMED_CLASSES,
    candidates_of,
    new_trainer,
    samples,
    trained,
)


def pair_of_trees():
    """Two candidates, of which the second is right."""
    trees = [([2, 0, 1], [0, 0, 1]), ([2, 0, 2], [0, 0, 1])]
    sample = samples(0, 1, n=3, k=2)[0]
    found = candidates_of(trees)
    gold = GoldHeads(np.array([2, 0, 2], dtype=np.int32))
    return sample._replace(
        tags=["N", "V", "N"], candidates=found, losses=losses(found, gold)
    )


@pytest.mark.parametrize("templates", [None, RankingTemplates(["rightbranch:Share"])])
def test_margin_after_one_update(templates):
    """C(y+) - C(y-) is the difference of the losses, and nothing else changes."""
    sample, trainer = pair_of_trees(), new_trainer(templates)
    sentence, found, loss = sample.example()
    assert loss.tolist() == [1, 0]
    assert trainer.train([sample.example()]) == (1, 1)
    scores = trainer.scores(sentence, found)
    assert scores[1] - scores[0] == pytest.approx(1, abs=1e-6)
    # Now the margin is wide enough, up to what rounding makes of it.
    trainer.train([sample.example()])
    again = trainer.scores(sentence, found)
    assert again == pytest.approx(scores, abs=1e-5)


class NaiveTrainer:
    """The same with dictionaries, exact sums and averages that are really formed."""

    def __init__(self, templates, groups, seed):
        self.templates, self.groups, self.random = templates, groups, Random(seed)
        self.weights, self.total, self.ticks = defaultdict(float), defaultdict(float), 0

    def features(self, sample, number):
        heads = sample.candidates.heads[number].tolist()
        labels = sample.candidates.labels[number].tolist()
        tree = NaiveTree(sample.words, sample.tags, heads, labels, NAMED_CLASSES)
        return tree.features(self.templates)

    def score(self, features, weights):
        return sum(n * weights[f] for f, n in features.items())

    def train(self, data):
        pairs = [
            (i, loss)
            for i, sample in enumerate(data)
            for loss in ranking_pairs(sample.losses, self.groups)
        ]
        self.random.shuffle(pairs)
        for i, least in pairs:
            self.learn(data[i], least)
            self.ticks += 1
            for feature, weight in self.weights.items():
                self.total[feature] += weight

    def learn(self, sample, least):
        loss = sample.losses.tolist()
        found = [self.features(sample, i) for i in range(len(loss))]
        scores = [self.score(f, self.weights) for f in found]
        better = [i for i, x in enumerate(loss) if x == least]
        worse = [i for i, x in enumerate(loss) if x > least]
        good = min(better, key=lambda i: scores[i])
        bad = max(worse, key=lambda i: scores[i])
        margin, gap = loss[bad] - loss[good], scores[good] - scores[bad]
        difference = {
            f: found[good][f] - found[bad][f] for f in found[good] | found[bad]
        }
        norm = sum(n * n for n in difference.values())
        if gap < margin and norm:
            for f, n in difference.items():
                self.weights[f] += (margin - gap) / norm * n

    def averaged_scores(self, sample):
        weights = defaultdict(float, {f: t / self.ticks for f, t in self.total.items()})
        return [
            self.score(self.features(sample, i), weights)
            for i in range(len(sample.losses))
        ]


@pytest.mark.heavy
@pytest.mark.parametrize("groups", ["fine", "coarse"])
@pytest.mark.parametrize("templates", [None, FEW, RankingTemplates(GLOBAL)])
def test_against_the_naive_trainer(groups, templates):
    data, unseen = samples(7, 6), samples(8, 4)
    trainer = new_trainer(templates, groups=groups, seed=3)
    naive = NaiveTrainer(trainer.finder.templates.templates, groups, seed=3)
    for _ in range(2):
        n_pairs, _ = trainer.train([sample.example() for sample in data])
        naive.train(data)
        assert n_pairs == sum(len(ranking_pairs(s.losses, groups)) for s in data)
    assert trainer.n_pairs == naive.ticks
    assert trainer.n_updates > 6
    assert trainer.n_features <= len(naive.weights)
    ranker = trainer.freeze()
    for sample in data + unseen:
        sentence, found, _ = sample.example()
        expected = naive.averaged_scores(sample)
        assert ranker.scores(sentence, found) == pytest.approx(expected, abs=1e-4)
        current = [
            naive.score(naive.features(sample, i), naive.weights)
            for i in range(len(sample.losses))
        ]
        assert trainer.scores(sentence, found) == pytest.approx(current, abs=1e-4)
    assert any(np.ptp(ranker.scores(*s.example()[:2])) > 0.01 for s in unseen)


def test_deterministic():
    first, second, other = (
        trained(seed=s, number=8)[0].freeze().array for s in (1, 1, 2)
    )
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != other.tobytes()
    # The order of the pairs is another one.
    data = samples(1, 8)
    shuffled = new_trainer(seed=5)
    shuffled.train([sample.example() for sample in data])
    plain = new_trainer(seed=6)
    plain.train([sample.example() for sample in data])
    assert shuffled.freeze().array.tobytes() != plain.freeze().array.tobytes()


def test_nothing_to_learn():
    trainer = new_trainer()
    [sample] = samples(3, 1, k=3)
    same = sample._replace(losses=np.full(3, 2, dtype=np.int32))
    assert trainer.train([same.example()]) == (0, 0)
    assert trainer.train([]) == (0, 0)
    ranker = trainer.freeze()
    assert ranker.n_features == 0
    assert ranker.scores(sample.sentence(), sample.candidates).tolist() == [0, 0, 0]


def test_trees_that_templates_do_not_tell_apart():
    """Their features do not differ, so that no update can do anything."""
    trainer = new_trainer(FEW)
    heads = ([2, 0, 4, 2, 4, 4], [2, 0, 4, 2, 4, 4])
    found = candidates_of([(h, [0, 1, 0, 0, 2, 2]) for h in heads])
    [sample] = samples(3, 1, n=6, k=2)
    loss = np.array([0, 2], dtype=np.int32)
    assert trainer.train([(sample.sentence(), found, loss)]) == (1, 0)
    assert trainer.n_features == 0


def test_many_features():
    """The table of weights grows, and keeps what is in it."""
    trainer = new_trainer()
    data = samples(11, 60, n=25, k=3)
    trainer.train([sample.example() for sample in data[:1]])
    sentence, found, _ = data[0].example()
    ranker = trainer.freeze()
    before = ranker.scores(sentence, found)
    trainer.train([sample.example() for sample in data])
    assert trainer.n_features > 65536
    assert trainer.freeze().n_features > 65536
    # A ranker does not follow its trainer.
    assert ranker.scores(sentence, found).tolist() == before.tolist()


def weights_of(ranker):
    weights = ranker.array.view(SLOT)["weight"]
    return sorted(np.abs(weights[weights != 0]).tolist(), reverse=True)


def test_the_largest_weights_are_kept():
    trainer, data = trained()
    everything = weights_of(trainer.freeze())
    assert len(everything) == trainer.freeze().n_features
    for limit in (0, 1, 10, 1000, len(everything) - 1):
        kept = weights_of(trainer.freeze(max_features=limit))
        # Of those that are as large as the next one none is kept.
        assert kept == [w for w in everything[:limit] if w > everything[limit]]
    assert len(kept) > 1000
    for limit in (len(everything), 10**9):
        assert weights_of(trainer.freeze(max_features=limit)) == everything
    sentence, found, _ = data[0].example()
    assert not trainer.freeze(max_features=0).scores(sentence, found).any()
    with pytest.raises(ValueError, match="max_features -1"):
        trainer.freeze(max_features=-1)


def test_rounds_learn_what_they_can():
    """Candidates are told apart by whether the last word depends on the first one."""
    rng = random.Random(0)
    data = []
    for sample in samples(5, 30, n=5, k=6):
        good = sample.candidates.heads[:, -1] == 1
        data.append(sample._replace(losses=np.where(good, 0, 3).astype(np.int32)))
    rng.shuffle(data)
    examples = [sample.example() for sample in data]
    trainer = new_trainer()
    found = list(rounds(trainer, examples, examples, 8))
    assert [r.number for r in found] == list(range(1, 9))
    assert found[0].n_updates > found[-1].n_updates
    assert found[-1].loss == sum(int(s.losses.min()) for s in data)
    for r in found:
        scored = score_candidates(r.ranker, examples)
        assert best_alpha(scored) == (r.ranker.alpha, r.mixture_loss)
        assert r.mixture_loss <= r.loss


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"losses": np.zeros(1, np.int32)}, "2 candidates have 1 losses"),
        ({"words": ["x"], "tags": ["N"]}, "expected int32 of shape"),
    ],
)
def test_examples_that_do_not_fit(change, message):
    trainer = new_trainer()
    sample = pair_of_trees()._replace(**change)
    with pytest.raises(ValueError, match=message):
        trainer.train([sample.example()])


# ---- ranking groups -----------------------------------------------------------------


def test_fine_and_coarse():
    losses = [2, 0, 3, 3, 0]
    assert ranking_pairs(losses, "fine") == [0, 2]
    assert ranking_pairs(losses, "coarse") == [0]


def test_the_best_candidate_need_not_be_right():
    assert ranking_pairs([4, 9, 7], "fine") == [4, 7]
    assert ranking_pairs([4, 9, 7], "coarse") == [4]


@pytest.mark.parametrize("losses", [[], [5], [1, 1, 1]])
@pytest.mark.parametrize("groups", ["fine", "coarse"])
def test_no_pairs(losses, groups):
    assert ranking_pairs(losses, groups) == []


def test_unknown_groups():
    with pytest.raises(ValueError, match="ranking groups 'gold': expected one of"):
        ranking_pairs([0, 1], "gold")
