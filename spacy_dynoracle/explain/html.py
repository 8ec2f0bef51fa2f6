"""A page to step through derivations, with inline style and script and no network."""

import html
import json
import re
from importlib.resources import files
from typing import Any

_TEMPLATES = "templates"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(data: dict[str, Any]) -> str:
    """A page that shows derivations.

    Args:
        data: As `Explanation.as_dict` returns it.
    """
    parts = {
        "title": html.escape(data["title"]),
        "style": _template("derivation.css"),
        "script": _template("derivation_tree.js") + _template("derivation.js"),
        "data": script_json(data),
    }
    return _PLACE.sub(lambda match: parts[match[1]], _template("derivation.html"))


def script_json(data: Any) -> str:
    """JSON for a script element, which its strings cannot close."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # The only characters that could end the element or begin a comment in it, and two
    # that JavaScript once took for line ends.
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _template(name: str) -> str:
    path = files(__package__) / _TEMPLATES / name
    return path.read_text(encoding="utf-8")


def frame(made: str) -> str:
    """A page as an element of another page, such as a notebook.

    It has a document of its own, so that several can stand in one notebook.
    """
    return (
        f'<iframe srcdoc="{html.escape(made)}" title="Derivation" '
        'style="width: 100%; height: 46em; border: 1px solid #8884; resize: vertical">'
        "</iframe>"
    )
