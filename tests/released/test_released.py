"""Pipelines that releases have saved parse as they did.

Beside the archive of a pipeline, which is named after the release, lies what it made of
TEXT. For a new release, save a pipeline that was trained on the treebank of the
repository, with few documents (`--corpora.train.limit 20`) and large values of `prune`.
"""

import shutil
from pathlib import Path

import pytest
import spacy
from spacy.training import Example

from spacy_dynoracle.treebank import doc_to_conllu

ARCHIVES = sorted(Path(__file__).parent.glob("*.tar.xz"))
TEXT = (
    "The captain who sold the boat gave the children a map of the harbour. Did Nora "
    "repair the net, or didn't she? Three fishermen walked slowly to Oslo."
)


@pytest.mark.heavy
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_pipelines_of_earlier_releases(archive, tmp_path):
    shutil.unpack_archive(archive, tmp_path)
    nlp = spacy.load(tmp_path)
    doc = nlp(TEXT)
    expected = Path(str(archive).replace(".tar.xz", ".conllu"))
    assert doc_to_conllu(doc) == expected.read_text(encoding="utf8")
    # They can be trained further.
    nlp.resume_training()
    losses = nlp.update([Example(doc.copy(), doc)])
    assert losses["dynoracle_parser"] >= 0
