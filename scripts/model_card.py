"""Write the card of a pipeline: README.md and LICENSE in its directory, and what its
meta.json says of licence and sources. `spacy package` takes them.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from timeit import repeat
from typing import Annotated, Any

import spacy
import srsly
import typer
from spacy.language import Language

from spacy_dynoracle import __version__
from spacy_dynoracle.util.files import replace_file

MEASURES = (
    "Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS",
    "BLEX",
)  # fmt: skip
UD, UD_HOME = "Universal Dependencies contributors", "github.com/UniversalDependencies/"
CARD = """# {title}

{description}

| | |
| --- | --- |
| components | {components} |
| trained on | {sources} |
| licence | {licence} |
| needs | spacy-dynoracle {version}, spaCy {spacy} |
| on disk | {size:.1f} MB |
| loading | {loading:.2f} s, with spaCy's vocabulary; the median after a first time |
{more}
## Scores

F1 as the CoNLL 2018 shared task defines it, on test sets that it was not trained on:
from raw text, and on the words and sentences of the treebank.

{scores}

{spread}
The labels are those of [Universal Dependencies](https://universaldependencies.org).

{labels}

## What it is not for

Text of other kinds than that of the treebanks has lower scores. Parsers with pretrained
transformers are several points of LAS more accurate. It predicts no enhanced
dependencies and no entities.

## Use

```python
import spacy

nlp = spacy.load("{package}")
for token in nlp("..."):
    print(token.text, token.lemma_, token.pos_, token.dep_, token.head.text)
```
"""
LOADS = 5
SPACY = ">=3.8.0,<3.9.0"
ONE_SEED = "One seed; another one changes LAS by some tenths of a point.\n"


def f1(metrics: dict[str, Any], measure: str) -> float | None:
    """A score in percent; None if there is none."""
    scores = metrics.get("conll2018") or metrics.get("scores", {})
    found = scores.get(measure, {}).get("f1")
    return None if found is None else 100 * found


def read(path: Path) -> dict[str, Any]:
    """Metrics; a package can be made of a pipeline that was not evaluated, or was
    trained again since.
    """
    found: dict[str, Any] = srsly.read_json(path) if path.is_file() else {}
    pipeline = Path(found.get("model", ""), "meta.json")
    if pipeline.is_file() and pipeline.stat().st_mtime > path.stat().st_mtime:
        return {}
    return found


def score_table(names: list[str], metrics: Path, suffix: str) -> str:
    """A column for each test set from text, and one on its words."""
    columns = {}
    for name in names:
        columns[f"{name}, text"] = read(metrics / f"{name}{suffix}-text.json")
        columns["gold words"] = read(metrics / f"{name}{suffix}.json")
        if len(names) > 1:
            columns[f"{name}, gold words"] = columns.pop("gold words")
    rows = [["", *columns], ["---", *["---:"] * len(columns)]]
    for measure in MEASURES:
        found = [f1(column, measure) for column in columns.values()]
        rows.append([measure, *("-" if x is None else f"{x:.2f}" for x in found)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def spread_of(names: list[str], metrics: Path) -> str:
    """What LAS from text is with other seeds."""
    seeds = [metrics, *sorted(metrics.glob("seed-*"))]
    if len(seeds) == 1:
        return ONE_SEED
    lines = []
    for name in names:
        found = [f1(read(seed / f"{name}-text.json"), "LAS") or 0.0 for seed in seeds]
        lines.append(
            f"LAS from the text of {name} with {len(seeds)} seeds: "
            f"{sum(found) / len(found):.2f} on average, {min(found):.2f} to "
            f"{max(found):.2f}.\n"
        )
    return "".join(lines)


def measured(names: list[str], metrics: Path, suffix: str) -> str:
    """Rows with the speed, and how good the probabilities are."""
    rows = ""
    speed = read(metrics / f"{names[0]}{suffix}-text.json").get("words_per_second")
    if speed:
        rows += (
            f"| speed | {speed:,.0f} words a second from text, that of the test set of "
            f"{names[0]}, one thread |\n"
        )
    calibration = read(metrics / "calibration.json")
    arcs = calibration.get("calibration", {}).get("labelled arcs")
    if arcs:
        error = 100 * arcs["error"]
        rows += (
            f"| probabilities | of arcs, off by {error:.1f} points on average "
            f"(expected calibration error, {names[0]}) |\n"
        )
    return rows


def labels_of(nlp: Language) -> str:
    """The labels of each component: their number, and those of arcs by name."""
    lines = []
    for name, component in nlp.components:
        labels = sorted(getattr(component, "labels", ()))
        if labels:
            named = ": " + ", ".join(labels) if len(labels) < 100 else ""
            lines.append(f"- {name}, {len(labels)} labels{named}")
    return "\n".join(lines)


def provenance(known: dict[str, Any]) -> tuple[str, str]:
    """A source as a phrase, and its address.

    The path of somebody's directory is nobody's business.
    """
    release = f" {known['release']}" if known.get("release") else ""
    commit = f", commit {known['commit']}" if known.get("commit") else ""
    url = known["source"] if known["source"].startswith("http") else ""
    return f"{known['name']}{release}{commit}", url


def main(
    pipeline: Annotated[Path, typer.Argument(help="Directory of the pipeline.")],
    treebanks: Annotated[
        list[str], typer.Argument(help="Names of the treebanks that it was tested on.")
    ],
    metrics: Annotated[
        Path, typer.Option(help="Directory of NAME-text.json and NAME.json.")
    ] = Path("metrics"),
    suffix: Annotated[str, typer.Option(help="Behind NAME.")] = "",
    source: Annotated[
        Path | None, typer.Option(help="What `prepare` notes of the treebank.")
    ] = None,
    package: Annotated[str, typer.Option(help="Name of the package.")] = "pipeline",
    author: Annotated[str, typer.Option(help="Who made the pipeline.")] = "",
) -> None:
    """Write README.md and LICENSE, and update meta.json."""
    sources = [{"name": treebanks[0], "licence": "unknown", "source": ""}]
    if source is not None and source.is_file():
        noted = srsly.read_json(source)
        sources = noted if isinstance(noted, list) else [noted]
    # The first time also imports modules and reads the files from the disk.
    nlp = spacy.load(pipeline)
    loading = median(repeat(lambda: spacy.load(pipeline), repeat=LOADS, number=1))
    size = sum(f.stat().st_size for f in pipeline.rglob("*") if f.is_file()) / 1e6
    name = f"{nlp.lang}_{package}"
    licence = sources[0]["licence"]
    names = " and ".join(", ".join(x["name"] for x in sources).rsplit(", ", 1))
    description = (
        f"Sentences, tags, lemmas and dependencies of Universal Dependencies "
        f"({nlp.lang}), trained on {names} with spacy_dynoracle."
    )
    card = CARD.format(
        title=name,
        description=description,
        components=", ".join(nlp.pipe_names),
        sources="; ".join(provenance(known)[0] for known in sources),
        licence=f"{licence}, as the treebank",
        version=__version__,
        spacy=SPACY,
        size=size,
        loading=loading,
        more=measured(treebanks, metrics, suffix),
        scores=score_table(treebanks, metrics, suffix),
        spread=spread_of(treebanks, metrics),
        labels=labels_of(nlp),
        package=name,
    )
    replace_file(pipeline / "README.md", card.encode("utf8"))
    for path in source.parent.glob("LICENSE*") if source is not None else ():
        replace_file(pipeline / "LICENSE", path.read_bytes())
    meta = srsly.read_json(pipeline / "meta.json")
    meta |= {
        "description": description,
        "author": author or meta["author"],
        "license": licence,
        # spaCy would ask for the release at hand or a later one.
        "spacy_version": SPACY,
        "url": provenance(sources[0])[1],
        "sources": [
            {
                "name": provenance(known)[0],
                "url": provenance(known)[1],
                "license": known["licence"],
                "author": known.get("author", UD if UD_HOME in known["source"] else ""),
            }
            for known in sources
        ],
    }
    replace_file(
        pipeline / "meta.json", srsly.json_dumps(meta, indent=2).encode("utf8")
    )


if __name__ == "__main__":
    typer.run(main)
