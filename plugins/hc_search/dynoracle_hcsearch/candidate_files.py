"""Files of candidate trees, so that interrupted work goes on where it stopped."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import srsly

from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.util.files import replace_file


class CandidateFileError(ValueError):
    """A file of candidates cannot be used; the message names it and the reason."""


def write_candidates(path: Path, digest: str, found: Sequence[Candidates]) -> None:
    """Write the candidates of some sentences; the file appears when it is complete.

    Args:
        digest: Digest of the settings and data that made the candidates.
    """
    trees = [[c.heads, c.labels, c.scores, c.log_sums] for c in found]
    data = srsly.msgpack_dumps([digest, trees])
    replace_file(path, gzip.compress(data, compresslevel=1, mtime=0))


def read_candidates(path: Path, digest: str) -> list[Candidates]:
    """The candidates in a file, for each sentence.

    Args:
        digest: As for `write_candidates`.

    Raises:
        CandidateFileError: For a damaged file, which its checksum tells, and for
            candidates with another digest.
    """
    try:
        content: Any = srsly.msgpack_loads(gzip.decompress(path.read_bytes()))
        found, trees = content
        candidates = [Candidates(*arrays) for arrays in trees]
    # The reader of msgpack raises errors of any kind for what somebody else wrote.
    except Exception as error:
        raise CandidateFileError(
            f"{path}: cannot be read as candidates ({type(error).__name__}: {error}); "
            f"remove the file"
        ) from error
    if found != digest:
        raise CandidateFileError(
            f"{path}: these candidates were made from other data or by another parser; "
            f"remove the file or name another directory"
        )
    return candidates
