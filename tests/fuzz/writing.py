"""Commands that write files or pipelines, and what must be there after a fault."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import NamedTuple

import spacy

from spacy_dynoracle.cli import app
from spacy_dynoracle.util.files import PART

# What was there before the command.
OLD = b"old\n"


class Writing(NamedTuple):
    """A command that writes to OUT.

    Attributes:
        arguments: With the names of files of the prepared directory.
        is_pipeline: Whether it writes the directory of a pipeline.
    """

    arguments: tuple[str, ...]
    is_pipeline: bool = False


COMMANDS = {
    "parse": Writing(("parse", "text", "dev.conllu", "--output", "OUT")),
    "parse-text": Writing(("parse", "text", "text.txt", "--output", "OUT")),
    "evaluate": Writing(("evaluate", "text", "dev.conllu", "--output", "OUT")),
    "check": Writing(("check", "dev.conllu", "--output", "OUT")),
    "calibrate": Writing(
        (
            *("calibrate", "text", "dev.conllu", "--fit", "train.conllu"),
            *("--output", "OUT"),
        ),
        is_pipeline=True,
    ),
}


def command_line(writing: Writing, directory: Path, out: Path) -> list[str]:
    """The arguments of a command that writes to `out`."""
    found = []
    for word in writing.arguments:
        if word.startswith("OUT"):
            found.append(f"{out}{word[3:]}")
        elif (directory / word).exists():
            found.append(str(directory / word))
        else:
            found.append(word)
    return found


def target(writing: Writing, out: Path) -> Path:
    """The path that a command writes."""
    word = next(word for word in writing.arguments if word.startswith("OUT"))
    return out.with_name(f"{out.name}{word[3:]}")


def expected(directory: Path, name: str, out: Path) -> str:
    """The digest of what a command writes without faults; made once for a round."""
    kept = directory / "expected" / name
    if not kept.exists():
        run(command_line(COMMANDS[name], directory, out))
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(digest(target(COMMANDS[name], out)), encoding="utf8")
    return kept.read_text(encoding="utf8")


def run(arguments: list[str]) -> None:
    """Run a command without faults."""
    code = app(arguments, standalone_mode=False)
    assert not code, (arguments, code)


def digest(path: Path) -> str:
    """A digest of a file, of the members of a JSON object (the values have times), or
    of the names of all files of a directory.
    """
    if path.is_dir():
        names = sorted(str(p.relative_to(path)) for p in path.rglob("*"))
        return hashlib.sha256("\n".join(names).encode()).hexdigest()
    data = path.read_bytes()
    if data.startswith(b"{"):
        data = ",".join(json.loads(data)).encode()
    return hashlib.sha256(data).hexdigest()


def begin(writing: Writing, scratch: Path, with_old: bool) -> Path:
    """Empty the directory, and perhaps put an older output there.

    Returns:
        OUT.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    out = scratch / "out"
    if with_old and not writing.is_pipeline:
        target(writing, out).write_bytes(OLD)
    return out


def check(
    writing: Writing, out: Path, wanted: str, with_old: bool, parts_allowed: bool
) -> bool:
    """Assert that an output is the old or the new one.

    Args:
        parts_allowed: Whether incomplete files may lie beside it.

    Returns:
        Whether it is new.
    """
    path = target(writing, out)
    beside = [p.name for p in out.parent.iterdir() if p.name.endswith(PART)]
    assert parts_allowed or not beside, beside
    if not path.exists():
        assert writing.is_pipeline or not with_old, "the old output is gone"
        return False
    if path.is_file() and path.read_bytes() == OLD and with_old:
        return False
    found = digest(path)
    assert found == wanted, (f"{path} is neither old nor new", writing.arguments)
    if writing.is_pipeline:
        spacy.load(path)
    return True
