"""Model files, taken apart and put together again with the right checksum."""

import json
import struct
import zlib

PREAMBLE = struct.Struct("<8sIIQQ")
MAGIC, VERSION = b"DYNORCL\n", 8
ALIGNMENT = 64
ARRAYS = ("buckets", "rows", "pilots", "lines", "overflow", "resume")


def split(data):
    """The header and the arrays of a model file."""
    _, _, _, header_length, _ = PREAMBLE.unpack_from(data)
    end = PREAMBLE.size + header_length
    header = json.loads(data[PREAMBLE.size : end])
    arrays, start = {}, end + -end % ALIGNMENT
    for name in [*ARRAYS, *(f"part {name}" for name in header.get("parts", {}))]:
        length = header["arrays"][name]
        arrays[name] = data[start : start + length]
        start += length + -length % ALIGNMENT
    return header, arrays


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def sealed(header, body, *, header_length=None, version=VERSION):
    """A model file with any header (JSON or bytes) and body, and the right checksum."""
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    fill = bytes(-(PREAMBLE.size + len(header)) % ALIGNMENT)
    content = header + fill + body
    tail = struct.pack(
        "<QQ",
        len(header) if header_length is None else header_length,
        PREAMBLE.size + len(content),
    )
    crc = zlib.crc32(tail + content)
    return MAGIC + struct.pack("<II", version, crc) + tail + content


def joined(header, arrays):
    return sealed(header, b"".join(padded(array) for array in arrays.values()))
