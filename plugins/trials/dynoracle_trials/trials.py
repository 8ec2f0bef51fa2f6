"""Trials: pipelines that are trained on some sentences and parse others.

Cross-validation and learning curves consist of them. The sentences are in one file of a
directory, where each trial leaves its parses, so that a run that was interrupted goes
on.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
import srsly
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_evaluation_callback, train
from spacy.util import (
    dot_to_object,
    get_lang_class,
    load_config,
    registry,
    resolve_dot_names,
)
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_dynoracle import __version__
from spacy_dynoracle.errors import TreebankError, language_errors
from spacy_dynoracle.evaluation.texts import with_annotation
from spacy_dynoracle.treebank import (
    TreebankSentence,
    doc_to_conllu,
    read_conllu,
    to_doc_bin,
)
from spacy_dynoracle.treebank.pipelines import (
    BATCH_SIZE,
    batched,
    check_parsed,
    parsed_batch,
)
from spacy_dynoracle.treebank.sentence import UNKNOWN
from spacy_dynoracle.treebank.text import paragraphs
from spacy_dynoracle.treebank.writer import sentence_to_conllu
from spacy_dynoracle.util.code import imported
from spacy_dynoracle.util.files import is_leftover, replace_file
from spacy_dynoracle.util.locks import LOCK, locked
from spacy_dynoracle.util.progress import Progress
from spacy_dynoracle.util.workers import in_processes

# Sentences in a Doc of the training data.
_SENTENCES_PER_DOC = 10
# They show where a config names the files of a trial.
_MARKS = {"train": "<train>", "dev": "<dev>"}
# The files of a directory with trials.
GOLD, SETTINGS = "gold.conllu", "settings.json"


@dataclass(frozen=True)
class TrialSettings:
    """How pipelines are trained and parse.

    Attributes:
        config: A config for ``spacy train`` with ``paths.train`` and ``paths.dev``.
        overrides: Values in the config, such as ``{"training.max_epochs": 5}``.
        seed: Shuffles the data; the config has the seed of the training.
        from_text: Whether pipelines start from raw text, rather than from the words and
            sentences of the treebank.
        gold_tags: Whether they get its tags.
    """

    config: Path
    overrides: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    from_text: bool = False
    gold_tags: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return vars(self) | {
            "config": str(self.config),
            "overrides": dict(self.overrides),
        }


@dataclass(frozen=True)
class Trial:
    """A pipeline that is trained on some sentences and parses others.

    Without early stopping (``training.patience = 0``) its last state counts. With early
    stopping the best state on the development data counts.

    Attributes:
        name: Of the file of its parses, such as "fold-1".
        train, dev, test: The numbers of sentences in the file of the directory. With
            early stopping no sentence of dev is trained on; without, dev is not used.
    """

    name: str
    train: Sequence[int]
    dev: Sequence[int]
    test: Sequence[int]


def check_trees(treebank: str | Path, sentences: Sequence[TreebankSentence]) -> None:
    """Raise TreebankError if no word of the sentences of a treebank has a head."""
    if not any(head is not None for s in sentences for head in s.heads):
        raise TreebankError(
            f"{treebank}: no word has a HEAD, and trees are needed to train and to "
            "score; annotate some",
            str(treebank),
        )


def run_trials(
    directory: str | Path | None,
    kind: str,
    sentences: Sequence[TreebankSentence],
    trials: Sequence[Trial],
    settings: TrialSettings,
    n_jobs: int,
    progress: Progress,
) -> list[list[TreebankSentence]]:
    """The parses of trials, of which some may be there already.

    Args:
        directory: Where sentences and parses are kept; None for nowhere.
        kind: What the trials are for, such as "cross-validation".
        n_jobs: Number of pipelines trained at a time; results do not depend on it.

    Raises:
        ValueError: For a config that cannot be used, for a directory with other files,
            and if another run writes to it.
    """
    _check_config(settings)
    with TemporaryDirectory() as temporary:
        work = Path(directory or temporary)
        _claim(work, kind)
        lock = locked(work)
        try:
            _prepare(work, kind, sentences, trials, settings)
            missing = [x for x in trials if not _path(work, x).is_file()]
            with progress("pipelines trained") as advance:
                advance(len(trials) - len(missing))
                calls = [(work, trial, settings) for trial in missing]
                for _ in in_processes(_run, calls, min(n_jobs, len(calls) or 1)):
                    advance(1)
            return [list(read_conllu(_path(work, trial))) for trial in trials]
        finally:
            lock.release()


def _claim(work: Path, kind: str) -> None:
    """Make a directory.

    Raises:
        ValueError: For one with other files, which nobody may lose.
    """
    work.mkdir(parents=True, exist_ok=True)
    others = [x for x in work.iterdir() if x.name != LOCK and not is_leftover(x)]
    if others and f'"{kind}"' not in _content(work / SETTINGS):
        raise ValueError(
            f"{work}: has files in it, and is not the directory of a {kind}; "
            "name a new one"
        )


def _path(work: Path, trial: Trial) -> Path:
    return work / f"{trial.name}.conllu"


def _prepare(
    work: Path,
    kind: str,
    sentences: Sequence[TreebankSentence],
    trials: Sequence[Trial],
    settings: TrialSettings,
) -> None:
    """Write the sentences, and remove parses of other sentences or settings."""
    path = work / SETTINGS
    gold = "".join(map(sentence_to_conllu, sentences)).encode()
    # Files of --code may change what a config means, and it may name others.
    named = [*imported, *_files(_marked(settings))]
    paths = [Path(settings.config), *map(Path, named)]
    digest, own_folder = hashlib.sha256(gold), work.resolve()
    for file in (x for path in paths for x in (path, *sorted(path.rglob("*")))):
        # The own files of the trials may be in a folder that is named.
        is_own = own_folder in file.resolve().parents
        if file.is_file() and not is_own and "__pycache__" not in file.parts:
            digest.update(file.read_bytes())
    values = {"kind": kind, "spacy_dynoracle": __version__, **settings.as_dict()}
    values["digest"] = digest.hexdigest()
    text = srsly.json_dumps(values, indent=2)
    if _content(path) != text:
        # There may be more of them than now.
        for prefix in {trial.name.rpartition("-")[0] for trial in trials}:
            for part in work.glob(f"{prefix}-*.conllu"):
                if part.stem.removeprefix(f"{prefix}-").isdigit():
                    part.unlink()
    # First what other runs know the directory by.
    replace_file(path, text.encode())
    replace_file(work / GOLD, gold)


def _content(path: Path) -> str:
    """The text of a file; nothing if there is none, or if it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _run(work: Path, trial: Trial, settings: TrialSettings) -> None:
    """Train and parse, and write the parses."""
    sentences = list(read_conllu(work / GOLD))
    words = (word for sentence in sentences for word in sentence.words)
    has_xpos = any(word.xpos != UNKNOWN for word in words)
    test = [sentences[i] for i in trial.test]
    parses = _parsed(_trained(sentences, trial, settings), test, settings, has_xpos)
    replace_file(_path(work, trial), "".join(parses).encode())


def _trained(
    sentences: Sequence[TreebankSentence], trial: Trial, settings: TrialSettings
) -> Language:
    """The pipeline of a trial."""
    config = config_of(settings)
    # The number may be a variable of the config.
    stops_early = _has_patience(config.interpolate()) and bool(trial.dev)
    left_out = set(trial.dev if stops_early else ())
    data = [sentences[i] for i in trial.train if i not in left_out]
    # Without early stopping spaCy wants development data for its log alone.
    dev_data = data[:_SENTENCES_PER_DOC]
    if stops_early:
        dev_data = [sentences[i] for i in trial.dev]
    with TemporaryDirectory() as directory:
        for name, part in (("train", data), ("dev", dev_data)):
            path = Path(directory, f"{name}.spacy")
            to_doc_bin(part, Vocab(), _SENTENCES_PER_DOC).to_disk(path)
            config["paths"][name] = str(path)
        nlp = init_nlp(config)
        log = io.StringIO()
        train(nlp, Path(directory), stdout=log, stderr=log)
        last = spacy.load(Path(directory, "model-last"))
        if not stops_early:
            return last
        # A short training ends without an evaluation of its last state.
        best = spacy.load(Path(directory, "model-best"))
        return max(best, last, key=_dev_score)


def _dev_score(nlp: Language) -> float:
    """The score by which spaCy chooses the best state of a training."""
    config = nlp.config.interpolate()
    settings = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    (dev,) = resolve_dot_names(config, [settings["dev_corpus"]])
    score, _ = create_evaluation_callback(nlp, dev, settings["score_weights"])()
    return float(score)


def config_of(settings: TrialSettings) -> Config:
    """The config of the pipelines."""
    return load_config(settings.config, overrides=dict(settings.overrides))


def _marked(settings: TrialSettings) -> Config:
    """The config of the pipelines with marks in place of the files of a trial."""
    config = config_of(settings)
    config["paths"] |= _MARKS
    return config.interpolate()


def _check_config(settings: TrialSettings) -> None:
    """Raise ValueError for a config that is not one for training, that has variables
    without values, or whose corpora do not read the sentences of a trial.
    """
    if not isinstance(config_of(settings).get("paths"), dict):
        raise ValueError(
            f"{settings.config}: has no [paths]; name a config for spacy train"
        )
    config = _marked(settings)
    with language_errors(lang := config.get("nlp", {}).get("lang")):
        get_lang_class(lang)
    training = config.get("training", {})
    # One reader may make all corpora.
    is_one = "@readers" in config.get("corpora", {})
    for part in ("train", "dev") if _has_patience(config) else ("train",):
        corpus = training.get(f"{part}_corpus", f"corpora.{part}")
        corpus = "corpora" if is_one else corpus
        try:
            found = dot_to_object(config, corpus)
        except (KeyError, AttributeError):
            # spaCy says what is wrong with it.
            continue
        if _MARKS[part] not in _strings(found):
            raise ValueError(
                f"{settings.config}: [{corpus}] must read ${{paths.{part}}}, the "
                "sentences of each trial, and no file of its own"
            )


def _has_patience(config: Config) -> bool:
    """Whether training stops early, for which spaCy has a default."""
    return bool(config.get("training", {}).get("patience", 1600))


def _files(config: Config) -> Iterator[str]:
    """The files that a config names, and the folders where it may name some."""
    yield from filter(os.path.isfile, _strings(config))
    sources = [part.get("source") for part in config.get("components", {}).values()]
    places = (config["paths"], config.get("initialize"), sources)
    yield from filter(os.path.isdir, _strings(places))


def _strings(value: Any) -> Iterator[str]:
    """The strings in a config or a part of it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _strings(part)


def _parsed(
    nlp: Language,
    sentences: Sequence[TreebankSentence],
    settings: TrialSettings,
    has_xpos: bool,
) -> Iterator[str]:
    """The parses of sentences in CoNLL-U."""
    if settings.from_text:
        numbers = count(1)
        for doc in nlp.pipe([text for text, _ in paragraphs(sentences)]):
            check_parsed(nlp, doc)
            yield doc_to_conllu(doc, xpos=has_xpos, sent_ids=numbers)
        return
    for some in batched(sentences, BATCH_SIZE):
        pairs, _ = parsed_batch(nlp, some, gold_tags=settings.gold_tags)
        for sentence, doc in pairs:
            yield sentence_to_conllu(with_annotation(sentence, doc, has_xpos))
