"""Comparing texts."""


def n_alike(a: str, b: str) -> int:
    """The number of characters with which both texts begin."""
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)
