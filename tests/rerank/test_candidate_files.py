"""Files of candidates: what is written is read, anything else is refused."""

import random

import numpy as np
import pytest

from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.rerank.candidate_files import (
    CandidateFileError,
    read_candidates,
    write_candidates,
)

from ..fuzz.damage import damaged_bytes


def candidates(n_trees, n_words, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n_trees, n_words)
    return Candidates(
        rng.integers(0, n_words + 1, shape).astype(np.int32),
        rng.integers(-1, 5, shape).astype(np.int32),
        rng.normal(size=n_trees),
        rng.normal(size=n_trees),
    )


SHAPES = [(3, 4), (1, 0), (1, 1), (7, 2), (0, 3)]


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "some.npz"
    written = [candidates(*shape, seed) for seed, shape in enumerate(SHAPES)]
    write_candidates(path, "digest", written)
    read = read_candidates(path, "digest")
    assert len(read) == len(written)
    for a, b in zip(read, written, strict=True):
        for x, y in zip(a[:4], b[:4], strict=True):
            assert x.shape == y.shape
            assert x.dtype == y.dtype
            assert x.tolist() == y.tolist()
    assert list(tmp_path.iterdir()) == [path]


def test_no_sentences(tmp_path):
    write_candidates(tmp_path / "none.npz", "digest", [])
    assert read_candidates(tmp_path / "none.npz", "digest") == []


def test_candidates_of_something_else(tmp_path):
    path = tmp_path / "some.npz"
    write_candidates(path, "one", [candidates(2, 2)])
    with pytest.raises(CandidateFileError, match=r"some\.npz: .* made from other data"):
        read_candidates(path, "other")


@pytest.mark.parametrize("keep", [0, 10, 200, -1])
def test_damaged_files(tmp_path, keep):
    path = tmp_path / "some.npz"
    write_candidates(path, "digest", [candidates(2, 2)])
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CandidateFileError, match=r"some\.npz: .*; remove the file"):
        read_candidates(path, "digest")


@pytest.mark.parametrize(
    "changed",
    [
        {"n_trees": [2, 1]},
        {"n_trees": [-1]},
        {"n_words": [4]},
        {"scores": [0.0]},
        {"heads": [[1, 2], [0, 0]]},
        {"digest": None},
    ],
    ids=str,
)
def test_sizes_that_do_not_fit(tmp_path, changed):
    path = tmp_path / "some.npz"
    write_candidates(path, "digest", [candidates(2, 2)])
    with np.load(path) as arrays:
        parts = dict(arrays)
    for name, value in changed.items():
        if value is None:
            del parts[name]
        else:
            parts[name] = np.array(value)
    np.savez(path, **parts)
    with pytest.raises(CandidateFileError, match="cannot be read as candidates"):
        read_candidates(path, "digest")


@pytest.mark.parametrize(
    "changed",
    [
        {"n_trees": np.array([2.0])},
        {"n_words": np.array([2**40])},
        {"heads": np.array([1, 2, 3, 0], dtype=np.int32)},
        {"heads": np.array([1, 2, -1, 0], dtype=np.int32)},
        {"heads": np.array(["1", "2", "1", "0"])},
        {"labels": np.array([1, 2, -2, 0], dtype=np.int32)},
        {"scores": np.array([0.0, np.nan])},
        {"log_sums": np.array([None, 1])},
    ],
    ids=str,
)
def test_values_that_no_candidate_has(tmp_path, changed):
    path = tmp_path / "some.npz"
    write_candidates(path, "digest", [candidates(2, 2)])
    with np.load(path) as arrays:
        parts = dict(arrays)
    np.savez(path, **(parts | changed))
    with pytest.raises(CandidateFileError, match=r"some\.npz: cannot be read as cand"):
        read_candidates(path, "digest")


def test_random_damage(tmp_path):
    """A file is read or refused, whatever has happened to its bytes."""
    path = tmp_path / "some.npz"
    write_candidates(path, "digest", [candidates(2, 2), candidates(3, 5)])
    data = path.read_bytes()
    messages = []
    for seed in range(1500):
        path.write_bytes(damaged_bytes(random.Random(seed), data))
        try:
            read_candidates(path, "digest")
        except CandidateFileError as error:
            messages.append(str(error))
    assert len(messages) > 1000
    assert all(str(path) in message for message in messages)


def test_pickled_objects_are_not_loaded(tmp_path):
    path = tmp_path / "some.npz"
    np.savez(path, digest=np.array([object()]))
    with pytest.raises(CandidateFileError, match="cannot be read as candidates"):
        read_candidates(path, "digest")
