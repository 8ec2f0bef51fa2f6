"""Damaged and crafted model files of the parser, the tagger, the sentence splitter and
the reranker.

Most crafted files have right checksums and lengths, so that everything behind these
checks is reached. A component refuses a file with ModelFileError and stays as it was,
or loads it and gives trees and tags for any text.
"""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language

from spacy_dynoracle.components.base import Component
from spacy_dynoracle.core.model import bundle
from spacy_dynoracle.errors import ModelFileError

from ..core.model.files import padded, sealed, split
from ..parser.treebank import assert_tree
from . import prepared
from .damage import damaged, damaged_bytes
from .surface import Case, Limits

UNIT = "model files"
SHORT = 80
LIMITS = Limits()
prepare = prepared.prepare


def cases(directory: Path) -> Case:
    """Damage the file of a component, load it and parse."""
    pipelines = [
        spacy.load(path.parent) for path in sorted(directory.glob("*/config.cfg"))
    ]
    found = [
        (nlp, pipe, pipe.dump_model())
        for nlp in pipelines
        for _, pipe in nlp.pipeline
        if isinstance(pipe, Component)
    ]

    def case(rng: random.Random) -> int:
        nlp, pipe, data = rng.choice(found)
        cfg, model = {"format": 1, "trained": True, **pipe.state()}, data
        if rng.random() < 0.1:
            cfg = damaged(rng, cfg)
        else:
            model = changed(rng, data)
        if rng.random() < 0.2:
            accepted = load_files(rng, pipe, cfg, model, directory / "scratch")
        else:
            accepted = load(pipe, packable(cfg), model)
        if accepted and pipe.model is not None:
            try:
                use(directory, nlp)
            finally:
                assert load(pipe, {"trained": True}, data)
        elif accepted:
            assert load(pipe, {"trained": True}, data)
        return 1

    return case


def packable(value: Any) -> Any:
    """A value without what MessagePack lacks: strings that are no Unicode, large
    integers.
    """
    if isinstance(value, dict):
        return {packable(k): packable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(packable, value))
    if isinstance(value, str):
        return value.encode("utf8", "replace").decode("utf8")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return 2**64 - 1
    return value


def load(pipe: Component, cfg: Any, data: bytes) -> bool:
    """Load a component.

    Returns:
        Whether it was accepted.
    """
    before = pipe.model
    try:
        pipe.from_bytes(srsly.msgpack_dumps({"cfg": cfg, "model": data}))
    except ModelFileError:
        assert pipe.model is before
        return False
    return True


def load_files(
    rng: random.Random, pipe: Component, cfg: Any, data: bytes, directory: Path
) -> bool:
    """Load a component from files. A message names the file.

    Returns:
        Whether it was accepted.
    """
    before = pipe.model
    (directory / "model").write_bytes(data)
    text = dumped(rng, cfg)
    (directory / "cfg").write_bytes(
        text if rng.random() < 0.7 else damaged_bytes(rng, text)
    )
    try:
        pipe.from_disk(directory)
    except ModelFileError as error:
        assert pipe.model is before
        if str(directory / "model") in str(error) or "cfg" in str(error):
            return False
        raise
    return True


def use(directory: Path, nlp: Language) -> None:
    """Parse with a pipeline whose model may be anything."""
    for doc in prepared.documents(directory, nlp):
        try:
            nlp(doc)
        except ValueError as error:
            # A search that needs a reranker may have lost it.
            if "needs a model with a ranker" not in str(error):
                raise
        else:
            assert_tree(doc)


# ---- crafted files -------------------------------------------------------------------


def changed(rng: random.Random, data: bytes) -> bytes:
    """A file with some damage."""
    if rng.random() < 0.15:
        return damaged_bytes(rng, data)
    if data.startswith(bundle.MAGIC):
        return changed_bundle(rng, data)
    return changed_file(rng, data)


def changed_file(rng: random.Random, data: bytes) -> bytes:
    """A model file with another header or other arrays, and the right checksum."""
    header, arrays = split(data)
    encoded = json.dumps(header).encode()
    body = b"".join(map(padded, arrays.values()))
    kind = rng.random()
    if kind < 0.5:
        encoded = dumped(rng, damaged(rng, header))
    elif kind < 0.55:
        encoded = damaged_bytes(rng, encoded)
    else:
        body = damaged_bytes(rng, body)
    return sealed(encoded, body)


def changed_bundle(rng: random.Random, data: bytes) -> bytes:
    """A file of several models with one of them changed, or another header."""
    magic, version, _, length = bundle.PREAMBLE.unpack_from(data)
    start = bundle.PREAMBLE.size + length
    header = json.loads(data[bundle.PREAMBLE.size : start])
    parts = []
    for entry in [*header["models"], *header["parts"]]:
        parts.append(data[start : start + entry[1]])
        start += entry[1]
    if rng.random() < 0.25:
        header = damaged(rng, header)
    else:
        at = rng.randrange(len(parts))
        n_models = len(header["models"])
        if at < n_models:
            parts[at] = changed_file(rng, parts[at])
            header["models"][at][1] = len(parts[at])
        else:
            parts[at] = changed_part(rng, parts[at])
            entry = header["parts"][at - n_models]
            entry[1:] = [len(parts[at]), zlib.crc32(parts[at])]
    encoded = dumped(rng, header)
    preamble = bundle.PREAMBLE.pack(magic, version, zlib.crc32(encoded), len(encoded))
    return b"".join([preamble, encoded, *parts])


def changed_part(rng: random.Random, data: bytes) -> bytes:
    """A part that is no model, with some damage: most are JSON or MessagePack."""
    for read, write in (
        (json.loads, lambda value: dumped(rng, value)),
        (srsly.msgpack_loads, srsly.msgpack_dumps),
    ):
        try:
            return write(damaged(rng, read(data)))
        except Exception:
            continue
    return damaged_bytes(rng, data)


def dumped(rng: random.Random, value: Any) -> bytes:
    """JSON, also of values that JSON does not have."""
    text = json.dumps(value, default=repr, skipkeys=True)
    return text.encode("utf8", "surrogatepass")
