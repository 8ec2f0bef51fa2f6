"""Training a reranker from Python: settings, the result, and failures."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from dynoracle_hcsearch import RerankSettings, train
from dynoracle_hcsearch.documents import read_documents, replace_with_pipeline_tags
from dynoracle_hcsearch.search import HCSearch
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.errors import PipelineError, TreebankError
from spacy_dynoracle.treebank import read_conllu, to_doc
from tests.harbour import FILE

from .pipelines import CONFIG, PARSER, gold_docs, trained

SETTINGS = RerankSettings(n_folds=2, n_rounds=2, epochs=1)


@pytest.fixture
def nlp():
    return trained(CONFIG, 16)


def test_the_pipeline_gets_the_reranker(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    parser = nlp.get_pipe(PARSER)
    parser.change(search=BeamSearch(4, n_best=2))
    result = train(nlp, docs[:12], docs[12:], SETTINGS, directory=tmp_path)
    assert result.nlp is nlp
    assert isinstance(parser.parser.search, HCSearch)
    assert parser.model.parts["ranker"].templates == result.reranker.templates
    assert parser.parser.search.n_best == 2
    search = nlp.config["components"][PARSER]["search"]
    assert (search["beam_size"], search["n_best"]) == (4, 2)
    assert [each.number for each in result.rounds] == [1, 2]
    assert result.best in result.rounds
    values = result.as_dict()
    assert values["words"] == sum(map(len, docs[12:]))
    assert values["search_alone"] <= values["best_candidates"] <= 1
    taken = values["rounds"][values["best_round"] - 1]
    assert taken["mixture"] == max(each["mixture"] for each in values["rounds"])


def test_documents_of_the_caller_stay(nlp):
    docs = gold_docs(nlp.vocab, FILE, 2)
    before = [doc.to_bytes() for doc in docs]
    replace_with_pipeline_tags(nlp, read_documents(nlp, docs))
    assert [doc.to_bytes() for doc in docs] == before


@pytest.mark.heavy
def test_what_is_there_is_not_done_again(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    data = nlp.get_pipe(PARSER).to_bytes()
    found = []
    for _ in range(2):
        parser = nlp.get_pipe(PARSER)
        parser.from_bytes(data)
        parser.change(search=BeamSearch(4))
        nlp.get_pipe_config(PARSER)["search"] = CONFIG["search"]
        train(nlp, docs[:12], docs[12:], SETTINGS, directory=tmp_path)
        times = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        found.append((parser.to_bytes(), times))
    assert found[0] == found[1]


def test_a_failure_leaves_the_pipeline_as_it_was(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    parser = nlp.get_pipe(PARSER)
    data = parser.to_bytes()
    many = RerankSettings(n_folds=20, epochs=1)
    with pytest.raises(ValueError, match="20 folds of 12 documents"):
        train(nlp, docs[:12], docs[12:], many, directory=tmp_path)
    assert parser.to_bytes() == data
    assert type(parser.parser.search) is BeamSearch


@pytest.mark.parametrize("is_training", [True, False])
def test_heads_that_are_missing_are_named(nlp, tmp_path, is_training):
    docs = gold_docs(nlp.vocab, FILE, 16)
    sources = [docs, docs]
    sources[1 - is_training] = gold_docs(nlp.vocab, FILE, 16, tree=False)
    settings = RerankSettings(n_folds=2, epochs=1)
    with pytest.raises(ValueError, match="data: no word has a HEAD"):
        train(nlp, *sources, settings, directory=tmp_path)


def test_annotation_that_is_missing_is_named(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    bare = [to_doc(sentence, nlp.vocab) for sentence in read_conllu(FILE)]
    for token in (token for doc in bare for token in doc):
        token.set_morph(None)
    rich = RerankSettings("rich", n_folds=2, epochs=1)
    for data in ((bare, docs), (docs, bare)):
        with pytest.raises(ValueError, match="data: no token has a MORPH"):
            train(nlp, *data, rich, directory=tmp_path)
    assert not list(tmp_path.iterdir())


def test_files_and_pipelines_that_cannot_be_used(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    with pytest.raises(TreebankError, match=r"no\.txt: expected a \.conllu"):
        train(nlp, "no.txt", docs, SETTINGS, directory=tmp_path)
    with pytest.raises(PipelineError, match=r"for how many epochs .*use --epochs"):
        train(nlp, docs, docs, RerankSettings(), directory=tmp_path)
    with pytest.raises(PipelineError, match="no dynoracle_parser"):
        train(spacy.blank("en"), docs, docs, SETTINGS, directory=tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"groups": "other"}, "groups = 'other': expected one of 'fine', 'coarse'"),
        ({"n_rounds": 0}, "n_rounds = 0: expected at least 1"),
        ({"n_folds": 1}, "n_folds = 1: expected at least 2"),
        ({"epochs": 0}, "epochs = 0: expected at least 1"),
    ],
)
def test_impossible_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        RerankSettings(**settings)


def test_a_parser_with_a_reranker_is_not_trained_on(nlp, tmp_path):
    """Training changes the weights that the reranker was trained for.

    Nothing changes without a message.
    """
    docs = gold_docs(nlp.vocab, FILE, 16)
    train(nlp, docs[:12], docs[12:], SETTINGS, directory=tmp_path)
    parser = nlp.get_pipe(PARSER)
    ranker = parser.model.parts["ranker"]
    plain = [Doc(nlp.vocab, [t.text for t in d], pos=[t.pos_ for t in d]) for d in docs]
    examples = [Example(*pair) for pair in zip(plain, docs, strict=True)]
    for change in (lambda: nlp.update(examples), lambda: parser.add_label("new")):
        with pytest.raises(
            ValueError,
            match=r"Load it with search = .*frozen_components",
        ):
            change()
        assert parser.model.parts["ranker"] is ranker
        assert "new" not in parser.labels
    nlp(plain[0].copy())
    parser.change(search=BeamSearch(4))
    with pytest.warns(UserWarning, match="ranker .* dropped"):
        nlp.update(examples)
    assert parser.model.parts == {}


def test_a_docbin_and_a_reranker_that_decides_alone(nlp, tmp_path):
    docs = gold_docs(nlp.vocab, FILE, 16)
    DocBin(docs=docs[:12]).to_disk(tmp_path / "train.spacy")
    alone = RerankSettings(n_folds=2, n_rounds=1, epochs=1, mixture=False)
    data = tmp_path / "train.spacy", docs[12:]
    result = train(nlp, *data, alone, directory=tmp_path / "candidates")
    assert result.reranker.alpha == 0
    assert nlp.get_pipe(PARSER).model.parts == {"ranker": result.reranker}
