"""Several models as one sequence of bytes.

A fixed preamble (magic, version, checksum and length of the header), a JSON header with
the name and the length of each model, the files of the models, each of which has a
checksum of its own (see `model_file`), and other parts, whose names, lengths and
checksums are in the header. Reading one executes nothing.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

from ...errors import ModelFileError
from ...util.arrays import ALIGNMENT
from .file import read_model, read_preamble, write_model
from .model import Model

MAGIC = b"DYNORCS\n"
VERSION = 2
# magic, version, CRC-32 of the header, length of the header
PREAMBLE = struct.Struct("<8sIIQ")


def write_models(
    models: Mapping[str, Model], parts: Mapping[str, bytes], *, resume: bool = True
) -> bytes:
    """The bytes of some models and of other parts, by name.

    The same ones always give the same bytes.

    Args:
        resume: As for `write_model`.
    """
    files = {name: write_model(m, resume=resume) for name, m in models.items()}
    lengths = [[name, len(data)] for name, data in files.items()]
    others = [[name, len(data), zlib.crc32(data)] for name, data in parts.items()]
    header = json.dumps({"models": lengths, "parts": others}).encode("utf8")
    # Blanks, which JSON allows: so the models begin where their arrays are aligned.
    header += b" " * (-(PREAMBLE.size + len(header)) % ALIGNMENT)
    preamble = PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(header), len(header))
    return b"".join([preamble, header, *files.values(), *parts.values()])


def read_models(
    data: bytes | memoryview,
) -> tuple[dict[str, Model], dict[str, bytes | memoryview]]:
    """The models and the parts in `data`, by name, in the order in which they were
    written. A memoryview is used as by `read_model`, and parts are views of it.

    Raises:
        ModelFileError: For anything but sound models of this version, and damaged
            parts.
    """
    models: dict[str, Model] = {}
    parts: dict[str, bytes | memoryview] = {}
    lengths, others, start = _read_header(data)
    for name, length in lengths.items():
        models[name] = read_model(data[start : start + length])
        start += length
    for name, (length, checksum) in others.items():
        parts[name] = data[start : start + length]
        if zlib.crc32(parts[name]) != checksum:
            raise ModelFileError(f"the checksum of its {name} is wrong: it is damaged")
        start += length
    if start != len(data):
        raise ModelFileError(f"it has {len(data)} bytes, expected {start}")
    return models, parts


def _read_header(
    data: bytes | memoryview,
) -> tuple[dict[str, int], dict[str, tuple[int, int]], int]:
    """The length of each model, length and checksum of each part, and where the first
    model begins.
    """
    crc, length = read_preamble(data, PREAMBLE, MAGIC, VERSION)
    encoded = bytes(data[PREAMBLE.size : PREAMBLE.size + length])
    if len(encoded) != length or zlib.crc32(encoded) != crc:
        raise ModelFileError("the checksum of its header is wrong: it is damaged")
    try:
        header = json.loads(encoded)
        lengths = {str(name): _length(value) for name, value in header["models"]}
        parts = {
            str(name): (_length(length), _length(checksum))
            for name, length, checksum in header["parts"]
        }
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFileError(
            f"its header is inconsistent ({type(error).__name__}: {error})"
        ) from error
    if len(lengths) != len(header["models"]) or len(parts) != len(header["parts"]):
        raise ModelFileError("a model or a part is in it twice")
    return lengths, parts, PREAMBLE.size + length


def _length(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"a model cannot have {value!r} bytes")
    return value
