"""The run-time model: everything that is needed to parse, and nothing of training."""
from .actions cimport Actions, check_actions
from .features.extractor cimport Extractor
from .scorer cimport Scorer
from .systems.base cimport TransitionSystem


cdef class Model:
    """A transition system, its features, its actions and their weights.

    sources: for each token attribute of the templates the attribute of spaCy it is read
        from, for example {"w": "ORTH", "p": "TAG"}.
    root_label: label of words that become the root without a transition
        (root-attachment heuristic, tree constraint without a ROOT node).
    learner: name of the learner that made the weights.

    Nothing changes it, but weights may be the public view of a learner that goes on
    learning, whose actions may grow.
    """

    def __init__(
        self,
        TransitionSystem system not None,
        Extractor extractor not None,
        Actions actions not None,
        Scorer weights not None,
        dict sources not None,
        root_label,
        str learner not None,
    ):
        check_actions(system, actions, weights)
        self.system = system
        self.extractor = extractor
        self.actions = actions
        self.weights = weights
        self.sources = sources
        self.root_label = root_label
        self.root_label_id = actions.labels.find(root_label)
        self.learner = learner

    @property
    def labels(self):
        """The labels of arcs, by id."""
        return self.actions.labels

    def freeze(self):
        """The same model with immutable weights."""
        weights = self.weights.freeze()
        return self if weights is self.weights else self._with(weights=weights)

    def with_system(self, TransitionSystem system not None):
        """The same weights under another variant of the system."""
        return self._with(system=system)

    def _with(self, **changes):
        parts = {
            "system": self.system,
            "extractor": self.extractor,
            "actions": self.actions,
            "weights": self.weights,
            "sources": self.sources,
            "root_label": self.root_label,
            "learner": self.learner,
        }
        return Model(**(parts | changes))

    def __reduce__(self):
        frozen = self.freeze()
        return Model, (
            frozen.system,
            frozen.extractor,
            frozen.actions,
            frozen.weights,
            frozen.sources,
            frozen.root_label,
            frozen.learner,
        )
