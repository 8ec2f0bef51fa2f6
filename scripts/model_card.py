"""Write the card of a pipeline: README.md and LICENSE in its directory, and what its
meta.json says of licence and sources. `spacy package` takes them.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer

from spacy_dynoracle import __version__
from spacy_dynoracle.util.files import replace_file

MEASURES = (
    "Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS",
    "BLEX",
)  # fmt: skip
CARD = """# {title}

{description}

| | |
| --- | --- |
| components | {components} |
| trained on | {sources} |
| licence | {licence} |
| needs | spacy-dynoracle {version}, spaCy {spacy} |
| on disk | {size:.1f} MB |
| loading | {loading:.2f} s, with spaCy's vocabulary |

## Scores

On the test set of {treebank}, F1 as the CoNLL 2018 shared task defines it: from raw
text, and on the words and sentences of the treebank.

| | from text | on gold words |
| --- | ---: | ---: |
{rows}

One seed; another one changes LAS by some tenths of a point. The labels are those of
[Universal Dependencies](https://universaldependencies.org).

## What it is not for

Text of other kinds than that of the treebank has lower scores. Parsers with pretrained
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


def f1(metrics: dict[str, Any], measure: str) -> str:
    """A score in percent; "-" if there is none."""
    scores = metrics.get("conll2018") or metrics.get("scores", {})
    found = scores.get(measure, {}).get("f1")
    return "-" if found is None else f"{100 * found:.2f}"


def main(
    pipeline: Annotated[Path, typer.Argument(help="Directory of the pipeline.")],
    text: Annotated[Path, typer.Argument(help="Its metrics from text, as JSON.")],
    words: Annotated[Path, typer.Argument(help="Its metrics on gold words.")],
    treebank: Annotated[str, typer.Option(help="Name of the treebank.")],
    source: Annotated[
        Path | None, typer.Option(help="What `language` notes of the treebank.")
    ] = None,
    package: Annotated[str, typer.Option(help="Name of the package.")] = "pipeline",
) -> None:
    """Write README.md and LICENSE, and update meta.json."""
    known: dict[str, Any] = {"name": treebank, "licence": "unknown", "source": ""}
    if source is not None and source.is_file():
        known |= srsly.read_json(source)
    start = time.perf_counter()
    nlp = spacy.load(pipeline)
    loading = time.perf_counter() - start
    # A package can be made of a pipeline that was not evaluated.
    of_text, of_words = (
        srsly.read_json(path) if path.is_file() else {} for path in (text, words)
    )
    size = sum(f.stat().st_size for f in pipeline.rglob("*") if f.is_file()) / 1e6
    commit = f", commit {known['commit']}" if known.get("commit") else ""
    release = f" {known['release']}" if known.get("release") else ""
    name = f"{nlp.lang}_{package}"
    description = (
        f"Sentences, tags, lemmas and dependencies of Universal Dependencies "
        f"({nlp.lang}), trained on {known['name']} with spacy_dynoracle."
    )
    rows = [
        f"| {measure} | {f1(of_text, measure)} | {f1(of_words, measure)} |"
        for measure in MEASURES
    ]
    card = CARD.format(
        title=name,
        description=description,
        components=", ".join(nlp.pipe_names),
        sources=f"{known['name']}{release}{commit}",
        licence=f"{known['licence']}, as the treebank",
        version=__version__,
        spacy=spacy.__version__,
        size=size,
        loading=loading,
        treebank=known["name"],
        rows="\n".join(rows),
        package=name,
    )
    replace_file(pipeline / "README.md", card.encode("utf8"))
    for path in source.parent.glob("LICENSE*") if source is not None else ():
        replace_file(pipeline / "LICENSE", path.read_bytes())
    # The path of somebody's directory is nobody's business.
    url = known["source"] if known["source"].startswith("http") else ""
    meta = srsly.read_json(pipeline / "meta.json")
    meta |= {
        "description": description,
        "license": known["licence"],
        "url": url,
        "sources": [
            {
                "name": f"{known['name']}{release}{commit}",
                "url": url,
                "license": known["licence"],
                "author": "Universal Dependencies contributors",
            }
        ],
    }
    replace_file(
        pipeline / "meta.json", srsly.json_dumps(meta, indent=2).encode("utf8")
    )


if __name__ == "__main__":
    typer.run(main)
