"""Easy-first training (Goldberg & Nivre 2013, algorithms 2 and 3) from the paper.

Every pair of neighbours is scored anew in every round, and NEXT(c, t) = c: after a
wrong prediction that is not followed the configuration stays. The same style as
`naive.NaiveTrainer`, whose weights and averages it shares.
"""

from .builders import options, take
from .naive import NaiveTrainer

MAX_UPDATES = 200


def limit_of(sentence):
    """The number of updates after which a sentence is given up."""
    return max(MAX_UPDATES, 2 * len(sentence))


class NaiveEasyFirstTrainer(NaiveTrainer):
    def train(self, examples, iteration):
        for sentence, gold in examples:
            c = self.initial(len(sentence))
            n_updates, limit = 0, limit_of(sentence)
            while not self.system.is_terminal(c) and n_updates < limit:
                n_updates += self.round(c, sentence, gold, iteration)
                self.n_decisions += 1
                for feature, weight in self.w.items():
                    self.sums[feature] += weight
            self.n_given_up += n_updates == limit

    def round(self, c, sentence, gold, iteration):
        """Predict, ask the oracle, update; whether there was an update."""
        keys = self.keys_of_pairs(c, sentence)
        # By pair and action, both from the lowest on: max takes the first of equals.
        legal = [
            (pair, a)
            for pair in keys
            for a in self.actions_of_pair(c, pair, options(self.system, c))
        ]

        def score(choice):
            pair, a = choice
            return sum(self.w.get((key, a), 0) for key in keys[pair])

        if not legal:
            take(self.system, c, *options(self.system, c)[0])
            return False
        predicted = max(legal, key=score)
        correct = [choice for choice in legal if choice in self.correct_pairs(c, gold)]
        if not correct:
            self.follow(c, predicted)
            return False
        target = max(correct, key=score)
        wrong = predicted
        if predicted in correct:
            others = [choice for choice in legal if choice not in correct]
            wrong = max(others, key=score, default=None)
            if wrong and score(target) - score(wrong) >= self.margin:
                wrong = None
        if wrong:
            for (pair, a), delta in ((target, 1), (wrong, -1)):
                for key in keys[pair]:
                    self.w[key, a] += delta
        if predicted in correct:
            self.follow(c, predicted)
            return False
        self.n_errors += 1
        if iteration > self.k and self.random.uniform() < self.p:
            self.follow(c, predicted)
        return True

    def keys_of_pairs(self, c, sentence):
        found = {}
        for pair in range(1, len(c.stack) + len(c.buffer)):
            self.system.focus(c, pair)
            found[pair] = self.extractor.keys(c, sentence)
        return found

    def correct_pairs(self, c, gold):
        """(pair, action) of least cost; a gold arc wants its label, if known."""
        costs = {}
        for pair, name in options(self.system, c):
            self.system.focus(c, pair)
            costs[pair, name] = self.system.cost(c, gold, name)
        found = set()
        for (pair, name), cost in costs.items():
            if cost == min(costs.values()):
                self.system.focus(c, pair)
                wanted = self.wanted(c, gold, name)
                found |= {
                    (pair, a)
                    for a in self.actions_of_pair(c, pair, [(pair, name)])
                    if wanted in (None, self.actions[a][1])
                }
        return found

    def actions_of_pair(self, c, pair, possible):
        """The legal actions of a pair whose transition is among the possible ones."""
        self.system.focus(c, pair)
        return [
            a
            for a, (name, label) in enumerate(self.actions)
            if (pair, name) in possible and self.may_label(c, name, label)
        ]

    def follow(self, c, choice):
        pair, a = choice
        take(self.system, c, pair, *self.actions[a])
