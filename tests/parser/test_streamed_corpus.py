"""Training data that spaCy reads as a stream (max_epochs = -1)."""

import pytest
import spacy
from spacy.training import Corpus

from spacy_dynoracle.treebank import read_conllu, to_doc_bin

from ..warned import said
from . import test_spacy_train
from .test_spacy_train import TREEBANK

pytestmark = pytest.mark.heavy

JACKKNIFING = "jackknifing needs all of them"
PENALTY = "the learner has no L1 penalty"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder of training files, each with documents of three sentences."""
    path = tmp_path_factory.mktemp("streamed")
    (path / "train").mkdir()
    sentences = list(read_conllu(TREEBANK / "train.conllu"))
    vocab = spacy.blank("en").vocab
    for i in range(0, 450, 150):
        part = to_doc_bin(sentences[i : i + 150], vocab, 3)
        part.to_disk(path / "train" / f"{i}.spacy")
    to_doc_bin(read_conllu(TREEBANK / "dev.conllu"), vocab, 3).to_disk(
        path / "dev.spacy"
    )
    return path


def train(corpus, output, config, **overrides):
    """Train with three passes over the data.

    Returns:
        The pipeline and the warnings.
    """
    settings = {
        "paths.train": str(corpus / "train"),
        "training.max_epochs": -1,
        "training.max_steps": 15,
        **overrides,
    }
    messages = said(test_spacy_train.train, corpus, output, config, **settings)
    return spacy.load(output / "model-last"), " ".join(messages)


@pytest.mark.parametrize("config", ["papers", "fast"])
def test_every_config_learns_from_a_stream(corpus, tmp_path, config):
    nlp, found = train(corpus, tmp_path, config)
    assert (JACKKNIFING in found) == (config == "fast")
    assert PENALTY not in found
    if config == "fast":
        assert nlp.meta["performance"]["tag_acc"] > 0.6
    assert nlp.meta["performance"]["dep_uas_all"] > 0.5


def test_labels_that_come_late_are_learned(corpus, tmp_path):
    """The beginning of the stream, from which components are initialized, has fewer."""
    reader = Corpus(corpus / "train", gold_preproc=True)
    examples = list(reader(spacy.blank("en")))
    first = {t.dep_ for eg in examples[:100] for t in eg.reference}
    every = {t.dep_ for eg in examples for t in eg.reference}
    nlp, _ = train(corpus, tmp_path, "papers")
    assert every > first
    assert every <= set(nlp.get_pipe("dynoracle_parser").labels)


def test_a_penalty_that_counts_words_needs_them(corpus, tmp_path):
    learner = {"@misc": "spacy_dynoracle.AdaGradRDA.v1"}
    block = "components.dynoracle_parser.learner"
    _, found = train(corpus, tmp_path, "papers", **{block: learner})
    assert PENALTY in found
    _, found = train(corpus, tmp_path, "papers", **{block: {**learner, "l1": 1e-6}})
    assert PENALTY not in found


def test_without_jackknifing_nothing_is_said(corpus, tmp_path):
    setting = "initialize.components.dynoracle_parser.jackknife_folds"
    _, found = train(corpus, tmp_path, "fast", **{setting: 0})
    assert JACKKNIFING not in found
