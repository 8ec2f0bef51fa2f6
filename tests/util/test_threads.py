"""Sharing a batch among threads."""

import threading

import pytest

from spacy_dynoracle.util.threads import in_chunks


def one(item):
    return 1


@pytest.mark.parametrize("n_items", range(8))
@pytest.mark.parametrize("n_threads", [1, 2, 3, 20])
def test_chunks(n_items, n_threads):
    items = list(range(n_items))
    chunks = in_chunks(list, items, n_threads, one)
    assert [item for chunk in chunks for item in chunk] == items
    assert 1 <= len(chunks) <= max(1, min(n_threads, n_items))
    sizes = [len(chunk) for chunk in chunks]
    assert max(sizes) - min(sizes) <= 1


def test_chunks_run_at_the_same_time():
    barrier = threading.Barrier(3, timeout=20)

    def wait(chunk):
        barrier.wait()
        return chunk

    assert in_chunks(wait, [1, 2, 3], 3, one) == [[1], [2], [3]]


def test_no_thread_for_one_chunk():
    assert in_chunks(lambda _: threading.current_thread(), [1], 9, one) == [
        threading.current_thread()
    ]


def test_the_calling_thread_takes_the_first_chunk():
    first, *others = in_chunks(lambda _: threading.current_thread(), [1, 2, 3], 3, one)
    assert first is threading.current_thread()
    assert first not in others


@pytest.mark.parametrize("failing", [1, 2])
def test_an_error_in_any_chunk_is_raised(failing):
    def check(chunk):
        if failing in chunk:
            raise ValueError(f"chunk {chunk}")

    with pytest.raises(ValueError, match=f"chunk .{failing}"):
        in_chunks(check, [1, 2], 2, one)
