"""A trained parser gets into another pipeline, and learns more there."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.cli.train import train as spacy_train
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from .treebank import (
    NAME,
    SENTENCES,
    VOCABULARY,
    examples,
    gold_analysis,
    make_nlp,
    mixed_examples,
    parse,
    parse_all,
    sentence,
    train,
    update,
)

pytestmark = pytest.mark.heavy

OLD, NEW = SENTENCES[:8], SENTENCES[8:]
# Words and labels that the old sentences do not have.
CALLS = [
    sentence("Nora/PROPN/2/vocative wait/VERB/0/root !/PUNCT/2/punct"),
    sentence("Sam/PROPN/2/vocative hurry/VERB/0/root !/PUNCT/2/punct"),
    sentence("Oh/INTJ/2/discourse look/VERB/0/root !/PUNCT/2/punct"),
]


def gold(vocab, sentences):
    return [gold_analysis(vocab, s) for s in sentences]


def write_corpus(path, *groups):
    """Every sentence of some groups alone, and in pairs with the next."""
    vocab = spacy.blank("en").vocab
    docs = []
    for group in groups:
        docs += [eg.reference for eg in mixed_examples(vocab, group)]
    DocBin(attrs=["TAG", "POS", "HEAD", "DEP"], docs=docs).to_disk(path)
    return path


def run_training(directory, components, pipeline, corpus, **training):
    """`spacy train` with the given components; the trained pipeline."""
    config = spacy.blank("en").config.copy()
    config["nlp"]["pipeline"] = pipeline
    config["components"] = components
    reader = {"@readers": "spacy_dynoracle.TaggedCorpus.v1", "attrs": ["POS"]}
    for part in ("train", "dev"):
        config["corpora"][part] = reader | {"path": str(corpus)}
    config["training"] |= {"max_epochs": 15, "patience": 0, **training}
    directory.mkdir(parents=True)
    config.to_disk(directory / "config.cfg")
    spacy_train(directory / "config.cfg", directory)
    return spacy.load(directory / "model-last")


@pytest.fixture(scope="module")
def old_nlp():
    """Trained on the old sentences only."""
    nlp = make_nlp("en")
    train(nlp, mixed_examples(nlp.vocab, OLD))
    return nlp


@pytest.fixture(scope="module")
def old_path(old_nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("old")
    old_nlp.to_disk(path)
    return path


# ---- source --------------------------------------------------------------------------


def test_source_into_a_pipeline_of_another_language(old_nlp, tmp_path):
    """With a vocab that has never seen words and labels, renamed, saved and loaded."""
    nlp = spacy.blank("de")
    assert "nsubj:pass" not in nlp.vocab.strings
    nlp.add_pipe(NAME, source=old_nlp, name="trees")
    expected = gold(nlp.vocab, OLD)
    assert parse_all(nlp, OLD) == expected
    assert nlp.config["components"]["trees"] == old_nlp.config["components"][NAME]
    nlp.to_disk(tmp_path)
    # Sourcing shares the component, and renames it.
    old_nlp.get_pipe(NAME).name = NAME
    loaded = spacy.load(tmp_path)
    assert loaded.pipe_names == ["trees"]
    assert parse_all(loaded, OLD) == expected


# ---- new data, new labels ------------------------------------------------------------


def test_new_data_and_labels_by_source(old_nlp, old_path, tmp_path):
    """`source` and `spacy train`, with the old data among the new."""
    corpus = write_corpus(tmp_path / "corpus.spacy", OLD, NEW, CALLS)
    components = {"trees": {"source": str(old_path), "component": NAME}}
    nlp = run_training(tmp_path / "more", components, ["trees"], corpus)
    assert nlp.pipe_names == ["trees"]
    labels = nlp.get_pipe("trees").labels
    old_labels = old_nlp.get_pipe(NAME).labels
    assert labels[: len(old_labels)] == old_labels
    assert {"vocative", "discourse"} <= set(labels) - set(old_labels)
    for group in (OLD, NEW, CALLS):
        assert parse_all(nlp, group) == gold(nlp.vocab, group)


def test_a_label_that_was_added_is_learned_on_resume(old_nlp):
    nlp = make_nlp("en").from_bytes(old_nlp.to_bytes())
    parser = nlp.get_pipe(NAME)
    assert parser.add_label("vocative") == 1
    assert parse_all(nlp, OLD) == gold(nlp.vocab, OLD)
    update(nlp, mixed_examples(nlp.vocab, OLD + CALLS[:2]), epochs=15)
    assert parse_all(nlp, CALLS[:2]) == gold(nlp.vocab, CALLS[:2])


# ---- rare labels ---------------------------------------------------------------------


def test_a_corrected_reference_is_read_anew():
    """An annotator corrects the document that training has read."""
    words, pos = ["she", "saw", "stars"], ["PRON", "VERB", "NOUN"]
    wrong, right = (
        ([1, 1, 1], ["nsubj", "ROOT", "obj"]),
        ([2, 2, 2], ["obj", "a", "ROOT"]),
    )
    nlp = make_nlp()
    nlp.add_pipe("dynoracle_tagger", first=True)
    data = [
        Example(
            Doc(nlp.vocab, words=words, pos=pos),
            Doc(nlp.vocab, words=words, pos=pos, tags=pos, heads=heads, deps=deps),
        )
        for heads, deps in (wrong, right)
    ]
    nlp.initialize(lambda: data)
    reference = data[0].reference
    for token, head, dep, tag in zip(reference, *right, pos[::-1], strict=True):
        token.head, token.dep_, token.tag_ = reference[head], dep, tag
    update(nlp, data[:1], 20)
    doc = nlp(Doc(nlp.vocab, words=words, pos=pos))
    assert ([t.head.i for t in doc], [t.dep_ for t in doc]) == right
    assert [token.tag_ for token in doc] == pos[::-1]


def test_rare_labels_stay():
    """One word in a thousand has a label: no frequency limit."""
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab) * 6 + examples(nlp.vocab, CALLS[1:])
    n_words = sum(len(eg.reference) for eg in data)
    assert n_words > 1000
    train(nlp, data, epochs=8)
    labels = {label for s in SENTENCES + CALLS for label in s.labels}
    assert set(nlp.get_pipe(NAME).labels) == labels
    assert parse_all(nlp, CALLS[1:]) == gold(nlp.vocab, CALLS[1:])


@given(words=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12))
@pytest.mark.parametrize("sentences", ["predict", "preset", "doc"])
def test_no_label_is_invented(trained_by_sentences, sentences, words):
    """In particular not `dep`."""
    nlp = trained_by_sentences[sentences]
    trained_on = {label for s in SENTENCES for label in s.labels}
    assert {token.dep_ for token in parse(nlp, words)} <= trained_on


def test_weights_that_have_stopped_growing_are_told():
    """Adding 1 to 2 ** 24 in single precision changes nothing."""
    nlp = make_nlp(epochs=1)
    parser = nlp.get_pipe(NAME)
    model = parser.model.freeze()
    sizes = {**model.weights.sizes(), "scale": 2.0**-14}
    large = FrozenWeights.from_arrays(model.weights.arrays(), sizes)
    parts = model.system, model.extractor, model.actions, large
    parser.set_model(Model(*parts, model.sources, model.root_label, model.learner))
    with pytest.warns(UserWarning, match=r"2\*\*24.*smaller margin") as caught:
        update(nlp, examples(nlp.vocab), epochs=2)
    assert len([w for w in caught if "2**24" in str(w.message)]) == 1
