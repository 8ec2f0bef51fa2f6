"""Models with a ranker, and their files: round trips, and damage of every kind."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynoracle_hcsearch.ranker import SLOT
from dynoracle_hcsearch.templates import RankingTemplates
from dynoracle_hcsearch.trainer import RankerTrainer
from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.errors import ModelFileError
from tests.core.builders import (
    TREEBANK,
    action_scores,
    build_trainer,
    model_of,
    parse,
    sentence,
    sentences,
)
from tests.core.model.files import ARRAYS, joined, split
from tests.core.model.test_file import ANY_JSON, DELETE, changed, paths_of

from .ranking_builders import CLASSES, FEW, UNSEEN, samples, scores_of
from .ranking_builders import trained as trained_ranker


@pytest.fixture(scope="module")
def ranker():
    return trained_ranker(templates=FEW)[0].freeze(alpha=0.125)


@pytest.fixture(scope="module")
def model(small_model, ranker):
    return small_model.with_part("ranker", ranker)


@pytest.fixture(scope="module")
def data(model):
    return write_model(model)


# ---- as part of a model --------------------------------------------------------------


def test_member(small_model, model, ranker):
    assert small_model.parts == {}
    assert model.parts == {"ranker": ranker}
    assert model.weights is small_model.weights
    assert model.with_part("ranker", None).parts == {}
    assert model.freeze().parts == model.with_temperature(2.0).parts == model.parts
    copy = pickle.loads(pickle.dumps(model))
    assert scores_of(copy.parts["ranker"]) == scores_of(ranker)


def test_other_columns(small_model):
    other = RankerTrainer(FEW, ("p", "w"), CLASSES).freeze()
    with pytest.raises(ValueError, match="reads p w of the words, expected w"):
        small_model.with_part("ranker", other)
    without_tags = model_of(build_trainer([], templates=["S0w", "N0w"]))
    with pytest.raises(ValueError, match="reads p w of the words, expected w"):
        without_tags.with_part("ranker", other)


# ---- columns of the ranker alone -----------------------------------------------------

MORE = RankingTemplates(["arc:Hp.Mlemma", "arc:HMmCase.Hw", "rightbranch:Share"])
SOURCES = {"lemma": "LEMMA", "mCase": "MORPH:Case"}


@pytest.fixture(scope="module")
def wide_model(small_model):
    """A model whose ranker reads more than its templates."""
    columns = MORE.behind(small_model.columns)
    trainer = RankerTrainer(MORE, columns, CLASSES)
    trainer.train([(wide(sample), *sample[2:]) for sample in samples(1, 12)])
    return small_model.with_part("ranker", trainer.freeze(), SOURCES)


def wide(sample):
    """The sentence of a sample with lemmas and cases."""
    return sentence(sample.words, sample.tags, sample.tags, sample.words)


def wide_scores(ranker):
    return [ranker.scores(wide(s), s.candidates).tolist() for s in UNSEEN]


def test_columns(small_model, wide_model):
    assert small_model.columns == ("w", "p")
    assert wide_model.columns == ("w", "p", "lemma", "mCase")
    assert wide_model.sources == small_model.sources | SOURCES
    assert list(wide_model.sources) == list(wide_model.columns)
    assert wide_model.with_part("ranker", None).sources == small_model.sources
    with pytest.raises(ValueError, match="not stated what lemma mCase of the words is"):
        small_model.with_part("ranker", wide_model.parts["ranker"])
    narrow = RankerTrainer(FEW, ("w", "p"), CLASSES).freeze()
    wide = wide_model.parts["ranker"]
    with pytest.raises(ValueError, match="the other reads w p lemma mCase of the word"):
        small_model.with_part("ranker", narrow).with_part("other", wide, SOURCES)


def test_sentences_with_other_columns(small_model, wide_model):
    """The search finds the same in them, and needs them."""
    batch = [s.sentence() for s in UNSEEN]
    assert parse(wide_model, [wide(s) for s in UNSEEN]) == parse(small_model, batch)
    with pytest.raises(ValueError, match="reads 4 attributes of a word"):
        parse(wide_model, batch)
    with pytest.raises(ValueError, match="reads 2 attributes of a word"):
        parse(small_model, [wide(s) for s in UNSEEN])
    c = ArcEager().initial(len(batch[0]))
    for label in wide_model.labels:
        c.labels.add(label)
    expected = action_scores(small_model, c, batch[0])
    assert action_scores(wide_model, c, wide(UNSEEN[0])) == expected
    with pytest.raises(ValueError, match=r"with 2 attributes, got .* words with 1"):
        action_scores(small_model, c, sentence(UNSEEN[0].words))


def test_round_trip_of_columns(wide_model):
    data = write_model(wide_model)
    again = read_model(data)
    assert write_model(again) == data
    assert again.sources == wide_model.sources
    assert list(again.sources) == list(wide_model.columns) == list(again.columns)
    assert wide_scores(again.parts["ranker"]) == wide_scores(wide_model.parts["ranker"])
    assert max(map(np.ptp, wide_scores(wide_model.parts["ranker"]))) > 0
    copy = pickle.loads(pickle.dumps(wide_model))
    assert wide_scores(copy.parts["ranker"]) == wide_scores(wide_model.parts["ranker"])
    assert copy.sources == wide_model.sources


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["sources", "lemma"], DELETE),
        (["sources", "lemma"], 1),
        (["sources"], {"w": "ORTH", "p": "TAG"}),
        (["parts", "ranker", "columns"], ["w", "p", "lemma"]),
        (["parts", "ranker", "columns"], ["lemma", "mCase"]),
        (["parts", "ranker", "columns"], ["w", "p", "lemma", "mCase", "norm"]),
        (["parts", "ranker", "templates", 0], "arc:Hp.Mshape"),
        (["templates"], ["S0w", "S0lemma"]),
        (["parts", "ranker"], DELETE),
    ],
    ids=lambda x: "DELETE" if x is DELETE else str(x)[:30],
)
def test_tampered_columns(wide_model, path, value):
    header, arrays = split(write_model(wide_model))
    changed(header, path, value)
    with pytest.raises(ModelFileError):
        read_model(joined(header, arrays))


# ---- files ---------------------------------------------------------------------------


def test_round_trip(model, ranker, data):
    again = read_model(data)
    assert write_model(again) == data
    assert scores_of(again.parts["ranker"]) == scores_of(ranker)
    assert max(map(np.ptp, scores_of(ranker))) > 0
    assert again.parts["ranker"].alpha == 0.125
    assert again.parts["ranker"].templates == ranker.templates
    assert again.parts["ranker"].columns == ranker.columns
    assert again.parts["ranker"].classes == ranker.classes
    assert again.parts["ranker"].n_features == ranker.n_features
    batch = sentences(TREEBANK)
    assert parse(again, batch) == parse(model, batch)


def test_a_model_without_ranker_is_as_before(small_model, model):
    assert write_model(model.with_part("ranker", None)) == write_model(small_model)
    header, arrays = split(write_model(small_model))
    assert "parts" not in header
    assert sorted(header["arrays"]) == sorted(arrays) == sorted(ARRAYS)


def test_layout(small_model, data):
    header, arrays = split(data)
    assert joined(header, arrays) == data
    assert list(arrays) == [*ARRAYS, "part ranker"]
    assert sorted(header["parts"]["ranker"]) == [
        "alpha",
        "classes",
        "columns",
        "templates",
    ]
    # All else is that of the model without ranker.
    before, other_arrays = split(write_model(small_model))
    del header["parts"], header["arrays"], before["arrays"]
    assert header == before
    assert {name: arrays[name] for name in other_arrays} == other_arrays


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["parts"], []),
        (["parts", "ranker"], None),
        (["parts", "ranker"], {}),
        *(
            (["parts", "ranker", key], value)
            for key in ("alpha", "classes", "columns", "templates")
            for value in (DELETE, None)
        ),
        (["parts", "ranker", "alpha"], 1.5),
        (["parts", "ranker", "alpha"], True),
        (["parts", "ranker", "alpha"], float("nan")),
        (["parts", "ranker", "alpha"], 10**400),
        (["parts", "ranker", "columns"], ["p", "w"]),
        (["parts", "ranker", "columns"], ["w", "p", "lemma"]),
        (["parts", "ranker", "columns"], ["w", 1]),
        (["parts", "ranker", "templates"], []),
        (["parts", "ranker", "templates"], [1]),
        (["parts", "ranker", "templates"], ["arc:Hp.Mp.\ud800"]),
        (["parts", "ranker", "templates", 0], "S0w"),
        (["parts", "ranker", "classes", "pairs"], [[1]]),
        (["parts", "ranker", "classes", "pairs"], DELETE),
        *(
            (["parts", "ranker", "classes", "prepositions"], value)
            for value in ("ADP", [2**64], [0.5], ["ADP"], [[1]])
        ),
        *(
            (["arrays", "part ranker"], value)
            for value in (DELETE, -8, 0, 12, 10**9, 10**400, "8", 64.0)
        ),
    ],
    ids=lambda x: "DELETE" if x is DELETE else str(x)[:30],
)
def test_tampered_header(data, path, value):
    header, arrays = split(data)
    changed(header, path, value)
    with pytest.raises(ModelFileError):
        read_model(joined(header, arrays))


def test_a_ranker_without_weights(small_model, data):
    """What the header of another file promises is not there."""
    header, _ = split(data)
    bare, arrays = split(write_model(small_model))
    with pytest.raises(ModelFileError):
        read_model(joined(bare | {"parts": header["parts"]}, arrays))


@pytest.mark.heavy
@settings(max_examples=100)
@given(st.data())
def test_any_change_of_the_header_is_refused_or_harmless(data, draw):
    header, arrays = split(data)
    for _ in range(draw.draw(st.integers(1, 2))):
        paths = list(paths_of(header["parts"]))
        if not paths:
            break
        path = draw.draw(st.sampled_from(paths))
        value = draw.draw(st.just(DELETE) | ANY_JSON)
        changed(header["parts"], path, value)
    try:
        model = read_model(joined(header, arrays))
    except ModelFileError:
        return
    for ranker in model.parts.values():
        scores_of(ranker)
    assert write_model(read_model(write_model(model))) == write_model(model)


def with_weights(data, table):
    """The file with another table of the ranker."""
    header, arrays = split(data)
    arrays["part ranker"] = table.tobytes()
    header["arrays"]["part ranker"] = len(arrays["part ranker"])
    return joined(header, arrays)


def table_of(data):
    return np.frombuffer(split(data)[1]["part ranker"], dtype=SLOT).copy()


def test_the_table_is_sound(data):
    table = table_of(data)
    assert with_weights(data, table) == data
    used = table["weight"] != 0
    assert used.sum() > 50
    assert not used.all()


@settings(max_examples=50)
@given(st.binary(min_size=8, max_size=200))
def test_any_weights_are_refused_or_harmless(data, garbage):
    table = np.frombuffer(garbage[: len(garbage) // 8 * 8], dtype=SLOT)
    try:
        model = read_model(with_weights(data, table))
    except ModelFileError:
        return
    assert np.isfinite(scores_of(model.parts["ranker"])[0]).all()


def test_messages_name_the_ranker(data):
    header, arrays = split(data)
    header["parts"]["ranker"]["templates"][0] = "S0w"
    with pytest.raises(ModelFileError, match="ranking template 'S0w'"):
        read_model(joined(header, arrays))


def test_a_part_that_nothing_reads(data):
    header, arrays = split(data)
    header["parts"]["juror"] = header["parts"].pop("ranker")
    header["arrays"]["part juror"] = header["arrays"].pop("part ranker")
    arrays["part juror"] = arrays.pop("part ranker")
    with pytest.raises(ModelFileError, match="a part 'juror', which no installed pack"):
        read_model(joined(header, arrays))
