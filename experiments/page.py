"""The page with the papers' tables beside ours, made from records of experiments.

The page is a function of the records and of `papers.yaml` alone. The verdicts are
computed here, by the rule of `verdicts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from spacy_dynoracle.reports.tables import MISSING, Grid
from spacy_dynoracle.util.files import replace_file

from .cells import markdown
from .claims import Effects, Judged
from .metrics import MEASURES
from .papers import Paper, PaperTable, papers
from .pictures import forest
from .verdicts import FAILS, HOLDS, OPEN, REPETITIONS, RULE

TITLE = "The papers' tables and ours"
INTRODUCTION = (
    "The data of the papers are not ours, so scores cannot be compared with theirs. "
    "What can be compared is the differences between rows. `python -m experiments run` "
    "makes the results, and `python -m experiments report` this page.\n"
)
PAGE_NAME = "reproduction"
# What tells a cell of the tables from others.
PLACE = ("paper", "condition", "split", "measure", "row", "treebank")


class Page:
    """The page of records that `results.record_of` made."""

    def __init__(self, records: Sequence[Mapping[str, Any]]) -> None:
        self.records = records
        self.treebanks: dict[str, Any] = {}
        for record in records:
            self.treebanks |= record["treebanks"]
        self._cells = {
            tuple(cell[key] for key in PLACE): cell
            for record in records
            for cell in record["cells"]
        }
        self.effects = Effects([e for record in records for e in record["effects"]])

    # ---- Markdown --------------------------------------------------------------------

    def markdown(self, pictures: Mapping[str, str]) -> str:
        """The page as Markdown.

        Args:
            pictures: Address of the picture of each paper.
        """
        parts = [f"# {TITLE}\n", INTRODUCTION, self._summary(), _rule()]
        parts += [self._conditions(), self._data()]
        for paper in papers():
            parts.append(f"## {paper.name}\n\n*{paper.title}.* Data: {paper.data}.\n")
            if paper.id in pictures:
                text = f"Effects of the claims of {paper.name}"
                parts.append(f"![{text}]({pictures[paper.id]})\n")
            parts += [self._table(paper, table) for table in paper.tables]
        return "\n".join(parts)

    def _data(self) -> str:
        """The treebanks and the experiments."""
        sizes = Grid("Treebanks", ["treebank", "language", "train", "dev", "test"])
        sizes.notes = ["Sentences / words with a head."]
        for name, bank in self.treebanks.items():
            splits = (bank[split] for split in ("train", "dev", "test"))
            cells = (" / ".join(f"{n:,}" for n in of_split) for of_split in splits)
            sizes.add(name, bank["language"], *cells)
        runs = Grid(
            "Experiments",
            ["experiment", "scale", "treebanks", "seeds", "failed runs", "commit"],
        )
        for record in self.records:
            runs.add(
                record["name"],
                record["scale"],
                ", ".join(record["treebanks"]),
                str(record["seeds"]),
                str(len(record["failures"])),
                record["commit"][:12],
            )
        return f"{_left(sizes)}\n{_left(runs)}"

    def _summary(self) -> str:
        judged = [j for p in papers() for t in p.tables for j in self.effects.judged(t)]
        counts = ", ".join(
            f"{word}: {sum(j.verdict.word == word for j in judged)}"
            for word in (HOLDS, FAILS, OPEN)
        )
        grid = Grid("Verdicts", ["paper", "claim", "measure", "labels", "verdict"])
        for paper in papers():
            for table in paper.tables:
                for each in self.effects.judged(table):
                    word = f"**{each.verdict.word}**"
                    grid.add(
                        paper.name,
                        each.claim.text,
                        f"{MEASURES[table.measure]}, {table.split}",
                        each.condition,
                        ": ".join(filter(None, (word, each.verdict.takes))),
                    )
        return f"The verdicts on {len(judged)} claims: {counts}.\n\n{_left(grid)}"

    def _conditions(self) -> str:
        """The claims that are tested under several conditions."""
        grid = Grid("Labels", ["claim", "measure", "unlabelled", "labelled"])
        grid.notes = [
            "Unlabelled: the labels were taken away before training, as Liu et al. "
            "(2015) and, for easy-first, Goldberg & Nivre (2013) do. With labels, most "
            "trees in a beam differ in labels alone."
        ]
        for paper in papers():
            for table in paper.tables:
                for claim in table.claims:
                    if len(claim.conditions) > 1:
                        cells = [
                            _in_short(self.effects.of(table, claim, condition))
                            for condition in ("unlabelled", "labelled")
                        ]
                        what = f"{MEASURES[table.measure]}, {table.split}"
                        grid.add(f"{paper.name}: {claim.text}", what, *cells)
        return _left(grid)

    def _table(self, paper: Paper, table: PaperTable) -> str:
        names = self._treebanks_of(paper, table)
        columns = ["", "paper, mean"]
        for name in names:
            columns.append(name)
            language = self.treebanks[name]["language"]
            columns += [f"paper, {language}"] * _has(table, language)
        title = f"{paper.name}, {table.table}"
        grid = Grid(title, columns)
        for row in self._rows(table):
            mean = table.mean(row)
            cells = [row, _number(mean, table)]
            for name in names:
                cells.append(self._cell(paper, table, row, name))
                language = self.treebanks[name]["language"]
                if _has(table, language):
                    cells.append(_figure(table, row, language))
            grid.add(*cells)
        grid.notes.append(
            f"{MEASURES[table.measure]}, {table.split} set, {table.condition}; ours: "
            "mean ± standard deviation over the seeds."
        )
        grid.notes += [table.note] * bool(table.note)
        text = markdown(grid).replace("## ", "### ", 1)
        return f"{text}\n{self._claims(table)}"

    def _treebanks_of(self, paper: Paper, table: PaperTable) -> list[str]:
        own = {
            key[-1]
            for key in self._cells
            if key[:-2] == (paper.id, table.condition, table.split, table.measure)
        }
        return [name for name in self.treebanks if name in own]

    def _rows(self, table: PaperTable) -> list[str]:
        """The rows of the paper, and those that only claims have."""
        rows = dict.fromkeys(table.rows)
        for claim in table.claims:
            rows |= dict.fromkeys(filter(None, (claim.better, claim.than)))
        return list(rows)

    def _cell(self, paper: Paper, table: PaperTable, row: str, treebank: str) -> str:
        key = (paper.id, table.condition, table.split, table.measure, row, treebank)
        cell = self._cells.get(key)
        if cell is None:
            return MISSING
        shown = _number(cell["mean"], table)
        if cell["deviation"] is not None and table.measure != "parameters":
            shown += f" ± {cell['deviation']:.2f}"
        return f"({cell['items']:,}) {shown}" if row in table.items else shown

    def _claims(self, table: PaperTable) -> str:
        judged = self.effects.judged(table)
        if not judged:
            return f"**Cannot be compared**: {table.note}\n"
        lines = []
        for each in judged:
            labels = f" ({each.condition})" * (len(each.claim.conditions) > 1)
            word = each.verdict.word.capitalize()
            lines.append(f"- {each.claim.text}{labels}. **{word}**: {each.verdict.why}")
            if len(each.treebanks) > 1:
                shown = [f"{n} {effect}" for n, effect in each.treebanks.items()]
                lines[-1] += f" By treebank: {'; '.join(shown)}."
        return "\n".join(lines) + "\n"

    # ---- pictures --------------------------------------------------------------------

    def pictures(self, directory: Path) -> dict[str, Path]:
        """Draw the effects of each paper; returns the SVG files."""
        found = {}
        for paper in papers():
            judged = [j for t in paper.tables for j in self.effects.judged(t)]
            shown = [j for j in judged if j.average and j.claim.than is not None]
            if shown:
                path = directory / f"{PAGE_NAME}-{paper.id}"
                found[paper.id] = forest(shown, path)
        return found


def write_page(records: Sequence[Mapping[str, Any]], directory: Path) -> list[Path]:
    """Write the page as Markdown and HTML with pictures; returns the two files."""
    directory.mkdir(parents=True, exist_ok=True)
    made = Page(records)
    files = made.pictures(directory)
    text = made.markdown({paper: file.name for paper, file in files.items()})
    page = html(text, {file.name: file for file in files.values()})
    written = []
    for suffix, content in ((".md", text), (".html", page)):
        written.append(directory / f"{PAGE_NAME}{suffix}")
        replace_file(written[-1], content.encode("utf-8"))
    return written


def html(markdown: str, pictures: Mapping[str, Path]) -> str:
    """The page as one HTML file with the pictures in it. HTML in the Markdown is text.

    Args:
        pictures: Files by their address in the Markdown.
    """
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    for address, file in pictures.items():
        svg = file.read_text(encoding="utf-8")
        figure = f"<figure>{svg[svg.index('<svg') :]}</figure>"
        image = re.compile(f'<img src="{re.escape(escape(address))}"[^>]*>')
        body = image.sub(lambda match, own=figure: own, body)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(TITLE)}</title><style>{_STYLE}</style></head>"
        f"<body>{body}</body></html>\n"
    )


_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;font-size:14px;display:block;overflow-x:auto}"
    "td,th{border-bottom:1px solid #ccc;padding:.2em .6em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
    "svg{max-width:100%;height:auto}pre{background:#f4f4f4;padding:.6em;overflow:auto}"
)


# ---- cells ---------------------------------------------------------------------------


def _rule() -> str:
    return f"## The rule\n\n{RULE.format(repetitions=REPETITIONS)}\n"


def _left(grid: Grid) -> str:
    """A table of text, whose columns are not aligned to the right."""
    return markdown(grid).replace("---:", "---")


def _in_short(judged: Judged) -> str:
    if judged.average is None:
        return MISSING
    return f"{judged.verdict.word}, {judged.average}"


def _has(table: PaperTable, language: str) -> bool:
    return any(
        table.figure(row, language) is not None for row in table.rows if language
    )


def _figure(table: PaperTable, row: str, language: str) -> str:
    shown = _number(table.figure(row, language), table)
    if row in table.items:
        columns = [name.partition(",")[0] for name in table.columns]
        return f"({table.items[row][columns.index(language)]:,}) {shown}"
    return shown


def _number(value: float | None, table: PaperTable) -> str:
    if value is None:
        return MISSING
    return f"{value:,.0f}" if table.measure == "parameters" else f"{value:.2f}"
