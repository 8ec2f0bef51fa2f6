"""Saving and loading: the same parses, whole files, and one error for a bad one."""

import copy
import os
from pathlib import Path

import pytest
import spacy
import srsly

from spacy_dynoracle import ModelFileError

from ..round_trips import every_copy, every_way
from .treebank import (
    NAME,
    SENTENCES,
    assert_tree,
    examples,
    feature_templates,
    make_nlp,
    mixed_examples,
    parse,
    parse_all,
    parser_of,
    train,
    update,
)

pytestmark = pytest.mark.heavy

FILES = ["cfg", "model"]


@pytest.fixture
def saved(trained_nlp, tmp_path):
    """The directory of the trained component alone."""
    path = tmp_path / "parser"
    parser_of(trained_nlp).to_disk(path, exclude=["vocab"])
    return path


@pytest.fixture(scope="module")
def other_nlp():
    """Another trained pipeline, with other weights and labels."""
    nlp = make_nlp(seed=99)
    train(nlp, examples(nlp.vocab, SENTENCES[:5]), epochs=3)
    return nlp


def files(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


# ---- round trips ---------------------------------------------------------------------


def make():
    return parser_of(make_nlp())


@every_copy
def test_copies_keep_every_setting(round_trip, tmp_path):
    nlp = make_nlp(
        sentences="doc",
        nonprojective="drop",
        keep_preset_heads=True,
        n_threads=2,
        seed=11,
        system={
            "root": "first",
            "tree_constraint": True,
            "root_label_constraint": True,
        },
        exploration={"k": 3, "p": 0.5},
        features=feature_templates("S0w.N0w", "S0p.N0p"),
        epochs=2,
    )
    parser = parser_of(nlp)
    loaded = round_trip(parser, make, tmp_path)
    assert loaded.name == parser.name
    assert repr(loaded.recipe) == repr(parser.recipe)
    assert repr(loaded.scorer) == repr(parser.scorer)
    assert loaded.parser.single_root is True
    assert loaded.parser.n_threads == 2


@every_way
def test_copies_are_independent(tmp_path, round_trip):
    nlp = make_nlp(epochs=2)
    parser = parser_of(nlp)
    before = parser.to_bytes(exclude=["vocab"])
    loaded = round_trip(parser, make, tmp_path)
    loaded.update(examples(loaded.vocab))
    assert loaded.to_bytes(exclude=["vocab"]) != before
    assert parser.to_bytes(exclude=["vocab"]) == before


@every_copy
def test_copies_keep_the_error_handler(tmp_path, round_trip):
    """As spaCy's own components: worker processes get the component by pickle."""
    nlp = make_nlp()
    nlp.add_pipe("sentencizer")
    for name in nlp.pipe_names:
        nlp.get_pipe(name).set_error_handler(ignore)
    kept = round_trip(nlp.get_pipe("sentencizer"), make, tmp_path).get_error_handler()
    assert round_trip(parser_of(nlp), make, tmp_path).get_error_handler() is kept


def ignore(name, component, docs, error):
    """An error handler that does not raise."""


@every_way
def test_an_untrained_component(tmp_path, round_trip):
    nlp = make_nlp()
    loaded = round_trip(parser_of(nlp), make, tmp_path)
    assert loaded.model is None
    assert loaded.labels == ()
    with pytest.raises(ValueError, match="no model"):
        loaded(nlp.make_doc("Rain fell ."))


def test_an_untrained_pipeline(tmp_path):
    make_nlp().to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    assert parser_of(nlp).model is None
    assert train(nlp, mixed_examples(nlp.vocab))[NAME] == 0


def test_loading_an_untrained_component_replaces_the_model_too(nlp_bytes, tmp_path):
    bare = parser_of(make_nlp())
    bare.to_disk(tmp_path)
    for load in (
        lambda parser: parser.from_disk(tmp_path),
        lambda parser: parser.from_bytes(bare.to_bytes()),
    ):
        assert load(parser_of(make_nlp()).from_bytes(nlp_bytes)).model is None


def test_loading_replaces_the_model(other_nlp, trained_nlp, saved):
    nlp = make_nlp("en").from_bytes(other_nlp.to_bytes())
    parse_all(nlp)
    parser_of(nlp).from_disk(saved)
    assert parse_all(nlp) == parse_all(trained_nlp)
    assert parser_of(nlp).labels == parser_of(trained_nlp).labels


# ---- files ---------------------------------------------------------------------------


def test_files_can_be_read_by_others(saved, tmp_path):
    """As any new file, not only by their owner as temporary files are."""
    (tmp_path / "any").touch()
    for name in FILES:
        assert (saved / name).stat().st_mode == (tmp_path / "any").stat().st_mode


def test_exclude_on_disk(trained_nlp, other_nlp, tmp_path):
    parser = parser_of(trained_nlp)
    parser.to_disk(tmp_path / "all")
    assert sorted(p.name for p in (tmp_path / "all").iterdir()) == [*FILES, "vocab"]
    parser.to_disk(tmp_path / "no model", exclude=["model", "vocab"])
    assert sorted(files(tmp_path / "no model")) == ["cfg"]
    assert isinstance(srsly.read_json(tmp_path / "no model" / "cfg"), dict)
    parser.to_disk(tmp_path / "no cfg", exclude=["cfg", "vocab"])
    assert sorted(files(tmp_path / "no cfg")) == ["model"]
    nlp = make_nlp()
    parser_of(nlp).from_disk(tmp_path / "no cfg")
    assert parse_all(nlp) == parse_all(trained_nlp)
    nlp = make_nlp("en").from_bytes(other_nlp.to_bytes())
    parser_of(nlp).from_disk(tmp_path / "all", exclude=["model"])
    assert parse_all(nlp) == parse_all(other_nlp)


def test_exclude_in_bytes(trained_nlp, other_nlp):
    parser = parser_of(trained_nlp)
    assert set(srsly.msgpack_loads(parser.to_bytes(exclude=["vocab"]))) == set(FILES)
    data = parser.to_bytes(exclude=["vocab", "model"])
    assert set(srsly.msgpack_loads(data)) == {"cfg"}
    nlp = make_nlp("en").from_bytes(other_nlp.to_bytes())
    parser_of(nlp).from_bytes(parser.to_bytes(), exclude=["model"])
    assert parse_all(nlp) == parse_all(other_nlp)


def test_a_pipeline_without_the_component(trained_nlp, tmp_path):
    trained_nlp.to_disk(tmp_path, exclude=[NAME])
    assert not (tmp_path / NAME).exists()
    assert spacy.load(tmp_path, exclude=[NAME]).pipe_names == []


def test_strings_of_labels_come_with_the_component(saved):
    nlp = make_nlp()
    parser_of(nlp).from_disk(saved)
    assert all(label in nlp.vocab.strings for label in parser_of(nlp).labels)


# ---- writing fails -------------------------------------------------------------------


class WriteError(OSError):
    """The disk is full."""


def fail_for(monkeypatch, function, name):
    """Let os.replace fail for the file `name`, or every writing of a file."""
    if function == "write":

        def fail(self, mode="r", *args, **kwargs):
            stream = original(self, mode, *args, **kwargs)
            if "x" in mode:
                stream.close()
                raise WriteError(28, "No space left on device")
            return stream

        original = Path.open
        monkeypatch.setattr(Path, "open", fail)
        return

    def fail_to_replace(source, target):
        if os.path.basename(target) == name:
            raise WriteError(28, "No space left on device")
        return replace(source, target)

    replace = os.replace
    monkeypatch.setattr(os, "replace", fail_to_replace)


FAILURES = [("replace", "model"), ("replace", "cfg"), ("write", "")]


@pytest.mark.parametrize(("function", "name"), FAILURES)
def test_a_failed_write_leaves_the_old_model(
    trained_nlp, other_nlp, saved, monkeypatch, function, name
):
    before = files(saved)
    fail_for(monkeypatch, function, name)
    with pytest.raises(WriteError):
        parser_of(other_nlp).to_disk(saved, exclude=["vocab"])
    monkeypatch.undo()
    after = files(saved)
    assert sorted(after) == FILES
    if name != "cfg":
        assert after == before
    nlp = make_nlp()
    parser_of(nlp).from_disk(saved)
    expected = other_nlp if after["model"] != before["model"] else trained_nlp
    assert parse_all(nlp) == parse_all(expected)


def test_a_model_that_cannot_be_made_leaves_the_old_files(
    other_nlp, saved, monkeypatch
):
    def fail(model, resume=True):
        raise MemoryError

    before = files(saved)
    monkeypatch.setattr("spacy_dynoracle.parser.stored.write_model", fail)
    with pytest.raises(MemoryError):
        parser_of(other_nlp).to_disk(saved, exclude=["vocab"])
    assert files(saved) == before


# ---- bad files -----------------------------------------------------------------------


def check_load_error(path, culprits, nlp=None):
    """One ModelFileError that names the culprits; the component is as it was."""
    nlp = nlp or make_nlp()
    parser = parser_of(nlp)
    if parser.model is None:
        train(nlp, mixed_examples(nlp.vocab), epochs=2)
    before = parser.to_bytes(exclude=["vocab"]), parse_all(nlp)
    with pytest.raises(ModelFileError) as error:
        parser.from_disk(path)
    for culprit in culprits:
        assert str(culprit) in str(error.value)
    assert (parser.to_bytes(exclude=["vocab"]), parse_all(nlp)) == before
    # Training goes on, too.
    update(nlp, examples(nlp.vocab))
    for s in SENTENCES:
        assert_tree(parse(nlp, s.words))


def test_missing_directory(tmp_path):
    check_load_error(tmp_path / "nowhere", [tmp_path / "nowhere" / "model"])


def test_model_is_missing_or_a_directory(saved):
    (saved / "model").unlink()
    check_load_error(saved, [saved / "model"])
    (saved / "model").mkdir()
    check_load_error(saved, [saved / "model"])


OTHER_TYPE = srsly.msgpack_dumps({"cfg": {}, "model": {"a": 1}})


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"model", bytes(9), b"\x92\x01\x02", OTHER_TYPE]
)
def test_bytes_that_are_no_component(data):
    nlp = make_nlp()
    with pytest.raises(ModelFileError):
        parser_of(nlp).from_bytes(data)
    assert parser_of(nlp).model is None


def test_damaged_cfg(saved):
    (saved / "cfg").write_text("{not json")
    check_load_error(saved, [saved / "cfg"])


def test_a_failed_load_leaves_the_vocab(trained_nlp, tmp_path):
    parser_of(trained_nlp).to_disk(tmp_path)
    (tmp_path / "model").write_bytes(b"nothing")
    nlp = make_nlp()
    n_strings = len(nlp.vocab.strings)
    with pytest.raises(ModelFileError):
        parser_of(nlp).from_disk(tmp_path)
    assert len(nlp.vocab.strings) == n_strings
    data = srsly.msgpack_loads(parser_of(trained_nlp).to_bytes())
    data["model"] = b"nothing"
    with pytest.raises(ModelFileError):
        parser_of(nlp).from_bytes(srsly.msgpack_dumps(data))
    assert len(nlp.vocab.strings) == n_strings


OTHER_SETTINGS = [
    ({"system": {"root": "first"}}, ["transition system", "'last'", "'first'"]),
    (
        {"features": feature_templates("S0w.N0p")},
        ["feature templates", "S0w.N0p"],
    ),
    (
        {"tag_attr": "TAG", "features": {"@misc": "spacy_dynoracle.ZhangNivre2011.v1"}},
        ["token attributes", "POS", "TAG"],
    ),
    ({"tag_attr": None}, ["feature templates"]),
]


@pytest.mark.parametrize(("settings", "culprits"), OTHER_SETTINGS, ids=str)
def test_a_model_of_other_settings(saved, settings, culprits):
    nlp = make_nlp(**settings, data=mixed_examples, epochs=2)
    check_load_error(saved, [saved / "model", NAME, *culprits], nlp)


def test_sentences_may_differ_from_training(nlp_bytes):
    """Only what the weights depend on must agree."""
    nlp = make_nlp(
        sentences="doc", nonprojective="drop", n_threads=2, seed=5, model=nlp_bytes
    )
    doc = parse(nlp, [word for s in SENTENCES for word in s.words])
    assert len(list(doc.sents)) == 1


def test_bytes_without_a_model_leave_the_model(trained_nlp):
    parser = trained_nlp.get_pipe("dynoracle_parser")
    loaded = copy.deepcopy(parser)
    loaded.from_bytes(parser.to_bytes(exclude=["model"]))
    assert loaded.model is not None
    # A part whose name is damaged must not count as one that was left out.
    damaged = srsly.msgpack_loads(parser.to_bytes())
    damaged["mofel"] = damaged.pop("model")
    for parts in ({}, damaged):
        with pytest.raises(ModelFileError, match="do not hold a saved parser"):
            loaded.from_bytes(srsly.msgpack_dumps(parts))
    assert loaded.model is not None


def test_the_copy_of_a_pipeline_has_a_vocab_of_its_own(trained_nlp):
    copied = copy.deepcopy(trained_nlp)
    assert copied.vocab is not trained_nlp.vocab
    assert all(pipe.vocab is copied.vocab for _, pipe in copied.pipeline)
