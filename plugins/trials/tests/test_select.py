"""Choosing the sentences of which a parser is least sure."""

from itertools import islice

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from dynoracle_trials import rank_sentences
from dynoracle_trials.selection import MissingProbabilitiesError, entropy
from spacy_dynoracle.core.probability.sampling import sample_arcs
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.reference import ReferenceArrays
from spacy_dynoracle.treebank import read_conllu, to_doc
from tests import commands
from tests.cli.test_min_probability import model, nlp
from tests.cli.trained import TEXT, trained
from tests.commands import fails, works
from tests.harbour import FILE as DEV
from tests.parser.uncertain import entropies

from .programs import run

__all__ = ["model", "nlp"]

pytestmark = pytest.mark.heavy


# ---- the command ---------------------------------------------------------------------


def test_the_choice_on_standard_output(model, tmp_path):
    output = tmp_path / "out.conllu"
    arguments = ("select", model, DEV, "--n", 3, "--output")
    works(run(*arguments, output))
    result = run(*arguments, "-")
    assert result.stdout_bytes == output.read_bytes()
    assert "3 of" in result.stderr


def by_hand(nlp, sentences):
    """The value of each sentence, from the core."""
    model = nlp.get_pipe("dynoracle_parser").model.freeze()
    docs = [to_doc(s, nlp.vocab, tree=False) for s in sentences]
    core = [
        AttributeTable([doc], list(model.sources.values())).sentence(None)
        for doc in docs
    ]
    lengths = list(map(len, docs))
    words = iter(entropies(sample_arcs(model, core, 64, 0, RootRule.ONE)))
    sums = [sum(islice(words, n)) for n in lengths]
    return [total / n for total, n in zip(sums, lengths, strict=True)]


def test_the_most_uncertain_come_first(nlp, model, tmp_path):
    path = tmp_path / "chosen.conllu"
    works(run("select", model, DEV, "--n", 10, "-o", path))
    sentences = list(read_conllu(DEV))
    values = by_hand(nlp, sentences)
    expected = sorted(zip(values, sentences, strict=True), key=lambda x: -x[0])[:10]
    chosen = list(read_conllu(path))
    assert [s.name for s in chosen] == [s.name for _, s in expected]
    for (value, source), sentence in zip(expected, chosen, strict=True):
        comment, *others = sentence.comments
        assert comment == f"# uncertainty = {value:.4f}"
        assert others == list(source.comments)


def test_choosing_among_the_chosen_keeps_one_comment(model, tmp_path):
    first, second = tmp_path / "first.conllu", tmp_path / "second.conllu"
    works(run("select", model, DEV, "-o", first, "--n", 9))
    works(run("select", model, first, "-o", second, "--n", 9))
    assert first.read_bytes() == second.read_bytes()


def test_text_is_chosen_sentence_by_sentence(nlp, model, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text(TEXT, encoding="utf8")
    path = tmp_path / "chosen.spacy"
    out = works(run("select", model, text, "-o", path, "--min-probability", 0.5))
    assert "3 of 3 sentences" in out
    docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
    texts = {doc.text.strip() for doc in docs}
    assert texts == {f"{sentence}." for sentence in TEXT[:-1].split(". ")}
    # Training is not told of sentences that spaCy sees at unknown heads.
    assert all(ReferenceArrays(doc).starts().sum() == 1 for doc in docs)
    known = [token.has_head() for doc in docs for token in doc]
    assert 0 < known.count(False) < len(known)
    assert f", {known.count(False)} without a suggestion" in out


def test_sentences_of_a_text_have_the_probabilities_of_the_text(model, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text(TEXT, encoding="utf8")
    path = tmp_path / "chosen.conllu"
    works(run("select", model, text, "-o", path))
    chosen = sorted(read_conllu(path), key=lambda sentence: int(sentence.name))
    arguments = (
        "parse",
        model,
        text,
        "--min-probability",
        0,
        "-o",
        tmp_path / "all.conllu",
    )
    works(commands.run(*arguments))
    parsed = list(read_conllu(tmp_path / "all.conllu"))
    for a, b in zip(chosen, parsed, strict=True):
        assert [t[:-1] for t in a.words] == [t[:-1] for t in b.words]


def test_the_table_shows_the_top(model, tmp_path):
    path = tmp_path / "chosen.conllu"
    out = works(run("select", model, DEV, "-o", path, "--n", 12))
    names = [sentence.name for sentence in read_conllu(path)]
    assert [name in out for name in names] == [True] * 10 + [False] * 2


# ---- errors --------------------------------------------------------------------------


def test_a_model_without_temperature_is_one_clear_line(tmp_path):
    trained(3, epochs=1).to_disk(tmp_path / "perceptron")
    message = fails(
        run("select", tmp_path / "perceptron", DEV, "-o", tmp_path / "x.conllu")
    )
    assert "AveragedPerceptron" in message
    assert "spacy-dynoracle calibrate" in message


def test_errors_are_one_line(model, tmp_path):
    out = tmp_path / "x.conllu"
    fails(run("select", model, DEV, "-o", tmp_path / "x.txt"), ".conllu or .spacy")
    nowhere = tmp_path / "no" / "x.conllu"
    fails(run("select", model, DEV, "-o", nowhere), "no such directory")
    fails(run("select", model, tmp_path / "none", "-o", out), "no such file")
    fails(run("select", model, DEV, "-o", DEV), "is an input, too")
    (tmp_path / "empty.txt").touch()
    fails(run("select", model, tmp_path / "empty.txt", "-o", out), "no sentence")
    assert not out.exists()


def test_heads_that_have_changed_since_are_an_error(nlp, tmp_path):
    @Language.component("test_relabel")
    def relabel(doc: Doc) -> Doc:
        doc[0].dep_ = "other"
        return doc

    nlp.to_disk(tmp_path / "model")
    changed = spacy.load(tmp_path / "model")
    changed.add_pipe("test_relabel")
    changed.to_disk(tmp_path / "changed")
    out = tmp_path / "x.conllu"
    fails(run("select", tmp_path / "changed", DEV, "-o", out), "changes heads")


# ---- in Python -----------------------------------------------------------------------


@pytest.fixture
def parsed(nlp):
    parser = nlp.get_pipe("dynoracle_parser")
    before = parser.recipe.probabilities
    parser.ask_for("marginal")
    sentences = list(read_conllu(DEV))[:20]
    docs = [(to_doc(s, nlp.vocab, tree=False), s) for s in sentences]
    yield list(nlp.pipe(docs, as_tuples=True))
    parser.change(probabilities=before)


def test_the_least_sure_come_first(parsed):
    ranked = rank_sentences(parsed, 5)
    values = sorted((entropy(doc) for doc, _ in parsed), reverse=True)
    assert [each.value for each in ranked.sentences] == values[:5]
    assert ranked.n_read == 20
    assert ranked.n_words == sum(len(each.doc) for each in ranked.sentences)
    assert all(parsed[e.number - 1] == (e.doc, e.source) for e in ranked.sentences)
    unknown = ranked.keep_sure(1.1)
    assert unknown == ranked.n_words


def test_docs_of_nothing_are_cut_into_sentences(parsed):
    docs = [(doc, None) for doc, _ in parsed]
    ranked = rank_sentences(docs, 100)
    assert ranked.n_read == sum(len(list(doc.sents)) for doc, _ in docs)
    assert all(each.source is None for each in ranked.sentences)


def test_a_sentence_that_occurs_again_is_chosen_once(parsed):
    ranked = rank_sentences([*parsed, *parsed], 100)
    assert ranked.n_read == 40
    texts = [each.doc.text for each in ranked.sentences]
    assert len(set(texts)) == len(texts)


def test_docs_without_probabilities(nlp):
    doc = to_doc(next(read_conllu(DEV)), nlp.vocab)
    with pytest.raises(MissingProbabilitiesError, match="no probabilities for"):
        rank_sentences([(doc, "file")], 1)
