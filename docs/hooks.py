"""Hooks of mkdocs: pages that are made when the site is built, and a check.

- The reference in `api`: directives for mkdocstrings, which reads docstrings, the
  default settings of the components, and the help texts of the commands.
- CONTRIBUTING.md, CHANGELOG.md and benchmarks/README.md become pages of the site.
- An option in code keeps its dashes where a line is cut.
- The names of tests in the table of guarantees are folded away, and the home page shows
  the table of the README.
- The page with the tables of the papers is cut into a page for each paper.
- derivation.html is a derivation of a sentence of the embedded treebank, by a parser
  that is trained on the same treebank here.
- After the build, a page that loads anything from another site is an error, and so is
  a public name without an entry.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, distribution
from itertools import groupby
from pathlib import Path
from typing import Any
from unicodedata import normalize

import griffe
import spacy
import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from spacy.training import Example
from typer.cli import get_docs_for_click

import spacy_dynoracle
from spacy_dynoracle.cli import app
from spacy_dynoracle.core.systems import SYSTEMS
from spacy_dynoracle.explain import explain
from spacy_dynoracle.treebank import read_conllu, to_doc

ROOT = Path(__file__).parent.parent
TREEBANK = ROOT / "treebanks" / "English-Harbour"
COPIED = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "benchmarks.md": "benchmarks/README.md",
}
DERIVATION = "derivation.html"
REPRODUCTION = "reproduction/reproduction.md"
EPOCHS = 3
SENTENCE = 60
# The heading of a paper ends with its year.
PAPER = re.compile(r"(?m)^## (?=.* \d{4}$)")
CODE = re.compile(r"<code\b.*?</code>", re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z]\w*(?![^<]*>)")
# Only the docstring, without heading, signature and members.
ALONE = {"members": False, "show_root_heading": False, "show_root_toc_entry": False}

# What a browser loads without being asked; links to other sites may be followed.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'>\s]+"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//[^"'>\s]+""",
    re.IGNORECASE,
)
IMPORTED = re.compile(r"""(?:@import|url\()\s*["']?(?:https?:)?//[^"')\s]+""")


# ---- the reference -------------------------------------------------------------------


def directive(path: str, **options: Any) -> str:
    """A directive that mkdocstrings replaces by the documentation of an object."""
    lines = [f"::: {path}", "    options:"]
    return "\n".join(
        [*lines, *(f"      {key}: {json.dumps(x)}" for key, x in options.items())]
    )


def rooms() -> list[str]:
    """The package and its packages that export public names."""
    package = spacy_dynoracle.__name__
    found = pkgutil.iter_modules(spacy_dynoracle.__path__, f"{package}.")
    names = [package, *(module.name for module in found if module.ispkg)]
    return [name for name in names if getattr(import_module(name), "__all__", ())]


def python_pages() -> Iterator[tuple[str, str]]:
    """A page for the public names of each room, and a list of these pages."""
    lines = [
        "# Python",
        "These pages list everything that may be imported. Every other",
    ]
    lines += ["module is internal and may change in any version.", ""]
    for room in rooms():
        name = room.rpartition(".")[2]
        about = (inspect.getdoc(import_module(room)) or "").partition("\n\n")[0]
        lines.append(f"- [`{room}`](python/{name}.md): {about}")
        names = [x for x in import_module(room).__all__ if x not in SYSTEMS]
        body = directive(room, members=names, heading_level=1, show_root_full_path=True)
        yield f"python/{name}.md", body
    root = spacy_dynoracle.__name__
    names = [name for name in spacy_dynoracle.__all__ if name in SYSTEMS]
    parts = (directive(f"{root}.{name}", heading_level=2) for name in names)
    yield "python/systems.md", "\n\n".join(["# Transition systems", *parts])
    lines.append(
        "- [Transition systems](python/systems.md): `ArcEager` and the others."
    )
    yield "python.md", "\n".join(lines)


def registered(of_components: bool) -> list[EntryPoint]:
    """What spaCy finds by a name, components or the rest."""
    points = distribution("spacy-dynoracle").entry_points
    found = [x for x in points if x.group.startswith("spacy_")]
    found = [x for x in found if (x.group == "spacy_factories") == of_components]
    return sorted(found, key=lambda point: (point.group, point.name))


def registered_page(systems: bool) -> str:
    """What configs can name, by registry: transition systems, or all but these."""
    parts = ["# Transition systems in configs" if systems else "# Registered functions"]
    found = [x for x in registered(False) if (system_of(x) is not None) == systems]
    for group, points in groupby(found, lambda point: point.group):
        parts.append(f"## `@{group.removeprefix('spacy_')}`")
        for point in points:
            parts.append(directive(origin(point), members=False, heading=point.name))
    return "\n\n".join(parts)


def system_of(point: EntryPoint) -> type | None:
    """The class of a registered transition system."""
    return SYSTEMS.get(point.attr.rpartition(".")[2])


def origin(point: Any) -> str:
    """The path of a registered function, or of the class behind a transition system."""
    value = system_of(point) or inspect.unwrap(point.load())
    return f"{value.__module__}.{value.__qualname__}"


def components_page() -> str:
    """The components, their settings and the defaults."""
    parts = ["# Components and their settings"]
    for point in registered(True):
        component = spacy.blank("en").add_pipe(point.name)
        meta = spacy.language.Language.get_factory_meta(point.name)
        defaults = json.dumps(meta.default_config, indent=2)
        parts += [f"## `{point.name}`", directive(path_of(type(component)), **ALONE)]
        parts += ["### Settings", directive(path_of(type(component.recipe)), **ALONE)]
        parts += ["The defaults:", f"```json\n{defaults}\n```"]
    return "\n\n".join(parts)


def path_of(cls: type) -> str:
    """The path of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def extensions_page() -> str:
    """The extensions of Token, Span and Doc."""
    modules = pkgutil.walk_packages(
        spacy_dynoracle.__path__, f"{spacy_dynoracle.__name__}."
    )
    names = [module.name for module in modules if module.name.endswith(".extensions")]
    parts = (f"## `{name}`\n\n{directive(name, **ALONE)}" for name in sorted(names))
    return "\n\n".join(["# Extensions of Token, Span and Doc", *parts])


def commands_page() -> str:
    """The commands, their arguments and options."""
    command: Any = typer.main.get_command(app)
    context = typer.Context(command)
    text = get_docs_for_click(
        obj=command, ctx=context, name="spacy-dynoracle", title="Command line"
    )
    for each in command.commands.values():
        # typer cuts what is longer than its list of commands in a terminal.
        short, whole = each.get_short_help_str(), each.get_short_help_str(limit=200)
        text = text.replace(f": {short}\n", f": {whole}\n", 1)
    return text


class GroupedNames(griffe.Extension):
    """Lets griffe read entries for several names, as `left, right: The ends`."""

    GROUP = re.compile(r"^( {4,})(\w+(?:, \w+)+): (.*(?:\n\1 +\S.*)*)", re.MULTILINE)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Give every name an entry of its own."""
        if obj.docstring:
            obj.docstring.value = self.GROUP.sub(self.entries, obj.docstring.value)

    def entries(self, found: re.Match[str]) -> str:
        """The entries of the names of a group."""
        names = found[2].split(", ")
        return "\n".join(f"{found[1]}{name}: {found[3]}" for name in names)


# ---- the other pages -----------------------------------------------------------------


def copied(source: str) -> str:
    """A page from outside of docs, with its links from the root of the site."""
    text = (ROOT / source).read_text(encoding="utf8")
    text = re.sub(r"\]\((?:\.\./)?docs/", "](", text)
    for name, path in COPIED.items():
        text = re.sub(rf"\]\((?:\.\./)?{re.escape(path)}", f"]({name}", text)
    return text


def derivation() -> str:
    """The page that `spacy-dynoracle explain --html` writes."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": "POS", "sentences": "doc"})
    examples = []
    for sentence in read_conllu(TREEBANK / "train.conllu"):
        gold = to_doc(sentence, nlp.vocab)
        examples.append(Example(to_doc(sentence, nlp.vocab, tree=False), gold))
    nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        nlp.update(examples)
    nlp.meta["name"] = TREEBANK.name
    sentence = [*read_conllu(TREEBANK / "test.conllu")][SENTENCE - 1]
    return explain(nlp, sentence, sentence).html()


def paper_pages() -> dict[str, str]:
    """A page for each paper, cut from the page with all of them."""
    text = (ROOT / "docs" / REPRODUCTION).read_text(encoding="utf8")
    found = {}
    for part in re.split(PAPER, text)[1:]:
        title, _, rest = part.partition("\n")
        plain = normalize("NFD", title.lower()).encode("ascii", "ignore").decode()
        name = re.sub(r"\W+", "_", plain)
        tables = rest.replace(f"### {title}, ", "## ")
        found[f"reproduction/{name}.md"] = f"# {title}\n{tables}"
    return found


def without_papers(markdown: str) -> str:
    """The rest of this page, with links to the pages of the papers."""
    lines = (
        f"- [{text[2 : text.index(chr(10))]}]({Path(path).name})"
        for path, text in paper_pages().items()
    )
    return "\n".join([re.split(PAPER, markdown)[0], "## The tables\n", *lines])


def on_config(config: MkDocsConfig) -> None:
    """List the pages of the rooms and of the papers in the navigation."""
    names = [*(room.rpartition(".")[2] for room in rooms()), "systems"]
    pages = [f"api/python/{name}.md" for name in names]
    groups = {
        "api/registered.md": ("Registered functions", ["api/registered_systems.md"]),
        "api/python.md": ("Python", pages),
        REPRODUCTION: ("The papers' tables and ours", list(paper_pages())),
    }
    for section in config.nav or []:
        for items in section.values():
            for path in groups.keys() & {x for x in items if isinstance(x, str)}:
                title, parts = groups[path]
                items[items.index(path)] = {title: [path, *parts]}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the generated pages."""
    pages = {name: copied(source) for name, source in COPIED.items()}
    pages |= {f"api/{name}": text for name, text in python_pages()}
    pages |= paper_pages()
    pages["api/registered.md"] = registered_page(systems=False)
    pages["api/registered_systems.md"] = registered_page(systems=True)
    pages["api/components.md"] = components_page()
    pages["api/extensions.md"] = extensions_page()
    pages["api/command_line.md"] = commands_page()
    pages[DERIVATION] = derivation()
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fold away names of tests, show the README's table, and cut a long page."""
    if page.file.src_uri == REPRODUCTION:
        return without_papers(markdown)
    if page.file.src_uri == "index.md":
        return markdown.replace("<!-- table of the README -->", readme_table())
    if page.file.src_uri != "promises.md":
        return markdown
    return re.sub(r"(?m)\| ((?:`[^`]+`(?:, )?)+) \|$", folded, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Keep the dashes of an option with its name where a line is cut."""
    return CODE.sub(
        lambda code: OPTION.sub(r'<span class="option">\g<0></span>', code[0]), html
    )


def readme_table() -> str:
    """The table of scores and speeds."""
    text = (ROOT / "README.md").read_text(encoding="utf8")
    return text.partition("<!-- table: begin -->\n")[2].partition("<!-- table: end")[0]


def folded(found: re.Match[str]) -> str:
    """A cell with the names of tests, folded away."""
    names = re.findall("`([^`]+)`", found[1])
    items = "<br>".join(f"<code>{name}</code>" for name in names)
    count = "1 test" if len(names) == 1 else f"{len(names)} tests"
    return f"| <details><summary>{count}</summary>{items}</details> |"


def on_post_build(config: MkDocsConfig) -> None:
    """Check the site.

    Raises:
        PluginError: If a page loads something from another site, or if a public name
            has no entry.
    """
    site = Path(config["site_dir"])
    problems = [f"no entry for {name}" for name in missing(site)]
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        text = path.read_text(encoding="utf8")
        pattern = LOADED if path.suffix == ".html" else IMPORTED
        problems += [
            f"{path.relative_to(site)} loads {found[0]}"
            for found in pattern.finditer(text)
        ]
    if problems:
        raise PluginError("\n".join(problems))


def missing(site: Path) -> Iterator[str]:
    """The public functions and classes without an entry in the reference."""
    pages = sorted((site / "api" / "python").glob("*.html"))
    text = "".join(page.read_text(encoding="utf8") for page in pages)
    for room in rooms():
        module = import_module(room)
        names = [name for name in module.__all__ if callable(getattr(module, name))]
        yield from (x for x in names if f'id="{room}.{x}"' not in text)
