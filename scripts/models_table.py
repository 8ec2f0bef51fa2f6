"""Print the table of docs/models.md.

    python scripts/models_table.py /path/to/treebanks

does the command `language` for each treebank of ROWS, unless it is done, and prints
what its pipeline can. `--only-done` trains nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer

if __package__:
    from . import language
else:
    import language

ROWS = {
    "UD_English-EWT": "en",
    "UD_Portuguese-Bosque": "pt",
    "UD_French-Sequoia": "fr",
    "UD_Korean-GSD": "ko",
    "UD_Turkish-IMST": "tr",
    "UD_Basque-BDT": "eu",
    "UD_German-LIT": "de",
}
MEASURES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS")
COLUMNS = (
    "trained on", *MEASURES, "words/s", "MB", "training, minutes", "licence",
    "may be given away",
)  # fmt: skip
UNKNOWN = "-"


def may_be_given_away(licence: str) -> str:
    """Whether the licence of a treebank lets everybody use a pipeline of it."""
    if "NC" in licence.upper():
        return "not for commercial use"
    return "?" if licence == "unknown" else "yes, under this licence"


def row(name: str, root: Path = language.ROOT) -> list[str]:
    """The cells of a treebank whose pipeline is trained."""
    metrics: dict[str, Any] = srsly.read_json(root / "metrics" / f"{name}-text.json")
    scores = [metrics["scores"].get(measure) for measure in MEASURES]
    packaged = root / "training" / name / "packaged"
    size = sum(f.stat().st_size for f in packaged.rglob("*") if f.is_file()) / 1e6
    noted = root / "metrics" / f"{name}{language.TIMES}"
    seconds = srsly.read_json(noted)["train"] if noted.is_file() else None
    licence = srsly.read_json(root / "assets" / name / language.PROVENANCE)["licence"]
    return [
        name,
        *(f"{100 * x['f1']:.1f}" if x else UNKNOWN for x in scores),
        f"{metrics['words_per_second']:,.0f}",
        f"{size:.1f}",
        UNKNOWN if seconds is None else f"{seconds / 60:.1f}",
        licence,
        may_be_given_away(licence),
    ]


def table(names: list[str], root: Path = language.ROOT) -> str:
    """The table in Markdown."""
    alignment = ["---", *["---:"] * (len(COLUMNS) - 3), "---", "---"]
    rows = [list(COLUMNS), alignment, *(row(name, root) for name in names)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def main(
    treebanks: Annotated[Path, typer.Argument(help="Directory of the treebanks.")],
    names: Annotated[list[str] | None, typer.Argument(help="Some of them.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs.")] = 15,
    only_done: Annotated[bool, typer.Option(help="Train nothing.")] = False,
) -> None:
    """Train a pipeline on each treebank, and print a table of them."""
    unknown = set(names or ()) - set(ROWS)
    if unknown:
        language.fail(f"{', '.join(sorted(unknown))}: expected {', '.join(ROWS)}")
    names = names or list(ROWS)
    for name in [] if only_done else names:
        source = str(treebanks / name)
        language.main(name, source=source, lang=ROWS[name], epochs=epochs)
    typer.echo(table(names))


if __name__ == "__main__":
    typer.run(main)
