"""The page with the papers' tables beside ours, made from a record of `reproduce`.

The page is a function of the record and of `papers.yaml` alone. The verdicts are
computed here, by the rule of `verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from spacy_dynoracle.reports.pictures import save_picture
from spacy_dynoracle.reports.tables import MISSING, Grid

from .claims import MEASURES, Judged
from .papers import Claim, Paper, PaperTable, papers
from .verdicts import FAILS, HOLDS, OPEN, REPETITIONS, RULE, Effect

TITLE = "The papers' tables and ours"
JSON_NAME, PAGE_NAME = "reproduction.json", "reproduction"
# Colours of the verdicts, readable with colour-blind eyes.
COLORS = {HOLDS: "#0072b2", FAILS: "#d55e00", OPEN: "#7f7f7f"}


class Page:
    """The page of a record."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        self.treebanks: Mapping[str, Any] = record["treebanks"]
        self._cells = {
            (
                cell["paper"],
                cell["condition"],
                cell["split"],
                cell["measure"],
                cell["name"],
                cell["treebank"],
            ): cell
            for cell in record["cells"]
        }
        self._effects = {
            (each["table"], each["claim"], each["condition"]): each
            for each in record["effects"]
        }

    # ---- claims ----------------------------------------------------------------------

    def judged(self, table: PaperTable) -> list[Judged]:
        """All claims of a table under all their conditions."""
        return [
            self._judged(table, claim, condition)
            for claim in table.claims
            for condition in claim.conditions
        ]

    def _judged(self, table: PaperTable, claim: Claim, condition: str) -> Judged:
        found = self._effects.get((table.id, claim.text, condition), {})
        each = {n: _effect(v) for n, v in found.get("treebanks", {}).items()}
        average = _effect(found["average"]) if found.get("average") else None
        return Judged(table, claim, condition, each, average)

    # ---- Markdown --------------------------------------------------------------------

    def markdown(self, pictures: Mapping[str, str]) -> str:
        """The page as Markdown. pictures: address of the picture of each paper."""
        parts = [f"# {TITLE}\n", self._introduction(), self._summary(), _rule()]
        parts.append(self._conditions())
        for paper in papers():
            parts.append(f"## {paper.name}\n\n*{paper.title}.* Data: {paper.data}.\n")
            if paper.id in pictures:
                text = f"Effects of the claims of {paper.name}"
                parts.append(f"![{text}]({pictures[paper.id]})\n")
            parts += [self._table(paper, table) for table in paper.tables]
        return "\n".join(parts)

    def _introduction(self) -> str:
        record, scale = self.record, self.record["scale"]
        sizes = ", ".join(
            f"{name} ({bank['train'][0]:,} / {bank['dev'][0]:,} / "
            f"{bank['test'][0]:,} sentences)"
            for name, bank in self.treebanks.items()
        )
        left = ", ".join(record["left_out"])
        seeds = record["seeds"]
        lines = [
            f"Scale *{scale['name']}*, {seeds} seed{'s' * (seeds != 1)}, fine tags. "
            f"Treebanks, train / dev / test: {sizes}."
            + (f" Left out: {left}." if left else "")
            + " The exploration and HC-search are costly and have "
            + (
                f"{scale['costly']} of these treebanks"
                if scale["costly"]
                else "all of these treebanks"
            )
            + f"; HC-search has a beam of {scale['beam_size']} and {scale['folds']} "
            "folds.",
            "",
            f"Code: `{record['commit']}`, config: `{record['config']['file']}`. "
            f"Every number is in `{JSON_NAME}` beside this page, with the run, the "
            "setting, the config, the seed and the commit that it comes from. This "
            "command makes both:",
            "",
            "```bash",
            record["command"],
            "```",
            "",
            "The data of the papers are not ours, so scores cannot be compared with "
            "theirs. What can be compared is the differences between rows.",
            "",
        ]
        if record["failures"]:
            lines += [f"{len(record['failures'])} runs failed.", ""]
        return "\n".join(lines)

    def _summary(self) -> str:
        judged = [j for p in papers() for t in p.tables for j in self.judged(t)]
        counts = ", ".join(
            f"{word}: {sum(j.verdict.word == word for j in judged)}"
            for word in (HOLDS, FAILS, OPEN)
        )
        grid = Grid("Verdicts", ["paper", "claim", "measure", "labels", "verdict"])
        for paper in papers():
            for table in paper.tables:
                for each in self.judged(table):
                    grid.add(
                        paper.name,
                        each.claim.text,
                        f"{MEASURES[table.measure]}, {table.split}",
                        each.condition,
                        f"**{each.verdict.word}**",
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
                            _in_short(self._judged(table, claim, condition))
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
        text = grid.markdown().replace("## ", "### ", 1)
        return f"{text}\n{self._claims(table)}"

    def _treebanks_of(self, paper: Paper, table: PaperTable) -> list[str]:
        own = {
            key[-1]
            for key in self._cells
            if key[:4] == (paper.id, table.condition, table.split, table.measure)
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
        judged = self.judged(table)
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
        """Draw the effects of each paper; returns the SVG files. Needs matplotlib."""
        found = {}
        for paper in papers():
            judged = [j for t in paper.tables for j in self.judged(t)]
            shown = [j for j in judged if j.average and j.claim.than is not None]
            if shown:
                path = directory / f"{PAGE_NAME}-{paper.id}"
                (found[paper.id],) = _forest(shown, path)
        return found


def html(markdown: str, pictures: Mapping[str, Path]) -> str:
    """The page as one HTML file with the pictures in it.

    pictures: files by their address in the Markdown. Needs markdown-it-py.
    """
    # Parsing does not need it.
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown)
    for address, file in pictures.items():
        svg = file.read_text(encoding="utf-8")
        svg = svg[svg.index("<svg") :]
        for tag in _images(body, address):
            body = body.replace(tag, f"<figure>{svg}</figure>")
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


def _images(body: str, address: str) -> Iterator[str]:
    start = body.find(f'<img src="{address}"')
    if start >= 0:
        yield body[start : body.index(">", start) + 1]


def _forest(judged: Sequence[Judged], path: Path) -> list[Path]:
    """Draw effects with their intervals, and those of the paper. Quotients are drawn as
    their distance from 1."""
    # Parsing does not need matplotlib, so users may lack it.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.34 * len(judged) + 1.2))
    plot = figure.add_subplot()
    for y, each in enumerate(judged):
        effect, neutral = each.average, each.claim.neutral
        if effect is None:
            continue
        color = COLORS[each.verdict.word]
        ends = [effect.low - neutral, effect.high - neutral]
        plot.plot(ends, [y, y], color=color, linewidth=2)
        plot.plot(effect.value - neutral, y, "o", color=color)
        if each.paper is not None:
            plot.plot(each.paper - neutral, y, "D", mfc="none", mec="black")
    names = [f"{j.claim.text}, {MEASURES[j.table.measure]}, {j.table.split}, "
             f"{j.condition}" for j in judged]  # fmt: skip
    plot.set_yticks(range(len(judged)), names, fontsize=7)
    plot.invert_yaxis()
    plot.axvline(0, color="0.5", linewidth=1)
    # A few wide intervals must not hide the others.
    plot.set_xscale("symlog", linthresh=2)
    plot.set_xlabel("effect and 95 % interval; diamond: effect in the paper")
    figure.set_layout_engine("tight")
    return save_picture(figure, path, ["svg"])


# ---- cells ---------------------------------------------------------------------------


def _effect(values: Mapping[str, Any]) -> Effect:
    return Effect(
        values["value"], values["low"], values["high"], tuple(values["seeds"])
    )


def _rule() -> str:
    return f"## The rule\n\n{RULE.format(repetitions=REPETITIONS)}\n"


def _left(grid: Grid) -> str:
    """A table of text, whose columns are not aligned to the right."""
    return grid.markdown().replace("---:", "---")


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
