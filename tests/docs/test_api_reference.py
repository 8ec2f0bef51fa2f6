"""The reference in docs/api has everything that is public, as the code says it now."""

import importlib.util
import re
from importlib.metadata import distribution
from pathlib import Path

import pytest
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from spacy_dynoracle.cli import app
from spacy_dynoracle.senter import register_extensions

ROOT = Path(__file__).parents[2]
API = ROOT / "docs" / "api"
POINTS = [
    e for e in distribution("spacy-dynoracle").entry_points if e.group[:6] == "spacy_"
]
FACTORIES = [e.name for e in POINTS if e.group == "spacy_factories"]
IMPORTED = re.compile(
    r"^ *from (spacy_dynoracle[\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE
)


def load_script():
    spec = importlib.util.spec_from_file_location(
        "api_reference", ROOT / "scripts" / "api_reference.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


@pytest.fixture(scope="module")
def pages():
    return script.pages()


def sections(text):
    """The text under each heading of the third level, without its code and its lines
    of one code span."""
    parts = re.split(r"^#{2,3} (?:`(.+)`|.*)$", text, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    plain = {k: re.sub(r"```.*?```", "", v, flags=re.DOTALL) for k, v in found.items()}
    return {k: re.sub(r"(?m)^`[^`]*`$", "", v).strip() for k, v in plain.items() if k}


def test_reference_is_up_to_date(pages):
    written = {p.name: p.read_text(encoding="utf8") for p in API.glob("*.md")}
    assert written == pages, "run: python scripts/api_reference.py"


@pytest.mark.parametrize("point", POINTS, ids=lambda e: e.name)
def test_every_registered_function_is_described(pages, point):
    assert sections(pages["registered.md"])[point.name]


PUBLIC = {
    (module.__name__, name)
    for module in script.public_modules()
    for name in module.__all__
}


@pytest.mark.parametrize(("module", "name"), sorted(PUBLIC))
def test_every_exported_name_is_described(pages, module, name):
    text = pages["python.md"]
    start = text.index(f"\n## `{module}`\n")
    part = text[start : text.index("\n## ", start + 1)]
    assert sections(part)[name]


def test_every_public_package_is_on_the_page():
    modules = {module for module, _ in PUBLIC}
    expected = {"treebank", "evaluation", "explain", "parser", "tagger"}
    assert modules >= {f"spacy_dynoracle.{room}" for room in expected}
    assert "spacy_dynoracle" in modules


def test_readers_are_told_to_import_public_names_only():
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    texts = {path: path.read_text(encoding="utf8") for path in documents}
    imported = {
        (path.name, module, name)
        for path, text in texts.items()
        for module, names in IMPORTED.findall(text)
        for name in re.findall(r"(\w+)(?: as \w+)?(?:,|\)|$)", names)
    }
    assert any(module == "spacy_dynoracle.treebank" for _, module, _ in imported)
    assert {x for x in imported if x[1:] not in PUBLIC} == set()
    whole = re.compile(r"^ *import spacy_dynoracle\.", re.MULTILINE)
    assert [path for path, text in texts.items() if whole.search(text)] == []


@pytest.mark.parametrize("name", FACTORIES)
def test_every_setting_of_a_component_is_described(pages, name):
    start = pages["components.md"].index(f"## `{name}`")
    prose = pages["components.md"][start:].partition("The defaults:")[0]
    items = re.findall(r"^- ((?:`\w+`(?:, )?)+): \S", prose, flags=re.MULTILINE)
    described = set(re.findall(r"\w+", " ".join(items)))
    settings = set(Language.get_factory_meta(name).default_config)
    assert settings - {"scorer"} <= described


def test_every_extension_is_described(pages):
    register_extensions()
    described = sections_of_extensions(pages["extensions.md"])
    for cls in (Token, Span, Doc):
        for name, (_, _, getter, _) in extensions_of(cls).items():
            if getter.__module__.startswith("spacy_dynoracle."):
                assert described.pop(f"{cls.__name__}._.{name}")
    assert not described


def sections_of_extensions(text):
    return dict(re.findall(r"^\| `(\w+\._\.\w+)` \| (.+) \|$", text, re.MULTILINE))


def extensions_of(cls):
    both = (script.extensions.EXTENSIONS, script.senter_extensions.EXTENSIONS)
    names = [name for of in both for _, getters in of for name in getters]
    return {n: cls.get_extension(n) for n in names if cls.has_extension(n)}


def test_every_command_is_described(pages):
    called = "spacy-dynoracle"
    described = sections(pages["command_line.md"])
    names = [command.name for command in app.registered_commands]
    assert len(names) > 3
    for name in names:
        assert not described[f"{called} {name}"].startswith("|"), "no help text"
        rows = re.findall(
            r"(?m)^\| `.+` \| (.*) \| .*\|$", described[f"{called} {name}"]
        )
        assert rows
        assert all(rows)


def test_nothing_without_text_counts_as_described():
    def undocumented(): ...

    assert script.docstring(undocumented) == ""
    text = "### `name`\n\n`module`\n\n```python\nname()\n```\n\n### `other`\n\nText."
    assert sections(text) == {"name": "", "other": "Text."}


def test_docstrings_become_lists():
    def function():
        """Do it.

        first, second (list[str]): two
            things. Note: one
        third: another.

        Prose with a <
        colon: no item.
        """

    assert script.docstring(function).splitlines() == [
        "Do it.",
        "",
        "- `first`, `second` (list[str]): two",
        "  things. Note: one",
        "- `third`: another.",
        "",
        "Prose with a &lt;",
        "colon: no item.",
    ]


def test_signatures_of_compiled_classes_come_from_stubs(pages):
    text = pages["python.md"]
    assert 'ArcEager(\n    root: str = "last",\n' in text
    assert "is_projective(heads: Sequence[int | None]) -> bool" in text
    assert "is_projective(heads)\n" not in text
    assert "reduce_cython" not in text
