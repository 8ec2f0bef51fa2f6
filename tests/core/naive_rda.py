"""Goldberg (2013), algorithms 2 and 3, with dense weights.

Written from the paper for one row of actions (systems that work from left to right) or
one row for each pair of neighbours (easy-first). Configurations, features and oracles
are the package's; probabilities, updates, weights, exploration and random numbers are
not.
"""

from math import exp, isclose, log

import numpy as np

from spacy_dynoracle.core.training.exploration import (
    ErrorExploration,
    SamplingExploration,
)

from .naive import NaiveLabeller
from .naive_easy_first import limit_of


def shares(scores, allowed):
    """exp(score) as a share of the sum over the allowed choices; 0 for others."""
    largest = max(s for s, a in zip(scores, allowed, strict=True) if a)
    masses = [
        exp(s - largest) if a else 0.0 for s, a in zip(scores, allowed, strict=True)
    ]
    total = sum(masses)
    return [mass / total for mass in masses]


def gradient_of(keys_of_rows, scores, correct):
    """The log-likelihood of the correct choices, derived by the weight of each feature
    and action: f - p, summed over the rows that have the feature.

    Args:
        keys_of_rows: Features of each row of actions.
        scores, correct: Of every action of every row, one row after the other.

    Returns:
        {key: array over the actions}.
    """
    f, p = shares(scores, correct), shares(scores, [True] * len(scores))
    rows = np.array([a - b for a, b in zip(f, p, strict=True)], np.float32)
    found = {}
    for keys, row in zip(
        keys_of_rows, rows.reshape(len(keys_of_rows), -1), strict=True
    ):
        for key in keys:
            found[key] = found[key] + row if key in found else row
    return found


def log_likelihood(scores, correct):
    """log P(Y|x), the logarithm of the share of the correct choices."""

    def log_sum(some):
        largest = max(some)
        return largest + log(sum(exp(s - largest) for s in some))

    return log_sum([s for s, y in zip(scores, correct, strict=True) if y]) - log_sum(
        scores
    )


def resumed_gradient(weight, alpha, rho):
    """The g with alpha g / sqrt(|g| + rho) = weight."""
    w = weight / alpha
    return np.copysign((w * w + np.sqrt(w * w * (w * w + 4 * rho))) / 2, w)


class NaiveRDA:
    """
    Args:
        learner: Whose parameters are used.
        weights: {(key, action): weight} to start from, as if made by gradients of size
            1 with one sign.
    """

    def __init__(self, learner, n_actions, weights=()):
        self.alpha, self.rho = np.float32(learner.alpha), np.float32(learner.rho)
        self.l1 = learner.l1
        self.n_updates = 0
        # For each feature the sum of the gradients and that of their squares.
        self.g, self.squares = {}, {}
        self.n_actions = n_actions
        for (key, action), weight in dict(weights).items():
            self.touch(key)
            g = resumed_gradient(weight, float(self.alpha), float(self.rho))
            self.g[key][action] = g
            self.squares[key][action] = abs(g)

    def touch(self, key):
        for sums in (self.g, self.squares):
            sums.setdefault(key, np.zeros(self.n_actions, np.float32))

    def resize(self, n_actions):
        for sums in (self.g, self.squares):
            for key, row in sums.items():
                sums[key] = np.pad(row, (0, n_actions - self.n_actions))
        self.n_actions = n_actions

    def weights(self, key):
        """alpha sign(g) max(|g| - J lambda, 0) / sqrt(G + rho) for every action."""
        if key not in self.g:
            return np.zeros(self.n_actions, np.float32)
        threshold = np.float32(max(self.n_updates - 1, 0) * self.l1)
        g, squares = self.g[key], self.squares[key]
        size = self.alpha * np.maximum(np.abs(g) - threshold, np.float32(0))
        return np.copysign(size / np.sqrt(squares + self.rho), g)

    def scores(self, keys):
        total = np.zeros(self.n_actions, np.float32)
        for key in keys:
            total += self.weights(key)
        return total

    def update(self, keys_of_rows, scores, correct):
        for key, partial in gradient_of(keys_of_rows, scores, correct).items():
            self.touch(key)
            self.g[key] += partial
            self.squares[key] += partial * partial
        self.n_updates += 1

    def all_weights(self):
        """{(key, action): weight}, zeros included."""
        return {
            (key, action): weight
            for key in self.g
            for action, weight in enumerate(self.weights(key).tolist())
        }


def is_close_call(scores, allowed, best):
    """Whether another allowed score is almost the best one.

    Those of features without weights are 0 exactly.
    """
    return scores[best] != 0 and any(
        is_allowed and i != best and isclose(score, scores[best], rel_tol=1e-5)
        for i, (score, is_allowed) in enumerate(zip(scores, allowed, strict=True))
    )


class NaiveRDATrainer(NaiveLabeller):
    """
    Args:
        weights: Those to start from.

    Attributes:
        draws: Of each action that was drawn its number, all probabilities and which
            actions were legal.
        is_in_doubt: Whether scores have been so close to each other that rounding may
            have decided which one is the largest.
    """

    def __init__(self, trainer, *, weights=(), **settings):
        super().__init__(trainer, **settings)
        self.exploration = trainer.exploration
        self.inventory = trainer.actions
        self.learner = NaiveRDA(trainer.learner, len(trainer.actions), weights)
        self.draws = []
        self.is_in_doubt = False

    def train(self, examples, iteration):
        self.actions = list(self.inventory.keys)
        for sentence, gold in examples:
            c = self.initial(len(sentence))
            n_errors = self.n_errors
            while not self.system.is_terminal(c):
                self.step(c, sentence, gold, iteration)
                n_updates = self.n_errors - n_errors
                if self.system.chooses_pair and n_updates == limit_of(sentence):
                    self.n_given_up += 1
                    break

    def step(self, c, sentence, gold, iteration):
        """Distribution, choice, update, move."""
        self.n_decisions += 1
        if not self.system.chooses_pair:
            legal = self.system.legal(c)
            if len(legal) == 1 and not self.system.is_labelled(legal[0]):
                self.system.apply(c, legal[0])
                return
        n = len(self.actions)
        keys, scores, legal, correct = self.decision(c, sentence, gold)
        choices = range(len(scores))
        # max takes the first of equals: ties go to the first pair and action.
        predicted = max((i for i in choices if legal[i]), key=scores.__getitem__)
        target = max((i for i in choices if correct[i]), key=scores.__getitem__)
        self.is_in_doubt |= is_close_call(scores, legal, predicted)
        self.is_in_doubt |= is_close_call(scores, correct, target)
        self.n_errors += not correct[predicted]
        taken = self.explore(iteration, scores, legal, correct, predicted, target)
        self.learner.update(keys, scores, correct)
        # Easy-first stays where it is after a mistake that it does not follow.
        if self.system.chooses_pair and not correct[predicted] and taken == target:
            return
        if not self.may_follow(self.actions[taken % n][0], c, gold):
            taken = target
        pair, action = divmod(taken, n)
        self.focus(c, pair)
        name, label = self.actions[action]
        self.system.apply(c, name, label=label)

    def explore(self, iteration, scores, legal, correct, predicted, target):
        exploration = self.exploration
        late = iteration > getattr(exploration, "k", 0)
        if isinstance(exploration, SamplingExploration) and late:
            probabilities = shares(scores, legal)
            taken = self.draw(probabilities)
            self.draws.append((taken, probabilities, legal))
            return taken
        if (
            isinstance(exploration, ErrorExploration)
            and late
            and not correct[predicted]
            and self.random.uniform() < exploration.p
        ):
            return predicted
        return target

    def draw(self, probabilities):
        """The choice in whose part of [0, 1) a random number falls."""
        u = self.random.uniform()
        for i, probability in enumerate(probabilities):
            u -= probability
            if u < 0:
                return i
        raise AssertionError("probabilities do not sum up to 1")

    def focus(self, c, pair):
        if self.system.chooses_pair:
            self.system.focus(c, pair + 1)

    def decision(self, c, sentence, gold):
        """Keys of each row, and of all choices scores, legality and correctness."""
        keys, scores, legal, correct = [], [], [], []
        n_rows = 1
        if self.system.chooses_pair:
            n_rows = len(c.stack) + len(c.buffer) - 1
        for row in range(n_rows):
            self.focus(c, row)
            keys.append(self.extractor.keys(c, sentence))
            scores += self.learner.scores(keys[-1]).tolist()
            legal += self.legal(c)
            correct += self.are_correct(c, gold)
        return keys, scores, legal, correct

    def are_correct(self, c, gold):
        """For each action whether it is one of the correct ones."""
        correct = self.correct(c, gold)
        return [action in correct for action in range(len(self.actions))]

    def legal(self, c):
        """For each action whether its transition is legal, and its label there."""
        names = self.system.legal(c)
        return [
            name in names and self.may_label(c, name, label)
            for name, label in self.actions
        ]

    def averages(self):
        """What is saved: the weights are no averages."""
        return self.learner.all_weights()
