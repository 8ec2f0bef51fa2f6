"""Several models as one sequence of bytes.

A fixed preamble (magic, version, checksum and length of the header), a JSON header with
the name and the length of each model, and the files of the models, each of which has a
checksum of its own (see `model_file`). Reading one executes nothing.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

from ..errors import ModelFileError
from .model import Model
from .model_file import read_model, write_model

MAGIC = b"DYNORCS\n"
VERSION = 1
# magic, version, CRC-32 of the header, length of the header
PREAMBLE = struct.Struct("<8sIIQ")


def write_models(models: Mapping[str, Model]) -> bytes:
    """The bytes of some models, by name. The same models always give the same bytes."""
    files = {name: write_model(model) for name, model in models.items()}
    lengths = [[name, len(data)] for name, data in files.items()]
    header = json.dumps({"models": lengths}).encode("utf8")
    preamble = PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(header), len(header))
    return b"".join([preamble, header, *files.values()])


def read_models(data: bytes) -> dict[str, Model]:
    """The models in `data`, by name, in the order in which they were written.

    Raises ModelFileError for anything but sound models of this version.
    """
    models = {}
    lengths, start = _read_header(data)
    for name, length in lengths.items():
        models[name] = read_model(data[start : start + length])
        start += length
    if start != len(data):
        raise ModelFileError(f"it has {len(data)} bytes, expected {start}")
    return models


def _read_header(data: bytes) -> tuple[dict[str, int], int]:
    """The length of each model, and where the first one begins."""
    if len(data) < PREAMBLE.size or data[: len(MAGIC)] != MAGIC:
        raise ModelFileError("it holds no models of spacy_dynoracle")
    _, version, crc, length = PREAMBLE.unpack_from(data)
    if version != VERSION:
        raise ModelFileError(
            f"it has format version {version}, this release reads {VERSION}: train the "
            f"models again or install the release that wrote them"
        )
    encoded = data[PREAMBLE.size : PREAMBLE.size + length]
    if len(encoded) != length or zlib.crc32(encoded) != crc:
        raise ModelFileError("the checksum of its header is wrong: it is damaged")
    try:
        header = json.loads(encoded)
        lengths = {str(name): _length(value) for name, value in header["models"]}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFileError(
            f"its header is inconsistent ({type(error).__name__}: {error})"
        ) from error
    if len(lengths) != len(header["models"]):
        raise ModelFileError("a model is in it twice")
    return lengths, PREAMBLE.size + length


def _length(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"a model cannot have {value!r} bytes")
    return value
