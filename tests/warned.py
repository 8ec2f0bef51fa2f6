"""What calls warn of."""

import warnings


def said(function, *args, **kwargs):
    """The warnings of a call, as texts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args, **kwargs)
    return [str(w.message) for w in caught]
