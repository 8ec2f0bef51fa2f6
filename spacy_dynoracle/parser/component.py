"""The trainable pipeline component `dynoracle_parser`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import exclusive
from ..core.model.model import Model
from ..core.state.projectivity import is_decorated
from ..core.training.easy_first import MAX_UPDATES
from ..doc.attribute_table import AttributeTable
from ..doc.surroundings import Surroundings
from ..registry.probabilities import MARGINALS, WantedProbabilities
from ..tagger.training_tags import JACKKNIFE_FOLDS, TrainingTags
from ..util.arrays import IdArray
from ..util.config_errors import check_count, check_unicode, config_block
from .annotations import Annotations
from .batch_records import BatchRecords
from .beam_parsing import annotations_of, best_trees, unfit_for_beams
from .extensions import require_extensions
from .k_best import KBest
from .recipe import ParserRecipe
from .stored import StoredParser
from .surroundings import Before, traps
from .training import TrainingRun

NAME = "dynoracle_parser"


class DynOracleParser(StoredParser):
    """A transition-based dependency parser trained with dynamic oracles.

    Several threads may use it at once. A parse waits while `update` runs in another
    thread.

    Args:
        settings: The members of `spacy_dynoracle.parser.recipe.ParserRecipe`, which are
            the keys of the config.

    Attributes:
        recipe: The settings.
        parser: Makes annotations from documents under these settings.
        model: The model; None before training.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)
        self._forget()

    def _use(self, recipe: ParserRecipe) -> None:
        """Use these settings."""
        if recipe.probabilities is not None or recipe.search.n_best:
            require_extensions()
        super()._use(recipe)
        self.parser = recipe.parser(self.n_threads)

    def change(self, **settings: Any) -> None:
        """Change settings of parsing, such as `search`; the model stays.

        A saved pipeline has the settings of its config. To change those, load it with
        ``spacy.load(..., config=...)``.

        Raises:
            ValueError: For settings that are unknown or do not go together, and if they
                ask for probabilities that the model does not have or for another
                direction than that of the model.
        """
        recipe = replace(self.recipe, **settings)
        if self.model is not None:
            if recipe.backward != self.recipe.backward:
                raise ValueError("direction: that of a trained parser stays")
            self._check_probabilities(recipe, self.model)
        self._use(recipe)

    def ask_for(self, probabilities: str) -> None:
        """As `AnyParser.ask_for`."""
        wanted = WantedProbabilities()
        if probabilities == "marginal":
            own = self.recipe.probabilities
            wanted = own if own is not None and own.n_samples else MARGINALS
        self.change(probabilities=wanted)

    def set_threads(self, n_threads: int) -> None:
        """Let so many threads share each batch."""
        super().set_threads(n_threads)
        self.parser = self.recipe.parser(n_threads)

    def _check_probabilities(self, recipe: ParserRecipe, model: Model) -> None:
        """Raise ValueError if settings ask for probabilities that a model lacks."""
        if recipe.probabilities is not None and model.temperature is None:
            raise ValueError(
                f"scores of the learner {model.learner}, which trained {self.name!r}, "
                f"are not probabilities: ask for none (probabilities = null), train "
                f"with AdaGradRDA, or fit a temperature to the trained model "
                f"(spacy-dynoracle calibrate MODEL TEST --fit DEV --output NEW)"
            )

    # ---- parsing -------------------------------------------------------------------

    def annotations(self, docs: list[Doc], model: Model) -> list[Annotations]:
        """Parse documents with a model."""
        names, tokens = self.label_names(model), self._read(model, docs)
        n_best = self.parser.search.n_best
        if not n_best:
            return self.parser.parse(model, names, tokens)
        found = best_trees(self.parser, model, names, tokens, n_best)
        return annotations_of(tokens, found)

    def sampled(
        self, docs: list[Doc], temperature: float, n_samples: int
    ) -> tuple[IdArray, BatchRecords]:
        """Parse documents without changing them, and draw derivations of each sentence,
        whatever the settings are.

        Args:
            temperature: Makes probabilities of the scores of the model. It changes no
                tree, also where the search looks ahead by the model's own.
            n_samples: The number of derivations; 0 for none. There must be a document,
                and single decisions must have probabilities.

        Returns:
            Heads and labels of all tokens, as in `Annotations`, and the probabilities
            of the decisions with the drawn arcs.
        """
        wanted = WantedProbabilities(n_samples, temperature)

        def sample(docs: list[Doc], model: Model) -> tuple[IdArray, BatchRecords]:
            names, tokens = self.label_names(model), self._read(model, docs)
            parser = replace(self.parser, probabilities=wanted)
            batch = parser.parsed(model, names, tokens)
            assert batch.records is not None
            records, batch.records = batch.records, None
            # Whitespace is attached in `found`.
            parser.annotate(batch)
            return batch.found, records

        return self._predict_with(sample, docs)

    def k_best(self, doc: Doc, k: int) -> KBest:
        """The k best trees of each segment of a Doc, or as many as the beam ends with.

        The method does not change the Doc, which needs the attributes that the parser
        reads, such as tags. The first trees are those of a parse by a beam without a
        threshold.

        Raises:
            ValueError: When there is no model yet, for a search without a beam, and for
                k < 1.
        """
        if k < 1:
            raise ValueError(f"k = {k}: expected at least 1 tree")
        search = self.recipe.search.with_n_best(1)
        # Raises ValueError for settings that do not go with a list of trees, which has
        # no probabilities of decisions.
        replace(self.recipe, search=search, probabilities=None)
        parser = replace(self.parser, search=search)

        def find(docs: list[Doc], model: Model) -> KBest:
            names, tokens = self.label_names(model), self._read(model, docs)
            (found,) = best_trees(parser, model, names, tokens, k)
            return found

        return self._predict_with(find, [doc])

    def _checked_model(self) -> Model:
        """The model for parsing. Warns if it does not suit the search."""
        model: Model = self._require_model()
        self._check_probabilities(self.recipe, model)
        unfit = unfit_for_beams(model, self.parser.search)
        if unfit is not None:
            self._warn("beam", unfit)
        return model

    def _read(self, model: Model, docs: list[Doc]) -> AttributeTable:
        """The tokens of documents for a model.

        Warns if attributes of the features or sentence boundaries are missing.
        """
        tokens = AttributeTable(docs, tuple(model.sources.values()))
        self.check_annotation(tokens)
        tokens.keeps_starts = self.keeps_starts
        if tokens.keeps_starts and self.within is None:
            self._check_boundaries(docs)
        return tokens

    @property
    def keeps_starts(self) -> bool:
        """Whether components before the parser find the sentences."""
        return self.training_recipe().sentences == "preset"

    def check_annotation(
        self, tokens: AttributeTable, in_training: bool = False
    ) -> None:
        """Warn once if documents lack attributes that the features use, such as tags.

        Args:
            tokens: The attributes of the documents.
        """
        for attribute, message in self._missing.in_batch(tokens, in_training):
            self._warn(attribute, message)

    # ---- training ------------------------------------------------------------------

    @exclusive
    def add_label(self, label: str) -> int:
        """Add a label, for arcs in every direction.

        Returns:
            1 if it is new, else 0.

        Raises:
            ValueError: Before `initialize`, for labels that record lifted arcs, and for
                what is no label.
        """
        if self.model is None:
            raise ValueError(
                f"the parser {self.name!r} has no labels yet: call nlp.initialize() "
                f"first, which collects those of the training data"
            )
        if not (isinstance(label, str) and label):
            raise ValueError(f"label {label!r}: expected a string")
        if is_decorated(label):
            raise ValueError(f"label {label!r}: '||' is reserved for lifted arcs")
        check_unicode("label", label)
        is_new = label not in self.labels
        self.training_run().add_label(label)
        return int(is_new)

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
            get_examples: Returns the training examples; it is called up to twice more,
                for tags and lemmas.
            nlp: The pipeline, which shows the components that set tags and sentence
                boundaries.
            labels: The value of `label_data`, or a list of labels; it replaces the
                labels of the examples.
            jackknife_folds: Training documents without tags get them from taggers that
                are trained here, each on the other folds. Two more rounds have one and
                two folds more, and the epochs read the rounds in turn (see
                `spacy_dynoracle.tagger.training_tags`). 0: from the tagger of the
                pipeline.
        """
        self.begin(get_examples, nlp, labels, jackknife_folds, [])

    def begin(
        self,
        get_examples: Callable[[], Iterable[Example]],
        nlp: Language | None,
        labels: Any,
        jackknife_folds: int,
        made: list[TrainingTags],
    ) -> None:
        """Do what `initialize` does.

        Args:
            made: Tags for training that other parsers of the pipeline have made
                already; new ones are added.
        """
        if jackknife_folds:
            with config_block("initialize", "components", (self.within or self).name):
                check_count("jackknife_folds", jackknife_folds, 2)
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._forget()
        self.model = None
        self.epoch = None
        around = Surroundings(nlp, self.within or self)
        self._trains_on_sentences = bool(around.sentence_setters)
        counts = self._governors
        examples = counts.watch(around.watch(get_examples()))
        before = Before(nlp, around, get_examples, jackknife_folds)
        lemmas = before.lemma_parts()
        with config_block("initialize", "components", self.name, "labels"):
            self._run = TrainingRun.begin(
                self.training_recipe(),
                examples,
                labels,
                self._warn,
                settle=lambda recipe: recipe.suited_to(around, lemmas),
                is_streamed=around.is_streamed,
            )
            self._check_probabilities(self.recipe, self._run.model)
        self._warn_of_stream(around)
        self.model = self._run.model
        self._never_govern = counts.never_govern(self.labels)
        self._read_for(self.model, around)
        self._tags = before.training_tags(self._run.recipe, made, self._warn)
        self.introduce_labels(self.vocab)
        for attribute, message in self._missing.in_pipeline():
            self._warn(attribute, message)
        for kind, message in traps(self.recipe, self._run.recipe, around):
            self._warn(kind, message)

    def training_recipe(self) -> ParserRecipe:
        """The settings of training.

        They are those of the component, except that training uses single sentences if a
        component before the parser finds them.
        """
        if self._trains_on_sentences and self.recipe.sentences == "predict":
            return replace(self.recipe, sentences="preset")
        return self.recipe

    def learn(self, examples: list[Example], losses: dict[str, float]) -> None:
        """Learn from a batch of examples, one sentence after the other in random order.

        Args:
            losses: The number of wrong predictions of transitions is added under the
                name of the component, or with a learner that learns from whole
                derivations that of sentences with an update. If there are any, trees
                that could not be learned from are counted under the name with
                "_skipped", and all trees whose training was broken off so far with
                "_given_up".
        """
        run = self.training_run()
        if self._never_govern:
            governors = self._governors
            self._never_govern = governors.revised(self._never_govern, examples)
        taught = [*examples, *run.own_words.of(examples)]
        docs = [example.predicted for example in taught]
        epoch = self._iteration()
        given = {} if self._tags is None else self._tags.missing_from(docs, epoch)
        tokens = AttributeTable(docs, tuple(run.model.sources.values()), given=given)
        self.check_annotation(tokens, in_training=True)
        trees = run.usable(run.read(taught, tokens))
        run.add_actions(trees)
        n_errors = run.train(trees, epoch)
        run.epochs.count(len(examples))
        run.skipped.report(self._warn, len(examples))
        self._warn_of_large_weights(run.trainer.learner)
        losses[self.name] += n_errors
        if run.n_skipped:
            key = f"{self.name}_skipped"
            losses[key] = losses.get(key, 0.0) + run.n_skipped
        if run.trainer.n_given_up:
            losses[f"{self.name}_given_up"] = float(run.trainer.n_given_up)
            self._warn(
                "given up",
                f"training on a tree was broken off after {MAX_UPDATES} updates or "
                f"more; losses[{self.name + '_given_up'!r}] counts such cases",
            )

    def _resumed(self, model: Model) -> TrainingRun:
        """The training state that goes on from a model."""
        self._check_parts(model)
        run = TrainingRun.resume(self.training_recipe(), model)
        self._check_probabilities(self.recipe, run.model)
        self._read_for(run.model)
        return run

    def _check_parts(self, model: Model) -> None:
        """Raise ValueError before training would drop a part of the model that the
        search needs. Warn of other parts that it drops.
        """
        for name in model.parts:
            dropped = (
                f"training changes the weights of the parser, and its {name} was "
                f"trained for the trees of the present ones"
            )
            if name == self.parser.search.needs_part:
                raise ValueError(
                    f"the parser {self.name!r} cannot be trained on: {dropped}. Load "
                    f"it with search = BeamSearch.v1 (spacy.load with config), store "
                    f"and train that, and train a new {name} afterwards"
                )
            self._warn(name, f"{dropped}, so that it is dropped")
