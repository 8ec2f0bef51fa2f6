"""Model files: round trips, and damage of every kind."""

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
    sentence,
    sentences,
    small_treebanks,
    train,
    trained,
    with_system,
)
from ..learners.rda_trainers import build_rda
from ..weights.layout import (
    BOUND,
    CELL,
    FACTOR,
    FINGERPRINT_BITS,
    FIRST_ACTION,
    IN_OVERFLOW,
    LINE,
    WIDE_CELL,
    overflow_place,
    read_weights,
    stride_of,
)
from .files import ALIGNMENT, MAGIC, PREAMBLE, VERSION, joined, padded, sealed, split

SMALL = ("S0w", "N0w", "N0p", "S0w.N0w", "S0p.vr", "S0l")


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
    assert " ".join(sorted(header)) == (
        "actions arrays is_fitted labels learner root_label sources system temperature "
        "templates weights"
    )


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
    greatest = max(action for _, action in read_weights(again.weights))
    assert not n_labels or greatest > len(model.actions) - 5


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


def test_without_resume(small_model, data):
    """A smaller file gives the same parses, and training does not go on from it."""
    smaller = write_model(small_model, resume=False)
    assert len(smaller) < len(data)
    again = read_model(smaller)
    assert write_model(again) == smaller == write_model(again, resume=False)
    batch = sentences(TREEBANK)
    assert parse(again, batch) == parse(small_model, batch)
    with pytest.raises(ValueError, match="saved without its part 'resume'"):
        AveragedPerceptron(len(again.actions)).resume(again.weights)


def test_a_model_that_learns_is_written_frozen():
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


@settings(max_examples=5 * settings().max_examples)
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
        (sealed(header, body, version=6), "it has format version 6, this release read"),
        (sealed(header, body, version=9), "it has format version 9, this release read"),
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
        (["system", "root"], "middle"),
        (["system", "root"], DELETE),
        (["system", "root_label_constraint"], "no"),
        (["system", "root_label_constraint"], None),
        (["templates"], []),
        (["templates"], "S0w"),
        (["templates"], ["S0w", "S0w"]),
        (["templates"], ["S9w", "S0p"]),
        (["templates"], [1]),
        (["templates", 0], "S0w." * 2000 + "S0p"),
        (["templates"], [f"{a}.{b}" for a in ("S0w", "S0p", "S0l", "N0w")
                         for b in ("N0w", "N0p", "N1w")] * 60),
        (["sources"], {}),
        (["sources"], {"w": "ORTH"}),
        (["sources"], {"w": "ORTH", "p": 1}),
        (["sources"], {"w": "ORTH", "p": "TAG", "x": "LEMMA"}),
        (["labels"], []),
        (["labels"], "abc"),
        (["labels", 0], 1),
        # No longer distinct, or no longer those of the actions.
        (["labels", 1], "advmod"),
        (["labels", 0], "never seen"),
        (["actions"], []),
        (["actions"], [["SHIFT", None]]),
        (["actions", 0], []),
        (["actions", 0], ["SHIFT"]),
        (["actions", 0], ["SHIFT", None, None]),
        (["actions", 0], ["SWAP", None]),
        (["actions", 0], ["LEFT", None]),
        (["actions", 2], ["LEFT", "never seen"]),
        (["actions", 2], ["LEFT", ["advmod"]]),
        (["actions", 2], ["SHIFT", "advmod"]),
        (["actions", 3], ["LEFT", "advmod"]),
        (["root_label"], 5),
        (["learner"], None),
        (["weights"], []),
        (["weights", "n_actions"], 0),
        (["weights", "n_actions"], -1),
        (["weights", "n_actions"], "24"),
        (["weights", "scale"], 0),
        (["weights", "scale"], "1024"),
        (["weights", "scale"], HUGE),
        (["weights", "scale"], float("nan")),
        (["weights", "scale"], 5e-324),
        (["weights", "n_features"], -1),
        (["weights", "n_features"], 1.5),
        (["weights", "n_parameters"], "many"),
        (["arrays"], []),
        (["arrays", "buckets"], -8),
        (["arrays", "buckets"], 0),
        (["arrays", "buckets"], 10**9),
        (["arrays", "buckets"], "8"),
        (["arrays", "buckets"], 64.0),
        (["arrays", "resume"], 10**9),
        (["arrays", "rows"], 2),
        (["arrays", "rows"], 10**9),
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
@settings(max_examples=5 * settings().max_examples)
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
    """Header and arrays of a model with action numbers of 8 and of 16 bits.

    It has rows of both kinds, the learner being one that may move many weights at a
    time.
    """
    n_more, gradient = request.param
    trainer = build_rda(
        ArcEager(), labels_of(TREEBANK), templates=SMALL, smallest_gradient=gradient
    )
    add_labels(trainer, map(str, range(n_more)))
    train(trainer, 3)
    return split(write_model(model_of(trainer)))


def with_arrays(parts, **changes):
    header, arrays = parts
    arrays = arrays | changes
    lengths = {name: len(array) for name, array in arrays.items()}
    return joined(header | {"arrays": lengths}, arrays)


def values_of(parts):
    """The values in the table of common features, as an array that can be changed."""
    return np.frombuffer(parts[1]["buckets"], dtype="<u4").reshape(-1, 2, 8).copy()


def lines_of(parts):
    """The lines of the other features, as an array that can be changed."""
    return np.frombuffer(parts[1]["lines"], dtype=LINE).copy()


def features_of(lines):
    """(line, slot, first cell, end) of every feature in a line."""
    starts = lines["heads"] >> FINGERPRINT_BITS
    ends = np.column_stack([starts[:, 1:], np.full(len(lines), 20)])
    for line, slot in np.argwhere(starts < ends).tolist():
        yield line, slot, int(starts[line, slot]), int(ends[line, slot])


def cells_of_overflow(lines):
    """The cells in lines that say where others are."""
    for line, _, start, end in features_of(lines):
        if lines["cells"]["weight"][line, start] == IN_OVERFLOW:
            yield lines["cells"][line, start:end]


def cells_in_lines(lines):
    """The cells of every feature that has all of them in a line."""
    for line, _, start, end in features_of(lines):
        if lines["cells"]["weight"][line, start] != IN_OVERFLOW:
            yield lines["cells"][line, start:end]


def longest_overflow(parts):
    """The overflow, to be changed, and a view of the longest cells in it."""
    overflow = np.frombuffer(parts[1]["overflow"], "u1").copy()
    places = map(overflow_place, cells_of_overflow(lines_of(parts)))
    start, count = max(places, key=lambda place: place[1])
    kind = WIDE_CELL if is_wide(parts) else CELL
    return overflow, overflow[start : start + count * kind.itemsize].view(kind)


def is_wide(parts):
    return len(parts[0]["actions"]) > 256


def assert_refused(parts, **arrays):
    changed = {name: array.tobytes() for name, array in arrays.items()}
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        read_model(with_arrays(parts, **changed))


def test_the_parts_are_sound(parts):
    use(read_model(with_arrays(parts)))
    assert np.count_nonzero(values_of(parts)[:, 1]) > 20
    lines = lines_of(parts)
    assert len(list(cells_of_overflow(lines))) > 20
    # Where action numbers have 16 bits, all weights are in the overflow.
    assert any(True for _ in cells_in_lines(lines)) != is_wide(parts)
    assert len(longest_overflow(parts)[1]) > 3


@pytest.mark.parametrize("value", [1, -1, 10**6, 2**32 - 1])
def test_value_that_is_no_start_of_a_row(parts, value):
    """-1 stands for the row behind the last one."""
    if value == -1:
        value = len(parts[1]["rows"])
    table = values_of(parts)
    table[np.nonzero(table[:, 1, 0])[0][0], 1, 0] = value
    assert_refused(parts, buckets=table)


def rows_of(parts):
    """The rows of common features, as an array that can be changed."""
    rows = np.frombuffer(parts[1]["rows"], "i1")
    return rows.reshape(-1, stride_of(len(parts[0]["actions"]))).copy()


def test_a_bucket_has_an_empty_slot(parts):
    table = values_of(parts)
    table[0, 1, :] = table[np.nonzero(table[:, 1, 0])[0][0], 1, 0]
    assert_refused(parts, buckets=table)


def test_bounds_and_places_without_an_action(parts):
    """A row states a bound on its weights, without which sums could be too large."""
    n_actions = len(parts[0]["actions"])
    n_columns = rows_of(parts).shape[1]
    for column in (
        BOUND,
        *range(FACTOR + 1, FIRST_ACTION),
        *range(FIRST_ACTION + n_actions, n_columns),
    ):
        rows = rows_of(parts)
        rows[3, column] += 1
        assert_refused(parts, rows=rows)


@pytest.mark.parametrize("column", [BOUND, FACTOR, FIRST_ACTION])
def test_the_first_row_is_zero(parts, column):
    rows = rows_of(parts)
    rows[0, column] = 1
    assert_refused(parts, rows=rows)


@pytest.mark.parametrize("factor", [0, -1, 127])
def test_factors_of_rows(parts, factor):
    rows = rows_of(parts)
    rows[1, FACTOR] = factor
    assert_refused(parts, rows=rows)


@pytest.mark.parametrize("weight", [-4095, 4095, -4097, 4097, -32768])
def test_the_largest_weights(parts, weight):
    """They are summed without an overflow; larger ones are refused."""
    n_actions = len(parts[0]["actions"])
    rows = rows_of(parts)
    number = 64 if abs(weight) <= 4095 else 65
    rows[1:, FIRST_ACTION:][:, :n_actions] = number if weight > 0 else -number
    rows[1:, FACTOR] = 64
    rows[1:, BOUND] = -(-number // 64)
    overflow, cells = longest_overflow(parts)
    changes = [{"rows": rows}]
    if is_wide(parts):
        cells["weight"][0] = weight
        changes.append({"overflow": overflow})
    for changed in changes:
        if abs(weight) <= 4095:
            data = {name: array.tobytes() for name, array in changed.items()}
            use(read_model(with_arrays(parts, **data)))
        else:
            assert_refused(parts, **changed)


@pytest.mark.parametrize(("n", "is_fine"), [(32, True), (33, False)])
def test_the_largest_weight_of_several_cells(parts, n, is_fine):
    overflow, cells = longest_overflow(parts)
    cells["column"] = 3
    cells["weight"] = 0
    if is_wide(parts):
        cells["weight"][0] = -127 * n
    else:
        assert len(cells) >= 33
        cells["weight"][:n] = -127
    if is_fine:
        use(read_model(with_arrays(parts, overflow=overflow.tobytes())))
    else:
        assert_refused(parts, overflow=overflow)


def test_cells_of_the_overflow_are_in_order(parts):
    overflow, cells = longest_overflow(parts)
    cells[:] = cells[::-1].copy()
    assert_refused(parts, overflow=overflow)


def test_an_action_twice(parts):
    overflow, cells = longest_overflow(parts)
    cells["column"] = [5, 6, *[5] * (len(cells) - 2)]
    cells["weight"] = 1
    assert_refused(parts, overflow=overflow)


@pytest.mark.parametrize("start", [19, 21, 31])
def test_where_cells_begin(parts, start):
    """They do not begin behind those of the next feature, nor behind the line."""
    lines = lines_of(parts)
    line = next(line for line, slot, *_ in features_of(lines) if slot == 1)
    lines["heads"][line, 0] |= 31 << FINGERPRINT_BITS
    lines["heads"][line, 0] ^= (31 - start) << FINGERPRINT_BITS
    assert_refused(parts, lines=lines)


@pytest.mark.parametrize("n", [1, 3, 5, 16])
def test_cells_that_say_where_others_are(parts, n):
    lines = lines_of(parts)
    line, start = next(
        (line, start)
        for line, slot, start, end in features_of(lines)
        if lines["cells"]["weight"][line, start] == IN_OVERFLOW and slot == 0
    )
    lines["cells"][line, 20 - n] = lines["cells"][line, start]
    lines["heads"][line, 0] &= (1 << FINGERPRINT_BITS) - 1
    lines["heads"][line, 0] |= (20 - n) << FINGERPRINT_BITS
    lines["heads"][line, 1:] = 20 << FINGERPRINT_BITS
    assert_refused(parts, lines=lines)


@pytest.mark.parametrize("n", [16, 17, 20])
def test_many_cells_in_a_line(parts, n):
    """So many are not copied; wide models have none at all."""
    lines = lines_of(parts)
    line = next(line for line, *_, end in features_of(lines) if end == 20)
    used = [line == other for other, *_ in features_of(lines)]
    lines["heads"][line] = 20 << FINGERPRINT_BITS
    lines["heads"][line, 0] = (20 - n) << FINGERPRINT_BITS
    lines["cells"][line] = (1, 1)
    resume = np.frombuffer(parts[1]["resume"], "u1").reshape(-1, 3)
    kept = resume[: len(resume) - sum(used) + 1]
    if n > 16 or is_wide(parts):
        assert_refused(parts, lines=lines, resume=kept)
    else:
        changed = {"lines": lines.tobytes(), "resume": kept.tobytes()}
        weights = parts[0]["weights"] | {"n_features": len(kept)}
        fewer = parts[0] | {"weights": weights}
        use(read_model(with_arrays((fewer, parts[1]), **changed)))


@pytest.mark.parametrize("n_more", [-1, 1, 10**6])
def test_another_number_of_features(parts, n_more):
    weights = dict(parts[0]["weights"])
    weights["n_features"] = max(weights["n_features"] + n_more, 0)
    with pytest.raises(ModelFileError, match="do not fit their arrays"):
        read_model(joined(parts[0] | {"weights": weights}, parts[1]))


@pytest.mark.parametrize("beyond", [0, 1, 10**6, 2**32 - 1])
def test_cells_outside_of_the_overflow(parts, beyond):
    lines = lines_of(parts)
    cells = next(cells_of_overflow(lines))
    start = min(len(parts[1]["overflow"]) // 4 + beyond, 2**32 - 1)
    cells["column"] = list(start.to_bytes(4, "little"))
    assert_refused(parts, lines=lines)


@pytest.mark.parametrize("count", [2**15, 2**16 - 1])
def test_how_many_cells_are_in_the_overflow(parts, count):
    lines = lines_of(parts)
    for cells in cells_of_overflow(lines):
        cells["weight"][1:3] = np.frombuffer(count.to_bytes(2, "little"), "i1")
    assert_refused(parts, lines=lines)


def test_action_out_of_range(parts):
    n_actions = len(parts[0]["actions"])
    for action in (n_actions, 2**16 - 1 if is_wide(parts) else 255):
        overflow, cells = longest_overflow(parts)
        cells["column"][-1] = action
        assert_refused(parts, overflow=overflow)
        cells["weight"][-1] = 0
        if action == 2**16 - 1:
            assert_refused(parts, overflow=overflow)
        lines = lines_of(parts)
        for cells in cells_in_lines(lines):
            cells["column"][-1] = action
            assert_refused(parts, lines=lines)
            break


def test_shorter_arrays(parts):
    _, arrays = parts
    for name in arrays:
        # A model may lack `resume`. Shorter pilots are other ones, and cells in the
        # overflow begin at multiples of four bytes.
        cuts = {1, 2, 4, 8, *([] if name == "resume" else [len(arrays[name])])}
        for cut in cuts - {"pilots": {2, 4, 8}, "overflow": {1, 2}}.get(name, set()):
            with pytest.raises(ModelFileError):
                read_model(with_arrays(parts, **{name: arrays[name][:-cut]}))


def test_longer_arrays(parts):
    _, arrays = parts
    for name, surplus in [
        *(("buckets", 1), ("rows", 2), ("lines", 1)),
        *(("lines", 8), ("pilots", 1)),
    ]:
        with pytest.raises(ModelFileError, match="has the wrong size"):
            read_model(with_arrays(parts, **{name: arrays[name] + bytes(surplus)}))


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
