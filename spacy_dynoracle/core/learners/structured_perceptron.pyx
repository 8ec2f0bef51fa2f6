# cython: boundscheck=False, wraparound=False
"""The structured perceptron, which learns from derivations as wholes."""


RULES = ("early", "max_violation", "fall_out")  # type: tuple[str, ...]
NEGATIVES = ("best", "worst")  # type: tuple[str, ...]


cdef class StructuredPerceptron(AveragedPerceptron):
    """Averaged perceptron over derivations; `BeamTrainer` finds those to learn from.

    Source: Liu, Che, Qin & Liu 2015, algorithms 2 and 3; Collins & Roark 2004 for early
    update; Huang, Fayong & Guo 2012 for the largest violation.

    Args:
        n_actions: How many actions there are at the start.
        update: From which beginnings of the gold derivation and a wrong one it learns.
            "early": up to the step at which the gold derivation falls out of the beam,
            or all of both if it is in the last beam, but not as the best one.
            "max_violation": up to the step at which the wrong one is better by most,
            wherever "early" learns something. "fall_out": as "early", but nothing where
            the gold derivation is in the last beam; this trains the heuristic of
            HC-search.
        negative: The wrong derivation at a fall-out, the "best" or the "worst" of the
            beam, the latter with "fall_out" only.

    Attributes:
        rule: What `update` said.
        n_decisions: Sentences; the frozen weights are averages over these.

    Raises:
        ValueError: For settings that do not exist or go together.
    """

    learns_derivations = True

    def __init__(self, int n_actions, update="early", negative="best"):
        super().__init__(n_actions)
        for name, value, choices in (
            ("update", update, RULES), ("negative", negative, NEGATIVES)
        ):
            if value not in choices:
                raise ValueError(
                    f"{name} = {value!r}: expected one of "
                    f"{', '.join(map(repr, choices))}"
                )
        if negative == "worst" and update != "fall_out":
            raise ValueError(
                f"negative = 'worst' with update = {update!r}: it needs 'fall_out'"
            )
        self.rule = update
        self.negative = negative
        self.only_on_fall_out = update == "fall_out"
        self.at_largest_violation = update == "max_violation"
        self.takes_worst = negative == "worst"
