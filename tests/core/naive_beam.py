"""Algorithms 2 and 3 of Liu, Che, Qin & Liu (2015), by definition.

Every derivation is kept with its features, every candidate is sorted, and an update
subtracts the features of one derivation from those of the other.
"""

from dataclasses import dataclass

from spacy_dynoracle.core.state.configuration import Configuration

from .naive import NaiveTrainer


@dataclass
class State:
    """
    Attributes:
        history: (features, action) of each step that has an action.
        gold: Whether all steps were correct.
    """

    c: Configuration
    score: float
    history: list
    gold: bool


class NaiveBeamTrainer(NaiveTrainer):
    """
    Args:
        trainer: Whose parts are used, not its learner or its search.
    """

    def __init__(self, trainer, *, weights=(), root_label=None):
        super().__init__(trainer, weights=weights, root_label=root_label)
        self.beam_size = trainer.beam_size
        self.rule = trainer.learner.rule
        self.negative = trainer.learner.negative

    def train(self, examples, iteration=None):
        for sentence, gold in examples:
            self.n_decisions += 1
            found = self.search(sentence, gold)
            if found is not None:
                self.n_errors += 1
                for state, delta in zip(found, (1, -1), strict=True):
                    for keys, action in state.history:
                        for key in keys:
                            self.w[key, action] += delta
            for feature, weight in self.w.items():
                self.sums[feature] += weight

    def search(self, sentence, gold):
        """The right state and the wrong one to learn from, or None."""
        c = self.initial(len(sentence))
        beam, outside, compared = [State(c, 0, [], True)], None, []
        while not all(map(self.is_finished, [*beam, *([outside] if outside else [])])):
            candidates = self.candidates(beam, sentence, gold)
            beam = candidates[: self.beam_size]
            if outside is not None:
                outside = self.best_gold(self.candidates([outside], sentence, gold))
            elif not any(state.gold for state in beam):
                outside = self.best_gold(candidates)
                if self.rule != "max_violation":
                    return outside, beam[-1 if self.negative == "worst" else 0]
            if not beam[0].gold:
                right = outside or self.best_gold(beam)
                compared.append((beam[0].score - right.score, right, beam[0]))
        if outside is None and (beam[0].gold or self.rule == "fall_out"):
            return None
        if self.rule == "early":
            return self.best_gold(beam), beam[0]
        largest = max(violation for violation, _, _ in compared)
        return [pair for violation, *pair in compared if violation == largest][-1]

    def is_finished(self, state):
        return self.system.is_terminal(state.c)

    @staticmethod
    def best_gold(states):
        return next(state for state in states if state.gold)

    def candidates(self, beam, sentence, gold):
        """All successors, best first."""
        found = []
        for rank, state in enumerate(beam):
            found += [
                (-successor.score, rank, -1 if action is None else action, successor)
                for action, successor in self.successors(state, sentence, gold)
            ]
        return [item[-1] for item in sorted(found, key=lambda item: item[:-1])]

    def successors(self, state, sentence, gold):
        """(action or None, state) for everything that is possible."""
        if self.is_finished(state):
            return [(None, state)]
        c = state.c
        legal = self.system.legal(c)
        possible = [
            a
            for a, (name, label) in enumerate(self.actions)
            if name in legal and self.may_label(c, name, label)
        ]
        if not possible:
            after = c.copy()
            self.system.apply(after, legal[0])
            return [(None, State(after, state.score, state.history, state.gold))]
        correct = self.correct(c, gold) or possible if state.gold else []
        keys = self.extractor.keys(c, sentence)
        found = []
        for a in possible:
            name, label = self.actions[a]
            after = c.copy()
            self.system.apply(after, name, label=label)
            score = state.score + self.score(keys, a)
            history = [*state.history, (keys, a)]
            found.append((a, State(after, score, history, a in correct)))
        return found
