"""Keeping only sure arcs, choosing unsure sentences, and training on the result."""

import json
from itertools import islice

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_dynoracle.confidence.uncertainty import (
    keep_sure,
)
from spacy_dynoracle.core.probability.sampling import sample_arcs
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.reference import ReferenceArrays
from spacy_dynoracle.treebank import (
    doc_to_conllu,
    read_conllu,
    to_doc,
)

from ..commands import fails, run, works
from ..harbour import FILE as DEV
from ..harbour import examples
from ..parser.uncertain import entropies

pytestmark = pytest.mark.heavy

TEXT = "Nora found a map. Pavel sold the boat in the harbour. The net is old."
RDA = {
    "learner": {"@misc": "spacy_dynoracle.AdaGradRDA.v1", "alpha": 0.25},
    "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1", "k": 0},
}


def trained(n_sentences, epochs=4, **settings):
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None, **settings})
    data = examples(nlp.vocab, n_sentences)
    # Pairs of sentences teach where one ends.
    pairs = [
        Doc.from_docs([a.reference, b.reference])
        for a, b in zip(data[::2], data[1::2], strict=False)
    ]
    data += [Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc) for doc in pairs]
    nlp.initialize(lambda: data)
    for _ in range(epochs):
        nlp.update(data)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return trained(30, **RDA)


@pytest.fixture(scope="module")
def model(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "rda"
    nlp.to_disk(path)
    return str(path)


def probability(word):
    """What MISC says."""
    (entry,) = [e for e in word.misc.split("|") if e.startswith("Prob=")]
    return float(entry.removeprefix("Prob="))


def read(text, tmp_path):
    path = tmp_path / "read.conllu"
    path.write_text(text, encoding="utf8")
    return list(read_conllu(path))


# ---- output --------------------------------------------------------------------------


def test_the_choice_on_standard_output(model, tmp_path):
    output = tmp_path / "out.conllu"
    arguments = ("select", model, DEV, "--n", 3, "--output")
    works(run(*arguments, output))
    result = run(*arguments, "-")
    assert result.stdout_bytes == output.read_bytes()
    assert "3 of" in result.stderr


# ---- parse ---------------------------------------------------------------------------


def test_only_arcs_above_the_threshold_are_kept(model, tmp_path):
    arguments = ["parse", model, DEV]
    everything = read(works(run(*arguments, "--min-probability", 0)), tmp_path)
    some = read(works(run(*arguments, "--min-probability", 0.9)), tmp_path)
    n_unknown = 0
    for full, partial in zip(everything, some, strict=True):
        assert all(head is not None for head in full.heads)
        for word, kept in zip(full.words, partial.words, strict=True):
            assert probability(word) == probability(kept)
            arc = (word.head, word.deprel)
            is_sure = probability(word) >= 0.9
            assert (kept.head, kept.deprel) == (arc if is_sure else (None, None))
            n_unknown += not is_sure
    assert 0 < n_unknown < sum(len(s.words) for s in some)


def test_without_a_wish_nothing_is_said_of_probabilities(model):
    assert "Prob=" not in works(run("parse", model, DEV))


def test_sentence_boundaries_stay_where_roots_are_unknown(nlp, model, tmp_path):
    full = works(run("parse", model, "--text", TEXT))
    partial = works(run("parse", model, "--text", TEXT, "--min-probability", 1))
    assert full.count("# text = ") == partial.count("# text = ") == 3
    heads = [head for s in read(partial, tmp_path) for head in s.heads]
    assert None in heads


def test_an_older_probability_is_replaced(nlp, tmp_path):
    row = "1\tGo\t_\t_\t_\t_\t0\troot\t_\tProb=0.1|SpaceAfter=No\n"
    (sentence,) = read(row, tmp_path)
    doc = to_doc(sentence, nlp.vocab)
    assert doc_to_conllu(doc, sentence, probabilities=[0.25]).endswith(
        "\tSpaceAfter=No|Prob=0.25\n\n"
    )
    assert doc_to_conllu(doc, sentence, probabilities=[None]).endswith(
        "\tSpaceAfter=No\n\n"
    )


def test_json_has_probabilities_where_spacy_has_extensions(nlp, model):
    out = works(
        run("parse", model, "--text", TEXT, "--format=json", "--min-probability=0.9")
    )
    (values,) = json.loads(out)
    doc = Doc(nlp.vocab).from_json(values, validate=True)
    found = {
        item["start"]: item["value"]
        for item in values["underscore_token"]["dep_probability"]
    }
    assert set(found) == {token.idx for token in doc}
    for token in doc:
        assert token.has_head() == (found[token.idx] >= 0.9)
    assert len(values["sents"]) == 3


def test_a_folder_is_its_files(model, tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "b.txt").write_text("Nora sold the net.", encoding="utf8")
    (folder / "sub" / "a.conllu").write_bytes(DEV.read_bytes())
    (folder / "notes.md").write_text("Not this.", encoding="utf8")
    (folder / ".hidden" / "c.txt").write_text("Nor this.", encoding="utf8")
    files = [folder / "b.txt", folder / "sub" / "a.conllu"]
    assert works(run("parse", model, folder)) == works(run("parse", model, *files))


# ---- select --------------------------------------------------------------------------


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
    parsed = read(works(run("parse", model, text, "--min-probability", 0)), tmp_path)
    for a, b in zip(chosen, parsed, strict=True):
        assert [t[:-1] for t in a.words] == [t[:-1] for t in b.words]


def test_the_table_shows_the_top(model, tmp_path):
    path = tmp_path / "chosen.conllu"
    out = works(run("select", model, DEV, "-o", path, "--n", 12))
    names = [sentence.name for sentence in read_conllu(path)]
    assert [name in out for name in names] == [True] * 10 + [False] * 2


# ---- errors --------------------------------------------------------------------------


def test_a_model_without_temperature_is_one_clear_line(tmp_path):
    nlp = trained(3, epochs=1)
    nlp.to_disk(tmp_path / "perceptron")
    for arguments in (
        ["parse", tmp_path / "perceptron", DEV, "--min-probability", 0.5],
        ["select", tmp_path / "perceptron", DEV, "-o", tmp_path / "x.conllu"],
    ):
        message = fails(run(*arguments))
        assert "AveragedPerceptron" in message
        assert "spacy-dynoracle calibrate" in message


def test_errors_are_one_line(model, tmp_path):
    out = tmp_path / "x.conllu"
    fails(run("select", model, DEV, "-o", tmp_path / "x.txt"), ".conllu or .spacy")
    nowhere = tmp_path / "no" / "x.conllu"
    fails(run("select", model, DEV, "-o", nowhere), "no such directory")
    fails(run("select", model, tmp_path / "none", "-o", out), "no such file")
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


def test_words_without_a_probability_are_not_kept(nlp):
    doc = Doc(
        nlp.vocab, words=["a", " ", "b"], heads=[2, 0, 2], deps=["x", "dep", "ROOT"]
    )
    keep_sure(doc, [None, None, 0.5], 0.5)
    assert [token.has_head() for token in doc] == [False, True, True]
