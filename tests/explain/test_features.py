"""The features that made two scores differ: they add up, and their values are right."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.doc.cluster_numbers import add_clusters
from spacy_dynoracle.explain import explain
from spacy_dynoracle.explain.features import bucket, value_of

from ..parser.half_trained import ARC_EAGER, SYSTEMS, half_trained, name_of, traced
from ..parser.treebank import examples


@pytest.mark.parametrize("block", SYSTEMS, ids=name_of)
def test_differences_add_up_to_that_of_the_scores(block):
    nlp = half_trained(block)
    (derivation,) = traced(nlp, examples(nlp.vocab)[4], features=3)
    n_compared = 0
    for step in derivation.steps:
        found = step.contributions
        if found is None:
            continue
        n_compared += 1
        scored = [x for x in step.candidates if x.score is not None]
        others = [x for x in scored if x != step.chosen]
        assert found.other.score == max(x.score for x in others)
        total = sum(x.difference for x in found.features) + found.rest
        expected = step.chosen.score - found.other.score
        assert total == pytest.approx(expected, abs=1e-3)
        sizes = [abs(x.difference) for x in found.features]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) <= 3
        assert len(sizes) == 3 or not found.n_rest
    assert n_compared


@pytest.mark.parametrize("block", SYSTEMS[::4], ids=name_of)
def test_values_name_the_atoms(block, monkeypatch):
    """Features have the same name if and only if the extractor gives them the same
    atoms.
    """
    nlp = half_trained(block)
    by_atoms, by_name = {}, {}
    reader = "spacy_dynoracle.explain.features.FeatureReader"

    def compare(self, c, chosen, other):
        names = self._weights(c, chosen)
        atoms = self.model.extractor.atom_values(c, self.sentence)
        for name, key in zip(names, atoms, strict=True):
            assert by_atoms.setdefault(key, name) == name
            assert by_name.setdefault((key[0], name), key) == key

    monkeypatch.setattr(f"{reader}.compare", compare)
    for eg in examples(nlp.vocab):
        traced(nlp, eg, features=1)
    assert len(by_atoms) > 500


def test_what_is_shown():
    nlp = half_trained(ARC_EAGER)
    eg = examples(nlp.vocab)[4]
    found = explain(nlp, eg.predicted, eg.reference, features=4)
    (derivation,) = found.derivations
    step = next(step for step in derivation.steps if step.contributions)
    first = step.contributions.features[0]
    text = found.text(features=2)
    assert f"{first.difference:+.2f}" in text
    assert "more features" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "difference" not in found.text()
    data = found.as_dict()["derivations"][0]["steps"]
    compared = next(x["contributions"] for x in data if x["contributions"])
    assert compared["features"][0]["feature"] == first.feature
    assert len(compared["features"]) == 4
    assert 'id="features"' in found.html()
    without = explain(nlp, eg.predicted, eg.reference, features=0)
    assert all(step.contributions is None for step in without.derivations[0].steps)


def test_short_representations():
    nlp = half_trained(ARC_EAGER)
    (derivation,) = traced(nlp, examples(nlp.vocab)[4])
    assert repr(derivation).startswith("<Derivation of '")
    assert len(repr(derivation)) < 100
    assert len(repr(derivation.steps[0])) < 200


def test_values_of_words():
    doc = Doc(
        spacy.blank("en").vocab,
        words=["Inside", "x"],
        tags=["IN", ""],
        pos=["ADP", ""],
        morphs=["Case=Nom", ""],
        lemmas=["in+side", "x"],
    )
    wanted = {
        "ORTH": ("Inside", "x"),
        "LOWER": ("inside", "x"),
        "LOWER:pre2": ("in", "x"),
        "LOWER:suf3": ("ide", "x"),
        "TAG": ("IN", "-"),
        "TAG:lexical": ("IN/Inside", "-"),
        "POS:adposition": ("Inside", "-"),
        "MORPH:Case": ("Nom", "-"),
        "LEMMA:stem": ("in", "x"),
        "LEMMA:ending": ("side", "-"),
        "ORTH:flags": ("isalpha+istitle", "isalpha+islower"),
        "CLUSTER:4": ("-", "-"),
    }
    for source, values in wanted.items():
        assert tuple(value_of(token, source) for token in doc) == values, source
    assert value_of(Doc(doc.vocab, ["\u0130STANBUL"])[0], "LOWER:pre2") == "is"
    assert [*map(bucket, (1, 5, 6, 10))] == ["1", "5", "6-10", "6-10"]
    assert bucket(11) == "more than 10"


def test_values_of_clusters():
    """The cluster 0 is something else than no cluster."""
    doc = Doc(spacy.blank("en").vocab, words=["a", "b", "d’", "x"])
    add_clusters(doc.vocab.lookups, {"a": 0, "b": 0b110000, "d'": 0b100001})
    assert [value_of(t, "CLUSTER") for t in doc] == ["0", "48", "33", "-"]
    assert [value_of(t, "CLUSTER:4") for t in doc] == ["0", "0", "1", "-"]


def test_what_follows_a_token():
    doc = spacy.blank("en")("don’t go\n\n«Now»")
    values = {
        t.text: [value_of(t, f"SPACY:{kind}") for kind in ("space", "line")]
        for t in doc
    }
    assert values["n’t"] == ["yes", "-"]
    assert values["go"] == ["yes", "yes"]
    assert values["Now"] == values["»"] == ["no", "-"]


def test_forms_have_plain_characters():
    doc = spacy.blank("en")("don’t «Now»")
    assert [value_of(t, "ORTH") for t in doc][1:3] == ["n't", '"']
    assert [value_of(t, "LOWER") for t in doc][3] == "now"
    assert [value_of(t, "SHAPE") for t in doc][2:4] == ["(", "Xxx"]
