"""Cross-validation: scores for a treebank that is too small to be split.

The treebank is cut into folds. Each fold is parsed by a pipeline that was trained on
the others. The parses of all folds are scored together, so that every word counts
once.
"""

from __future__ import annotations

import hashlib
import io
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config
from spacy.vocab import Vocab

from ..errors import TreebankError
from ..treebank import (
    TreebankSentence,
    doc_to_conllu,
    read_conllu,
    read_treebank,
    to_doc_bin,
)
from ..treebank.pipelines import BATCH_SIZE, batched, check_parsed, parsed_batch
from ..treebank.sentence import UNKNOWN
from ..treebank.text import documents, paragraphs
from ..treebank.writer import sentence_to_conllu
from ..util.files import replace_file
from ..util.folds import cut_into_folds
from ..util.progress import Progress, no_progress
from ..util.workers import in_processes
from .conll2018 import TextScore, score_set_values
from .texts import text_of, with_annotation

Unit = Literal["document", "sentence"]

# Sentences in a Doc of the training data.
_SENTENCES_PER_DOC = 10
# A document may be so many times as large as a fold would be.
_LARGEST = 1.5
# The files of a directory with the parts of a cross-validation.
GOLD, PREDICTED, SETTINGS = "gold.conllu", "predicted.conllu", "settings.json"


@dataclass(frozen=True)
class CrossValidationSettings:
    """What a cross-validation does.

    Without early stopping (``training.patience = 0``) a pipeline is trained on all
    other folds, and its last state counts. With early stopping the fold after the one
    that is parsed is the development data, and the best state counts.

    Attributes:
        config: A config for ``spacy train`` with ``paths.train`` and ``paths.dev``.
        overrides: Values in the config, such as ``{"training.max_epochs": 5}``.
        n_folds: Number of folds.
        unit: What folds are made of, ``document`` or ``sentence``; None for documents
            if the treebank has enough of them, of similar sizes (comments
            ``# newdoc``).
        seed: Shuffles the units; the config has the seed of the training.
        from_text: Whether pipelines start from raw text, rather than from the words and
            sentences of the treebank.
        gold_tags: Whether they get its tags.
    """

    config: Path
    overrides: Mapping[str, Any] = field(default_factory=dict)
    n_folds: int = 10
    unit: Unit | None = None
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
class CrossValidation:
    """The scores of a cross-validation, by measure of the CoNLL 2018 shared task.

    Attributes:
        treebank: The file.
        settings: Its settings, with the unit that was taken.
        scores: Of all folds together.
        folds: Of each fold.
    """

    treebank: str
    settings: CrossValidationSettings
    scores: Mapping[str, TextScore]
    folds: tuple[Mapping[str, TextScore], ...]

    @property
    def sizes(self) -> list[int]:
        """The words of each fold."""
        return [fold["Words"].gold for fold in self.folds]

    @property
    def has_mean(self) -> bool:
        """Whether a mean over folds tells anything: none is a single sentence."""
        return all(fold["Sentences"].gold > 1 for fold in self.folds)

    def mean(self, measure: str) -> float:
        """The mean of the F1 of the folds."""
        return statistics.mean(fold[measure].f1 for fold in self.folds)

    def deviation(self, measure: str) -> float:
        """The standard deviation of the F1 of the folds."""
        return statistics.stdev(fold[measure].f1 for fold in self.folds)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            **self.settings.as_dict(),
            "fold_words": self.sizes,
            "scores": {
                name: score.as_dict()
                | {
                    "mean": self.mean(name) if self.has_mean else None,
                    "deviation": self.deviation(name) if self.has_mean else None,
                }
                for name, score in self.scores.items()
            },
            "folds": [
                {name: score.f1 for name, score in fold.items()} for fold in self.folds
            ],
        }


def cross_validate(
    treebank: str | Path,
    settings: CrossValidationSettings,
    *,
    directory: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> CrossValidation:
    """Train and score a pipeline for each fold of a treebank.

    Args:
        treebank: A file, as `read_treebank` reads it.
        directory: Where the parses of each fold are kept, and those of all folds in one
            file (``predicted.conllu``, beside ``gold.conllu``). Folds that are there
            are not parsed again, if treebank and settings are the same.
        n_jobs: Number of pipelines trained at a time; results do not depend on it.

    Raises:
        TreebankError: For a treebank that cannot be used.
        PipelineError: For a pipeline that does not parse.
        ValueError: For impossible settings.
    """
    sentences = list(read_treebank(treebank))
    units, settings = _units(sentences, settings)
    folds = _folds(units, settings)
    with TemporaryDirectory() as temporary:
        work = Path(directory or temporary)
        _prepare(work, units, folds, settings)
        missing = [i for i in range(len(folds)) if not _part(work, i).is_file()]
        with progress("folds trained and parsed") as advance:
            advance(len(folds) - len(missing))
            sizes = [[len(units[i]) for i in fold] for fold in folds]
            calls = [(work, sizes, settings, fold) for fold in missing]
            for _ in in_processes(_parse_fold, calls, min(n_jobs, len(calls) or 1)):
                advance(1)
        gold = [[units[i] for i in fold] for fold in folds]
        parts = [list(read_conllu(_part(work, i))) for i in range(len(folds))]
        if directory is not None:
            data = b"".join(_part(work, i).read_bytes() for i in range(len(folds)))
            replace_file(work / PREDICTED, data)
    every = [s for fold in gold for unit in fold for s in unit]
    return CrossValidation(
        str(treebank),
        settings,
        score_set_values(text_of(every), text_of(s for part in parts for s in part)),
        tuple(
            score_set_values(text_of(s for unit in fold for s in unit), text_of(part))
            for fold, part in zip(gold, parts, strict=True)
        ),
    )


def _units(
    sentences: Sequence[TreebankSentence], settings: CrossValidationSettings
) -> tuple[list[list[TreebankSentence]], CrossValidationSettings]:
    """The units that folds are made of, and the settings with their name.

    Raises:
        TreebankError: If there are too few.
    """
    if settings.n_folds < 2:
        raise ValueError(f"{settings.n_folds} folds: expected at least 2")
    by_document = list(documents(sentences))
    sizes = [sum(len(sentence.words) for sentence in each) for each in by_document]
    # Folds of very unequal documents would be very unequal, too.
    enough = len(sizes) >= settings.n_folds and max(
        sizes
    ) * settings.n_folds <= _LARGEST * sum(sizes)
    unit: Unit = settings.unit or ("document" if enough else "sentence")
    units = by_document if unit == "document" else [[s] for s in sentences]
    if len(units) < settings.n_folds:
        plural = "" if len(units) == 1 else "s"
        raise TreebankError(
            f"{sentences[0].path}: {len(units)} {unit}{plural} cannot be cut into "
            f"{settings.n_folds} folds; take fewer folds"
            + (" or cut by sentence" if unit == "document" else ""),
            sentences[0].path,
        )
    return units, replace(settings, unit=unit)


def _folds(
    units: Sequence[Sequence[TreebankSentence]], settings: CrossValidationSettings
) -> list[list[int]]:
    """Shuffled units in folds of about the same number of words.

    Within a fold they keep the order of the treebank.
    """
    order = np.random.default_rng(settings.seed).permutation(len(units)).tolist()
    words = [sum(len(s.words) for s in units[i]) for i in order]
    cut = cut_into_folds(words, settings.n_folds)
    return [sorted(order[i] for i in fold) for fold in cut]


def _part(work: Path, fold: int) -> Path:
    """The file with the parses of a fold."""
    return work / f"fold-{fold + 1}.conllu"


def _prepare(
    work: Path,
    units: Sequence[Sequence[TreebankSentence]],
    folds: Sequence[Sequence[int]],
    settings: CrossValidationSettings,
) -> None:
    """Write the treebank in the order of the folds, and remove parses of another
    treebank or of other settings.

    Raises:
        ValueError: For a directory with other files, which nobody may lose.
    """
    work.mkdir(parents=True, exist_ok=True)
    path = work / SETTINGS
    if any(work.iterdir()) and '"digest"' not in _content(path):
        raise ValueError(
            f"{work}: has files in it, and is not the directory of a cross-validation; "
            "name a new one"
        )
    gold = "".join(
        sentence_to_conllu(sentence)
        for fold in folds
        for i in fold
        for sentence in units[i]
    ).encode()
    digest = hashlib.sha256(gold + settings.config.read_bytes()).hexdigest()
    values = srsly.json_dumps({**settings.as_dict(), "digest": digest}, indent=2)
    if _content(path) != values:
        for part in work.glob("fold-*.conllu"):
            part.unlink()
    replace_file(work / GOLD, gold)
    replace_file(path, values.encode())


def _content(path: Path) -> str:
    """The text of a file; nothing if there is none, or if it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _parse_fold(
    work: Path,
    sizes: Sequence[Sequence[int]],
    settings: CrossValidationSettings,
    fold: int,
) -> None:
    """Train on all folds but one, parse that one, and write its parses.

    Args:
        work: The directory with the treebank in the order of the folds.
    """
    sentences = iter(read_conllu(work / GOLD))
    folds = [[next(sentences) for _ in range(sum(own))] for own in sizes]
    words = (word for part in folds for sentence in part for word in sentence.words)
    has_xpos = any(word.xpos != UNKNOWN for word in words)
    parses = _parsed(_trained(folds, fold, settings), folds[fold], settings, has_xpos)
    replace_file(_part(work, fold), "".join(parses).encode())


def _trained(
    folds: Sequence[Sequence[TreebankSentence]],
    fold: int,
    settings: CrossValidationSettings,
) -> Language:
    """The pipeline that is trained for a fold."""
    config = load_config(settings.config, overrides=dict(settings.overrides))
    if not isinstance(config.get("paths"), dict):
        raise ValueError(
            f"{settings.config}: has no [paths]; name a config for spacy train"
        )
    stops_early = bool(config.get("training", {}).get("patience", 1600))
    others = [i for i in range(len(folds)) if i != fold]
    dev = (fold + 1) % len(folds) if stops_early and len(others) > 1 else None
    data = [s for i in others if i != dev for s in folds[i]]
    # Without early stopping spaCy wants development data for its log alone.
    dev_data = data[:_SENTENCES_PER_DOC] if dev is None else folds[dev]
    with TemporaryDirectory() as directory:
        for name, part in (("train", data), ("dev", dev_data)):
            path = Path(directory, f"{name}.spacy")
            to_doc_bin(part, Vocab(), _SENTENCES_PER_DOC).to_disk(path)
            config["paths"][name] = str(path)
        nlp = init_nlp(config)
        log = io.StringIO()
        train(nlp, Path(directory), stdout=log, stderr=log)
        return spacy.load(
            Path(directory, "model-last" if dev is None else "model-best")
        )


def _parsed(
    nlp: Language,
    sentences: Sequence[TreebankSentence],
    settings: CrossValidationSettings,
    has_xpos: bool,
) -> Iterator[str]:
    """The parses of a fold in CoNLL-U."""
    if settings.from_text:
        numbers = count(1)
        for doc in nlp.pipe([text for text, _ in paragraphs(sentences)]):
            check_parsed(nlp, doc)
            yield doc_to_conllu(doc, xpos=has_xpos, sent_ids=numbers)
        return
    for some in batched(sentences, BATCH_SIZE):
        batch = parsed_batch(nlp, some, gold_tags=settings.gold_tags)
        for sentence, doc in batch.pairs:
            yield sentence_to_conllu(with_annotation(sentence, doc, has_xpos))
