"""Memory and time of training, by the size of the training data.

Run it as `python -m benchmarks.training` with `--help` for the options. README.md
beside this file explains the table.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from spacy.vocab import Vocab

from benchmarks.memory import ROOT
from benchmarks.table_runs import Running
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.treebank import TreebankSentence, read_treebank, to_doc_bin

SAMPLE = ROOT / "treebanks" / "English-Harbour"
SENTENCES_PER_DOC = 10
# Documents in a file: a stream has one file at a time in memory.
DOCS_PER_FILE = 100
SHARES = (0.25, 0.5, 1.0)
WORDS_PER_BATCH = 1000

app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console(stderr=True)


def write_corpus(sentences: list[TreebankSentence], folder: Path) -> int:
    """Write sentences as a folder of .spacy files.

    Returns:
        The number of words.
    """
    folder.mkdir(parents=True)
    size = SENTENCES_PER_DOC * DOCS_PER_FILE
    for start in range(0, len(sentences), size):
        part = to_doc_bin(sentences[start : start + size], Vocab(), SENTENCES_PER_DOC)
        part.to_disk(folder / f"{start:08d}.spacy")
    return sum(len(sentence.words) for sentence in sentences)


def train(
    config: Path, folder: Path, dev: Path, output: Path, passes: dict[str, int]
) -> tuple[float, float]:
    """Train a pipeline.

    Returns:
        The peak of its memory in MB and its CPU seconds.
    """
    command = [sys.executable, "-m", "spacy", "train", str(config)]
    options = {
        "--output": output,
        "--paths.train": folder,
        "--paths.dev": dev,
        # Scoring is not training.
        "--training.eval_frequency": 10**9,
        **{f"--training.{name}": value for name, value in passes.items()},
    }
    for name, value in options.items():
        command += [name, str(value)]
    ended = Running(command).end()
    if ended.returncode:
        raise CommandError(f"spacy train failed: {ended.last}")
    return ended.driver, ended.cpu_seconds


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with .conllu files.")
    ] = SAMPLE,
    config: Annotated[Path, typer.Option(help="Config of spacy train.")] = ROOT
    / "configs"
    / "fast.cfg",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the data.")] = 3,
) -> None:
    """Train on a quarter, a half and all of a treebank, and print the memory."""
    table = Table(title=f"{config.name}, {epochs} epochs, {treebank.name}")
    for column in ("corpus", "words", "peak, MB", "MB per million words", "CPU s"):
        table.add_column(column, justify="left" if column == "corpus" else "right")
    (train_file,) = treebank.glob("*train.conllu")
    (dev_file,) = treebank.glob("*dev.conllu")
    sentences = list(read_treebank(train_file))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        dev = directory / "dev"
        write_corpus(list(read_treebank(dev_file))[:50], dev)
        for corpus in ("in memory", "streamed"):
            smallest: tuple[int, float] | None = None
            for share in SHARES:
                folder = directory / f"{corpus}-{share}"
                n_words = write_corpus(
                    sentences[: round(share * len(sentences))], folder
                )
                n_steps = epochs * -(-n_words // WORDS_PER_BATCH)
                passes = (
                    {"max_epochs": epochs}
                    if corpus == "in memory"
                    else {"max_epochs": -1, "max_steps": n_steps}
                )
                peak, seconds = train(config, folder, dev, directory / "out", passes)
                console.print(f"{corpus}: {n_words:,} words, {peak:,.0f} MB")
                growth = ""
                if smallest is None:
                    smallest = n_words, peak
                else:
                    more = 1e6 * (peak - smallest[1]) / (n_words - smallest[0])
                    growth = f"{more:,.0f}"
                table.add_row(
                    corpus, f"{n_words:,}", f"{peak:,.0f}", growth, f"{seconds:,.0f}"
                )
    Console(width=100).print(table)


if __name__ == "__main__":
    app()
