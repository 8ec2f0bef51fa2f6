"""What users read where a package is missing."""

import pytest

from spacy_dynoracle.util.extras import MissingExtraError, needs_extra


def test_the_extra_is_named():
    message = r"trees need no_such_package: pip install 'spacy-dynoracle\[eval\]'"
    with pytest.raises(MissingExtraError, match=message), needs_extra("trees", "eval"):
        import no_such_package.module  # noqa: F401
