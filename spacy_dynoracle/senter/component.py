"""The trainable pipeline component `dynoracle_senter`."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, ORTH, SENT_START
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..components.base import exclusive
from ..core.model.model import Model
from ..core.state.sentence import Sentence
from ..core.weights.frozen import FrozenWeights
from ..doc.borders import write_tokens
from ..doc.surroundings import Surroundings
from ..errors import ModelFileError
from ..tagger.attributes import START
from ..tagger.contradictions import Contradictions, fingerprint
from ..tagger.gold_tags import GoldTags, gold_tags
from ..tagger.input import WordBatch
from ..tagger.tagging import TagModels
from ..tagger.training import TaggingRun, tag_actions
from ..tagger.word_labeller import WordLabeller
from ..treebank.multiword import move_starts, with_joined_starts
from .recipe import ATTRIBUTE, SenterRecipe
from .shuffling import half_shuffled
from .splitting import (
    KIND_SHARE,
    LABELS,
    START_ID,
    StartBatch,
    Starts,
    count_kinds,
    find_starts,
    kinds_of,
    lexicon_of,
)
from .start_records import keep_probabilities, require_extensions

NAME = "dynoracle_senter"
# What is learnt of a document. In a partial tree the heads tell which starts are known.
LEARNT = (ORTH, SENT_START, HEAD, DEP)


class DynOracleSenter(WordLabeller):
    """A greedy sentence splitter.

    It reads a document as a whole, from left to right, and decides for each word
    whether a sentence starts there. A sentence always starts at the first token and at
    the first word after a blank line. Whitespace tokens belong to the sentence before
    them. Sentence starts that are preset, True or False, stay.

    Several threads may use it at once. Splitting waits while `update` runs in another
    thread.

    Args:
        settings: The members of `spacy_dynoracle.senter.recipe.SenterRecipe`, which are
            the keys of the config.

    Attributes:
        recipe: The settings.
        model: The model; None before training.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    kind = "senter"
    recipe_type = SenterRecipe
    recipe: SenterRecipe
    # spaCy does not list its labels.
    hide_labels = True

    def __init__(self, vocab: Vocab, name: str = NAME, **settings: Any) -> None:
        super().__init__(vocab, name, **settings)

    def _use(self, recipe: SenterRecipe) -> None:
        """Use these settings."""
        super()._use(recipe)
        if recipe.probabilities:
            require_extensions()

    # ---- splitting -------------------------------------------------------------------

    def annotations(self, docs: list[Doc], model: TagModels) -> list[Starts]:
        """Find the sentence starts of documents with a model."""
        starts = model.by_attr[ATTRIBUTE]
        recipe = self.recipe
        if recipe.overwrite and any(len(d) and d.has_annotation("DEP") for d in docs):
            self._warn(
                "tree",
                "documents have trees, whose arcs may now cross sentence boundaries: "
                "put the senter before the parser",
            )
        self._check_probabilities(starts)
        batch = StartBatch(docs, self._sources, recipe.overwrite, recipe.every_line)
        self._check_input(batch)
        batch.keep_inside(model.lexicon)
        weights = starts.weights
        if isinstance(weights, FrozenWeights) and not weights.n_parameters:
            # The bias decides alone. In training `initialize` has warned.
            self._warn(
                "empty",
                "it has learnt nothing, so that its bias alone finds sentences: "
                "train it on documents of several sentences",
            )
        return find_starts(
            starts, batch, self.n_threads, recipe.bias, recipe.probabilities
        )

    def set_annotations(
        self, docs: Iterable[Doc], annotations: Sequence[Starts]
    ) -> None:
        """Write sentence starts to the documents."""
        docs = list(docs)
        tables = [starts.table for starts in annotations]
        columns = [table.view(np.uint64).reshape(-1, 1) for table in tables]
        write_tokens(docs, (SENT_START,), columns)
        for doc, starts in zip(docs, annotations, strict=True):
            keep_probabilities(doc, starts.probabilities)
        for number in with_joined_starts(docs, np.concatenate(tables)) if docs else ():
            move_starts(docs[number])

    def _check_probabilities(self, model: Model) -> None:
        """Raise ValueError if the settings ask for probabilities that a model lacks."""
        if self.recipe.probabilities:
            asked, instead = "probabilities = true", "probabilities = false"
            self._temperature(model, asked, instead)

    # ---- labels ----------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of words inside and at the start of a sentence."""
        return LABELS

    @property
    def label_data(self) -> None:
        """None: the labels are always the same, so `spacy init labels` has nothing to
        write.
        """
        return None

    # ---- training --------------------------------------------------------------------

    @exclusive
    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
    ) -> None:
        """Count the examples and start with empty weights.

        Args:
            get_examples: Returns the training examples.
            nlp: The pipeline, which shows whether the training data are a stream.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._replace(None, None)
        around = Surroundings(nlp, self)
        self._warn_of_stream(around)
        self.epoch = None
        n_examples = n_words = n_starts = 0
        is_known = False
        kinds: Counter[tuple[int, str]] = Counter()
        counted = set()
        for example in get_examples():
            n_examples += 1
            n_words += len(example.reference)
            (labels,) = gold_tags(example.reference, [ATTRIBUTE])
            counted.add(fingerprint(example.reference, LEARNT))
            words = StartBatch([example.reference], self._sources, overwrite=True)
            count_kinds(kinds, words, labels)
            is_known = is_known or any(labels)
            # The first word of a document teaches nothing.
            n_starts += max(labels.count(START) - 1, 0)
        if not n_starts:
            problem = (
                "every training document is one sentence"
                if is_known
                else "no training document has sentence starts"
            )
            self._warn(
                "starts",
                f"{problem}, so there is nothing to learn: train on documents of "
                f"several sentences (scripts/prepare.py --n-sents 10, which joins no "
                f"sentences with some unknown heads, or spacy convert "
                f"--n-sents 10 for a treebank without multiword tokens, and "
                f"gold_preproc = false and max_length = 0 in the corpora)",
            )
        actions = {ATTRIBUTE: tag_actions(LABELS)}
        self._run = TaggingRun(
            self.recipe,
            actions,
            n_examples=n_examples,
            n_words=0 if around.is_streamed else n_words,
            lexicon=lexicon_of(kinds),
        )
        self._run.contradictions = _contradictions(self._run, counted)
        self.model = self._run.models
        self._check_probabilities(self.model.by_attr[ATTRIBUTE])

    def _arranged(
        self, words: WordBatch, batch: list[tuple[Sentence, GoldTags]]
    ) -> list[tuple[Sentence, GoldTags]]:
        """The documents of a batch as they are learnt."""
        trainer = self.training_run().trainers[ATTRIBUTE]
        return half_shuffled(words, batch, trainer)

    def _resumed(self, model: TagModels) -> TaggingRun:
        """The training state that goes on from a model."""
        run = super()._resumed(model)
        run.contradictions = _contradictions(run)
        return run

    # ---- saving ----------------------------------------------------------------------

    def _models_of(self, data: bytes | memoryview) -> TagModels:
        """The model in `data`.

        Raises:
            ModelFileError: If it is not that of a senter.
        """
        models = TagModels.from_bytes(data, [ATTRIBUTE])
        if models.attrs != [ATTRIBUTE]:
            raise ModelFileError(f"it has no model of {ATTRIBUTE}")
        if tuple(models.by_attr[ATTRIBUTE].labels) != LABELS:
            raise ModelFileError(f"its labels are not {', '.join(LABELS)}")
        if (models.lexicon.forms.labels == START_ID).any():
            raise ModelFileError("its lexicon has sentence starts")
        return models


def _contradictions(run: TaggingRun, counted: Container[int] = ()) -> Contradictions:
    """The `Contradictions` that remove kinds of words from the lexicon of a run."""
    return Contradictions(
        run.models.lexicon, counted, learnt=LEARNT, word_keys=kinds_of, share=KIND_SHARE
    )
