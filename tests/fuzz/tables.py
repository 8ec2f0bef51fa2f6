"""Files for `parse-table` that are damaged, and outputs of damaged runs.

Each row of the input is a row of the output, be it with an error, and what cannot be
read is one line that names the file.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

from spacy_dynoracle.errors import TreebankError

from . import prepared
from .damage import damaged, damaged_bytes, damaged_text
from .surface import Case, Limits

UNIT = "files"
SHORT = 30
LIMITS = Limits(cpu_seconds=20.0)
ROWS = [
    {"id": "a", "text": "Nora found a map.", "stars": 5},
    {"id": 2, "tokens": ["Go", "."], "spaces": [False, False]},
    {"id": None, "text": "The captain sold the boat."},
]
KINDS = ("jsonl", "ndjson", "txt", "conllu", "parquet", "jsonl.gz")


def prepare(directory: Path) -> None:
    """A pipeline."""
    prepared.prepare(directory, ("text",))
    (directory / "scratch").mkdir(exist_ok=True)


def cases(directory: Path) -> Case:
    """Write a damaged file, and parse it."""
    from spacy_dynoracle.tables import TableParser, parse_locally, plan

    text = (directory / "text.txt").read_text("utf8")[:300]
    conllu = (directory / "dev.conllu").read_text("utf8")[:1500]

    def case(rng: random.Random) -> int:
        folder = Path(mkdtemp(dir=directory / "scratch"))
        try:
            n_rows = write(rng, folder, text, conllu)
            keep = ["stars"] if rng.random() < 0.2 else []
            column = rng.choice(["text", "text", "text", "id", "stars"])
            own = "id" if column != "id" else "text"
            parser = TableParser(
                str(directory / "text"), text=column, id=own, keep=keep
            )
            made = plan(folder / "in", parser, part_bytes=rng.choice([50, 10**6]))
            counts = list(parse_locally(made, folder / "out").results())
            if n_rows is not None:
                assert sum(c.docs for c in counts) == n_rows, (counts, n_rows)
            spoil(rng, folder / "out")
            again = parse_locally(made, folder / "out")
            list(again.resumed)
            list(again.results())
        except (TreebankError, ValueError) as error:
            check_message(str(error))
        finally:
            shutil.rmtree(folder)
        return 1

    return case


def write(rng: random.Random, folder: Path, text: str, conllu: str) -> int | None:
    """Write an input; returns the number of its rows, if that is known."""
    (folder / "in").mkdir()
    kind = rng.choice(KINDS)
    path = folder / "in" / f"a.{kind}"
    if kind == "parquet":
        return write_parquet(rng, path)
    if kind.startswith(("jsonl", "ndjson")):
        lines = list(json_lines(rng))
        data = "\n".join(lines).encode(errors="surrogatepass")
        if kind.endswith("gz"):
            path.write_bytes(damaged_bytes(rng, data))
            return None
        path.write_bytes(data)
        return sum(bool(line.encode(errors="replace").strip()) for line in lines)
    source = damaged_text(rng, text if kind == "txt" else conllu)
    path.write_bytes(source.encode(errors="surrogatepass"))
    return None


def json_lines(rng: random.Random) -> Iterator[str]:
    """Rows, some of them damaged, without line breaks in them."""
    for _ in range(rng.randint(1, 5)):
        row = rng.choice(ROWS)
        if rng.random() < 0.3:
            row = damaged(rng, row)
        line = json.dumps(row, default=repr)
        if rng.random() < 0.3:
            line = damaged_text(rng, line)
        yield " ".join(line.split("\n"))


def write_parquet(rng: random.Random, path: Path) -> int | None:
    """A table of odd columns, or a damaged file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = rng.choice([0, 1, 3])
    columns = [
        pa.array(["Nora found a map."] * n),
        pa.array([b"Go \xff."] * n, pa.binary()).view(pa.string()),
        pa.array([None] * n, pa.string()),
        pa.array([7] * n, pa.int64()),
        pa.array([["Go", None]] * n, pa.list_(pa.string())),
        pa.array([{"a": 1}] * n, pa.struct([("a", pa.int64())])),
    ]
    names = rng.sample(["id", "text", "tokens", "stars", "text", "error"], 3)
    table = pa.Table.from_arrays([rng.choice(columns) for _ in names], names=names)
    pq.write_table(table, path)
    if rng.random() < 0.3:
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
        return None
    return n


def check_message(message: str) -> None:
    """An error is one line."""
    assert "\n" not in message


def spoil(rng: random.Random, output: Path) -> None:
    """Damage a file of an output."""
    files = [path for path in sorted(output.iterdir()) if path.stat().st_size]
    if files and rng.random() < 0.5:
        path = rng.choice(files)
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
