"""Features of whole trees by name, or from a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from spacy.tokens import Doc

from spacy_dynoracle.util.files import read_text

from .template_sets import GLOBAL, LEMMAS, MORPHOLOGY
from .templates import RankingTemplates
from .word_classes import attachment_templates

# The templates of each set beyond the 219 of Liu et al. 2015.
SETS: dict[str, tuple[str, ...]] = {
    "liu2015": (),
    "global": GLOBAL,
    "lemmas": GLOBAL + LEMMAS,
    "rich": GLOBAL + LEMMAS + MORPHOLOGY,
}


def reranking_templates(
    features: str, docs: Sequence[Doc], tag_attr: str
) -> tuple[str, ...]:
    """The templates of a set or of a file, in the variant that suits some documents.

    Where the tags are the coarse ones, `p` and `pos` are the same, and templates that
    differ in nothing else are one.

    Args:
        features: The name of one of the `SETS`, or a file that has a template or the
            name of a set on each line; empty lines and lines that begin with # do not
            count.
        docs: Documents with gold trees.
        tag_attr: The token attribute with their tags, "TAG" or "POS".

    Raises:
        ValueError: If there is no such file or set or a template does not parse, naming
            the file.
    """
    lines = [features] if features in SETS else lines_of(Path(features))
    found: list[str] = []
    for line in lines:
        if line in SETS:
            found += [*attachment_templates(docs, tag_attr), *SETS[line]]
        else:
            found.append(line)
    if tag_attr == "POS":
        found = list(map(without_coarse_tags, found))
    templates = tuple(dict.fromkeys(found))
    try:
        RankingTemplates(templates)
    except ValueError as error:
        raise ValueError(f"{features}: {error}") from error
    return templates


def lines_of(path: Path) -> Iterable[str]:
    """The lines of a file without blanks around them, comments and empty lines.

    Raises:
        ValueError: If the file cannot be read.
    """
    if not path.is_file():
        raise ValueError(
            f"{path}: neither a file with reranking templates nor one of the sets "
            f"{', '.join(SETS)}"
        )
    lines = read_text(path).splitlines()
    return [x for line in lines if (x := line.strip()) and not x.startswith("#")]


def without_coarse_tags(template: str) -> str:
    """The template with `p` in place of `pos`, and no atom twice."""
    kind, colon, text = template.partition(":")
    atoms = (re.sub(r"(?<=[A-Z1])pos$", "p", atom) for atom in text.split("."))
    return kind + colon + ".".join(dict.fromkeys(atoms))
