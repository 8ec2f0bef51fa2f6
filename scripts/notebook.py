"""Make a notebook of the course, docs/course/dynamic_oracles.md.

The notebook has the text, the code and what the code prints. Its first cell installs
the package where it is missing, as in Colab. Run the script after a change of the page;
with --check it writes nothing, and a difference is an error.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import Annotated, Any

import typer

if __package__:
    from .page_outputs import BLOCK, ROOT
else:
    from page_outputs import BLOCK, ROOT

PAGE = ROOT / "docs" / "course" / "dynamic_oracles.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
REPOSITORY = "https://github.com/spacy-dynoracle/spacy-dynoracle"
BEGIN = f"""\
import os
from importlib.util import find_spec

if find_spec("spacy_dynoracle") is None:  # takes some minutes
    get_ipython().system("git clone --depth 1 {REPOSITORY}")
    get_ipython().system("pip install ./spacy-dynoracle")
for folder in ("spacy-dynoracle", "../.."):  # where the toy treebank is
    if os.path.isdir(f"{{folder}}/treebanks"):
        os.chdir(folder)
"""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def text_cell(text: str) -> dict[str, Any]:
    """A cell of Markdown, whose links lead to the pages in the repository."""
    folder = posixpath.join("blob/main", PAGE.parent.relative_to(ROOT).as_posix())

    def absolute(link: re.Match[str]) -> str:
        return f"]({REPOSITORY}/{posixpath.normpath(posixpath.join(folder, link[1]))}"

    text = re.sub(r"\]\((?!#|https?:)([^)#]+)", absolute, text.strip())
    return {"cell_type": "markdown", "metadata": {}, "source": lines(text)}


def code_cell(code: str, printed: str | None = None) -> dict[str, Any]:
    """A cell of Python, with what it prints."""
    outputs = []
    if printed:
        stream = {"output_type": "stream", "name": "stdout", "text": lines(printed)}
        outputs.append(stream)
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None}
    return {**cell, "source": lines(code.strip()), "outputs": outputs}


def lines(text: str) -> list[str]:
    """The lines of a text, as notebooks store them."""
    return text.splitlines(keepends=True)


def notebook(page: str) -> str:
    """The notebook of a page, as JSON."""
    cells, end = [code_cell(BEGIN)], 0
    for match in BLOCK.finditer(page):
        if match["language"] == "python":
            cells.append(text_cell(page[end : match.start()]))
            cells.append(code_cell(match["code"], match["text"]))
            end = match.end()
    cells.append(text_cell(page[end:]))
    # The title first.
    cells[:2] = cells[1::-1]
    data = {"cells": cells, "metadata": {"kernelspec": KERNEL}}
    data |= {"nbformat": 4, "nbformat_minor": 4}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def main(
    check: Annotated[bool, typer.Option(help="Compare, and write nothing.")] = False,
) -> None:
    """Make the notebook of the course."""
    made = notebook(PAGE.read_text(encoding="utf8"))
    if check and made != NOTEBOOK.read_text(encoding="utf8"):
        typer.echo(f"{NOTEBOOK.name} differs from its page", err=True)
        raise typer.Exit(1)
    if not check:
        NOTEBOOK.write_text(made, encoding="utf8")


if __name__ == "__main__":
    typer.run(main)
