"""Trained pipelines that the component tests share and do not change."""

import pytest

from ..core.builders import Tree
from .treebank import (
    NONPROJECTIVE,
    SENTENCES,
    class_of,
    example,
    examples,
    make_nlp,
    mixed_examples,
    model_bytes,
    name_of,
    train,
)
from .uncertain import uncertain


@pytest.fixture(scope="session")
def trained_nlp():
    """Trained on sentences alone and in pairs, with `sentences = "predict"`."""
    return make_nlp("en", data=mixed_examples, epochs=12)


@pytest.fixture
def own_nlp(trained_nlp):
    """The same as a pipeline of one's own, which a test may change."""
    return make_nlp("en").from_bytes(trained_nlp.to_bytes())


@pytest.fixture(scope="session")
def nonprojective_nlp():
    """Trained on non-projective trees too, with several sentences to a document."""
    nlp = make_nlp()
    data = mixed_examples(nlp.vocab, SENTENCES + NONPROJECTIVE)
    data += [example(nlp.vocab, s, *NONPROJECTIVE) for s in SENTENCES]
    train(nlp, data)
    return nlp


@pytest.fixture(scope="session")
def trained_by_sentences(trained_nlp, nlp_bytes):
    """A trained pipeline for each value of `sentences`; all share the same weights."""
    pipelines = {"predict": trained_nlp}
    for sentences in ("preset", "doc"):
        pipelines[sentences] = make_nlp(sentences=sentences, model=nlp_bytes)
    return pipelines


@pytest.fixture(scope="session")
def nlp_bytes(trained_nlp):
    """The trained parser as bytes."""
    return model_bytes(trained_nlp)


@pytest.fixture(scope="session")
def pipelines():
    """Pipelines with settings of one's own, of a parser that has probabilities."""
    return uncertain(SENTENCES)


@pytest.fixture(scope="session")
def lifting():
    """The same of one that lifts crossing arcs and puts them back."""
    return uncertain(SENTENCES + NONPROJECTIVE, epochs=12)


@pytest.fixture(scope="session")
def confused():
    """Parsers of every system that learnt from noise, under any settings: called with a
    system, it returns a pipeline.
    """
    trained, made = {}, {}

    def pipeline(system, **settings):
        restrictions = ("tree_constraint", "single_root")
        plain = {k: v for k, v in system.items() if k not in restrictions}
        name, key = name_of(plain), repr([system, sorted(settings.items())])
        if name not in trained:
            trained[name] = trained_on_noise(plain)
        if key not in made:
            made[key] = make_nlp(system=system, model=trained[name], **settings)
        return made[key]

    return pipeline


def trained_on_noise(system):
    """The parser as bytes."""
    nlp = make_nlp(system=system)
    crossing = [] if class_of(system).projective else NONPROJECTIVE
    data = mixed_examples(nlp.vocab, SENTENCES + crossing)
    # Trees that have nothing to do with the words.
    heads = (0, 1, 1, 2, 0) if crossing else (0, 1, 2, 2, 0)
    noise = [Tree(s.words[:5], s.tags[:5], heads, s.labels[-5:]) for s in SENTENCES]
    train(nlp, data + examples(nlp.vocab, noise), epochs=2)
    return model_bytes(nlp)
