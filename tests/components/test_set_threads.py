"""The number of threads of all components of a pipeline."""

import pickle

import pytest
import spacy

from spacy_dynoracle import set_threads

OURS = ("tagger", "senter", "parser", "committee")


@pytest.fixture
def nlp():
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    for name in OURS:
        nlp.add_pipe(f"dynoracle_{name}")
    return nlp


def numbers(nlp):
    found = [nlp.get_pipe(f"dynoracle_{name}") for name in OURS]
    found += found[-1].members.values()
    parsers = [component.parser for component in (found[2], *found[4:])]
    return {each.n_threads for each in (*found, *parsers)}


def test_every_component_and_its_copies_have_it(nlp):
    assert numbers(nlp) == {1}
    nlp.disable_pipe("dynoracle_senter")
    set_threads(nlp, 3)
    assert numbers(nlp) == {3}
    assert numbers(pickle.loads(pickle.dumps(nlp))) == {3}
    nlp.get_pipe("dynoracle_parser").change(seed=1)
    assert numbers(nlp) == {3}
    set_threads(nlp, 1)
    assert numbers(nlp) == {1}


@pytest.mark.parametrize("n_threads", [0, -1, 1025, "many"])
def test_impossible_numbers(nlp, n_threads):
    with pytest.raises(ValueError, match=f"n_threads = {n_threads!r}: expected"):
        set_threads(nlp, n_threads)
    assert numbers(nlp) == {1}
