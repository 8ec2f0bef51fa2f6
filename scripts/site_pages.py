"""Hooks of mkdocs: pages that are generated when the site is built, and checks.

- CONTRIBUTING.md, CHANGELOG.md and benchmarks/README.md become pages of the site.
- The names of tests in the table of guarantees are folded away.
- derivation.html is a derivation of a sentence of the embedded treebank, by a model
  that is trained on the same treebank here.
- After the build, a page that loads anything from another site is an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import spacy
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc

ROOT = Path(__file__).parent.parent
TREEBANK = ROOT / "treebanks" / "English-Harbour"
PAGES = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "benchmarks.md": "benchmarks/README.md",
}
DERIVATION = "derivation.html"
EPOCHS = 3
SENTENCE = 60

# What a browser loads without being asked; links to other sites may be followed.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'>\s]+"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//[^"'>\s]+""",
    re.IGNORECASE,
)
IMPORTED = re.compile(r"""(?:@import|url\()\s*["']?(?:https?:)?//[^"')\s]+""")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for name, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf8")
        files.append(File.generated(config, name, content=_with_links(text)))
    page = derivation()
    files.append(File.generated(config, DERIVATION, content=page))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fold away the names of the tests in the table of guarantees."""
    if page.file.src_uri != "promises.md":
        return markdown
    return re.sub(r"(?m)\| ((?:`[^`]+`(?:, )?)+) \|$", _folded, markdown)


def _folded(found: re.Match[str]) -> str:
    names = re.findall("`([^`]+)`", found[1])
    items = "<br>".join(f"<code>{name}</code>" for name in names)
    count = "1 test" if len(names) == 1 else f"{len(names)} tests"
    return f"| <details><summary>{count}</summary>{items}</details> |"


def on_post_build(config: MkDocsConfig) -> None:
    """Check that the pages load nothing from other sites.

    Raises PluginError for those that do.
    """
    problems = []
    site = Path(config["site_dir"])
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        text = path.read_text(encoding="utf8")
        pattern = LOADED if path.suffix == ".html" else IMPORTED
        problems += [
            f"{path.relative_to(site)}: {found[0]}" for found in pattern.finditer(text)
        ]
    if problems:
        raise PluginError("pages load from other sites:\n" + "\n".join(problems))


def derivation() -> str:
    """The page that `spacy-dynoracle explain --output` writes."""
    with tempfile.TemporaryDirectory() as work:
        model, page = Path(work, "model"), Path(work, "page.html")
        _trained().to_disk(model)
        # The page shows the name of the model as it is given.
        command: list[Any] = [sys.executable, "-m", "spacy_dynoracle", "explain"]
        command.append(model.name)
        command += [TREEBANK / "test.conllu", "--sentence", SENTENCE]
        command += ["--output", page]
        subprocess.run(
            list(map(str, command)), check=True, capture_output=True, cwd=work
        )
        return page.read_text(encoding="utf8")


def _trained() -> spacy.language.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": "POS"})
    examples = []
    for sentence in read_conllu(TREEBANK / "train.conllu"):
        gold = to_doc(sentence, nlp.vocab)
        examples.append(Example(to_doc(sentence, nlp.vocab, tree=False), gold))
    nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        nlp.update(examples)
    return nlp


def _with_links(text: str) -> str:
    """Links from the root of the repository become links from the root of the site."""
    text = re.sub(r"\]\((?:\.\./)?docs/", "](", text)
    for name, source in PAGES.items():
        text = re.sub(rf"\]\((?:\.\./)?{re.escape(source)}", f"]({name}", text)
    return text
