"""Whether two parsers differ on a treebank by more than chance."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..reports.significance import REPETITIONS, permutation_test
from .attachment import DEFAULT_EXCLUSION, Scores
from .systems import OnProgress, System, predictions


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """A measure of two systems, as fractions of 1.

    Attributes:
        measure: ``UAS`` or ``LAS``.
        scored: The definition of scored words.
        words: Number of scored words.
        a, b: Scores of the systems.
        p: The p-value of their difference.
        better, worse: Number of sentences in which b has more, or fewer, words right.
    """

    measure: str
    scored: str
    words: int
    a: float
    b: float
    p: float
    better: int
    worse: int

    @property
    def difference(self) -> float:
        """The score of b minus that of a."""
        return self.b - self.a


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two systems on a treebank.

    Attributes:
        a, b, gold: Names of the systems and of the treebank.
        sentences: Number of sentences.
        trials, seed: Of the permutation test.
        rows: One for each measure and definition of scored words.
    """

    a: str
    b: str
    gold: str
    sentences: int
    trials: int
    seed: int
    rows: tuple[MeasureComparison, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        values = asdict(self)
        for row, plain in zip(self.rows, values["rows"], strict=True):
            plain["difference"] = row.difference
        values["rows"] = list(values["rows"])
        return values


def compare(
    a: System,
    b: System,
    gold: str | Path,
    *,
    from_text: bool = False,
    gold_tags: bool = True,
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
    trials: int = REPETITIONS,
    seed: int = 0,
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> Comparison:
    """Test whether two systems differ in UAS and LAS on a treebank.

    The test is a paired permutation test by approximate randomisation (Yeh 2000), with
    sentences as units: each trial swaps the outputs of the systems in each sentence
    with probability 1/2. p is the share of trials in which the systems differ at least
    as much as they do.

    Args:
        a, b: Pipelines, or files with parses of the text of the treebank. Words that
            differ from those of the treebank are aligned; a word that a system does not
            have counts as wrong.
        from_text: Whether pipelines start from raw text.
        gold_tags: Whether pipelines get the tags of the treebank, if there are any.
        scored: Definitions of scored words, keys of SCORED_WORDS.
        trials, seed: Of the permutation test.
        n_jobs: Number of processes of a pipeline; see `evaluate`.
        on_progress: Called with the number of sentences that have just been parsed.

    Raises:
        TreebankError: For files that cannot be used.
        PipelineError: If a pipeline cannot parse the treebank.
        ValueError: For impossible settings.
    """
    if trials < 1:
        raise ValueError(f"{trials} trials: expected at least 1")
    scores = [
        predictions(
            system, gold, from_text=from_text, gold_tags=gold_tags,
            n_jobs=n_jobs, on_progress=on_progress,
        ).scores(scored)
        for system in (a, b)
    ]  # fmt: skip
    rows = tuple(
        _compared(measure, scores[0][name], scores[1][name], trials, seed)
        for name in scored
        for measure in ("UAS", "LAS")
    )
    n_sentences = scores[0][scored[0]].sentences if scored else 0
    names = (system_name(a), system_name(b))
    return Comparison(*names, str(gold), n_sentences, trials, seed, rows)


def system_name(system: Any) -> str:
    """The path of a file or of a pipeline, or the name of a pipeline in its meta."""
    if isinstance(system, (str, Path)):
        return str(system)
    meta = system.meta
    return str(system.path or f"{meta['lang']}_{meta['name']}")


def _compared(
    measure: str, a: Scores, b: Scores, trials: int, seed: int
) -> MeasureComparison:
    (of_a, words), (of_b, _) = (scores.counts[measure.lower()] for scores in (a, b))
    differences = of_b - of_a
    return MeasureComparison(
        measure,
        a.scored,
        int(words.sum()),
        getattr(a, measure.lower()),
        getattr(b, measure.lower()),
        permutation_test(differences, repetitions=trials, seed=seed),
        int((differences > 0).sum()),
        int((differences < 0).sum()),
    )
