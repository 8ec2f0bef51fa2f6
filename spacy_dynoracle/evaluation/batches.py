"""Parsing batches, in one process or in several."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

import spacy
from spacy.language import Language

from ..util.files import last_change
from ..util.workers import in_processes

T = TypeVar("T")
R = TypeVar("R")


def in_batches(
    nlp: Language,
    function: Callable[[Language, list[T]], R],
    batches: Iterable[list[T]],
    n_jobs: int,
    prepare: Callable[[Language], object] | None = None,
) -> Iterator[R]:
    """Yield what a function makes of each batch, in their order.

    Args:
        function: Parses a batch; a function that other processes can import.
        n_jobs: Number of processes. More than one need a pipeline that was loaded from
            a directory or a package, and load it from there.
        prepare: What other processes do with the pipeline that they have loaded, as the
            caller has done. It is equal in all calls of a process, and has a hash.

    Raises:
        ValueError: For a pipeline that other processes cannot load.
    """
    if n_jobs == 1:
        for batch in batches:
            yield function(nlp, batch)
        return
    if nlp.path is None:
        raise ValueError(
            f"{n_jobs} processes: expected a pipeline that was loaded from a directory "
            "or a package; save it and load it, or use one process"
        )
    path = str(nlp.path.absolute())
    loaded = (path, last_change(path), prepare)
    calls = ((loaded, list(nlp.pipe_names), function, batch) for batch in batches)
    yield from in_processes(_made, calls, n_jobs)


def _made(
    loaded: tuple[str, int, Callable[[Language], object] | None],
    enabled: Sequence[str],
    function: Callable[[Language, list[T]], R],
    batch: list[T],
) -> R:
    nlp = _loaded(*loaded)
    others = [name for name in nlp.pipe_names if name not in enabled]
    with nlp.select_pipes(disable=others):
        return function(nlp, batch)


@lru_cache(maxsize=1)
def _loaded(
    model: str, changed: int, prepare: Callable[[Language], object] | None
) -> Language:
    """The pipeline of this process.

    Args:
        changed: The time of its last change, since the worker may outlive the pipeline.
    """
    nlp = spacy.load(model)
    if prepare is not None:
        with warnings.catch_warnings():
            # The caller has shown them.
            warnings.simplefilter("ignore")
            prepare(nlp)
    return nlp
