"""The licence of a treebank and where it is from, as its files tell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import srsly

GITHUB = "https://github.com/UniversalDependencies/{}.git"
# What `language` notes of a treebank, and `prepare` beside the .spacy files.
PROVENANCE = "source.json"
# Releases of UD have them in the README, which names no address.
METADATA = "Machine-readable metadata"
ADDRESS = re.compile(
    r"^\W*Source: <?(https?://[^\s<>]*[\w/]|[\w-]+\.[\w.-]+/[\w./-]*\w)", re.MULTILINE
)
# Names of licences as treebanks write them, the longest first.
LICENCES = re.compile(
    r"(?:CC|Creative[ -]?Commons)[ -]BY(?:[ \u2013-]+(?:NC|SA|ND)\b)*(?: \d\.\d)?"
    r"|LGPL-?LR|L?GPL(?:[ v-]*\d[\d.]*)?"
    r"|Attribution(?:[ -]Non[ -]?Commercial)?"
    r"(?:[ -](?:Share[ -]?Alike|No[ -]?Deriv\w*))?[ \d.]*"
    r"|CC0[ \d.]*",
    re.IGNORECASE,
)


def source_of(name: str, directory: Path) -> Any:
    """The note that `language` made of a treebank, or else one made of its README."""
    if (directory / PROVENANCE).is_file():
        return srsly.read_json(directory / PROVENANCE)
    readme = directory / "README.md"
    text = readme.read_text("utf8", errors="replace") if readme.is_file() else ""
    source = ""
    if METADATA in text and name.startswith("UD_"):
        source = GITHUB.format(name)
    if found := ADDRESS.search(text):
        source = found[1] if "://" in found[1] else f"https://{found[1]}"
    return {"name": name, "licence": licence_of(directory), "source": source}


def licence_of(directory: Path) -> str:
    """The name of the licence of a treebank, or "unknown"."""
    for name in ("README.md", "README.txt", "LICENSE.txt", "LICENSE"):
        path = directory / name
        text = path.read_text("utf8", errors="replace") if path.is_file() else ""
        lines = [x for x in text.splitlines() if "licen" in x.lower()] or [text]
        # The metadata of UD have such a line; what stands before it may be about texts.
        lines.sort(key=lambda line: not line.startswith("License:"))
        for line in lines:
            for found in LICENCES.finditer(line):
                # Alone it says nothing of what is forbidden.
                if found.group().strip().lower() != "attribution":
                    return found.group().strip()
    return "unknown"
