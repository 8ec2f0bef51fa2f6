"""The numbers of the word clusters of forms.

They lie packed in a table of the vocab, which is saved with a pipeline: spaCy's own
tables, a dict of all words, take longer to load than a model, and more memory.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from spacy.lookups import Lookups
from spacy.strings import get_string_id
from spacy.vocab import Vocab

from ..core.sorted_keys import SortedKeys
from ..util.arrays import IdArray, Int32Array

CLUSTER_TABLE = "dynoracle_clusters"
# Its entries: the ids of the forms in rising order; for each the place of its cluster
# among the clusters; and their numbers.
_FORMS, _PLACES, _NUMBERS = "forms", "places", "numbers"
_IDS, _INDICES = np.dtype("<u8"), np.dtype("<u4")
# The numbers of clusters are smaller. The number 0 means no cluster, so that this one
# stands for the cluster 0.
CLUSTER_0 = 1 << 62


def add_clusters(lookups: Lookups, clusters: Mapping[str | int, int]) -> None:
    """Put clusters into the lookups of a vocab, in place of those that are there.

    Args:
        clusters: The number of the cluster of each form, from 0 to 2**62 - 1; forms are
            strings or their ids.
    """
    by_id = {
        get_string_id(form) if isinstance(form, str) else form: number or CLUSTER_0
        for form, number in clusters.items()
    }
    forms = sorted(by_id)
    numbers, places = np.unique(
        np.array([by_id[form] for form in forms], _IDS), return_inverse=True
    )
    if CLUSTER_TABLE in lookups:
        lookups.remove_table(CLUSTER_TABLE)
    table = {
        _FORMS: np.array(forms, _IDS).tobytes(),
        _PLACES: places.astype(_INDICES).tobytes(),
        _NUMBERS: numbers.tobytes(),
    }
    lookups.add_table(CLUSTER_TABLE, table)


def clusters_of(vocab: Vocab, forms: IdArray, raw: IdArray | None = None) -> IdArray:
    """The numbers of the clusters of forms; `CLUSTER_0` for 0, and 0 for no cluster.

    Args:
        forms: Ids of the forms with plain characters, as treebanks have them.
        raw: Ids of the forms as they are in the text, which count where clusters know
            no plain form; None for the same.

    Raises:
        ValueError: If the table of the vocab is damaged.
    """
    found: IdArray = np.zeros(len(forms), dtype=np.uint64)
    if CLUSTER_TABLE not in vocab.lookups:
        return found
    table = vocab.lookups.get_table(CLUSTER_TABLE)
    try:
        known, places, numbers = _read(
            *(table.get(entry, b"") for entry in (_FORMS, _PLACES, _NUMBERS))
        )
    except ValueError as error:
        raise ValueError(
            f"the table {CLUSTER_TABLE!r} of the vocab is damaged ({error}): add the "
            f"clusters of ClusterTable.v1 anew"
        ) from error
    (place,) = known.pick(places, forms, -1)
    if raw is not None:
        others = np.flatnonzero((place < 0) & (forms != raw))
        (place[others],) = known.pick(places, raw[others], -1)
    has_one = place >= 0
    found[has_one] = numbers.take(place[has_one], mode="clip")
    return found


@lru_cache(maxsize=2)
def _read(
    forms: bytes, places: bytes, numbers: bytes
) -> tuple[SortedKeys, Int32Array, IdArray]:
    """The entries of a table, ready for many look-ups.

    Raises:
        ValueError: If they do not fit one another.
    """
    ids, found = np.frombuffer(forms, _IDS), np.frombuffer(places, _INDICES)
    known = np.frombuffer(numbers, _IDS)
    if len(found) != len(ids) or (len(ids) and not len(known)):
        raise ValueError("its entries have different lengths")
    return SortedKeys(ids), found.astype(np.int32).reshape(1, -1), known


def bit_prefixes(clusters: IdArray, n_bits: int) -> IdArray:
    """The lowest bits of the numbers of clusters, or all if `n_bits` is 0; 0 for no
    cluster and for nothing else.
    """
    if n_bits == 0:
        return clusters
    end = np.uint64(1 << n_bits)
    return np.where(clusters, clusters & (end - np.uint64(1)) | end, 0)
