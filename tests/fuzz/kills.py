"""Commands that are killed at random moments.

Afterwards an output is the old or the new one, whatever was written can be read, and no
worker process goes on.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import spacy
import srsly
from spacy.cli.train import train as spacy_train

from . import prepared, writing
from .surface import Case, Limits

UNIT = "kills"
SHORT = 1
LIMITS = Limits(cpu_seconds=60.0, seconds=300.0)

NAMES = ("train", "parse", "calibrate", "parse-jobs")
SIGNALS = ("SIGKILL", "SIGKILL", "SIGTERM", "SIGINT")
# How long a worker may live after its parent.
GRACE = 30.0


def prepare(directory: Path) -> None:
    """Pipelines, files, a config for training, and how long each command takes."""
    prepared.prepare(directory, ("text",))
    nlp = spacy.blank("xx")
    nlp.add_pipe("dynoracle_parser", config={"sentences": "preset"})
    config = nlp.config.copy()
    for name in FILES:
        path = directory / f"{name}.spacy"
        prepared.write_docs(directory / f"{name}.conllu", path)
        config["paths"][name] = str(path)
    config["training"] |= {"max_epochs": 3, "eval_frequency": 1, "patience": 0}
    config.to_disk(directory / "config.cfg")


FILES = ("train", "dev")


def cases(directory: Path) -> Case:
    """Start a command, kill it, look at what is left."""
    scratch = directory / "scratch"
    seconds: dict[str, float] = {}

    def case(rng: random.Random) -> int:
        name = rng.choice(NAMES)
        if name not in seconds:
            seconds[name] = duration(directory, scratch, name)
        with_old = rng.random() < 0.5
        number = getattr(signal, rng.choice(SIGNALS))
        after = rng.random() * 1.1 * seconds[name]
        out = begin(scratch, name, with_old)
        process = start(directory, name, out)
        time.sleep(after)
        os.kill(process, number)
        os.waitpid(process, 0)
        wait_for_group(process)
        check(directory, scratch, name, out, with_old)
        return 1

    return case


def begin(scratch: Path, name: str, with_old: bool) -> Path:
    """An empty directory, perhaps with an older output."""
    command = writing.COMMANDS.get(name, writing.Writing(("OUT",), is_pipeline=True))
    return writing.begin(command, scratch, with_old)


def start(directory: Path, name: str, out: Path) -> int:
    """Run a command in a process of its own, which is ready at once: a copy of this
    one.

    Returns:
        Its id, which is that of its group too.
    """
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        run(directory, name, out)
        code = 0
    finally:
        os._exit(code)


def run(directory: Path, name: str, out: Path) -> None:
    """Run a command in this process."""
    if name == "train":
        spacy_train(directory / "config.cfg", out)
    else:
        command = writing.COMMANDS[name]
        writing.run(writing.command_line(command, directory, out))


def duration(directory: Path, scratch: Path, name: str) -> float:
    """How long a command takes that nobody kills."""
    out, begun = begin(scratch, name, False), time.monotonic()
    process = start(directory, name, out)
    _, status = os.waitpid(process, 0)
    assert status == 0, f"{name} fails by itself: {status}"
    if name != "train":
        path = directory / "expected" / name
        path.parent.mkdir(exist_ok=True)
        wanted = writing.digest(writing.target(writing.COMMANDS[name], out))
        path.write_text(wanted, encoding="utf8")
    return time.monotonic() - begun


def wait_for_group(group: int) -> None:
    """Wait until a group of processes has ended."""
    end = time.monotonic() + GRACE
    while members(group):
        assert time.monotonic() < end, f"processes of group {group} go on"
        time.sleep(0.1)


def members(group: int) -> list[str]:
    """The processes of a group that have not ended."""
    command = ["ps", "-A", "-o", "pgid=,stat="]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = [line.split() for line in lines]
    return [
        stat for pgid, stat in found if int(pgid) == group and not stat.startswith("Z")
    ]


def check(directory: Path, scratch: Path, name: str, out: Path, with_old: bool) -> None:
    """Assert that everything that is there is whole."""
    for path in scratch.rglob("*.npz"):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    if name == "train":
        for path in out.glob("*/dynoracle_parser"):
            check_component(path)
        return
    wanted = (directory / "expected" / name).read_text(encoding="utf8")
    command = writing.COMMANDS[name]
    writing.check(command, out, lambda: wanted, with_old, True)


def check_component(path: Path) -> None:
    """Assert that a saved parser has whole files. The last one is `cfg`."""
    nlp = spacy.blank("xx")
    parser = nlp.add_pipe("dynoracle_parser", config={"sentences": "preset"})
    if (path / "cfg").exists():
        assert isinstance(srsly.read_json(path / "cfg"), dict)
    if (path / "model").exists():
        parser.read_model((path / "model").read_bytes())  # type: ignore[attr-defined]
