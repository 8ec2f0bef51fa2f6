"""Damaged treebanks and texts, as files of every command that reads some.

A file is used, or refused in one line that names it. What a command writes as CoNLL-U
can be read.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import spacy
from spacy.training import Example

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_conllu, to_doc

from . import prepared
from .command_line import run_command
from .damage import ODD_STRINGS, damaged_bytes, damaged_text
from .surface import Case, Limits

UNIT = "files"
SHORT = 40
LIMITS = Limits(cpu_seconds=10.0)

PIPELINES = ("text", "swap", "easy", "beam")
# How often each use of a file is tried, of a thousand.
USES = {
    "read": 720,
    "train": 80,
    "check": 80,
    "parse": 60,
    "evaluate": 45,
    "explain": 15,
    "calibrate": 5,
}


def prepare(directory: Path) -> None:
    """Pipelines and sound files."""
    prepared.prepare(directory, PIPELINES)


def cases(directory: Path) -> Case:
    """Damage a file and use it."""
    scratch = directory / "scratch"
    sound = (directory / "dev.conllu").read_text(encoding="utf8")
    text = (directory / "text.txt").read_text(encoding="utf8")
    names, weights = list(USES), list(USES.values())

    def case(rng: random.Random) -> int:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        (use,) = rng.choices(names, weights)
        is_text = use == "parse" and rng.random() < 0.4
        data = changed_text(rng, text) if is_text else changed(rng, sound)
        name = "x.txt" if is_text else rng.choice(["x.conllu", "x.conllu", "x.conll"])
        path = scratch / name
        path.write_bytes(data)
        if use in ("read", "train"):
            read(path, train=use == "train")
        else:
            command(rng, use, directory, path)
        return 1

    return case


def read(path: Path, train: bool) -> None:
    """Read a file in the library, and perhaps train a parser on it."""
    try:
        sentences = list(read_conllu(path))
    except TreebankError as error:
        if path.name not in str(error):
            raise
        return
    nlp = spacy.blank("xx")
    docs = [to_doc(sentence, nlp.vocab) for sentence in sentences]
    if train and any(map(len, docs)):
        tagged = [to_doc(s, nlp.vocab, tree=False) for s in sentences]
        examples = list(map(Example, tagged, docs))
        parser = nlp.add_pipe("dynoracle_parser")
        nlp.initialize(lambda: examples)
        nlp.update(examples)
        for doc in nlp.pipe(tagged):
            assert all(token.has_head() for token in doc)
        parser.from_bytes(parser.to_bytes())  # type: ignore[attr-defined]


def command(rng: random.Random, use: str, directory: Path, path: Path) -> None:
    """Give a file to a command."""
    pipeline = directory / rng.choice(PIPELINES)
    out = path.with_name("out.conllu")
    parsed = [out], [out, "--keep-heads"], [out.with_suffix(".tsv")]
    arguments: dict[str, list[object]] = {
        "check": [path],
        "parse": [pipeline, path, "--output", *rng.choice(parsed)],
        "evaluate": [pipeline, path, "--by", "confusion", "--worst", "2"],
        "explain": [directory / "text", path, *rng.choice([[], ["--features", "3"]])],
        "calibrate": [directory / "text", path],
    }
    words = [use, *arguments[use]]
    if use == "evaluate" and rng.random() < 0.5:
        # Files of parses in the place of pipelines, and two of them.
        words = [use, path, directory / "dev.conllu"]
        words += rng.choice([[], ["--against", directory / "text"]])
    run_command(words)
    if out.exists():
        list(read_conllu(out))


# ---- damage --------------------------------------------------------------------------


def changed(rng: random.Random, text: str) -> bytes:
    """Some sentences of a treebank with damage."""
    blocks = text.strip().split("\n\n")
    rng.shuffle(blocks)
    blocks = blocks[: rng.choice([1, 2, 3, 8])]
    kind = rng.random()
    if kind < 0.15:
        return damaged_bytes(rng, "\n\n".join([*blocks, ""]).encode())
    if kind < 0.25:
        text = damaged_text(rng, "\n\n".join([*blocks, ""]))
        return text.encode("utf8", "surrogatepass")
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(blocks))
        blocks[at] = changed_sentence(rng, blocks[at])
    found = "\n\n".join([*blocks, ""])
    if rng.random() < 0.1:
        found = found.replace("\n", rng.choice(["\r\n", "\r", "\n\n"]))
    return found.encode("utf8", "surrogatepass")


def changed_sentence(rng: random.Random, block: str) -> str:
    """A sentence with another value in a column, or with lines gone, new or moved."""
    lines = block.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 2:
            lines.insert(at, odd_line(rng))
        case 3:
            lines[at] = damaged_text(rng, lines[at])
        case _:
            columns = lines[at].split("\t")
            place = rng.randrange(len(columns))
            numbers = ["0", "-1", "1-2", "3-1", "1.1", "99", "007", "1e1", "٣", str(at)]
            columns[place] = rng.choice([*ODD_STRINGS, *numbers])
            lines[at] = "\t".join(columns)
    return "\n".join(lines)


def odd_line(rng: random.Random) -> str:
    """A line that may stand in a file: comments, multiword tokens, empty nodes."""
    return rng.choice(
        [
            *("#", "# text = ", "# sent_id = ", "# newdoc", "# newpar id = x", ""),
            f"# text ={' ' * rng.choice([1, 3000])}x",
            "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
            "2-1\tx\t_\t_\t_\t_\t_\t_\t_\t_",
            "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_",
            "1\tx\tx\tX\tX\t_\t0\troot\t_\t_",
            "1\t\t\t\t\t\t\t\t\t",
            "\t".join(rng.choice(ODD_STRINGS) for _ in range(10)),
        ]
    )


def changed_text(rng: random.Random, text: str) -> bytes:
    """A text with damage."""
    if rng.random() < 0.3:
        return damaged_bytes(rng, text.encode())
    return damaged_text(rng, text).encode("utf8", "surrogatepass")
