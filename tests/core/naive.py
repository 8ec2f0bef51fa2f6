"""Algorithms 2 and 3 of Goldberg & Nivre (2013) with a dense averaged perceptron.

Written from the paper, without laziness: weights are kept in a dictionary, and their
sum over all decisions is kept beside them. Configurations, features and oracles are the
package's; predictions, updates, averages, exploration and random numbers are not.
"""

from collections import Counter, defaultdict

from .builders import examples, learned
from .mersenne import Mersenne
from .naive_derivations import arc_of
from .weights.layout import read_weights, rounding_of


class NaiveLabeller:
    """What all naive trainers know of configurations: which actions are correct, and
    which labels are legal.

    Args:
        trainer: Whose parts are used.
        seed: Of the random numbers.
        root_label: The label that arcs out of ROOT, and no others, must have.
    """

    def __init__(self, trainer, seed=0, root_label=None):
        self.system = trainer.system
        self.root_rule = trainer.root_rule
        self.extractor = trainer.extractor
        self.oracle = trainer.oracle
        self.labels = trainer.actions.labels
        self.actions = list(trainer.actions.keys)
        self.root_label = root_label
        self.random = Mersenne(seed)
        self.n_decisions = self.n_errors = self.n_given_up = 0

    def initial(self, n_words):
        c = self.system.initial(n_words, self.root_rule)
        # Features see the numbers of labels, so they must be those of the model.
        for label in self.labels:
            c.labels.add(label)
        return c

    def may_follow(self, name, c, gold):
        """SWAP is done where it is correct and nowhere else."""
        correct = self.oracle.correct(self.system, c, gold)
        return name in correct or (name != "SWAP" and correct != {"SWAP"})

    def correct(self, c, gold):
        """Actions of correct transitions; a gold arc wants its label, if known."""
        names = learned(self.oracle.correct(self.system, c, gold), c, gold)
        found = []
        for a, (name, label) in enumerate(self.actions):
            if name in names:
                wanted = self.wanted(c, gold, name)
                if wanted in (None, label) and self.may_label(c, name, label):
                    found.append(a)
        return found

    def wanted(self, c, gold, name):
        """The gold label of the arc that a transition adds, if it must have it."""
        if not self.system.is_labelled(name):
            return None
        head, word = arc_of(self.system, c, name)
        label = gold.labels[word - 1]
        if gold.heads[word - 1] != head or (name, label) not in self.actions:
            return None
        return label if self.may_label(c, name, label) else None

    def may_label(self, c, name, label):
        """Whether a label is legal on the arc that a transition adds."""
        if self.root_label is None or not self.system.is_labelled(name):
            return True
        return (arc_of(self.system, c, name)[0] == 0) == (label == self.root_label)


class NaiveTrainer(NaiveLabeller):
    """
    Args:
        trainer: Whose parts are used, the margin of its learner, and its exploration.
        weights: Those to start from.
        min_updates: A feature whose weights have changed less often is unknown.
    """

    def __init__(self, trainer, *, weights=(), min_updates=0, **settings):
        super().__init__(trainer, **settings)
        self.margin = trainer.learner.margin
        self.k = getattr(trainer.exploration, "k", 0)
        self.p = getattr(trainer.exploration, "p", 0)
        self.w = defaultdict(float, weights)
        self.sums = defaultdict(float)
        self.min_updates = min_updates
        self.n_changes = Counter({key: min_updates for key, _ in self.w})

    def train(self, examples, iteration):
        for sentence, gold in examples:
            c = self.initial(len(sentence))
            while not self.system.is_terminal(c):
                name, label = self.step(c, sentence, gold, iteration)
                self.system.apply(c, name, label=label)
                self.n_decisions += 1
                for feature, weight in self.w.items():
                    self.sums[feature] += weight

    def step(self, c, sentence, gold, iteration):
        """Predict, ask the oracle, update, explore; the action to follow."""
        legal = self.system.legal(c)
        if len(legal) == 1 and not self.system.is_labelled(legal[0]):
            return legal[0], None
        possible = [
            a
            for a, (name, label) in enumerate(self.actions)
            if name in legal and self.may_label(c, name, label)
        ]
        if not possible:
            return legal[0], None
        keys = self.extractor.keys(c, sentence)
        # max takes the first of equals: ties go to the lowest action.
        predicted = max(possible, key=lambda a: self.score(keys, a))
        correct = self.correct(c, gold)
        if not correct:
            return self.actions[predicted]
        target = max(correct, key=lambda a: self.score(keys, a))
        if predicted in correct:
            self.keep_apart(keys, target, set(possible) - set(correct))
            return self.actions[predicted]
        self.n_errors += 1
        self.push(keys, target, predicted)
        if (
            iteration > self.k
            and self.random.uniform() < self.p
            and self.may_follow(self.actions[predicted][0], c, gold)
        ):
            return self.actions[predicted]
        return self.actions[target]

    def push(self, keys, target, wrong):
        """One update."""
        for key in keys:
            self.w[key, target] += 1
            self.w[key, wrong] -= 1
            self.n_changes[key] += 2

    def keep_apart(self, keys, target, wrong):
        """Update if the best of the wrong actions is within the margin."""
        if not wrong:
            return
        best = max(sorted(wrong), key=lambda a: self.score(keys, a))
        if self.score(keys, target) - self.score(keys, best) < self.margin:
            self.push(keys, target, best)

    def score(self, keys, action):
        known = filter(self.is_known, keys)
        return sum(self.w.get((key, action), 0) for key in known)

    def is_known(self, key):
        return self.n_changes[key] >= self.min_updates

    def averages(self):
        """(w(1) + ... + w(M)) / M, or w itself before the first decision."""
        sums = self.sums if self.n_decisions else self.w
        n = max(self.n_decisions, 1)
        return {f: sums[f] / n for f in sums if self.is_known(f[0])}


def assert_same_training(trainer, naive, trees, iterations=(1, 2, 3)):
    """Train on trees; the counts of every iteration and the weights must be the
    same.
    """
    for iteration in iterations:
        pairs = examples(trees, trainer)
        before = naive.n_decisions, naive.n_errors
        naive.train(pairs, iteration)
        found = trainer.train(pairs, iteration)
        after = naive.n_decisions, naive.n_errors
        assert found == tuple(b - a for a, b in zip(before, after, strict=True))
    assert_same_weights(trainer, naive)


def assert_same_weights(trainer, naive, tolerance=1e-9):
    """The frozen weights are the naive averages, rounded."""
    frozen, expected = trainer.learner.freeze(), naive.averages()
    found = read_weights(frozen)
    assert found.keys() <= expected.keys()
    allowed = rounding_of(expected, frozen)
    for feature, weight in expected.items():
        difference = abs(found.get(feature, 0) - weight)
        assert difference <= allowed[feature] + tolerance, feature
    assert len(found) == frozen.n_parameters
    assert len({key for key, _ in found}) == frozen.n_features
    for count in ("n_decisions", "n_errors", "n_given_up"):
        assert getattr(trainer, count) == getattr(naive, count)
    if hasattr(trainer.learner, "n_decisions"):
        assert trainer.learner.n_decisions == trainer.n_decisions
