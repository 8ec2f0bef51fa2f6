"""What the parser says of its arcs, and the settings that ask for it."""

import math

import pytest
import spacy
from spacy.tokens import Doc, Span, Token
from spacy.tokens.underscore import Underscore

from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.probability.sampling import sample_arcs
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.parser import extensions
from spacy_dynoracle.parser.extensions import EXTENSIONS

from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    analysis,
    assert_tree,
    block,
    examples,
    make_doc,
    make_nlp,
    parse_sentences,
    update,
)
from .uncertain import (
    ASKED,
    MARGINAL,
    MARGINAL_ONLY,
    RDA,
    TRANSITION,
    Pipelines,
    entropies,
    is_silent,
    marginal,
    parsed,
    uncertain,
    values,
)

pytestmark = pytest.mark.heavy

# ---- what the values are -------------------------------------------------------------


def core_input(nlp, doc):
    parser = nlp.get_pipe(NAME)
    tokens = AttributeTable([doc], list(parser.recipe.sources.values()))
    return parser.model, [tokens.sentence(None)]


@pytest.mark.parametrize("mode", [TRANSITION, MARGINAL])
def test_transition_probabilities_are_those_of_the_core(pipelines, mode):
    nlp = pipelines(**mode)
    doc = parsed(nlp)
    _, _, expected = parse_with_probabilities(
        *core_input(nlp, doc), root_rule=RootRule.ANY
    )
    assert [t._.transition_probability for t in doc] == expected.arcs.tolist()
    assert min(expected.arcs) < 0.9 < max(expected.arcs)
    assert doc._.lowest_probability == expected.lowest_words.min()
    log = doc._.derivation_log_probability
    assert log == pytest.approx(expected.log_words.sum(), rel=1e-12)


def test_marginals_are_those_of_the_core(pipelines):
    nlp = pipelines(**marginal(n_samples=100), seed=5)
    doc = parsed(nlp, SENTENCES[0].words)
    drawn = sample_arcs(
        *core_input(nlp, doc), n_samples=100, seed=5, root_rule=RootRule.ANY
    )
    labels = nlp.get_pipe(NAME).model.labels
    for token in doc:
        entries = slice(*drawn.first[token.i : token.i + 2])
        expected = {
            (token.i if head == 0 else head - 1, labels[label]): count / 100
            for head, label, count in zip(
                drawn.heads[entries],
                drawn.labels[entries],
                drawn.counts[entries],
                strict=True,
            )
        }
        found = token._.dep_distribution
        assert {(head.i, label): p for head, label, p in found} == expected
        assert token._.dep_probability == expected.get((token.head.i, token.dep_), 0.0)


def test_entropies_are_natural_and_summed(pipelines):
    nlp = pipelines(**MARGINAL)
    doc = parsed(nlp, SENTENCES[6].words)
    drawn = sample_arcs(*core_input(nlp, doc), seed=0, root_rule=RootRule.ANY)
    heads, arcs = entropies(drawn, labelled=False), entropies(drawn)
    assert [t._.head_entropy for t in doc] == pytest.approx(heads)
    assert [t._.dep_entropy for t in doc] == pytest.approx(arcs)
    assert max(heads) > 0.5
    assert doc._.head_entropy == pytest.approx(sum(heads))
    assert doc[1:4]._.dep_entropy == pytest.approx(sum(arcs[1:4]))


def test_distributions_are_consistent(pipelines):
    doc = parsed(pipelines(**MARGINAL))
    for token in doc:
        heads = token._.head_distribution
        arcs = token._.dep_distribution
        assert sum(p for _, p in heads) == sum(p for _, _, p in arcs) == 1.0
        assert [p for _, p in heads] == sorted((p for _, p in heads), reverse=True)
        for head, p in heads:
            assert p == sum(q for other, _, q in arcs if other == head)
        assert token._.head_probability == dict(heads).get(token.head, 0.0)
        assert 0.0 <= token._.head_entropy <= token._.dep_entropy <= math.log(64)
    assert any(len(t._.head_distribution) > 1 for t in doc)
    assert any(t.head == t and t._.head_distribution[0][0] == t for t in doc)


def test_transition_mode_has_no_distributions(pipelines):
    doc = parsed(pipelines(**TRANSITION))
    for token in doc:
        assert token._.dep_probability == token._.transition_probability > 0
        assert {getattr(token._, name) for name in MARGINAL_ONLY} == {None}
    assert doc._.head_entropy is doc._.dep_entropy is None


def test_sentences_share_the_derivation_of_their_document(pipelines):
    doc = parsed(pipelines(**TRANSITION))
    sentences = list(doc.sents)
    assert len(sentences) > 1
    logs = [s._.derivation_log_probability for s in sentences]
    assert sum(logs) == pytest.approx(doc._.derivation_log_probability)
    lowest = [s._.lowest_probability for s in sentences]
    assert min(lowest) == doc._.lowest_probability
    assert all(
        low <= min(t._.transition_probability for t in s)
        for low, s in zip(lowest, sentences, strict=True)
    )


def test_values_are_about_arcs_before_they_are_put_back(lifting):
    doc = parse_sentences(lifting(**MARGINAL), NONPROJECTIVE[0])
    letter, arrived, worried = (
        next(t for t in doc if t.text == text)
        for text in ("letter", "arrived", "worried")
    )
    assert (worried.head, worried.dep_) == (letter, "acl")
    labels = {label for t in doc for _, label, _ in t._.dep_distribution}
    assert not any("||" in label for label in labels)
    arcs = {(head, label): p for head, label, p in worried._.dep_distribution}
    assert arcs[arrived, "acl"] == worried._.dep_probability > 0
    heads = dict(worried._.head_distribution)
    assert heads[arrived] == worried._.head_probability
    assert sum(arcs.values()) == sum(heads.values()) == 1.0


# ---- decoding ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "system", ["ArcEager", "ArcHybrid", "ArcHybridSwap", "EasyFirst"]
)
def test_trees_are_those_without_probabilities(system):
    make = uncertain(SENTENCES, system=block(system))
    expected = analysis(parsed(make()))
    for asked in ASKED:
        doc = parsed(make(**asked))
        assert_tree(doc)
        assert all(t._.dep_probability is not None for t in doc)
        assert analysis(doc) == expected
        assert 0 < doc._.lowest_probability <= 1


# ---- settings and errors -------------------------------------------------------------


def test_off_by_default(pipelines):
    assert make_nlp().config["components"][NAME]["probabilities"] is None
    doc = parsed(pipelines())
    assert is_silent(doc)
    assert doc.user_data == {}


def test_documents_without_values():
    doc = Doc(spacy.blank("xx").vocab, words=["a", "b"], heads=[1, 1], deps=["x", "y"])
    doc.user_data["._."] = doc.user_data["._.", "other", 0, None] = 1
    assert is_silent(doc)


def test_a_learner_of_whole_derivations_has_no_probabilities(pipelines):
    """Nor a threshold of them."""
    learner = block("StructuredPerceptron")
    settings = {"learner": learner, "exploration": block("NoExploration")}
    with pytest.raises(ValueError, match=r"single decisions have probabilities"):
        pipelines(**TRANSITION, search=block("BeamSearch"), **settings)
    with pytest.raises(ValueError, match=r"threshold = 0\.5 .*set threshold = 0"):
        pipelines(search=block("BeamSearch", threshold=0.5), **settings)


def test_preset_heads_do_not_go_with_lists_of_trees(pipelines):
    beam = block("BeamSearch", n_best=2)
    with pytest.raises(ValueError, match="n_best = 2 and the block probabilities"):
        make_nlp(search=beam, **TRANSITION)
    with pytest.raises(ValueError, match=r"keep_preset_heads .*n_best=2"):
        pipelines(search=beam, keep_preset_heads=True)


def test_models_without_probabilities(nlp_bytes):
    nlp = make_nlp(**TRANSITION, model=nlp_bytes)
    doc = make_doc(nlp.vocab, SENTENCES[0].words)
    with pytest.raises(ValueError, match=r"AveragedPerceptron.*calibrate") as error:
        nlp(doc)
    assert "\n" not in str(error.value)
    assert not doc.has_annotation("DEP")
    with pytest.raises(ValueError, match="are not probabilities"):
        list(nlp.pipe([doc]))
    with pytest.raises(ValueError, match="are not probabilities"):
        update(nlp, examples(nlp.vocab))
    with pytest.raises(ValueError, match="are not probabilities"):
        nlp.initialize(lambda: examples(nlp.vocab))


def test_a_fitted_temperature_is_enough(trained_nlp):
    parser = trained_nlp.get_pipe(NAME)
    make = Pipelines(parser.model.freeze().with_temperature(50.0))
    doc = parsed(make(**MARGINAL))
    assert analysis(doc) == analysis(parsed(trained_nlp))
    assert 0 < doc._.lowest_probability < 1


def test_probabilities_while_training():
    nlp = make_nlp(**RDA, **MARGINAL, epochs=0)
    data = examples(nlp.vocab)
    nlp.update(data, annotates=[NAME])
    assert all(t._.dep_probability is not None for eg in data for t in nlp(eg.x))


def test_settings_can_be_changed_when_loading(pipelines, tmp_path):
    pipelines().to_disk(tmp_path)
    nlp = spacy.load(tmp_path, config={"components": {NAME: MARGINAL}})
    assert values(parsed(nlp)) == values(parsed(pipelines(**MARGINAL)))


# ---- registration --------------------------------------------------------------------


@pytest.fixture
def registered():
    """Puts the registered extensions back."""
    state = [dict(extensions) for extensions in Underscore.get_state()]
    yield
    Underscore.load_state(tuple(state))


def test_all_extensions_are_registered():
    for cls, getters in EXTENSIONS:
        for name in getters:
            assert cls.has_extension(name)
            assert f"`{name}`" in extensions.__doc__


@pytest.mark.parametrize(
    ("cls", "name"), [(Token, "dep_probability"), (Span, "head_entropy")]
)
def test_extensions_of_users_stay(registered, cls, name):
    cls.set_extension(name, default="mine", force=True)
    extensions.register_extensions()
    assert cls.get_extension(name)[0] == "mine"
    make_nlp()
    with pytest.raises(
        ValueError, match=rf"has registered {cls.__name__}\._\.{name},"
    ) as e:
        make_nlp(**TRANSITION)
    assert "components" in str(e.value)
    cls.remove_extension(name)
    extensions.register_extensions()
    make_nlp(**TRANSITION)
