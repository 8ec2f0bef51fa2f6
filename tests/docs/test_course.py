"""The notebook of the course is that of its page, and prints what it shows."""

import contextlib
import io
import json

import pytest

from scripts import notebook


def test_it_is_the_page():
    text = notebook.PAGE.read_text(encoding="utf8")
    shown = notebook.NOTEBOOK.read_text(encoding="utf8")
    assert shown == notebook.notebook(text), "run: python scripts/notebook.py"
    cells = json.loads(shown)["cells"]
    assert cells[0]["source"][0] == text.splitlines(keepends=True)[0]
    # The first cell is not on the page.
    code = [x for x in cells if x["cell_type"] == "code"][1:]
    assert len(code) == text.count("```python\n")
    assert sum(map(bool, (x["outputs"] for x in code))) == text.count("```text\n")


def test_links_lead_out_of_the_notebook():
    cell = notebook.text_cell("[a](../index.md#b), [c](d.md), [e](#f), [g](https://h)")
    pages = f"{notebook.REPOSITORY}/blob/main/docs"
    assert "".join(cell["source"]) == (
        f"[a]({pages}/index.md#b), [c]({pages}/course/d.md), [e](#f), [g](https://h)"
    )


@pytest.mark.heavy
def test_its_cells_run_one_after_the_other(monkeypatch):
    """As in Jupyter, where the directory is that of the file."""
    monkeypatch.chdir(notebook.NOTEBOOK.parent)
    names = {}
    for cell in json.loads(notebook.NOTEBOOK.read_text(encoding="utf8"))["cells"]:
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec("".join(cell["source"]), names)
            shown = ["".join(output["text"]) for output in cell["outputs"]]
            assert [printed.getvalue()] == (shown or [""])
