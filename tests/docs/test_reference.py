"""Everything that is public has a description, from which docs/hooks.py makes pages."""

import inspect
import pkgutil
import re
from importlib import import_module
from importlib.metadata import distribution

import pytest
import spacy
from spacy.language import Language

import spacy_dynoracle

from ..commands import listed
from ..programs import ROOT

POINTS = [
    e for e in distribution("spacy-dynoracle").entry_points if e.group[:6] == "spacy_"
]
FACTORIES = [e.name for e in POINTS if e.group == "spacy_factories"]
IMPORTED = re.compile(
    r"^ *from (spacy_dynoracle[\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE
)
ROOMS = [
    import_module(f"spacy_dynoracle.{room.name}")
    for room in pkgutil.iter_modules(spacy_dynoracle.__path__)
    if room.ispkg
]
PUBLIC = {
    (module.__name__, name)
    for module in [spacy_dynoracle, *ROOMS]
    for name in getattr(module, "__all__", ())
}
COMMANDS = listed()


def described(value):
    """The docstring without the signature that Cython writes into its first line."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"\A[\w.]+\(.*\)(?: -> .*)?(?:\n\n|\Z)", "", text)


@pytest.mark.parametrize(
    "point", [x for x in POINTS if x.name not in FACTORIES], ids=lambda e: e.name
)
def test_every_registered_function_is_described(point):
    assert described(point.load())


@pytest.mark.parametrize(("module", "name"), sorted(PUBLIC))
def test_every_exported_name_is_described(module, name):
    value = getattr(import_module(module), name)
    assert not callable(value) or described(value)


def test_every_public_package_is_found():
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
    # The page about the memory of the weights looks behind the public names.
    others = {x for x in imported if x[0] != "memory.md" and x[1:] not in PUBLIC}
    assert others == set()
    whole = re.compile(r"^ *import spacy_dynoracle\.", re.MULTILINE)
    assert [path for path, text in texts.items() if whole.search(text)] == []


@pytest.mark.parametrize("name", FACTORIES)
def test_every_setting_of_a_component_is_described(name):
    recipe = spacy.blank("en").add_pipe(name).recipe
    items = re.findall(
        r"(?:^ *|[.;] )((?:\w+, )*\w+): \S", described(recipe), re.MULTILINE
    )
    settings = set(Language.get_factory_meta(name).default_config)
    assert settings - {"scorer"} <= {x for item in items for x in item.split(", ")}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_described(name):
    assert COMMANDS[name].help
    assert all(parameter.help for parameter in COMMANDS[name].params)
