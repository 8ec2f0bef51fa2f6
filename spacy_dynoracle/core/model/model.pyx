# cython: boundscheck=False, wraparound=False
"""The run-time model: everything that is needed to parse, and nothing of training."""

# Outside of them scores divided by the temperature overflow, or all become equal.
LOWEST_TEMPERATURE = 1e-4
HIGHEST_TEMPERATURE = 1e6
# Where probabilities are needed and no temperature was fitted: near to what is fitted
# for perceptrons with a margin of 200.
UNFITTED_TEMPERATURE = 64.0
# The arguments of a model, which are its attributes.
SETTINGS = (
    "system", "extractor", "actions", "weights", "sources", "root_label", "learner",
    "temperature", "is_fitted", "parts",
)


def checked_temperature(value) -> float | None:
    """A temperature as a float, or None.

    Raises:
        ValueError: For anything that is neither None nor a number in range.
    """
    if value is None:
        return None
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        temperature = float(value)
    except (TypeError, OverflowError):
        temperature = -1.0
    if not LOWEST_TEMPERATURE <= temperature <= HIGHEST_TEMPERATURE:
        raise ValueError(
            f"temperature {value!r}: expected a number from {LOWEST_TEMPERATURE:g} to "
            f"{HIGHEST_TEMPERATURE:g}"
        )
    return temperature


cdef class Classifier:
    """A transition system, its features, its actions and their weights: what chooses
    an action in a configuration.

    Raises:
        ValueError: When the actions are not those of the system and of the weights.
    """

    def __init__(
        self,
        TransitionSystem system not None,
        Extractor extractor not None,
        Actions actions not None,
        Scorer weights not None,
    ):
        self.system = system
        self.extractor = extractor
        self.actions = actions
        self.weights = weights
        self.check_actions()

    def check_actions(self) -> None:
        """Raise ValueError unless the actions, which may have grown, are those of the
        system and of the weights.
        """
        if self.actions.system.transition_names != self.system.transition_names:
            raise ValueError(f"{self.system!r} has other transitions than the actions")
        n = self.weights.n_actions()
        if n < self.actions.n:
            raise ValueError(f"there are {self.actions.n} actions, but weights for {n}")


cdef class Model(Classifier):
    """A classifier, and what else is needed to parse with it.

    Nothing changes it, but the weights may be a learner that goes on learning, whose
    actions may grow.

    Args:
        sources: For each column of the sentences the attribute of spaCy it is read
            from, for example {"w": "ORTH", "p": "TAG"}.
        root_label: Label of words that become the root without a transition
            (root-attachment heuristic, tree constraint without a ROOT node).
        learner: Name of the learner that made the weights.
        temperature: What scores are divided by before their softmax is a probability;
            None if they are not comparable to probabilities at all.
        is_fitted: Whether the temperature was fitted on data.
        parts: What plug-ins add to the model, by name; each is a `ModelPart`.

    Raises:
        ValueError: For parts that do not go together, and a column without a source.
    """

    def __init__(
        self,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        weights: Scorer,
        dict sources not None: dict[str, str],
        root_label: str | None,
        str learner not None,
        temperature: float | None = None,
        is_fitted=False,
        parts: dict[str, ModelPart] | None = None,
    ):
        super().__init__(system, extractor, actions, weights)
        self.parts = parts or {}
        self._check_parts()
        missing = [name for name in self.columns if name not in sources]
        if missing:
            raise ValueError(
                f"it is not stated what {' '.join(missing)} of the words is read from"
            )
        self.sources = {name: sources[name] for name in self.columns}
        self.root_label = root_label
        self.root_label_id = actions.labels.find(root_label)
        self.learner = learner
        self.temperature = checked_temperature(temperature)
        self.is_fitted = bool(is_fitted) and temperature is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of sentences: those of the templates, then those that
        the parts alone read.
        """
        for part in self.parts.values():
            return part.columns
        return self.extractor.templates.columns

    @property
    def labels(self) -> Labels:
        """The labels of arcs, by id."""
        return self.actions.labels

    def freeze(self) -> Model:
        """The same model with immutable weights, and actions that do not grow."""
        weights = self.weights.freeze()
        if weights is self.weights:
            return self
        return self._with(weights=weights, actions=self.actions.copy())

    def with_temperature(self, temperature: float | None, is_fitted=True) -> Model:
        """The same model with another temperature.

        Raises:
            ValueError: If it is neither None nor a number in its range.
        """
        return self._with(temperature=temperature, is_fitted=is_fitted)

    def with_part(
        self,
        str name not None,
        part: ModelPart | None,
        sources: dict[str, str] | None = None,
    ) -> Model:
        """The same model with another part of some name, or without it if it is None.

        Args:
            sources: What the columns that the part alone reads are read from.

        Raises:
            ValueError: If the part does not read the columns of the templates first, or
                the source of one is missing.
        """
        parts = {key: kept for key, kept in self.parts.items() if key != name}
        if part is not None:
            parts[name] = part
        return self._with(parts=parts, sources=self.sources | (sources or {}))

    def _check_parts(self):
        """Raise ValueError unless all parts suit the sentences of the model."""
        own = self.extractor.templates.columns
        for name, part in self.parts.items():
            if part.columns[:len(own)] != own or part.columns != self.columns:
                raise ValueError(
                    f"the {name} reads {' '.join(part.columns)} of the words, expected "
                    f"{' '.join(own)} first and the columns of other parts behind"
                )

    def _with(self, **changes):
        return Model(**{name: getattr(self, name) for name in SETTINGS} | changes)

    def __reduce__(self):
        frozen = self.freeze()
        return Model, tuple([getattr(frozen, name) for name in SETTINGS])
