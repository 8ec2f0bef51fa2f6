"""Model files with right checksums that `python -m tests.fuzz models` has found."""

import pytest

from spacy_dynoracle import ModelFileError

from ..core.model.files import joined, split
from .treebank import NAME


@pytest.mark.heavy
def test_tags_from_an_unknown_attribute(trained_nlp):
    """It was a ValueError about the setting tag_attr, which nobody had set."""
    parser = trained_nlp.get_pipe(NAME)
    header, arrays = split(parser.dump_model())
    tags = [column for column, source in header["sources"].items() if source == "TAG"]
    header["sources"] |= dict.fromkeys(tags or header["sources"], "TAGG")
    with pytest.raises(ModelFileError):
        parser.read_model(joined(header, arrays))
