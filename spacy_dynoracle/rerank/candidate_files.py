"""Files of candidate trees, so that interrupted work goes on where it stopped."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..core.results import Candidates
from ..util.files import replace_file

# The errors of reading an archive of arrays that is damaged, or is something else.
DAMAGE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError),
    *(RuntimeError, SyntaxError, TypeError, ValueError),
    *(struct.error, zipfile.BadZipFile, zlib.error),
)


class CandidateFileError(ValueError):
    """A file of candidates cannot be used; the message names it and the reason."""


def write_candidates(path: Path, digest: str, found: Sequence[Candidates]) -> None:
    """Write the candidates of some sentences; the file appears when it is complete.

    digest: digest of the settings and data that made the candidates.
    """
    stream = io.BytesIO()
    np.savez(
        stream,
        digest=np.array(digest),
        n_trees=np.array([len(c.scores) for c in found], dtype=np.int64),
        n_words=np.array([c.heads.shape[1] for c in found], dtype=np.int64),
        heads=_joined([c.heads.ravel() for c in found], np.int32),
        labels=_joined([c.labels.ravel() for c in found], np.int32),
        scores=_joined([c.scores for c in found], np.float64),
        log_sums=_joined([c.log_sums for c in found], np.float64),
    )
    replace_file(path, stream.getvalue())


def _joined(arrays: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    """One array with the values of all; an empty one of no arrays."""
    return np.concatenate([np.zeros(0, dtype=dtype), *arrays])


def read_candidates(path: Path, digest: str) -> list[Candidates]:
    """The candidates in a file, for each sentence.

    digest: as for `write_candidates`. Raises CandidateFileError for a damaged file, and
    for candidates with another digest.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if str(arrays["digest"]) != digest:
                raise CandidateFileError(
                    f"{path}: these candidates were made from other data or by another "
                    f"parser; remove the file or name another directory"
                )
            return _sentences(arrays)
    except CandidateFileError:
        raise
    except DAMAGE as error:
        raise CandidateFileError(
            f"{path}: cannot be read as candidates ({type(error).__name__}: {error}); "
            f"remove the file"
        ) from error


def _sentences(arrays: np.lib.npyio.NpzFile) -> list[Candidates]:
    """The candidates of each sentence. Raises ValueError if sizes or types do not fit,
    and for values that no candidate has."""
    types: dict[str, type] = dict.fromkeys(("n_trees", "n_words"), np.int64)
    types |= dict.fromkeys(("heads", "labels"), np.int32)
    types |= dict.fromkeys(("scores", "log_sums"), np.float64)
    for name, dtype in types.items():
        if arrays[name].dtype != dtype or arrays[name].ndim != 1:
            raise ValueError(f"{name} is not a list of {np.dtype(dtype)}")
    n_trees, n_words = arrays["n_trees"], arrays["n_words"]
    counts = [*n_trees.tolist(), *n_words.tolist()]
    if (
        len(n_trees) != len(n_words)
        or not 0 <= min(counts, default=0) <= max(counts, default=0) < 2**31
    ):
        raise ValueError("impossible numbers of trees or words")
    cells = np.cumsum([0, *(n_trees * n_words)])
    trees = np.cumsum([0, *n_trees])
    sizes = {"heads": cells, "labels": cells, "scores": trees, "log_sums": trees}
    for name, ends in sizes.items():
        if arrays[name].shape != (ends[-1],):
            raise ValueError(f"{name} of another size than stated")
    heads, labels = arrays["heads"], arrays["labels"]
    scores, log_sums = arrays["scores"], arrays["log_sums"]
    longest = np.repeat(n_words, n_trees * n_words)
    if ((heads < 0) | (heads > longest)).any() or (labels < -1).any():
        raise ValueError("a head or a label that is out of range")
    if not np.isfinite(scores).all():
        raise ValueError("a score that is not a finite number")
    shapes = list(zip(n_trees.tolist(), n_words.tolist(), strict=True))
    return [
        Candidates(
            heads[a:b].reshape(shape),
            labels[a:b].reshape(shape),
            scores[c:d],
            log_sums[c:d],
        )
        for shape, (a, b), (c, d) in zip(
            shapes, pairwise(cells.tolist()), pairwise(trees.tolist()), strict=True
        )
    ]
