"""Features of whole trees by name and from files; rankers that read other columns."""

import pickle

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_dynoracle.cli import app
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.core.reranking.template_sets import (
    GLOBAL,
    LEMMAS,
    LIU_2015,
    LIU_2015_UD,
    MORPHOLOGY,
)
from spacy_dynoracle.core.reranking.templates import RankingTemplates
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.search.hc import HCSearch
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.rerank.candidates import RerankingSet
from spacy_dynoracle.rerank.features import reranking_templates
from spacy_dynoracle.rerank.training import prepare
from spacy_dynoracle.treebank import read_conllu, to_doc

from ..core.builders import restricted
from ..harbour import FILE
from .test_rank import CONFIG as OF_POS
from .test_rank import DEV, PARSER

pytestmark = pytest.mark.heavy

CONFIG = OF_POS | {
    "tag_attr": "TAG",
    # The default set would read the morphology of the documents below.
    "features": {"@misc": "spacy_dynoracle.ZhangNivre2011Standard.v1"},
}
FEATURES = """
# Everything that there is.
liu2015
arc:Hlemma.Mlemma.Dir
arc:Hpos.Mpos.Rel
  rightbranch:Share

arc:HMmNumber.Hp
"""
OWN = (
    "arc:Hlemma.Mlemma.Dir", "arc:Hpos.Mpos.Rel", "rightbranch:Share",
    "arc:HMmNumber.Hp",
)  # fmt: skip
EXTRA = {"lemma": "LEMMA", "pos": "POS", "mNumber": "MORPH:Number"}
N_SENTENCES = 24


def with_numbers(doc):
    """A Doc with a morphology, which the treebank does not have."""
    for token in doc:
        if token.tag_ in ("NN", "NNS"):
            token.set_morph(f"Number={'Plur' if token.tag_ == 'NNS' else 'Sing'}")
    return doc


def gold_docs(vocab, path, n=None, tree=True):
    found = list(read_conllu(path))[:n]
    return [with_numbers(to_doc(s, vocab, tree=tree)) for s in found]


def make_nlp(**settings):
    nlp = spacy.blank("en")
    nlp.add_pipe(PARSER, config=CONFIG | settings)
    return nlp


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A trained pipeline, training data, templates."""
    directory = tmp_path_factory.mktemp("files")
    nlp = make_nlp()
    golds = gold_docs(nlp.vocab, FILE, N_SENTENCES)
    plain = gold_docs(nlp.vocab, FILE, N_SENTENCES, tree=False)
    examples = [Example(*pair) for pair in zip(plain, golds, strict=True)]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(directory / "model")
    for name, docs in (("train", golds), ("dev", gold_docs(nlp.vocab, DEV))):
        spacy.tokens.DocBin(docs=docs).to_disk(directory / f"{name}.spacy")
    (directory / "features.txt").write_text(FEATURES, encoding="utf-8")
    return directory


def rank(files, output, **options):
    options = {"output": output, "folds": 3, "rounds": 2, "epochs": 1} | options
    arguments = [files / "model", options.pop("train", files / "train.spacy")]
    arguments.append(options.pop("dev", files / "dev.spacy"))
    for name, value in options.items():
        arguments += [f"--{name}", value]
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


@pytest.fixture(scope="module")
def ranked(files):
    """The directory of a pipeline whose ranker reads more than its parser."""
    result = rank(files, files / "ranked", features=files / "features.txt")
    assert result.exit_code == 0, result.output
    return files / "ranked"


# ---- names and files -----------------------------------------------------------------


def docs_of(heads, tag="ADP"):
    tags = ["NOUN", tag, "NOUN"]
    settings = {"words": ["x"] * 3, "heads": heads, "deps": ["x"] * 3}
    return [Doc(Vocab(), pos=tags, tags=tags, **settings)]


UD, PTB = docs_of([0, 2, 0]), docs_of([0, 0, 1])


def test_sets():
    assert reranking_templates("liu2015", UD, "TAG") == LIU_2015_UD
    assert reranking_templates("liu2015", PTB, "TAG") == LIU_2015
    assert reranking_templates("global", UD, "TAG") == LIU_2015_UD + GLOBAL
    assert reranking_templates("global", PTB, "TAG") == LIU_2015 + GLOBAL
    lemmas = LIU_2015_UD + GLOBAL + LEMMAS
    assert reranking_templates("lemmas", UD, "TAG") == lemmas
    assert reranking_templates("rich", UD, "TAG") == lemmas + MORPHOLOGY


def test_coarse_tags_that_are_the_tags(tmp_path):
    """No column is read twice, and no template is there twice."""
    found = reranking_templates("rich", UD, "POS")
    assert not any("pos" in template for template in found)
    assert RankingTemplates(found).columns[:3] == ("w", "p", "lemma")
    # All tags, and all forms: they are there already.
    n_fewer = len(reranking_templates("rich", UD, "TAG")) - len(found)
    assert 20 < n_fewer < 60
    file = tmp_path / "own"
    file.write_text("arc:Hp.Hpos\narc:H-1pos.HMpos.Mlemma\n")
    found = reranking_templates(str(file), UD, "POS")
    assert found == ("arc:Hp", "arc:H-1p.HMp.Mlemma")
    found = reranking_templates(str(file), UD, "TAG")
    assert found == ("arc:Hp.Hpos", "arc:H-1pos.HMpos.Mlemma")


def test_files(files):
    found = reranking_templates(str(files / "features.txt"), PTB, "TAG")
    assert found == LIU_2015 + OWN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "own: 0 ranking templates: expected 1 to 512"),
        (b"# arc:Hw", "own: 0 ranking templates"),
        (
            b"arc:Hw\nS0w.N0w",
            "own: ranking template 'S0w.N0w': 'S0w.N0w' is not a",
        ),
        (b"arc:Hform", "own: ranking template 'arc:Hform': 'Hform' is not an atom of"),
        (b"arc:HMp\narc:MHp", "own: ranking template 'arc:MHp' is the same as"),
        (b"\xff\xfe", "own: expected text in UTF-8"),
    ],
)
def test_bad_files(tmp_path, text, message):
    file = tmp_path / "own"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        reranking_templates(str(file), UD, "TAG")


@pytest.mark.parametrize("name", ["LIU2015", "gloabl", ".", ""])
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match="nor one of the sets liu2015, global, lemmas"):
        reranking_templates(name, UD, "TAG")


# ---- the command ---------------------------------------------------------------------


def test_bad_features_are_found_before_anything_is_trained(files, tmp_path):
    (tmp_path / "own").write_text("arc:Hw\nS0w")
    wrong = [("gloabl", "neither a file"), (tmp_path / "own", "'S0w' is not a kind")]
    for features, message in wrong:
        result = rank(files, tmp_path / "out", features=features)
        assert result.exit_code == 1
        assert message in result.output
        assert not (tmp_path / "out-candidates").exists()


@pytest.mark.parametrize("where", ["train", "dev"])
def test_annotation_that_is_missing(files, tmp_path, where):
    """The treebank itself has no morphology."""
    options = {where: FILE, "features": "rich"}
    result = rank(files, tmp_path / "out", **options)
    assert result.exit_code == 1
    assert f"{FILE}: no token has a MORPH, which the parser or" in result.output
    assert not (tmp_path / "out-candidates").exists()


def test_a_parser_without_tags(tmp_path):
    nlp = make_nlp(tag_attr=None)
    examples = [Example(doc.copy(), doc) for doc in gold_docs(nlp.vocab, FILE, 4)]
    nlp.initialize(lambda: examples)
    nlp.to_disk(tmp_path / "model")
    result = rank(tmp_path, tmp_path / "out", train=FILE, dev=DEV)
    assert result.exit_code == 1
    assert "a reranker needs tags" in result.output


def test_tags_that_the_parser_does_not_read(files):
    """They come behind its columns, as anything else."""
    features = {"@misc": "spacy_dynoracle.FeatureTemplates.v1"}
    features["templates"] = ["S0lower.N0lower", "S0suf2", "N0suf2"]
    nlp = make_nlp(features=features)
    examples = [Example(doc.copy(), doc) for doc in gold_docs(nlp.vocab, FILE, 8)]
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe(PARSER)
    prepare(parser, LIU_2015_UD)
    expected = {"lower": "LOWER", "suf2": "LOWER:suf2", "w": "ORTH", "p": "TAG"}
    assert parser.sources == parser.model.sources == expected
    assert list(parser.sources) == list(expected)
    again = make_nlp(features=features).get_pipe(PARSER)
    again.from_bytes(parser.to_bytes())
    assert again.sources == expected
    assert pickle.loads(pickle.dumps(again)).sources == expected


# ---- pipelines -----------------------------------------------------------------------


def trees(docs):
    return [[(t.head.i, t.dep_) for t in doc] for doc in docs]


def test_what_is_read(ranked):
    parser = spacy.load(ranked).get_pipe(PARSER)
    own = parser.recipe.sources
    assert own == {"w": "ORTH", "p": "TAG"}
    assert parser.sources == parser.model.sources == own | EXTRA
    assert parser.model.columns == parser.model.ranker.columns == tuple(own | EXTRA)
    assert parser.model.ranker.templates == RankingTemplates(LIU_2015_UD + OWN)
    assert parser.model.with_ranker(None).sources == own


def test_parses(ranked):
    """They are what the ranker chooses, of sentences with all columns."""
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    # The ranker alone: it must not agree with the search everywhere.
    model = parser.model.with_ranker(parser.model.ranker.with_alpha(0.0))
    parser.set_model(model)
    golds = gold_docs(nlp.vocab, DEV)
    data = RerankingSet(parser, golds)
    assert data.missing == set()
    expected, n_other = [], 0
    for sentence, found in zip(data.sentences, data.candidates(parser), strict=True):
        best = model.ranker.choose(sentence, found)
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
    parser.set_model(parser.model.with_ranker(parser.model.ranker.with_alpha(0.0)))
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
    again = make_nlp(search={"@misc": "spacy_dynoracle.HCSearch.v1", "beam_size": 4})
    again.get_pipe(PARSER).from_bytes(parser.to_bytes())
    assert write_model(again.get_pipe(PARSER).model) == write_model(parser.model)
    for copy in (again.get_pipe(PARSER), pickle.loads(pickle.dumps(parser))):
        assert isinstance(copy.parser.search, HCSearch)
        assert copy.sources == parser.sources
        docs = gold_docs(nlp.vocab, DEV, 20, tree=False)
        assert trees(copy.pipe(docs)) == expected


def test_a_warning_when_lemmas_are_missing(ranked):
    nlp = spacy.load(ranked)
    (doc,) = gold_docs(nlp.vocab, DEV, 1, tree=False)
    bare = Doc(nlp.vocab, words=[t.text for t in doc], tags=[t.tag_ for t in doc])
    with pytest.warns(UserWarning, match="no token has a LEMMA, which the features"):
        nlp(bare)


def test_the_other_search_reads_the_same_model(ranked):
    """The beam alone gives what it gave before there was a ranker."""
    parses = []
    for path in (ranked.parent / "model", ranked):
        nlp = spacy.load(path)
        nlp.get_pipe(PARSER).change(search=BeamSearch(4))
        parses.append(trees(nlp.pipe(gold_docs(nlp.vocab, DEV, tree=False))))
    assert parses[0] == parses[1]


def test_training_goes_on_without_ranker(ranked):
    """Once the search is one that needs none."""
    nlp = spacy.load(ranked)
    parser = nlp.get_pipe(PARSER)
    examples = [Example(d.copy(), d) for d in gold_docs(nlp.vocab, FILE, 4)]
    with pytest.raises(ValueError, match="or set its search to BeamSearch"):
        parser.update(examples)
    assert parser.model.ranker is not None
    parser.change(search=BeamSearch(4))
    with pytest.warns(UserWarning, match="reranker"):
        parser.update(examples)
    assert parser.model.ranker is None
    assert parser.sources == parser.recipe.sources == {"w": "ORTH", "p": "TAG"}


def test_models_with_other_sources(ranked):
    parser = spacy.load(ranked).get_pipe(PARSER)
    model = parser.model
    for wrong in ("NORM", "MORPH:Case", "ORTH:ending"):
        parser.set_model(model.with_ranker(model.ranker, {"lemma": "LEMMA"}))
        parser.model.sources["lemma"] = wrong
        with pytest.raises(ModelFileError, match=r"token attributes .* config says"):
            parser.from_bytes(parser.to_bytes(exclude=["vocab"]))


def test_sources_that_cannot_be_read_together(files):
    """What the config says of a file, and yet nothing that can be."""
    parser = spacy.load(files / "model").get_pipe(PARSER)
    prepare(parser, ("arc:Hpos.Mp",))
    parser.model.sources["p"] = "POS"
    other = make_nlp(tag_attr="POS").get_pipe(PARSER)
    with pytest.raises(ModelFileError, match="'POS' is stated twice"):
        other.from_bytes(parser.to_bytes(exclude=["vocab"]))
    assert other.model is None


def test_a_source_that_is_not_stated(files):
    parser = spacy.load(files / "model").get_pipe(PARSER)
    prepare(parser, OWN)
    ranker = parser.model.ranker
    bare = parser.model.with_ranker(None)
    with pytest.raises(ValueError, match="not stated what lemma pos mNumber of the"):
        bare.with_ranker(ranker)
    assert bare.with_ranker(ranker, EXTRA).sources == bare.sources | EXTRA


def test_the_same_column_twice(files):
    """A model that says that tags are what the config says, and that coarse tags are
    the same."""
    nlp = make_nlp(tag_attr="POS")
    examples = [Example(doc.copy(), doc) for doc in gold_docs(nlp.vocab, FILE, 8)]
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe(PARSER)
    prepare(parser, ("arc:Hlemma.Mp",))
    data = parser.to_bytes(exclude=["vocab"])
    prepared = parser.model.ranker
    assert prepared.columns == ("w", "p", "lemma")
    with pytest.raises(ValueError, match="'POS' is stated twice"):
        prepare(parser, ("arc:Hpos.Mp",))
    parser.from_bytes(data)
    assert parser.model.ranker.columns == ("w", "p", "lemma")
