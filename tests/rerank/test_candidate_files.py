"""Files of candidates: what is written is read, anything else is refused."""

import gzip
import random

import numpy as np
import pytest
import srsly

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


def as_lists(found):
    return [[(a.shape, a.dtype, a.tolist()) for a in trees[:4]] for trees in found]


@pytest.mark.parametrize("shapes", [[], [(3, 4), (1, 0), (1, 1), (7, 2), (0, 3)]])
def test_what_is_written_is_read(tmp_path, shapes):
    path = tmp_path / "some"
    written = [candidates(*shape, seed) for seed, shape in enumerate(shapes)]
    write_candidates(path, "digest", written)
    assert as_lists(read_candidates(path, "digest")) == as_lists(written)
    assert list(tmp_path.iterdir()) == [path]


def test_candidates_of_something_else(tmp_path):
    path = tmp_path / "some"
    write_candidates(path, "one", [candidates(2, 2)])
    with pytest.raises(CandidateFileError, match=r"some: .* made from other data"):
        read_candidates(path, "other")


@pytest.mark.parametrize("content", [["digest", [[1, 2]]], ["digest", 1], {}, 7])
def test_files_that_somebody_else_wrote(tmp_path, content):
    path = tmp_path / "some"
    path.write_bytes(gzip.compress(srsly.msgpack_dumps(content)))
    with pytest.raises(CandidateFileError, match="some: cannot be read as candidates"):
        read_candidates(path, "digest")


def test_random_damage(tmp_path):
    """A damaged file is refused. The damage may only be in what gzip says of itself."""
    path = tmp_path / "some"
    written = [candidates(2, 2), candidates(3, 5)]
    write_candidates(path, "digest", written)
    data = path.read_bytes()
    messages = []
    for seed in range(500):
        path.write_bytes(damaged_bytes(random.Random(seed), data))
        try:
            assert as_lists(read_candidates(path, "digest")) == as_lists(written)
        except CandidateFileError as error:
            messages.append(str(error))
    assert len(messages) > 300
    assert all("remove the file" in message for message in messages)
