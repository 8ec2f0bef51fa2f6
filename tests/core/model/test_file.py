"""Model files: round trips, and damage of every kind."""

import json
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.errors import ModelFileError

from ..builders import (
    TREEBANK,
    add_labels,
    build_trainer,
    every_system,
    examples,
    labels_of,
    model_of,
    parse,
    read_weights,
    sentence,
    sentences,
    small_treebanks,
    trained,
    with_system,
)
from ..learners.rda_trainers import build_rda

PREAMBLE = struct.Struct("<8sIIQQ")
MAGIC, VERSION = b"DYNORCL\n", 3
ALIGNMENT = 64
ARRAYS = ("common", "rows", "pilots", "tags", "entries", "lists", "highs")
SMALL = ("S0w", "N0w", "N0p", "S0w.N0w", "S0p.vr", "S0l")


def split(data):
    """The header and the arrays of a model file."""
    _, _, _, header_length, _ = PREAMBLE.unpack_from(data)
    end = PREAMBLE.size + header_length
    header = json.loads(data[PREAMBLE.size : end])
    arrays, start = {}, end + -end % ALIGNMENT
    for name in [*ARRAYS, *(["ranker"] if "ranker" in header else [])]:
        length = header["arrays"][name]
        arrays[name] = data[start : start + length]
        start += length + -length % ALIGNMENT
    return header, arrays


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def sealed(header, body, *, length=None, header_length=None, version=VERSION):
    """A model file with any header (JSON or bytes) and body, and the right checksum."""
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    fill = bytes(-(PREAMBLE.size + len(header)) % ALIGNMENT)
    content = header + fill + body
    tail = struct.pack(
        "<QQ",
        len(header) if header_length is None else header_length,
        PREAMBLE.size + len(content) if length is None else length,
    )
    crc = zlib.crc32(tail + content)
    return MAGIC + struct.pack("<II", version, crc) + tail + content


def joined(header, arrays):
    return sealed(header, b"".join(padded(array) for array in arrays.values()))


@pytest.fixture(scope="module")
def data(small_model):
    return write_model(small_model)


def assert_same_model(model, other):
    assert repr(other.system) == repr(model.system)
    assert other.extractor.templates == model.extractor.templates
    assert other.actions.keys == model.actions.keys
    assert list(other.labels) == list(model.labels)
    assert other.sources == model.sources
    assert other.root_label == model.root_label
    assert other.learner == model.learner
    assert other.weights.sizes() == model.weights.sizes()
    assert read_weights(other.weights) == read_weights(model.weights)


# ---- round trips ---------------------------------------------------------------------


@every_system
@settings(max_examples=10)
@given(trees=small_treebanks())
def test_round_trip(system, trees):
    model = model_of(trained(trees, system=system, templates=SMALL))
    data = write_model(model)
    again = read_model(data)
    assert_same_model(model, again)
    assert write_model(again) == data
    batch = sentences(trees)
    assert parse(again, batch) == parse(model, batch)


def test_layout(data):
    """The file is what the helpers of these tests take it for."""
    header, arrays = split(data)
    assert joined(header, arrays) == data
    assert len(data) % ALIGNMENT == 0
    assert sorted(header) == [
        "actions",
        "arrays",
        "is_fitted",
        "labels",
        "learner",
        "root_label",
        "sources",
        "system",
        "temperature",
        "templates",
        "weights",
    ]


@pytest.mark.parametrize("n_labels", [0, 1, 7, 120, 121, 200])
def test_few_and_many_actions(n_labels):
    """Up to 256 actions their numbers have 8 bits, 16 beyond."""
    trainer = build_trainer(labels_of(TREEBANK), templates=SMALL)
    add_labels(trainer, map(str, range(n_labels)))
    others = [t._replace(labels=(str(n_labels - 1),) * len(t.labels)) for t in TREEBANK]
    for iteration in (1, 2, 3):
        trainer.train(examples(TREEBANK, trainer), iteration)
        if n_labels:
            trainer.train(examples(others, trainer), iteration)
    model = model_of(trainer)
    assert len(model.actions) == 2 + 2 * (n_labels + len(labels_of(TREEBANK)))
    again = read_model(write_model(model))
    assert_same_model(model, again)
    batch = sentences(TREEBANK)
    assert parse(again, batch) == parse(model, batch)
    # The greatest action number is in use.
    assert not n_labels or max(a for _, a in read_weights(again.weights)) > (
        len(model.actions) - 5
    )


def test_labels_are_any_strings():
    labels = ["obj||nmod:für", "", " ", "\n", '"', "\u2028", "\U0001f600", "\x00"]
    trainer = build_trainer(labels)
    model = model_of(trainer, root_label="\U0001f600")
    again = read_model(write_model(model))
    assert list(again.labels) == labels
    assert again.root_label == "\U0001f600"


@every_system
@pytest.mark.parametrize("labels", [["a"], []])
def test_untrained_model(system, labels):
    """Without a label easy-first has no action at all."""
    model = model_of(build_trainer(labels, system=system))
    data = write_model(model)
    again = read_model(data)
    assert write_model(again) == data
    assert parse(again, sentences(TREEBANK)) == parse(model, sentences(TREEBANK))


def test_files_without_a_root_label_constraint(data):
    """As they were before there was one."""
    header, arrays = split(data)
    del header["system"]["root_label_constraint"]
    again = read_model(joined(header, arrays))
    assert not again.system.root_label_constraint
    assert write_model(again) == data


def test_public_view_is_written_frozen():
    trainer = trained(TREEBANK)
    assert write_model(model_of(trainer, public=True)) == write_model(model_of(trainer))


def test_tree_constraint_is_no_part_of_the_model(small_model, data):
    """It is a setting of the component that uses the model."""
    constrained = with_system(small_model, ArcEager(tree_constraint=True))
    assert write_model(constrained) == data


# ---- damage --------------------------------------------------------------------------


def test_truncated(data):
    lengths = {
        *range(200),
        *range(0, len(data), 997),
        *range(len(data) - 70, len(data)),
    }
    for length in sorted(lengths):
        with pytest.raises(ModelFileError):
            read_model(data[:length])


@given(st.binary(max_size=300))
def test_random_bytes(garbage):
    for data in (garbage, MAGIC + garbage, PREAMBLE.pack(MAGIC, VERSION, 0, 10, 50)):
        with pytest.raises(ModelFileError):
            read_model(data)


@settings(max_examples=300)
@given(st.data())
def test_flipped_bits(data, draw):
    """No bit of the file is without a check."""
    at = draw.draw(st.integers(0, 8 * len(data) - 1))
    damaged = bytearray(data)
    damaged[at // 8] ^= 1 << at % 8
    with pytest.raises(ModelFileError):
        read_model(bytes(damaged))


@pytest.mark.parametrize("surplus", [b"\0", b"\0" * 64, b"more"])
def test_more_bytes(data, surplus):
    with pytest.raises(ModelFileError, match=f"it has {len(data + surplus)} bytes"):
        read_model(data + surplus)


def test_messages(data):
    header, arrays = split(data)
    body = b"".join(map(padded, arrays.values()))
    for damaged, message in [
        (b"", "it is not a model of spacy_dynoracle"),
        (b"PK" + data[2:], "it is not a model of spacy_dynoracle"),
        (sealed(header, body, version=4), "it has format version 4, this release read"),
        (sealed(header, body, version=1), "it has format version 1, this release read"),
        (data[:-64], f"it has {len(data) - 64} bytes, expected {len(data)}"),
        (data[:-1] + b"\x01", "its checksum is wrong: the file is damaged"),
        (sealed(header, body, header_length=10**9), "header is longer than the file"),
        (sealed(header, body, header_length=2**64 - 1), "header is longer than the f"),
        (sealed(header, body, header_length=10), "its header is not JSON"),
        (sealed(header, body, header_length=0), "its header is not JSON"),
        (sealed(b"\xff\xfe", body), "its header is not JSON"),
        (sealed(b"[" * 100_000, body), "its header is not JSON"),
        (sealed(b"1" * 10_000, body), "its header is not JSON"),
        (sealed([], body), "its header is not a JSON object"),
        (sealed(None, body), "its header is not a JSON object"),
    ]:
        with pytest.raises(ModelFileError, match=message):
            read_model(damaged)


# ---- headers that were tampered with -------------------------------------------------

DELETE = object()
HUGE = 10**400


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["system"], "ArcEager"),
        (["system", "name"], "EasyFirst"),
        (["system", "name"], ["ArcEager"]),
        (["system", "root"], "middle"),
        (["system", "root"], None),
        (["system", "root"], DELETE),
        (["system", "root_label_constraint"], "no"),
        (["system", "root_label_constraint"], 1),
        (["system", "root_label_constraint"], None),
        (["templates"], []),
        (["templates"], "S0w"),
        (["templates"], ["S0w", "S0w"]),
        (["templates"], ["S9w", "S0p"]),
        (["templates"], [1]),
        (["templates"], {"S0w": 1}),
        (["templates", 0], "S0w." * 2000 + "S0p"),
        (["templates"], [f"{a}.{b}" for a in ("S0w", "S0p", "S0l", "N0w")
                         for b in ("N0w", "N0p", "N1w")] * 60),
        (["sources"], {}),
        (["sources"], ["w", "p"]),
        (["sources"], {"w": "ORTH"}),
        (["sources"], {"w": "ORTH", "p": 1}),
        (["sources"], {"w": "ORTH", "p": "TAG", "x": "LEMMA"}),
        (["labels"], []),
        (["labels"], "abc"),
        (["labels", 0], 1),
        (["labels", 0], None),
        # No longer distinct, or no longer those of the actions.
        (["labels", 1], "advmod"),
        (["labels", 0], "never seen"),
        (["actions"], []),
        (["actions"], {}),
        (["actions"], [["SHIFT", None]]),
        (["actions", 0], []),
        (["actions", 0], None),
        (["actions", 0], ["SHIFT"]),
        (["actions", 0], ["SHIFT", None, None]),
        (["actions", 0], ["SWAP", None]),
        (["actions", 0], ["UNSHIFT", None]),
        (["actions", 0], ["LEFT", None]),
        (["actions", 0], [["SHIFT"], None]),
        (["actions", 0], [{}, {}]),
        (["actions", 2], ["LEFT", "never seen"]),
        (["actions", 2], ["LEFT", 7]),
        (["actions", 2], ["LEFT", ["advmod"]]),
        (["actions", 2], ["SHIFT", "advmod"]),
        (["actions", 3], ["LEFT", "advmod"]),
        (["root_label"], 5),
        (["root_label"], ["root"]),
        (["learner"], None),
        (["learner"], 3),
        (["weights"], []),
        (["weights", "n_actions"], 0),
        (["weights", "n_actions"], 5),
        (["weights", "n_actions"], -1),
        (["weights", "n_actions"], "24"),
        (["weights", "n_actions"], HUGE),
        (["weights", "scale"], 0),
        (["weights", "scale"], -1024.0),
        (["weights", "scale"], "1024"),
        (["weights", "scale"], None),
        (["weights", "scale"], [1024.0]),
        (["weights", "scale"], HUGE),
        (["weights", "scale"], float("nan")),
        (["weights", "scale"], float("inf")),
        (["weights", "scale"], 5e-324),
        (["weights", "n_features"], -1),
        (["weights", "n_features"], HUGE),
        (["weights", "n_features"], 1.5),
        (["weights", "n_parameters"], "many"),
        (["arrays"], []),
        (["arrays"], {}),
        (["arrays", "common"], -8),
        (["arrays", "common"], 0),
        (["arrays", "common"], 4),
        (["arrays", "common"], 8),
        (["arrays", "common"], 10**9),
        (["arrays", "common"], HUGE),
        (["arrays", "common"], "8"),
        (["arrays", "common"], 64.0),
        (["arrays", "highs"], 0),
        (["arrays", "highs"], 10**9),
        (["arrays", "rows"], 0),
        (["arrays", "rows"], 2),
        (["arrays", "rows"], 10**9),
        (["arrays", "rows"], -(2**63)),
        *(([key], DELETE) for key in ("system", "templates", "sources", "labels",
                                      "actions", "root_label", "learner", "weights",
                                      "arrays")),
        *(([key], None) for key in ("system", "templates", "sources", "labels",
                                    "actions", "weights", "arrays")),
    ],
    ids=lambda x: "DELETE" if x is DELETE else str(x)[:30],
)  # fmt: skip
def test_tampered_header(data, path, value):
    header, arrays = split(data)
    changed(header, path, value)
    with pytest.raises(ModelFileError):
        read_model(joined(header, arrays))


def changed(header, path, value):
    """Replace or delete what stands at a path of a JSON value, in place."""
    for step in path[:-1]:
        header = header[step]
    if value is DELETE:
        del header[path[-1]]
    else:
        assert path[-1] in header or isinstance(header, list)
        header[path[-1]] = value


def test_actions_in_another_order(data):
    """The numbers of actions are those of the file, or the file is refused."""
    header, arrays = split(data)
    actions = header["actions"]
    actions[0], actions[1] = actions[1], actions[0]
    try:
        model = read_model(joined(header, arrays))
    except ModelFileError:
        return
    assert model.actions.keys == [tuple(key) for key in actions]


def use(model):
    """Do everything with a model that reads its weights."""
    columns = len(model.extractor.templates.columns)
    parse(model, [sentence(*[t.words] * columns) for t in TREEBANK if columns])
    learner = AveragedPerceptron(len(model.actions))
    learner.resume(model.weights)
    learner.freeze()


def paths_of(value, path=()):
    """The paths to all parts of a JSON value."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from paths_of(item, (*path, key))
        else:
            yield (*path, key)


ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["SHIFT", "LEFT", "obj", "S0w", "S0l", "w", "last", ""])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.mark.heavy
@settings(max_examples=200)
@given(st.data())
def test_any_change_of_the_header_is_refused_or_harmless(data, draw):
    header, arrays = split(data)
    for _ in range(draw.draw(st.integers(1, 2))):
        path = draw.draw(st.sampled_from(list(paths_of(header))))
        value = draw.draw(st.just(DELETE) | ANY_JSON)
        changed(header, path, value)
    try:
        model = read_model(joined(header, arrays))
    except ModelFileError:
        return
    use(model)
    assert write_model(read_model(write_model(model))) == write_model(model)


# ---- weights that were tampered with -------------------------------------------------


@pytest.fixture(
    scope="module", params=[(0, 0.02), (150, 0.003)], ids=["narrow", "wide"]
)
def parts(request):
    """Header and arrays of a model with action numbers of 8 and of 16 bits. It has rows
    of both kinds, the learner being one that may move many weights at a time."""
    n_more, gradient = request.param
    trainer = build_rda(
        ArcEager(), labels_of(TREEBANK), templates=SMALL, smallest_gradient=gradient
    )
    add_labels(trainer, map(str, range(n_more)))
    for iteration in (1, 2, 3):
        trainer.train(examples(TREEBANK, trainer), iteration)
    return with_byte_lists(split(write_model(model_of(trainer))))


def with_byte_lists(parts):
    """The same with smaller weights in every second list, or in the place of it."""
    header, arrays = parts
    entries, lists = entries_of(parts), bytearray(arrays["lists"])
    numbers, starts, counts = (each.tolist() for each in lists_of(parts, entries, 1))
    for number, start, count in list(zip(numbers, starts, counts, strict=True))[::2]:
        if start == max(starts):
            # Nothing is to be left behind the last list.
            continue
        first = start + width_of(parts) * count
        weights = np.frombuffer(bytes(lists), "<i2", count, first)
        weights = weights.clip(-127, 127).astype("i1")
        entries["head"][number] &= 0xFFFFFFF
        if width_of(parts) == 1 and count == 4:
            entries["columns"][number] = list(lists[start : start + 4])
            entries["weights"][number] = weights
        else:
            lists[first : first + count] = weights.tobytes()
            entries["head"][number] |= 2 << 28
    changed = {"entries": entries.tobytes(), "lists": bytes(lists)}
    return header, arrays | changed


def with_arrays(parts, **changes):
    header, arrays = parts
    arrays = arrays | changes
    lengths = {name: len(array) for name, array in arrays.items()}
    return joined(header | {"arrays": lengths}, arrays)


def values_of(parts):
    """The values in the table of common features, as an array that can be changed."""
    return np.frombuffer(parts[1]["common"], dtype="<u4").reshape(-1, 2, 8).copy()


def entries_of(parts):
    """The entries of the other features, as an array that can be changed."""
    kind = np.dtype([("head", "<u4"), ("columns", "u1", 4), ("weights", "i1", 4)])
    return np.frombuffer(parts[1]["entries"], dtype=kind).copy()


def lists_of(parts, entries, kind):
    """Of entries with a list of a kind: their numbers, and where the lists start, in
    bytes, and their lengths."""
    (numbers,) = np.nonzero(entries["head"] >> 28 == kind)
    starts = 4 * np.ascontiguousarray(entries["columns"]).view("<u4")[numbers, 0]
    weights = np.ascontiguousarray(entries["weights"]).view("<u2")
    return numbers, starts, weights[numbers, 0]


def set_length(entries, number, count):
    entries["weights"][number, :2] = np.frombuffer(np.uint16(count).tobytes(), "i1")


def test_the_parts_are_sound(parts):
    use(read_model(with_arrays(parts)))
    assert np.count_nonzero(values_of(parts)[:, 1]) > 20
    kinds = entries_of(parts)["head"] >> 28
    # Where action numbers have 16 bits, all weights are in lists.
    is_wide = len(parts[0]["actions"]) > 256
    assert sorted(set(kinds.tolist())) == [0, 1, 2]
    assert entries_of(parts)["weights"][kinds == 0].any() != is_wide


@pytest.mark.parametrize("value", [1, -1, 10**6, 2**32 - 1])
def test_value_that_is_no_end_of_a_row(parts, value):
    """-1 stands for the row behind the last one."""
    if value == -1:
        value = (len(parts[1]["rows"]) + len(parts[1]["rows"]) // n_rows(parts)) // 32
    table = values_of(parts)
    table[np.nonzero(table[:, 1, 0])[0][0], 1, 0] = value
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, common=table.tobytes()))


def n_rows(parts):
    return np.count_nonzero(values_of(parts)[:, 1])


def test_a_bucket_has_an_empty_slot(parts):
    table = values_of(parts)
    table[0, 1, :] = table[np.nonzero(table[:, 1, 0])[0][0], 1, 0]
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, common=table.tobytes()))


def test_bounds_and_places_behind_the_actions(parts):
    """A row states a bound on its weights, without which sums could be too large."""
    n_actions = len(parts[0]["actions"])
    for column in range(n_actions, n_actions // 16 * 16 + 16):
        rows = np.frombuffer(parts[1]["rows"], "<i2").reshape(n_rows(parts), -1).copy()
        rows[3, column] += 1
        with pytest.raises(ModelFileError, match="outside of their arrays"):
            read_model(with_arrays(parts, rows=rows.tobytes()))


@pytest.mark.parametrize("weight", [-4095, 4095, -4097, 4097, -32768])
def test_the_largest_weights(parts, weight):
    """They are summed without an overflow; larger ones are refused."""
    n_actions = len(parts[0]["actions"])
    rows = np.frombuffer(parts[1]["rows"], "<i2").reshape(n_rows(parts), -1).copy()
    rows[:, :n_actions] = weight
    rows[:, -1] = -(-abs(weight) // 64)
    lists = bytearray(parts[1]["lists"])
    _, starts, counts = lists_of(parts, entries_of(parts), 1)
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        first = start + width_of(parts) * count
        lists[first : first + 2] = weight.to_bytes(2, "little", signed=True)
    for changed in ({"rows": rows.tobytes()}, {"lists": bytes(lists)}):
        if abs(weight) <= 4095:
            use(read_model(with_arrays(parts, **changed)))
        else:
            with pytest.raises(ModelFileError, match="outside of their arrays"):
                read_model(with_arrays(parts, **changed))


def width_of(parts):
    """Bytes of the number of an action in a list."""
    return 2 if len(parts[0]["actions"]) > 256 else 1


@pytest.mark.parametrize("kind", [1, 2])
def test_an_action_twice_in_a_list(parts, kind):
    width = width_of(parts)
    _, starts, counts = lists_of(parts, entries_of(parts), kind)
    start, count = int(starts[0]), int(counts[0])
    lists = bytearray(parts[1]["lists"])
    lists[start + width : start + 2 * width] = lists[start : start + width]
    weights = start + width * count
    lists[weights : weights + 4] = b"\1\0\1\0" if kind == 1 else b"\1\1\0\0"
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, lists=bytes(lists)))


@pytest.mark.parametrize("kind", [3, 4, 15])
def test_entry_of_no_kind(parts, kind):
    entries = entries_of(parts)
    entries["head"][0] |= kind << 28
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, entries=entries.tobytes()))


@pytest.mark.parametrize("beyond", [1, 10**6, 2**32 - 1])
def test_list_outside_of_the_lists(parts, beyond):
    entries = entries_of(parts)
    listed = lists_of(parts, entries, 2)[0][0]
    start = min(len(parts[1]["lists"]) // 4 + beyond, 2**32 - 1)
    entries["columns"][listed] = np.frombuffer(np.uint32(start).tobytes(), "u1")
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, entries=entries.tobytes()))


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("count", [3, 5, 2**16 - 4])
def test_length_of_a_list(parts, kind, count):
    entries = entries_of(parts)
    for number in lists_of(parts, entries, kind)[0]:
        set_length(entries, number, count)
    with pytest.raises(ModelFileError, match="outside of their arrays"):
        read_model(with_arrays(parts, entries=entries.tobytes()))


def test_action_out_of_range(parts):
    header, arrays = parts
    n_actions, width = len(header["actions"]), width_of(parts)
    entries = entries_of(parts)
    start = int(lists_of(parts, entries, 2)[1][0])
    for action in (n_actions, 256**width - 1):
        changed = bytearray(arrays["lists"])
        changed[start : start + width] = action.to_bytes(width, "little")
        with pytest.raises(ModelFileError, match="outside of their arrays"):
            read_model(with_arrays(parts, lists=bytes(changed)))
        if width == 1:
            changed_entries = entries.copy()
            inline = np.flatnonzero(
                entries["weights"][:, 0] & (entries["head"] < 1 << 28)
            )
            changed_entries["columns"][inline[0], 0] = action
            with pytest.raises(ModelFileError, match="outside of their arrays"):
                read_model(with_arrays(parts, entries=changed_entries.tobytes()))


def test_shorter_arrays(parts):
    _, arrays = parts
    for name in arrays:
        cuts = {1, 2, 4, 8, len(arrays[name])}
        # Shorter pilots are other ones, and a list may be followed by a few bytes.
        for cut in cuts - {"pilots": {2, 4, 8}, "lists": {1, 2}}.get(name, set()):
            with pytest.raises(ModelFileError):
                read_model(with_arrays(parts, **{name: arrays[name][:-cut]}))


def test_longer_arrays(parts):
    _, arrays = parts
    for name, surplus in [
        *(("common", 1), ("common", 64), ("rows", 2), ("tags", 1)),
        *(("entries", 12), ("highs", 2), ("highs", 4), ("pilots", 1)),
    ]:
        with pytest.raises(ModelFileError, match="has the wrong size"):
            read_model(with_arrays(parts, **{name: arrays[name] + bytes(surplus)}))


@settings(max_examples=60)
@given(st.data())
def test_any_change_of_the_weights_is_refused_or_harmless(parts, draw):
    name = draw.draw(st.sampled_from(sorted(parts[1])))
    array = bytearray(parts[1][name])
    for _ in range(draw.draw(st.integers(1, 20))):
        at = draw.draw(st.integers(0, len(array) - 1))
        array[at] = draw.draw(st.sampled_from([0, 1, 2, 127, 128, 254, 255]))
    try:
        model = read_model(with_arrays(parts, **{name: bytes(array)}))
    except ModelFileError:
        return
    use(model)
