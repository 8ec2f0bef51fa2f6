"""Derivations as one page to step through: inline style and script, no network."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

_TEMPLATES = "templates"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(data: dict[str, Any]) -> str:
    """The page that shows derivations.

    data: "title", "model" and "follow" (text), "lang" and "direction" ("ltr" or "rtl")
    of the words, and "derivations" as
        `spacy_dynoracle.explain.derivation.as_dict` gives them.
    """
    parts = {
        "title": html.escape(data["title"]),
        "style": _template("derivation.css"),
        "script": _template("derivation_tree.js") + _template("derivation.js"),
        "data": script_json(data),
    }
    return _PLACE.sub(lambda match: parts[match[1]], _template("derivation.html"))


def script_json(data: Any) -> str:
    """JSON that can stand in a script element, whatever its strings contain."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # The only characters that could end the element or begin a comment in it, and two
    # that JavaScript once took for line ends.
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _template(name: str) -> str:
    path = files(__package__) / _TEMPLATES / name
    return path.read_text(encoding="utf-8")
