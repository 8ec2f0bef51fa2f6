"""Models as bytes.

A model file is little-endian: a fixed preamble (magic, version, checksum, lengths), a
JSON header and the arrays of the weights, each aligned to 64 bytes and used as it lies.
Reading one executes nothing, and checks everything before it is used.
"""

import json
import struct
import sys
import zlib
from typing import Any, cast

import numpy as np

from ...errors import ModelFileError
from ...util.arrays import ALIGNMENT, aligned_bytes
from ..features.extractor import Extractor
from ..features.templates import FeatureTemplates
from ..state.labels import Labels
from ..systems import SYSTEMS
from ..systems.actions import Actions
from ..weights.frozen import ARRAYS, FrozenWeights
from .model import Model
from .parts import read_part

MAGIC = b"DYNORCL\n"
VERSION = 8
# magic, version, CRC-32 of all that follows, length of the header, length of the file
PREAMBLE = struct.Struct("<8sIIQQ")
CRC_START = struct.calcsize("<8sII")


def write_model(model: Model, *, resume: bool = True) -> bytes:
    """The bytes of a model. The same model always gives the same bytes.

    Args:
        resume: With the part that only further training needs.

    Raises:
        ModelFileError: On a big-endian machine.
    """
    check_byte_order()
    frozen = model.freeze()
    weights = cast("FrozenWeights", frozen.weights)
    if not resume:
        weights = cast("FrozenWeights", weights.without_resume())
    arrays = {name: weights.arrays()[name] for name in ARRAYS}
    header: dict[str, Any] = {
        "system": frozen.system.settings(),
        "templates": list(frozen.extractor.templates.templates),
        "sources": frozen.sources,
        "labels": list(frozen.labels),
        "actions": [list(key) for key in frozen.actions.keys],
        "root_label": frozen.root_label,
        "learner": frozen.learner,
        "temperature": frozen.temperature,
        "is_fitted": frozen.is_fitted,
        "weights": weights.sizes(),
    }
    if frozen.parts:
        header["parts"] = {name: part.settings() for name, part in frozen.parts.items()}
        for name in sorted(frozen.parts):
            arrays[_array_of(name)] = frozen.parts[name].array
    header["arrays"] = {name: len(array) for name, array in arrays.items()}
    encoded = json.dumps(header, sort_keys=True).encode("utf8")
    body = b"".join(
        [_padded(PREAMBLE.size, encoded)]
        + [_padded(0, array.tobytes()) for array in arrays.values()]
    )
    length = PREAMBLE.size + len(body)
    crc = zlib.crc32(body, zlib.crc32(struct.pack("<QQ", len(encoded), length)))
    return PREAMBLE.pack(MAGIC, VERSION, crc, len(encoded), length) + body


def _array_of(part: str) -> str:
    """The name of the array of a part."""
    return f"part {part}"


def check_byte_order() -> None:
    """Raise ModelFileError where the arrays of a file could not be used as they lie."""
    if sys.byteorder != "little":
        raise ModelFileError("models need a little-endian machine")


def _padded(offset: int, data: bytes) -> bytes:
    return data + bytes(-(offset + len(data)) % ALIGNMENT)


def read_model(data: bytes | memoryview) -> Model:
    """The model in `data`.

    If this is a memoryview, the arrays of the model are views of it where they are
    aligned, and nobody may change it while the model is in use.

    Raises:
        ModelFileError: For anything but a sound model of this version.
    """
    check_byte_order()
    header = _read_header(data)
    try:
        return _build(header, data)
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ModelFileError(
            f"its header is inconsistent ({type(error).__name__}: {error})"
        ) from error


def read_preamble(
    data: bytes | memoryview, preamble: struct.Struct, magic: bytes, version: int
) -> tuple[int, ...]:
    """The numbers behind magic and version at the beginning of a file.

    Raises:
        ModelFileError: For another kind of file or another version.
    """
    if len(data) < preamble.size or data[: len(magic)] != magic:
        raise ModelFileError("it is not a model of spacy_dynoracle")
    _, found, *numbers = preamble.unpack_from(data)
    if found != version:
        raise ModelFileError(
            f"it has format version {found}, this release reads {version}: train the "
            f"model again or install the release that wrote it"
        )
    return tuple(numbers)


def _read_header(data: bytes | memoryview) -> dict[str, Any]:
    crc, header_length, length = read_preamble(data, PREAMBLE, MAGIC, VERSION)
    if length != len(data):
        raise ModelFileError(f"it has {len(data)} bytes, expected {length}")
    if zlib.crc32(memoryview(data)[CRC_START:]) != crc:
        raise ModelFileError("its checksum is wrong: the file is damaged")
    end = PREAMBLE.size + header_length
    if end > len(data):
        raise ModelFileError("its header is longer than the file")
    try:
        header = json.loads(bytes(data[PREAMBLE.size : end]))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise ModelFileError("its header is not a JSON object")
    header["_end"] = end + -end % ALIGNMENT
    return header


def _build(header: dict[str, Any], data: bytes | memoryview) -> Model:
    name, root = header["system"]["name"], header["system"]["root"]
    constraint = header["system"]["root_label_constraint"]
    if name not in SYSTEMS:
        raise ModelFileError(f"its transition system {name!r} is unknown")
    if not isinstance(constraint, bool):
        raise ModelFileError(f"its root_label_constraint is {constraint!r}")
    system = SYSTEMS[name](root=root, root_label_constraint=constraint)
    labels = _strings(header["labels"], "labels")
    actions = Actions(system, Labels(labels))
    for key in header["actions"]:
        transition, label = key
        if label is not None and label not in actions.labels:
            raise ModelFileError(f"its action {transition}-{label} has no such label")
        actions.add(transition, label)
    if list(actions.labels) != labels:
        raise ModelFileError("a label is stated twice")
    if actions.keys != [tuple(key) for key in header["actions"]]:
        raise ModelFileError("its actions are not in an order that can be")
    if header["root_label"] is not None:
        _strings([header["root_label"]], "root_label")
        if constraint:
            actions.constrain_root_label(header["root_label"])
    sizes = header["weights"]
    if sizes["n_actions"] != len(actions):
        raise ModelFileError("the weights are for another number of actions")
    templates = FeatureTemplates(_strings(header["templates"], "templates"))
    sources = header["sources"]
    _strings([*sources.keys(), *sources.values()], "sources")
    arrays = _arrays(header, data)
    model = Model(
        system,
        Extractor(templates),
        actions,
        FrozenWeights.from_arrays(arrays, sizes),
        sources,
        header["root_label"],
        header["learner"],
        header["temperature"],
        header["is_fitted"] is True,
        {
            name: read_part(name, settings, arrays[_array_of(name)])
            for name, settings in header.get("parts", {}).items()
        },
    )
    if set(sources) != set(model.columns):
        raise ModelFileError("it states where other token attributes are from")
    return model


def _strings(values: Any, what: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise ModelFileError(f"{what} in its header must be strings")
    try:
        "".join(values).encode("utf8")
    except UnicodeEncodeError as error:
        raise ModelFileError(f"{what} in its header are not Unicode: {error}") from None
    return values


def _memory(data: bytes | memoryview, start: int) -> np.ndarray:
    """The bytes of `data` from `start` on, at an aligned address."""
    found = np.frombuffer(data, dtype=np.uint8, offset=start)
    if isinstance(data, memoryview) and found.ctypes.data % ALIGNMENT == 0:
        return found
    memory = aligned_bytes(len(found))
    memory[:] = found
    memory.flags.writeable = False
    return memory


def _arrays(header: dict[str, Any], data: bytes | memoryview) -> dict[str, np.ndarray]:
    """The arrays of the weights, as views of one memory."""
    memory = _memory(data, header["_end"])
    n_bytes = len(memory)
    arrays = {}
    offset = 0
    for name in [*ARRAYS, *map(_array_of, sorted(header.get("parts", {})))]:
        length = header["arrays"][name]
        if not isinstance(length, int) or not 0 <= length <= n_bytes - offset:
            raise ModelFileError(f"its array {name!r} does not fit into the file")
        arrays[name] = memory[offset : offset + length]
        offset += length + -length % ALIGNMENT
    return arrays
