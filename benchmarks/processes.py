"""Memory of several processes that parse with the same model.

Run it as `python -m benchmarks.processes` or `python benchmarks/processes.py`, with
`--help` for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import BrokenBarrierError
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import Text, read_texts
from benchmarks.memory import ROOT
from benchmarks.pipelines import load
from benchmarks.running import consume
from spacy_dynoracle.cli.common import CommandError, one_line_errors

SAMPLE = ROOT / "treebanks" / "English-Harbour"
ROLLUP = Path("/proc/self/smaps_rollup")
MEGA = 1e6
# Seconds until a process that does not answer counts as failed.
PATIENCE = 600

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class Memory:
    """Memory of a process, in bytes.

    Attributes:
        resident: All pages that it has in memory.
        share: The same, but of a page that several processes have only its part, so
            that the shares of all processes add up.
    """

    resident: int
    share: int

    @classmethod
    def now(cls) -> Memory:
        """The memory of this process.

        Raises:
            OSError: Where the system does not tell.
        """
        found = {}
        for line in ROLLUP.read_text().splitlines()[1:]:
            name, value, *_ = line.split()
            found[name] = int(value) * 1024
        return cls(found["Rss:"], found["Pss:"])


def parse(
    nlp: Language | None, model: Path, texts: Sequence[Text], together: Any, found: Any
) -> None:
    """What each process does: load the model if it has none, parse, and tell its
    memory while all others are there.

    Args:
        together: A barrier of all processes.
        found: A queue.
    """
    try:
        nlp = nlp or load(model, sentences="doc")
        consume(nlp.pipe([text.doc(nlp.vocab) for text in texts]))
    except BaseException:
        together.abort()
        raise
    found.put(memory_together(together))


def memory_together(together: Any) -> Memory:
    """The memory of this process while all processes of a barrier are there."""
    together.wait(PATIENCE)
    memory = Memory.now()
    together.wait(PATIENCE)
    return memory


def measured(
    method: str, n: int, model: Path, texts: Sequence[Text], nlp: Language | None
) -> list[Memory]:
    """The memory of this process and of n others that it starts, which are all there at
    the same time.

    Raises:
        CommandError: If one of them fails.
    """
    context: Any = multiprocessing.get_context(method)
    together, found = context.Barrier(n + 1), context.Queue()
    arguments = (nlp, model, texts, together, found)
    processes = [context.Process(target=parse, args=arguments) for _ in range(n)]
    for process in processes:
        process.start()
    try:
        memories = [memory_together(together), *(found.get() for _ in processes)]
    except BrokenBarrierError as error:
        raise CommandError(
            f"one of {n} processes failed; its message is above"
        ) from error
    finally:
        for process in processes:
            process.join()
    return memories


@app.command()
@one_line_errors
def main(
    model: Annotated[
        Path, typer.Option(help="Trained pipeline with one dynoracle_parser.")
    ],
    treebank: Annotated[
        Path, typer.Option(help="Directory with test.conllu.")
    ] = SAMPLE,
    processes: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Numbers of processes. Default: 1 and 8."),
    ] = None,
) -> None:
    """Measure the memory of several processes that parse with the same model.

    fork: they are started by a process that has loaded the model, as `nlp.pipe` does on
    Linux. spawn: each loads it for itself. The process that starts them counts too.
    """
    if not ROLLUP.exists():
        raise CommandError(
            f"{ROLLUP}: not there; expected Linux, which tells what "
            "several processes share"
        )
    console = Console()
    # Each of them is a sentence.
    texts = read_texts(treebank, 0, ["test"])
    table = Table("start", "processes", title="Memory while all have parsed, MB")
    for name in ("each, resident", "all together", "for each further one"):
        table.add_column(name, justify="right")
    for method in ("fork", "spawn"):
        nlp = load(model, sentences="doc") if method == "fork" else None
        first = None
        for n in processes or [1, 8]:
            found = measured(method, n, model, texts, nlp)
            total = sum(memory.share for memory in found)
            first = first or (n, total)
            more = (total - first[1]) / (n - first[0]) if n > first[0] else None
            table.add_row(
                method,
                str(n),
                f"{max(memory.resident for memory in found[1:]) / MEGA:,.0f}",
                f"{total / MEGA:,.0f}",
                "" if more is None else f"{more / MEGA:,.0f}",
            )
    console.print(table)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.processes")
