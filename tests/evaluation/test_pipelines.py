"""Scores of pipelines on treebank files."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import PipelineError, TreebankError
from spacy_dynoracle.evaluation import evaluate, evaluate_text, systems
from spacy_dynoracle.treebank import pipelines

from ..parser.treebank import train

DATA = """\
# newdoc
# sent_id = one
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
2\thome\thome\tADV\tRB\t_\t1\tadvmod\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_

# newdoc
1\tStay\tstay\tVERB\tVB\t_\t0\troot\t_\t_

"""


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "data.conllu"
    found.write_text(DATA, encoding="utf-8")
    return found


@Language.component("test_first_word_parser", assigns=["token.head", "token.dep"])
def first_word_parser(doc):
    """The first word heads all others."""
    for token in doc:
        token.head = doc[0]
        token.dep_ = "ROOT" if token.i == 0 else "punct"
    return doc


@Language.component("test_uniform_tagger", assigns=["token.tag", "token.pos"])
def uniform_tagger(doc):
    """One tag for all words."""
    for token in doc:
        token.tag_, token.pos_ = "OTHER", "X"
    return doc


def pipeline(*names):
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name)
    return nlp


def test_words_of_the_treebank(path):
    steps: list[int] = []
    nlp = pipeline("test_first_word_parser")
    result = evaluate(nlp, path, on_progress=steps.append)
    assert list(result.scores) == ["all", "ud"]
    assert result.scores["all"].uas == 1
    assert result.scores["all"].las == pytest.approx(3 / 4)
    assert result.scores["ud"].las == pytest.approx(2 / 3)
    assert (result.n_words, sum(steps)) == (4, 2)
    assert result.words_per_second > 0
    values = result.as_dict()
    assert list(values) == [
        "treebank",
        "gold_tags",
        "words_per_second",
        "scores",
        "conll2018",
    ]
    assert values["treebank"] == str(path)


def test_tags_of_the_file_or_of_the_pipeline(path):
    seen: list[str] = []

    @Language.component("test_tags_seen", assigns=["token.head"])
    def record(doc):
        seen.extend(token.tag_ for token in doc)
        parsed: Doc = first_word_parser(doc)
        return parsed

    nlp = pipeline("test_uniform_tagger", "test_tags_seen")
    assert evaluate(nlp, path).gold_tags
    assert seen == ["VB", "RB", ".", "VB"]
    seen.clear()
    assert not evaluate(nlp, path, gold_tags=False).gold_tags
    assert set(seen) == {"OTHER"}
    # The component is enabled again.
    assert nlp.pipe_names == ["test_uniform_tagger", "test_tags_seen"]
    bare = path.with_name("bare.conllu")
    bare.write_text("1\tGo" + "\t_" * 4 + "\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert not evaluate(nlp, bare).gold_tags


def test_a_pipeline_without_xpos_is_not_scored_for_it(path, monkeypatch):
    """Its TAG stands for UPOS."""
    # No batch decides for itself: the last sentence has no tags.
    monkeypatch.setattr(pipelines, "BATCH_SIZE", 1)
    monkeypatch.setattr(systems, "_PARAGRAPHS", 1)
    untagged = "# newdoc\n1\tGo" + "\t_" * 4 + "\t0\troot\t_\t_\n\n"
    path.write_text(DATA + untagged, encoding="utf-8")
    nlp = pipeline("dynoracle_tagger", "test_first_word_parser")
    words, pos = ["Go", "home", "."], ["VERB", "ADV", "PUNCT"]
    doc = Doc(nlp.vocab, words=words, pos=pos, tags=pos)
    train(nlp, [Example(Doc(nlp.vocab, words=words), doc)], epochs=5)
    of_words = evaluate(nlp, path, gold_tags=False).conll2018
    for scores in (of_words, evaluate_text(nlp, path).scores):
        assert scores["UPOS"].f1 >= 0.6
        assert "XPOS" not in scores
    repeated = [line.split("\t") for line in DATA.split("\n")]
    rows = ["\t".join([*x[:4], x[3], *x[5:]]) if x[1:] else x[0] for x in repeated]
    path.write_text("\n".join(rows), encoding="utf-8")
    scores = evaluate_text(nlp, path).scores
    assert scores["XPOS"] == scores["UPOS"]


def test_a_text_that_is_too_long(path):
    nlp = pipeline("test_first_word_parser")
    nlp.max_length = 5
    with pytest.raises(PipelineError, match=r"sentence one has 8 .* at most 5;"):
        evaluate_text(nlp, path)


def test_errors(path, tmp_path):
    nlp = pipeline("sentencizer")
    with pytest.raises(PipelineError, match=r"sets no heads .*sentencizer"):
        evaluate(nlp, path)
    with pytest.raises(PipelineError, match="sets no heads"):
        evaluate_text(nlp, path)
    nlp.to_disk(tmp_path / "stored")
    stored = spacy.load(tmp_path / "stored")
    with pytest.raises(PipelineError, match=r"the pipeline '.*stored' sets no heads"):
        evaluate(stored, path)
    with pytest.raises(TreebankError, match="no such file"):
        evaluate(nlp, tmp_path / "none.conllu")
    with pytest.raises(ValueError, match="'x'"):
        evaluate(nlp, path, scored=["x"])
