"""The stubs (.pyi) are those that scripts/stubs.py writes."""

import importlib.util

import pytest

from ..programs import ROOT

SCRIPT = ROOT / "scripts" / "stubs.py"


def load_script():
    spec = importlib.util.spec_from_file_location("stubs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stubs = load_script()


@pytest.mark.parametrize(
    "source",
    stubs.sources(),
    ids=lambda path: path.relative_to(stubs.PACKAGE).as_posix(),
)
def test_stub_describes_the_compiled_module(source):
    """If not: python scripts/stubs.py"""
    assert stubs.is_up_to_date(source)


def test_every_stub_has_a_module():
    found = sorted(stubs.PACKAGE.rglob("*.pyi"))
    assert [path.with_suffix(".pyx") for path in found] == stubs.sources()
    assert (stubs.PACKAGE / "py.typed").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def default_root_rule(self) -> RootRule: ...", ""),
        ("root: str", "roots: str"),
        ("class Unshift: ...", ""),
        ("class Reduce: ...", "class Reduces: ..."),
        ("class ArcEager(TransitionSystem)", "class ArcEager"),
        ("(self, root_rule: RootRule)", "(self)"),
        ("    @property\n    def tree_constraint", "    def tree_constraint"),
    ],
)
def test_what_is_out_of_date_is_found(old, new, tmp_path, monkeypatch):
    source = stubs.CORE / "systems" / "arc_eager.pyx"
    text = source.with_suffix(".pyi").read_text(encoding="utf8")
    assert old in text
    copy = tmp_path / "arc_eager.pyx"
    copy.write_text(source.read_text(encoding="utf8"), encoding="utf8")
    monkeypatch.setattr(stubs, "module_name", lambda path: NAME)
    for stub, expected in ((text, True), (text.replace(old, new), False)):
        copy.with_suffix(".pyi").write_text(stub, encoding="utf8")
        assert stubs.is_up_to_date(copy) == expected


NAME = "spacy_dynoracle.core.systems.arc_eager"


def test_a_stub_is_made_from_nothing(tmp_path, monkeypatch):
    source = stubs.CORE / "systems" / "arc_eager.pyx"
    copy = tmp_path / "arc_eager.pyx"
    copy.write_text(source.read_text(encoding="utf8"), encoding="utf8")
    monkeypatch.setattr(stubs, "module_name", lambda path: NAME)
    found = stubs.ast.unparse(stubs.ast.fix_missing_locations(stubs.stub_of(copy)))
    assert "class ArcEager(TransitionSystem):" in found
    assert "root: str='last'" in found
