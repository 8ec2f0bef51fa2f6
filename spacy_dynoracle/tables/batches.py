"""The size of batches of rows."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

# Rows that are parsed at a time, and the bytes of their texts. Memory stays constant
# then, whatever batches an engine makes.
ROWS = 1000
BYTES = 1 << 20


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch without dictionaries and views.

    These count the texts of all rows in the bytes of each slice.
    """
    columns = []
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_string_view(column.type):
            column = column.cast(pa.large_string())
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


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
