"""Sharing a batch among threads."""

import threading

import pytest

from spacy_dynoracle.threads import in_chunks


@pytest.mark.parametrize("n_items", range(8))
@pytest.mark.parametrize("n_threads", [1, 2, 3, 20])
def test_chunks(n_items, n_threads):
    items = list(range(n_items))
    chunks = in_chunks(list, items, n_threads)
    assert [item for chunk in chunks for item in chunk] == items
    assert 1 <= len(chunks) <= max(1, min(n_threads, n_items))
    sizes = {len(chunk) for chunk in chunks[:-1]}
    assert len(sizes) <= 1


def test_chunks_run_at_the_same_time():
    barrier = threading.Barrier(3, timeout=20)

    def wait(chunk):
        barrier.wait()
        return chunk

    assert in_chunks(wait, [1, 2, 3], 3) == [[1], [2], [3]]


def test_no_thread_for_one_chunk():
    assert in_chunks(lambda _: threading.current_thread(), [1], 9) == [
        threading.current_thread()
    ]
