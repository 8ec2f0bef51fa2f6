"""The trainable pipeline component `dynoracle_committee`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..components.base import exclusive
from ..core.model.bundle import read_models, write_models
from ..core.model.model import UNFITTED_TEMPERATURE, Model
from ..doc.attribute_table import AttributeTable
from ..errors import ModelFileError, value_errors_as
from ..parser.annotations import Annotations
from ..parser.any_parser import AnyParser
from ..parser.component import DynOracleParser
from ..parser.extensions import require_extensions
from ..parser.training import TrainingRun
from ..tagger.training_tags import JACKKNIFE_FOLDS, TrainingTags
from ..util.arrays import BoolArray, IdArray
from ..util.config_errors import config_block
from .ballots import Ballot, ballot_of, weights_of
from .calibration import Sampling, VoteCalibration
from .recipe import CommitteeRecipe
from .shares import share_records
from .voting import vote, without_governors

NAME = "dynoracle_committee"
Models = dict[str, Model]


class DynOracleCommittee(AnyParser):
    """Several parsers that vote for a common tree.

    Every member is a `dynoracle_parser` with settings of its own, which parses the same
    words. The members are trained at the same time, on the same documents. For each
    sentence the committee writes the tree whose arcs have the most votes; see
    `spacy_dynoracle.committee.voting`.

    Several threads may use it at once. A parse waits while `update` runs in another
    thread.

    Args:
        settings: The members of `spacy_dynoracle.committee.recipe.CommitteeRecipe`,
            which are the keys of the config.

    Attributes:
        recipe: The settings.
        members: The parsers by their names.
        model: The models of the members by their names; None before training.
        calibration: Makes probabilities of votes, see
            `spacy_dynoracle.confidence.fit_votes`; None for the shares of the votes.
            Training deletes it.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    kind = "committee"
    model: Models | None
    recipe: CommitteeRecipe
    recipe_type = CommitteeRecipe
    calibration: VoteCalibration | None = None

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)
        self.members = {
            member: DynOracleParser(
                vocab, f"{name}.{member}", **self.recipe.settings_of(member)
            )
            for member in self.recipe.parsers
        }
        for parser in self.members.values():
            parser.within = self
        self._forget_warnings()

    def _use(self, recipe: CommitteeRecipe) -> None:
        """Use these settings."""
        if recipe.vote_shares:
            require_extensions()
        super()._use(recipe)

    def change(self, **settings: Any) -> None:
        """Change settings of parsing, such as `weights`; the models stay.

        A saved pipeline has the settings of its config. To change those, load it with
        ``spacy.load(..., config=...)``.

        Raises:
            ValueError: For settings that are unknown or do not go together, and for
                members of other names.
        """
        recipe = replace(self.recipe, **settings)
        if list(recipe.parsers) != list(self.members):
            raise ValueError(f"members: expected {', '.join(self.members)}")
        try:
            self._change_members(recipe)
        except ValueError:
            # Some members may have changed already.
            self._change_members(self.recipe)
            raise
        self._use(recipe)

    def ask_for(self, probabilities: str) -> None:
        """As `AnyParser.ask_for`.

        A committee has marginals only, and draws as many derivations as it was
        calibrated with; one that is not calibrated draws none, and warns.
        """
        if probabilities != "marginal":
            raise ValueError(
                f"the committee {self.name!r} has no transition probabilities: ask for "
                f"marginal ones, which come from its votes"
            )
        self.change(vote_shares=True)
        if self.calibration is None:
            self._warn(
                "shares",
                "it is not calibrated, so that its probabilities are the shares of its "
                "votes, which are too high: use 'spacy-dynoracle calibrate MODEL TEST "
                "--fit DEV --output MODEL'",
            )

    def set_threads(self, n_threads: int) -> None:
        """Let so many threads share each batch."""
        super().set_threads(n_threads)
        for parser in self.members.values():
            parser.set_threads(n_threads)

    def _change_members(self, recipe: CommitteeRecipe) -> None:
        """Give each member its settings of a recipe."""
        for name, parser in self.members.items():
            parser.change(**recipe.settings_of(name))

    # ---- parsing -------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[Annotations]:
        """Parse documents without changing them.

        Raises:
            ValueError: When the component has no model yet.
        """
        docs = list(docs)
        self._require_model()
        if not docs:
            return []
        if self.recipe.sentences == "preset":
            self._check_boundaries(docs)
        # Heads are offsets, so that the documents of a batch can be joined.
        calibration = self.calibration if self.recipe.vote_shares else None
        ballots = self.ballots(
            docs, None if calibration is None else calibration.sampling
        )
        tokens = AttributeTable(docs, ())
        found = self.voted_trees(ballots, tokens.is_space)
        bounds = accumulate(map(len, docs), initial=0)
        results = [Annotations(found[start:end]) for start, end in pairwise(bounds)]
        if self.recipe.vote_shares:
            # Training may have added labels.
            self.introduce_labels(self.vocab)
            strings = self.vocab.strings
            records = share_records(tokens, ballots, found, strings, calibration)
            for annotations, record in zip(results, records, strict=True):
                annotations.arcs = record
        return results

    def voted_trees(self, ballots: Sequence[Ballot], is_space: BoolArray) -> IdArray:
        """The trees with the most votes, as `vote` returns them, in which no label
        governs that never does.

        Args:
            is_space: For each token whether it is whitespace.
        """
        weights = weights_of(ballots, self.recipe.votes)
        found = vote([ballot.table for ballot in ballots], weights)
        # The members have learnt from the same data.
        leaves = next(iter(self.members.values())).never_govern
        without_governors(found, leaves, is_space)
        return found

    def ballots(self, docs: list[Doc], sampling: Sampling | None) -> list[Ballot]:
        """The votes of each member in some documents. There must be a document.

        Args:
            sampling: Which members draw derivations; None if none does.
        """
        models = self._require_model()
        sampling = sampling or Sampling()
        drawing, n_samples = sampling.temperatures, sampling.n_samples
        how_sure: dict[str, float] = {}
        if self.recipe.sure_votes:
            for name, model in models.items():
                how_sure[name] = model.temperature or UNFITTED_TEMPERATURE
            if self.calibration is not None:
                how_sure |= self.calibration.sampling.temperatures
        return [
            ballot_of(parser, docs, drawing.get(name), n_samples, how_sure.get(name))
            for name, parser in self.members.items()
        ]

    def introduce_labels(self, vocab: Vocab) -> None:
        """Make the labels of all members known to a vocab."""
        for parser in self.members.values():
            parser.introduce_labels(vocab)

    # ---- labels --------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of arcs of all members."""
        labels = (label for p in self.members.values() for label in p.labels)
        return tuple(dict.fromkeys(labels))

    @property
    def label_data(self) -> dict[str, Any] | None:
        """The actions of each member, for `initialize(labels=...)`."""
        if self.model is None:
            return None
        return {name: parser.label_data for name, parser in self.members.items()}

    @exclusive
    def add_label(self, label: str) -> int:
        """Add a label, for arcs in every direction.

        Returns:
            1 if it is new, else 0.

        Raises:
            ValueError: Before `initialize`, and for labels that record lifted arcs.
        """
        return max([parser.add_label(label) for parser in self.members.values()])

    # ---- training ------------------------------------------------------------------

    @exclusive
    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Any = None,
        jackknife_folds: int = JACKKNIFE_FOLDS,
    ) -> None:
        """Collect labels, count the examples and start with empty weights.

        Args:
            get_examples: Returns the training examples; it is called for each member,
                and a few times more for tags and lemmas.
            nlp: The pipeline, which shows the components that set tags and sentence
                boundaries.
            labels: The value of `label_data`, or a list of labels; it replaces the
                labels of the examples.
            jackknife_folds: As of `DynOracleParser.initialize`; all members that read
                the same attributes share the tags.

        Raises:
            ValueError: For labels of unknown members.
        """
        if isinstance(labels, dict):
            self._check_members_of_labels(labels)
        self.epoch = None
        self.calibration = None
        self._forget_warnings()
        tags: list[TrainingTags] = []
        for name, parser in self.members.items():
            own = labels.get(name) if isinstance(labels, dict) else labels
            parser.begin(get_examples, nlp, own, jackknife_folds, tags)
        self._gather()

    def _check_members_of_labels(self, labels: dict[str, Any]) -> None:
        for name in labels:
            if name not in self.members:
                with config_block("initialize", "components", self.name, "labels"):
                    raise ValueError(
                        f"there is no member {name!r}: expected labels of "
                        f"{', '.join(self.members)}"
                    )

    def _gather(self) -> None:
        """Collect the models of the members."""
        models = {name: parser.model for name, parser in self.members.items()}
        found = {name: model for name, model in models.items() if model is not None}
        self.model = found or None

    def learn(self, examples: list[Example], losses: dict[str, float]) -> None:
        """Let every member learn from a batch of examples.

        Args:
            losses: The sums of the losses of the members are added, under the name of
                the component in place of theirs.
        """
        self.calibration = None
        found: dict[str, float] = defaultdict(float)
        for parser in self.members.values():
            parser.epoch = self.epoch
            for key, loss in parser.update(examples).items():
                found[self.name + key.removeprefix(parser.name)] += loss
        for key, loss in found.items():
            # What was broken off is told of all batches so far.
            is_sum = key.endswith("_given_up")
            losses[key] = loss if is_sum else losses.get(key, 0.0) + loss
        self._gather()

    @exclusive
    def training_run(self) -> TrainingRun:
        """The training state of the first member.

        Raises:
            ValueError: When there is no model yet.
        """
        run: TrainingRun = next(iter(self.members.values())).training_run()
        return run

    # ---- saving --------------------------------------------------------------------

    @exclusive
    def set_model(self, model: Models | None) -> None:
        """Use saved models, or None.

        Training goes on from them when `update` is called.
        """
        self.calibration = None
        for name, parser in self.members.items():
            parser.set_model(None if model is None else model[name])
        self._forget_warnings()
        self._gather()

    def state(self) -> dict[str, Any]:
        """The states of the members, and the calibration if there is one."""
        state: dict[str, Any] = {
            "members": {name: p.state() for name, p in self.members.items()}
        }
        if self.calibration is not None:
            state["calibration"] = self.calibration.as_dict()
        return state

    def check_state(self, state: dict[str, Any]) -> None:
        """Raise ModelFileError if the saved state of a member does not agree with its
        settings, or the calibration is damaged.
        """
        if isinstance(saved := state.get("members"), dict):
            self._check_saved(saved)
        self._calibration_of(state)
        for name, parser in self.members.items():
            try:
                parser.check_state(_state_of(name, state))
            except ModelFileError as error:
                raise ModelFileError(f"its member {name!r}: {error}") from error

    def _check_saved(self, members: Iterable[str]) -> None:
        """Raise ModelFileError unless saved members have the names of the config."""
        if {*members} != self.members.keys():
            raise ModelFileError(
                f"it has the members {', '.join(map(repr, members))}, but the config "
                f"has {', '.join(map(repr, self.members))}: write the settings that it "
                f"was trained with into the block members"
            )

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a saved `state`, after the models."""
        for name, parser in self.members.items():
            parser.set_state(_state_of(name, state))
        self.calibration = self._calibration_of(state)

    def _calibration_of(self, state: dict[str, Any]) -> VoteCalibration | None:
        """The calibration in a saved state, which committees of earlier releases do not
        have.

        Raises:
            ModelFileError: If it is damaged.
        """
        values = state.get("calibration")
        if values is None:
            return None
        with value_errors_as(ModelFileError):
            return VoteCalibration.from_dict(values, tuple(self.members))

    @exclusive
    def frozen_model(self) -> Models | None:
        """The models without their training state, or None."""
        if self.model is None:
            return None
        return {name: model.freeze() for name, model in self.model.items()}

    @exclusive
    def dump_model(self, *, resume: bool = True) -> bytes:
        """The models as bytes. The component must have a model.

        Args:
            resume: With the part that only further training needs.
        """
        return write_models(self._require_model(), {}, resume=resume)

    def read_model(self, data: bytes | memoryview) -> Models:
        """The models in `data`.

        Raises:
            ModelFileError: When they are damaged or do not fit the settings.
        """
        models, _ = read_models(data)
        self._check_saved(models)
        for name, model in models.items():
            self.members[name].check_model(model)
        return models


def _state_of(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """The state of a member in that of the committee, which may have none.

    Raises:
        ModelFileError: If it is damaged.
    """
    members = state.get("members", {})
    own = members.get(name, {}) if isinstance(members, dict) else members
    if not isinstance(own, dict):
        raise ModelFileError(f"its settings are {own!r:.60}, and no names with values")
    return own
