"""Batches of rows: what they hold, and how large they are."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

# Rows that are parsed at a time, and the bytes of their texts. Memory stays constant
# then, whatever batches an engine makes.
ROWS = 1000
BYTES = 1 << 20
TEXT = pa.large_string()


def decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch whose texts are neither in a dictionary nor views.

    These count the texts of all rows in the bytes of each slice.
    """
    columns = []
    for column in batch.columns:
        indices = None
        if pa.types.is_dictionary(column.type):
            column, indices = column.dictionary, column.indices
        kind = column.type
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        if pa.types.is_string_view(kind):
            column = column.cast(TEXT)
        elif is_list and pa.types.is_string_view(kind.value_type):
            column = column.cast(pa.large_list(TEXT))
        columns.append(column if indices is None else column.take(indices))
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch into rows that are parsed together."""
    while len(batch):
        size = min(ROWS, len(batch))
        while size > 1 and decoded(batch.slice(0, size)).nbytes > BYTES:
            size //= 2
        yield batch.slice(0, size)
        batch = batch.slice(size)


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join small batches up to `ROWS` rows or `BYTES`."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        n_bytes = sum(each.nbytes for each in waiting)
        if n_bytes > BYTES or sum(map(len, waiting)) >= ROWS:
            yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
            waiting = []
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
