# cython: boundscheck=False, wraparound=False
"""Training: the algorithms 2 and 3 of Goldberg & Nivre (2013), for systems that work
from left to right.

Algorithm 2 (static or non-deterministic oracle) is algorithm 3 (dynamic oracle) with a
policy that never explores.
"""
from ..learners.base cimport LearnerScoring
from ..model.model cimport Classifier, Model
from ..search.stepper cimport NOTHING
from ..state.gold cimport GoldTree
from ..state.sentence cimport Sentence
from .oracle_stepper cimport check_example


def check_training(
    TransitionSystem system not None,
    Oracle oracle not None,
    Exploration exploration not None,
    Learner learner not None,
) -> None:
    """Prepare the oracle. Raise ValueError unless it exists for the system and is
    defined wherever exploration leads, and the learner has what exploration asks for.
    """
    if learner.learns_derivations and (exploration.explores or exploration.samples):
        raise ValueError(
            f"{type(learner).__name__} learns from whole derivations, so that "
            f"{exploration!r} has nothing to choose: use NoExploration"
        )
    if exploration.explores and not oracle.complete:
        raise ValueError(
            f"{exploration!r} leaves the gold derivations, where {oracle!r} is not "
            f"defined: use DynamicOracle, or NoExploration (or p = 0)"
        )
    if exploration.samples and not learner.is_probabilistic:
        raise ValueError(
            f"{exploration!r} draws from probabilities, which "
            f"{type(learner).__name__} does not have: use AdaGradRDA, or "
            f"ErrorExploration"
        )
    oracle.prepare(system)


cdef class Trainer:
    """Training state: a learner and what it needs to learn from sentences.

    A configuration with one legal transition, which has no label, is not scored,
    learned or drawn.

    Args:
        seed: Of the random numbers that exploration draws.
        beam_size: Of a `BeamTrainer`; else 1.
        root_rule: How many roots there may be; by default the `training_root_rule` of
            the system for sentences with any number of roots.

    Attributes:
        n_decisions, n_errors: Configurations visited and wrong predictions.
        n_given_up: Trees left unfinished (see `EasyFirstTrainer`).

    Raises:
        ValueError: When the system needs another trainer, when exploration is asked of
            an oracle that is not defined for every configuration, and when the actions
            are not those of the system and the learner.
    """

    # Whether it is for systems whose training repeats decisions.
    repeats_decisions = False
    # Whether it is for learners that learn from whole derivations.
    learns_derivations = False

    def __cinit__(
        self,
        TransitionSystem system not None,
        Extractor extractor not None,
        Actions actions not None,
        Oracle oracle not None,
        Exploration exploration not None,
        Learner learner not None,
        seed=0,
        *,
        beam_size=1,
        root_rule: RootRule | None = None,
    ):
        if system.repeats_decisions != self.repeats_decisions:
            raise ValueError(
                f"{type(self).__name__} cannot train {system!r}: an easy-first system "
                f"needs EasyFirstTrainer, any other one Trainer"
            )
        if learner.learns_derivations != self.learns_derivations:
            raise ValueError(
                f"{type(self).__name__} cannot train {type(learner).__name__}: "
                f"BeamTrainer and StructuredPerceptron need each other"
            )
        if beam_size != 1 and not self.learns_derivations:
            raise ValueError(
                f"beam_size = {beam_size}: {type(self).__name__} follows one derivation"
            )
        check_training(system, oracle, exploration, learner)
        self.system = system
        self.root_rule = (
            system.training_root_rule(False) if root_rule is None else root_rule
        )
        self.extractor = extractor
        self.actions = actions
        self.oracle = oracle
        self.exploration = exploration
        self.learner = learner
        self.random = Random(seed)
        self.stepper = OracleStepper(
            Classifier(system, extractor, actions, learner), self.root_rule
        )
        self.stepper.oracle = oracle
        self.stepper.scoring = LearnerScoring(learner, False)
        self.fit()

    cdef int fit(self) except -1:
        """Make room for all actions."""
        if self.actions.n > self.learner.n_actions():
            self.learner.resize(self.actions.n)
        self.stepper.fit()
        return 0

    @property
    def costs(self) -> Costs:
        """The object that computes the costs of transitions, for tests."""
        return self.stepper.costs

    def model(self, sources: dict[str, str], root_label: str | None = None) -> Model:
        """A model that predicts with what the learner has learnt so far.

        Args:
            sources, root_label: As for `Model`.
        """
        # A fitted temperature is not valid for changed weights.
        temperature = 1.0 if self.learner.is_probabilistic else None
        return Model(
            self.system, self.extractor, self.actions, self.learner, sources,
            root_label, type(self.learner).__name__, temperature,
        )

    def add_action(self, name: str, label: str | None = None) -> None:
        """Add an action. Nothing happens if there is such an action already."""
        self.actions.add(name, label)
        self.fit()

    def train(
        self, list examples not None: list[tuple[Sentence, GoldTree]], int iteration
    ) -> tuple[int, int]:
        """One pass over sentences, in the given order; the GIL is released for each.

        Args:
            examples: Pairs of `Sentence` and `GoldTree`, whose labels must have the ids
                of the trainer's actions.
            iteration: 1 for the first pass over the data.

        Returns:
            (decisions, wrong predictions).

        Raises:
            ValueError: When a pair does not fit together.
        """
        cdef Sentence sentence
        cdef GoldTree gold
        cdef uint64_t n_decisions = self.n_decisions
        cdef uint64_t n_errors = self.n_errors
        cdef int n_columns = len(self.extractor.templates.columns)
        self.fit()
        for item in examples:
            sentence, gold = item
            check_example(self.system, self.oracle, n_columns, sentence, gold)
            if gold.inventory is not self.actions.labels:
                raise ValueError(f"the labels of {gold!r} are not those of the trainer")
            with nogil:
                self.train_sentence(&sentence.c, &gold.gold, iteration)
        return self.n_decisions - n_decisions, self.n_errors - n_errors

    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil:
        """Algorithm 3: predict, ask the oracle, explore, update, move."""
        cdef Decision decision
        cdef ScoredTransition chosen
        self.stepper.begin(sentence, gold)
        while self.stepper.look():
            self.n_decisions += 1
            decision.predicted = self.stepper.best()
            decision.target.action = NOTHING
            if decision.predicted.action != NOTHING:
                self.stepper.ask()
                decision.target = self.stepper.best_correct()
            if decision.target.action == NOTHING:
                # The transition is forced, or no action is legal or correct here, so
                # there is nothing to learn.
                self.learner.skip()
                self.stepper.take(decision.predicted)
                continue
            decision.n_rows = <int>self.stepper.alternatives.size()
            decision.rows = self.stepper.alternatives.data()
            decision.is_correct = decision.rows[decision.predicted.row].correct[
                decision.predicted.action
            ]
            self.n_errors += not decision.is_correct
            chosen = self.exploration.next_action(
                self.actions, &decision, iteration, self.random
            )
            self.learner.update(&decision)
            if not self.move(&decision, chosen):
                break
        return 0

    cdef bint move(
        self, const Decision* decision, ScoredTransition chosen
    ) except -1 nogil:
        """Go on to NEXT(c, t). False to give the sentence up."""
        if self.stepper.costs.are_slow() or not self.system.may_explore(
            chosen.transition, self.stepper.correct_transitions[chosen.row]
        ):
            chosen = decision.target
        self.stepper.take(chosen)
        return True
