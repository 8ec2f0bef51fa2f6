"""Save a pipeline for a package.

Its models then lack the part that only further training needs. The strings of its vocab
are left out, because each component adds those it needs when it is loaded; the words of
the training data are not needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer

from spacy_dynoracle.components.base import Component


def main(
    source: Annotated[Path, typer.Argument(help="Directory of a trained pipeline.")],
    target: Annotated[Path, typer.Argument(help="Directory for the pipeline.")],
) -> None:
    """Save a pipeline without the parts that only further training needs."""
    nlp = spacy.load(source)
    # The scores of the last time that training evaluated, which was before its end.
    nlp.meta["performance"] = {}
    # The vocab has these tables, and users may lack their files.
    nlp.config["initialize"]["lookups"] = None
    nlp.to_disk(target)
    for name, component in nlp.components:
        if isinstance(component, Component):
            component.to_disk(target / name, exclude=["vocab", "resume"])
    if all(isinstance(component, Component) for _, component in nlp.components):
        srsly.write_json(target / "vocab" / "strings.json", [])


if __name__ == "__main__":
    typer.run(main)
