"""Command lines: every command with odd and contradictory options and input.

A command does what it is told, or ends with one line about the mistake.
"""

from __future__ import annotations

import inspect
import os
import random
import shutil
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from spacy_dynoracle.cli import app

from . import prepared
from .command_line import run_command
from .damage import ODD_STRINGS
from .surface import Case, Limits

UNIT = "command lines"
SHORT = 15
LIMITS = Limits(cpu_seconds=15.0, seconds=180.0)
prepare = prepared.prepare

TRAINING = ("calibrate",)
# Right values of numbers of passes and processes are not bounded, and no mistakes.
SMALL = ("epochs", "rounds", "jobs", "n_jobs", "samples", "iterations")
NUMBERS = ("-1", "0", "1", "2", "3", "7", "64", "2147483648", "1e3", "nan", "x", "")


def cases(directory: Path) -> Case:
    """A command with random arguments."""
    program: Any = typer.main.get_command(app)
    commands = {name: program.get_command(None, name) for name in program.commands}
    scratch = directory / "scratch"

    def case(rng: random.Random) -> int:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        # Odd names of outputs are relative.
        os.chdir(scratch)
        name = rng.choice(sorted(commands))
        if name in TRAINING and rng.random() < 0.7:
            name = rng.choice(sorted(set(commands) - set(TRAINING)))
        words = [name, *command_line(rng, commands[name], directory, scratch)]
        stdin = rng.choice([b"", b"Nora found a map.\n", rng.randbytes(40), b"1\tx\n"])
        run_command(words, stdin)
        return 1

    return case


def command_line(
    rng: random.Random, command: Any, directory: Path, scratch: Path
) -> list[str]:
    """Random arguments and options of a command."""
    words: list[str] = []
    kinds = kinds_of(command)
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            if parameter.required or rng.random() < 0.5:
                words.append(argument(rng, parameter, directory, scratch))
        elif rng.random() < 0.25 and parameter.name != "help":
            kind = kinds.get(str(parameter.name), bool)
            words += option(rng, parameter, kind, directory, scratch)
    if command.name == "parse-table":
        words += ["--jobs", "1"]
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), rng.choice(plain(ODD_STRINGS)))
    if rng.random() < 0.05 and words:
        words.pop(rng.randrange(len(words)))
    return words


def kinds_of(command: Any) -> dict[str, type]:
    """The type of each parameter of a command, without None and lists around it."""
    function = inspect.unwrap(command.callback)
    found = {}
    for name, kind in get_type_hints(function).items():
        inner = [k for k in get_args(kind) if k is not type(None)] or [kind]
        found[name] = inner[0] if isinstance(inner[0], type) else str
    return found


def plain(strings: tuple[str, ...]) -> list[str]:
    """The strings that an operating system can pass to a command."""
    return [s for s in strings if "\0" not in s and s.isprintable() and len(s) < 100]


def argument(rng: random.Random, parameter: Any, directory: Path, scratch: Path) -> str:
    """A value of an argument: mostly a pipeline or a file of the right kind."""
    pipelines = [path.parent for path in sorted(directory.glob("*/config.cfg"))]
    files = [directory / name for name in ("train.conllu", "dev.conllu", "text.txt")]
    name = str(parameter.name)
    if rng.random() < 0.1:
        return rng.choice([*plain(ODD_STRINGS), str(scratch), "-", str(directory)])
    if "model" in name or "pipeline" in name or "system" in name:
        return str(rng.choice(pipelines))
    if "output" in name:
        return str(scratch / rng.choice(["out", "out.conllu", "out.spacy", "no/out"]))
    return str(rng.choice(files))


def option(
    rng: random.Random, parameter: Any, kind: type, directory: Path, scratch: Path
) -> list[str]:
    """An option with a value that may be wrong."""
    flag = rng.choice([*parameter.opts, *parameter.secondary_opts])
    if kind is bool:
        return [flag]
    if issubclass(kind, Enum) and rng.random() < 0.9:
        return [flag, str(rng.choice(list(kind)).value)]
    if kind in (int, float):
        small = any(part in str(parameter.name) for part in SMALL)
        return [flag, rng.choice(NUMBERS[:3] if small else NUMBERS)]
    if kind is Path:
        return [flag, argument(rng, parameter, directory, scratch)]
    return [flag, rng.choice([*plain(ODD_STRINGS), "en", "xx", "TAG", "Nora slept."])]
