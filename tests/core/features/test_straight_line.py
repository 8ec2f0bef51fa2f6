"""Straight-line code does what the loops of the extractor do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.straight_line import SETS, header
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.state.sentence import Sentence

from ..builders import SYSTEMS, code, restricted, walk, walks

# Templates behind a set: new atoms and known ones, columns before and behind its own,
# up to six atoms, and one that must not be null.
FURTHER = (
    "S2w.N0lower", "N0cl4.S0cl4", "S0mCase.N0mCase", "S1S0d", "S2vr", "N1sl",
    "S0w.N0w.N0p.S0p.S0w.d", "S0a.N0w",
)  # fmt: skip


def with_further(templates, further):
    return *templates, *(template for template in further if template not in templates)


@st.composite
def configurations_with_words(draw, columns):
    """A configuration, and a sentence with random attributes."""
    n = draw(st.integers(0, 12))
    system = restricted(draw(st.sampled_from(SYSTEMS)), draw(st.booleans()))
    c = walk(system, n, draw(walks(system, n, labels=("a", "b", "c", None))))
    values = st.sampled_from([code("x"), code("y"), code("z")])
    cells = draw(st.lists(values, min_size=n * columns, max_size=n * columns))
    return c, Sentence(np.array(cells, dtype=np.uint64).reshape(n, columns))


def by_template(extractor, c, words):
    return dict(extractor.atom_values(c, words))


def check(templates, n_straight, data):
    """Compare with templates in another order, which no straight-line code begins."""
    straight = Extractor(FeatureTemplates(templates))
    assert straight.n_straight == n_straight
    looped = Extractor(FeatureTemplates(templates[::-1]))
    assert looped.n_straight == 0
    columns = len(straight.templates.columns)
    c, words = data.draw(configurations_with_words(columns))
    assert by_template(straight, c, words) == by_template(looped, c, words)


@pytest.mark.parametrize("number", range(len(SETS)))
@given(st.data())
def test_a_set(number, data):
    check(SETS[number], len(SETS[number]), data)


@pytest.mark.parametrize("number", range(len(SETS)))
@given(st.data())
def test_the_beginning_of_templates(number, data):
    check(with_further(SETS[number], FURTHER), len(SETS[number]), data)


@pytest.mark.parametrize("template", ["P0len", "S0a.N0w", "P-1w"])
def test_what_has_no_straight_line(template):
    with pytest.raises(ValueError, match="no straight line"):
        header(((template,),))
