"""Model files with right checksums that `python -m tests.fuzz models` has found."""

import json

import pytest

from spacy_dynoracle import ModelFileError
from spacy_dynoracle.core.model import file

from ..fuzz.models import padded, sealed_file
from .treebank import NAME


@pytest.mark.heavy
def test_tags_from_an_unknown_attribute(trained_nlp):
    """It was a ValueError about the setting tag_attr, which nobody had set."""
    parser = trained_nlp.get_pipe(NAME)
    data = parser.dump_model()
    *_, length, _ = file.PREAMBLE.unpack_from(data)
    end = file.PREAMBLE.size + length
    header = json.loads(data[file.PREAMBLE.size : end])
    tags = [column for column, source in header["sources"].items() if source == "TAG"]
    header["sources"] |= dict.fromkeys(tags or header["sources"], "TAGG")
    crafted = sealed_file(data, json.dumps(header).encode(), data[padded(end) :])
    with pytest.raises(ModelFileError):
        parser.read_model(crafted)
