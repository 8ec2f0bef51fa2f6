"""Parsing and scoring batches, in one process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

import spacy
from spacy.language import Language

from ..util.files import last_change
from ..util.workers import in_processes

T = TypeVar("T")
R = TypeVar("R")


def score_batches(
    nlp: Language,
    score: Callable[[Language, list[T]], R],
    batches: Iterable[list[T]],
    n_jobs: int,
    disable: Sequence[str] = (),
) -> Iterator[R]:
    """Yield what a function makes of each batch, in their order.

    score: parses and scores a batch; a function that other processes can import.
    n_jobs: number of processes. More than one need a pipeline that was loaded from a
        directory or a package, and load it from there.
    disable: components of the pipeline that do not work.

    Raises ValueError for a pipeline that other processes cannot load.
    """
    if n_jobs == 1:
        with nlp.select_pipes(disable=list(disable)):
            for batch in batches:
                yield score(nlp, batch)
        return
    if nlp.path is None:
        raise ValueError(
            f"{n_jobs} processes: expected a pipeline that was loaded from a directory "
            "or a package; save it and load it, or use one process"
        )
    enabled = [name for name in nlp.pipe_names if name not in disable]
    path = str(nlp.path.absolute())
    changed = last_change(path)
    calls = ((path, changed, enabled, score, batch) for batch in batches)
    yield from in_processes(_scored, calls, n_jobs)


def _scored(
    model: str,
    changed: int,
    enabled: Sequence[str],
    score: Callable[[Language, list[T]], R],
    batch: list[T],
) -> R:
    nlp = _loaded(model, changed)
    others = [name for name in nlp.pipe_names if name not in enabled]
    with nlp.select_pipes(disable=others):
        return score(nlp, batch)


@lru_cache(maxsize=1)
def _loaded(model: str, changed: int) -> Language:
    """The pipeline of this process. changed: the time of its last change, since the
    worker may outlive the pipeline."""
    return spacy.load(model)
