"""The measured pipelines, which are trained here or loaded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import fix_random_seed

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.errors import ModelFileError, language_errors
from spacy_dynoracle.parser.component import NAME, DynOracleParser

from .data import batches, read_examples
from .timing import Time


class TimedTrainer:
    """A trainer that also measures the time of learning."""

    def __init__(self, trainer: Any) -> None:
        self.trainer = trainer
        self.elapsed = Time(0.0, 0.0)

    def train(self, examples: list[Any], iteration: int) -> Any:
        """Do the same as `Trainer.train`, and add its time."""
        start = Time.now()
        result = self.trainer.train(examples, iteration)
        self.elapsed += Time.now() - start
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trainer, name)


# Learner and exploration by name. The first one is the default.
LEARNERS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "AdaGrad-RDA": {
        "learner": {
            "@misc": "spacy_dynoracle.AdaGradRDA.v1",
            "alpha": 0.5,
            "relative_l1": 0.2,
        },
        "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1"},
    },
}


class Training:
    """The training of a pipeline that has only the parser, on gold UPOS tags.

    Args:
        learner: One of LEARNERS.
    """

    def __init__(
        self, treebank: Path, lang: str, seed: int, learner: str = "perceptron"
    ) -> None:
        self.nlp = blank(lang)
        self.examples = read_examples(treebank, self.nlp.vocab)
        self.random = random.Random(seed)
        config = {"tag_attr": "POS", "seed": seed, **LEARNERS[learner]}
        self.nlp.add_pipe(NAME, config=config)
        self.parser = the_parser(self.nlp)

    def initialize(self) -> Time:
        """Call `nlp.initialize` and return its time."""
        start = Time.now()
        self.nlp.initialize(lambda: self.examples)
        elapsed = Time.now() - start
        self.trainer = TimedTrainer(self.parser.training_run().trainer)
        self.parser.training_run().trainer = self.trainer  # type: ignore[assignment]
        return elapsed

    def epochs(self, n_epochs: int) -> Iterator[tuple[Time, Time]]:
        """Train, and yield for each epoch the time of learning and of all of
        `nlp.update`.
        """
        for _ in range(n_epochs):
            self.trainer.elapsed = Time(0.0, 0.0)
            updating = Time(0.0, 0.0)
            for batch in batches(self.examples, self.random):
                start = Time.now()
                self.nlp.update(batch)
                updating += Time.now() - start
            yield self.trainer.elapsed, updating


def trained(treebank: Path, lang: str, n_epochs: int, seed: int) -> Language:
    """Train a pipeline that has only the parser, on gold tags."""
    training = Training(treebank, lang, seed)
    training.initialize()
    for _ in training.epochs(n_epochs):
        pass
    model = training.parser.model
    assert model is not None
    training.parser.set_model(model.freeze())
    return training.nlp


def the_parser(nlp: Language) -> DynOracleParser:
    """The only component of a pipeline that `load` or `Training` made."""
    parser = nlp.get_pipe(nlp.pipe_names[0])
    assert isinstance(parser, DynOracleParser)
    return parser


def blank(lang: str) -> Language:
    """A pipeline without components.

    Raises:
        PipelineError: For an unknown language.
    """
    with language_errors(lang):
        return spacy.blank(lang)


def parser_name(model: Path) -> tuple[str, list[str]]:
    """The name of the parser in a saved pipeline, and the names of the other
    components.

    Raises:
        CommandError: If the pipeline does not exist or does not have exactly one
            parser.
    """
    path = model / "config.cfg"
    if not path.is_file():
        raise CommandError(f"{model}: not the directory of a pipeline (no config.cfg)")
    try:
        config = util.load_config(path)
        components = config["components"]
        names = list(config["nlp"]["pipeline"])
        parsers = [name for name in names if components[name]["factory"] == NAME]
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path}: cannot be read: {error}") from error
    if len(parsers) != 1:
        raise CommandError(
            f"{model}: expected one component {NAME!r}; its pipeline is "
            f"{', '.join(names) or 'empty'}"
        )
    return parsers[0], [name for name in names if name not in parsers]


def load(model: Path, **more: Any) -> Language:
    """Load only the parser of a saved pipeline, with `sentences` "predict".

    Args:
        more: Further settings of the parser.

    Raises:
        CommandError: If the pipeline cannot be loaded or is not trained.
    """
    name, others = parser_name(model)
    settings = {"sentences": "predict", **more}
    try:
        nlp = spacy.load(model, exclude=others, config={"components": {name: settings}})
    except (OSError, ValueError, KeyError, ModelFileError) as error:
        raise CommandError(f"{model}: cannot be loaded: {error}") from error
    if the_parser(nlp).model is None:
        raise CommandError(f"{model}: its {name!r} is not trained")
    return nlp


def train_spacy(
    treebank: Path,
    lang: str,
    vocab: Vocab,
    n_steps: int,
    seed: int,
    advance: Callable[[], None],
) -> Language:
    """Train spaCy's own parser for some steps on the same train file, as `spacy init
    config -p parser -o efficiency` sets it up.
    """
    fix_random_seed(seed)
    config = init_config(lang=lang, pipeline=["parser"], optimize="efficiency")
    nlp = util.load_model_from_config(config, vocab=vocab, auto_fill=True)
    examples = read_examples(treebank, vocab)
    optimizer = nlp.initialize(lambda: examples)
    rng = random.Random(seed)

    def endless() -> Iterator[list[Example]]:
        while True:
            yield from batches(examples, rng)

    for batch in islice(endless(), n_steps):
        nlp.update(batch, sgd=optimizer, drop=0.1)
        advance()
    return nlp
