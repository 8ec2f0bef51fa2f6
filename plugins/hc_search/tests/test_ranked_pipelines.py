"""Pipelines whose ranker reads more than their parser."""

import pickle

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from dynoracle_hcsearch import RerankSettings, train
from dynoracle_hcsearch.candidates import RerankingSet
from dynoracle_hcsearch.documents import replace_with_pipeline_tags
from dynoracle_hcsearch.search import HCSearch
from dynoracle_hcsearch.template_sets import LIU_2015_UD
from dynoracle_hcsearch.templates import RankingTemplates
from dynoracle_hcsearch.training import prepare
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.errors import ModelFileError, PipelineError
from tests.core.builders import restricted
from tests.harbour import FILE

from .pipelines import CONFIG as OF_POS
from .pipelines import DEV, PARSER, gold_docs, initialized, make_nlp, trained
from .test_feature_files import FEATURES, OWN

pytestmark = pytest.mark.heavy

CONFIG = OF_POS | {
    "tag_attr": "TAG",
    # The default set would read the morphology of the documents below.
    "features": {"@misc": "spacy_dynoracle.ZhangNivre2011Standard.v1"},
}
EXTRA = {"lemma": "LEMMA", "pos": "POS", "mNumber": "MORPH:Number"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The directory of a trained pipeline and a ranked one."""
    directory = tmp_path_factory.mktemp("files")
    nlp = trained(CONFIG)
    nlp.to_disk(directory / "model")
    features = directory / "features.txt"
    features.write_text(FEATURES, encoding="utf-8")
    data = [gold_docs(nlp.vocab, *source) for source in ((FILE, 24), (DEV,))]
    settings = RerankSettings(str(features), n_folds=3, n_rounds=2, epochs=1)
    train(nlp, *data, settings, directory=directory / "candidates")
    nlp.to_disk(directory / "ranked")
    return directory


@pytest.fixture
def ranked(files):
    return files / "ranked"


def test_a_parser_without_tags(tmp_path):
    nlp, _ = initialized(CONFIG, 4, tag_attr=None)
    docs = gold_docs(nlp.vocab, FILE, 4)
    settings = RerankSettings(n_folds=2, epochs=1)
    with pytest.raises(PipelineError, match="a reranker needs tags"):
        train(nlp, docs, docs, settings, directory=tmp_path)


def test_tags_that_the_parser_does_not_read():
    """They come behind its columns, as anything else."""
    features = {"@misc": "spacy_dynoracle.FeatureTemplates.v1"}
    features["templates"] = ["S0lower.N0lower", "S0suf2", "N0suf2"]
    nlp, _ = initialized(CONFIG, 8, features=features)
    parser = nlp.get_pipe(PARSER)
    prepare(parser, LIU_2015_UD)
    expected = {"lower": "LOWER", "suf2": "LOWER:suf2", "w": "ORTH", "p": "TAG"}
    assert parser.sources == parser.model.sources == expected
    assert list(parser.sources) == list(expected)
    again = make_nlp(CONFIG, features=features).get_pipe(PARSER)
    again.from_bytes(parser.to_bytes())
    assert again.sources == expected
    assert pickle.loads(pickle.dumps(again)).sources == expected


def trees(docs):
    return [[(t.head.i, t.dep_) for t in doc] for doc in docs]


def test_what_is_read(ranked):
    parser = spacy.load(ranked).get_pipe(PARSER)
    own = parser.recipe.sources
    assert own == {"w": "ORTH", "p": "TAG"}
    assert parser.sources == parser.model.sources == own | EXTRA
    assert (
        parser.model.columns
        == parser.model.parts["ranker"].columns
        == tuple(own | EXTRA)
    )
    assert parser.model.parts["ranker"].templates == RankingTemplates(LIU_2015_UD + OWN)
    assert parser.model.with_part("ranker", None).sources == own


def test_parses(ranked):
    """They are what the ranker chooses, of sentences with all columns."""
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    # The ranker alone: it must not agree with the search everywhere.
    model = parser.model.with_part(
        "ranker", parser.model.parts["ranker"].with_alpha(0.0)
    )
    parser.set_model(model)
    golds = gold_docs(nlp.vocab, DEV)
    data = RerankingSet(parser, golds)
    assert data.missing == set()
    expected, n_other = [], 0
    for sentence, found in zip(data.sentences, data.candidates(parser), strict=True):
        best = model.parts["ranker"].choose(sentence, found)
        n_other += best != 0
        heads = found.heads[best]
        expected.append([i if h == 0 else h - 1 for i, h in enumerate(heads.tolist())])
    assert n_other > 5
    docs = [doc.copy() for doc in gold_docs(nlp.vocab, DEV, tree=False)]
    # Each is one sentence, as the gold trees are.
    parser.change(system=restricted(parser.recipe.system, True))
    parsed = list(nlp.pipe(docs, batch_size=7))
    found = [[head for head, _ in tree] for tree in trees(parsed)]
    # Lifted arcs are put back in the parses alone.
    assert sum(a == b for a, b in zip(found, expected, strict=True)) > 0.9 * len(docs)


def test_lemmas_change_parses(ranked):
    """What only the ranker reads is read from documents indeed."""
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    parser.set_model(
        parser.model.with_part("ranker", parser.model.parts["ranker"].with_alpha(0.0))
    )
    scores = []
    for lemma in (None, "other"):
        docs = gold_docs(nlp.vocab, DEV, 20, tree=False)
        for doc in docs:
            for token in doc:
                token.lemma_ = lemma or token.lemma_
        found = [parser.k_best(doc, 4) for doc in docs]
        scores.append([[s.ranker_scores.tolist() for s in trees] for trees in found])
        searched = [[sorted(s.scores.tolist()) for s in trees] for trees in found]
    assert scores[0] != scores[1]
    docs = gold_docs(nlp.vocab, DEV, 20, tree=False)
    assert searched == [
        [sorted(s.scores.tolist()) for s in parser.k_best(doc, 4)] for doc in docs
    ]


def test_copies(ranked):
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    expected = trees(nlp.pipe(gold_docs(nlp.vocab, DEV, 20, tree=False)))
    search = {"@misc": "spacy_dynoracle.HCSearch.v1", "beam_size": 4}
    again = make_nlp(CONFIG, search=search)
    again.get_pipe(PARSER).from_bytes(parser.to_bytes())
    assert write_model(again.get_pipe(PARSER).model) == write_model(parser.model)
    for copy in (again.get_pipe(PARSER), pickle.loads(pickle.dumps(parser))):
        assert isinstance(copy.parser.search, HCSearch)
        assert copy.sources == parser.sources
        docs = gold_docs(nlp.vocab, DEV, 20, tree=False)
        assert trees(copy.pipe(docs)) == expected


@Language.component("upper_lemmas", assigns=["token.lemma"])
def upper_lemmas(doc):
    for token in doc:
        token.lemma_ = token.text.upper()
    return doc


def test_lemmas_of_the_pipeline():
    """They replace those of documents together with the tags."""
    nlp = spacy.blank("en")
    nlp.add_pipe("upper_lemmas")
    doc = Doc(nlp.vocab, words=["a", "b"], lemmas=["x", "y"])
    replace_with_pipeline_tags(nlp, [doc])
    assert [token.lemma_ for token in doc] == ["A", "B"]


def test_a_warning_when_lemmas_are_missing(ranked):
    nlp = spacy.load(ranked)
    (doc,) = gold_docs(nlp.vocab, DEV, 1, tree=False)
    bare = Doc(nlp.vocab, words=[t.text for t in doc], tags=[t.tag_ for t in doc])
    with pytest.warns(UserWarning, match="no token has a LEMMA, which the features"):
        nlp(bare)


def test_the_other_search_reads_the_same_model(ranked):
    """The beam alone gives what it gave before there was a ranker."""
    parses = []
    for path in (ranked.with_name("model"), ranked):
        nlp = spacy.load(path)
        nlp.get_pipe(PARSER).change(search=BeamSearch(4))
        parses.append(trees(nlp.pipe(gold_docs(nlp.vocab, DEV, tree=False))))
    assert parses[0] == parses[1]


def test_training_goes_on_without_ranker(ranked):
    """Once the search is one that needs none."""
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    examples = [Example(d.copy(), d) for d in gold_docs(nlp.vocab, FILE, 4)]
    parser.change(search=BeamSearch(4))
    with pytest.warns(UserWarning, match="ranker"):
        parser.update(examples)
    assert parser.model.parts == {}
    assert parser.sources == parser.recipe.sources == {"w": "ORTH", "p": "TAG"}


def test_models_with_other_sources(ranked):
    parser = spacy.load(ranked).get_pipe(PARSER)
    model = parser.model
    for wrong in ("NORM", "MORPH:Case", "ORTH:ending"):
        parser.set_model(
            model.with_part("ranker", model.parts["ranker"], {"lemma": "LEMMA"})
        )
        parser.model.sources["lemma"] = wrong
        with pytest.raises(ModelFileError, match=r"token attributes .* config says"):
            parser.from_bytes(parser.to_bytes(exclude=["vocab"]))


def test_sources_that_cannot_be_read_together(files):
    """What the config says of a file, and yet nothing that can be."""
    parser = spacy.load(files / "model").get_pipe(PARSER)
    state = parser.state() | {"never_govern": ["punct"]}
    parser.set_state(state)
    prepare(parser, ("arc:Hpos.Mp",))
    assert parser.state() == state
    parser.model.sources["p"] = "POS"
    other = make_nlp(CONFIG, tag_attr="POS").get_pipe(PARSER)
    with pytest.raises(ModelFileError, match="'POS' is stated twice"):
        other.from_bytes(parser.to_bytes(exclude=["vocab"]))
    assert other.model is None


def test_members_of_a_committee_have_no_ranker():
    search = {"@misc": "spacy_dynoracle.HCSearch.v1"}
    config = {"members": {"a": {"search": search}}}
    with pytest.raises(ValueError, match=r"members\.a\.search: .* no ranker"):
        spacy.blank("en").add_pipe("dynoracle_committee", config=config)
