"""The numbers of the word clusters of forms."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import partial
from typing import Any, cast

import numpy as np
from spacy.lookups import Table
from spacy.vocab import Vocab

from ..core.features.lexical import StringTable
from ..util.arrays import IdArray

# The table of the vocab in which clusters are looked up.
CLUSTER_TABLE = "lexeme_cluster"
# The numbers of clusters are smaller. The number 0 means no cluster, so that this one
# stands for the cluster 0.
CLUSTER_0 = 1 << 62
NO_CLUSTER = -1
# Forms that are remembered for each table, and tables.
N_FORMS = 1 << 15
N_TABLES = 16


class RememberedClusters:
    """The clusters of the forms that were looked up last.

    To look one up in the table of a vocab, a dict of many thousand entries, takes as
    long as to tag a word.

    Args:
        table: As `vocab.lookups` has it. Entries may be added, but not changed.
    """

    def __init__(self, table: Table) -> None:
        self._table = weakref.ref(table)
        self._n_entries = len(table)
        # It must not refer to this object: only the garbage collector finds circles.
        values_of: Any = partial(_values_of, self._table)
        self.values = StringTable(values_of, 1, N_FORMS)

    def is_of(self, table: Table) -> bool:
        """Whether these are the clusters of a table as it is now."""
        return self._table() is table and self._n_entries == len(table)

    def __getitem__(self, form: int) -> int:
        """The form itself. `values` asks for the string of a form, which nobody needs
        here.
        """
        return form


def _values_of(reference: weakref.ref[Table], form: int) -> tuple[int]:
    """The number of the cluster of a form, as `StringTable` wants it."""
    table: OrderedDict[int, int] = cast("Table", reference())
    # The table's own `get` hashes its keys once more.
    number = OrderedDict.get(table, form, NO_CLUSTER)
    return (0 if number == NO_CLUSTER else (number or CLUSTER_0) % 2**64,)


# By the identity of their tables, the oldest first.
_REMEMBERED: dict[int, RememberedClusters] = {}


def clusters_of(vocab: Vocab, forms: IdArray) -> IdArray:
    """The numbers of the clusters of forms, given by their ids; `CLUSTER_0` for 0, and
    0 for no cluster.
    """
    found = np.zeros((len(forms), 1), dtype=np.uint64)
    table = vocab.lookups.get_table(CLUSTER_TABLE, {})
    if table:
        found[:, 0] = forms
        remembered = _REMEMBERED.get(id(table))
        if remembered is None or not remembered.is_of(table):
            while len(_REMEMBERED) >= N_TABLES:
                _REMEMBERED.pop(next(iter(_REMEMBERED)), None)
            remembered = _REMEMBERED[id(table)] = RememberedClusters(table)
        remembered.values.fill(found, 0, remembered, [0])
    return found[:, 0]


def bit_prefixes(clusters: IdArray, n_bits: int) -> IdArray:
    """The lowest bits of the numbers of clusters, or all if `n_bits` is 0; 0 for no
    cluster and for nothing else.
    """
    if n_bits == 0:
        return clusters
    end = np.uint64(1 << n_bits)
    return np.where(clusters, clusters & (end - np.uint64(1)) | end, 0)
