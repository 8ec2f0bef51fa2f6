"""Training by spaCy's own commands, with the configs of this repository."""

import re

import pytest
import spacy
from spacy.cli.convert import convert
from spacy.cli.train import train as spacy_train
from spacy.tokens import DocBin
from spacy.training import Corpus

from spacy_dynoracle.parser.component import DynOracleParser

from ..harbour import DIRECTORY as TREEBANK
from ..programs import ROOT, new_process
from .treebank import NAME, assert_tree, model_bytes

pytestmark = pytest.mark.heavy

CONFIGS = ROOT / "configs"
PAGE = ROOT / "docs" / "how_to" / "rerank.md"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The sample treebank in spaCy's format."""
    path = tmp_path_factory.mktemp("corpus")
    for part in ("train", "dev"):
        convert(
            TREEBANK / f"{part}.conllu",
            path,
            converter="conllu",
            file_type="spacy",
            silent=True,
        )
    return path


def train(corpus, output, config="papers", **overrides):
    spacy_train(
        CONFIGS / f"{config}.cfg",
        output,
        overrides={
            "paths.train": str(corpus / "train.spacy"),
            "paths.dev": str(corpus / "dev.spacy"),
            "training.max_epochs": 2,
            **overrides,
        },
    )
    return spacy.load(output / "model-last")


@pytest.fixture(scope="module")
def epochs():
    """The epoch at every update of the training that `harbour_nlp` comes from."""
    return []


@pytest.fixture(scope="module")
def harbour_nlp(corpus, tmp_path_factory, epochs):
    def spy(parser):
        epochs.append(parser.epoch)
        return parser.epoch

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(DynOracleParser, "_iteration", spy)
        return train(corpus, tmp_path_factory.mktemp("training"))


def evaluate(nlp, corpus):
    """Score a pipeline as the training loop does."""
    config = nlp.config["corpora"]["dev"]
    make = spacy.registry.readers.get(config["@readers"])
    dev = make(corpus / "dev.spacy", attrs=["POS"], gold_preproc=True)
    return nlp.evaluate(list(dev(nlp)))


def test_spacy_train(corpus, harbour_nlp):
    scores = harbour_nlp.meta["performance"]
    for key in ("dep_uas", "dep_las", "dep_uas_all", "dep_las_all", "sents_f"):
        assert key in scores
    scores = evaluate(harbour_nlp, corpus)
    assert scores["dep_uas_all"] > 0.85
    assert scores["dep_las_all"] > 0.8
    dev = DocBin().from_disk(corpus / "dev.spacy")
    for doc in dev.get_docs(harbour_nlp.vocab):
        assert_tree(harbour_nlp(doc))


def test_the_epoch_of_the_loop_reaches_the_parser(harbour_nlp, epochs):
    assert set(epochs) == {1, 2}
    assert epochs == sorted(epochs)


@pytest.mark.slow
def test_counting_examples_gives_the_same_epochs(corpus, tmp_path, harbour_nlp):
    """Without the callback."""
    nlp = train(corpus, tmp_path, **{"training.before_update": None})
    assert model_bytes(nlp) == model_bytes(harbour_nlp)


@pytest.mark.slow
def test_training_twice_gives_the_same_bytes(corpus, tmp_path, harbour_nlp):
    nlp = train(corpus, tmp_path / "same")
    assert model_bytes(nlp) == model_bytes(harbour_nlp)
    nlp = train(corpus, tmp_path / "other", **{"system.seed": 2})
    assert model_bytes(nlp) != model_bytes(harbour_nlp)


def test_training_in_another_process_gives_the_same_bytes(
    corpus, tmp_path, harbour_nlp
):
    """With other hash values, and other things done before."""
    command = [
        *("-m", "spacy", "train", CONFIGS / "papers.cfg", "--output", tmp_path),
        *("--paths.train", corpus / "train.spacy", "--paths.dev", corpus / "dev.spacy"),
        *("--training.max_epochs", 2),
    ]
    done = new_process(*command, PYTHONHASHSEED="77")
    assert done.returncode == 0, done.stderr
    assert model_bytes(spacy.load(tmp_path / "model-last")) == model_bytes(harbour_nlp)


def test_training_for_a_beam(corpus, tmp_path):
    """With the blocks of the page, and a smaller beam."""
    (excerpt,) = re.findall(
        r"```ini\n(.*?beam_size = 16\n)```", PAGE.read_text("utf8"), re.S
    )
    before = f"[components]\n\n[components.{NAME}]\n\n"
    blocks = spacy.util.load_config_from_str(before + excerpt)["components"][NAME]
    blocks["search"]["beam_size"] = 8
    settings = {f"components.{NAME}.{key}": block for key, block in blocks.items()}
    nlp = train(corpus, tmp_path, **settings)
    assert repr(nlp.get_pipe(NAME).parser.search) == "BeamSearch(beam_size=8)"
    assert evaluate(nlp, corpus)["dep_las_all"] > 0.8
    again = train(corpus, tmp_path / "same", **settings)
    assert model_bytes(again) == model_bytes(nlp)


def test_the_corpus_of_spacy_gives_no_tags(corpus, harbour_nlp):
    """What the reader of this package is there for."""
    data = list(Corpus(corpus / "dev.spacy")(harbour_nlp))
    harbour_nlp.get_pipe(NAME)._warned.clear()
    with pytest.warns(UserWarning, match="TaggedCorpus"):
        harbour_nlp.evaluate(data[:5])
