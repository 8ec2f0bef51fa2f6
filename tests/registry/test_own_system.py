"""A transition system of a researcher's own module: one file, no checkout."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

import spacy_dynoracle
from spacy_dynoracle import ZHANG_NIVRE_2011, register_system
from spacy_dynoracle.core.oracles.static import StaticOracle
from spacy_dynoracle.core.state.gold import GoldTree
from spacy_dynoracle.core.systems import SYSTEMS
from spacy_dynoracle.core.systems.arc_hybrid import ArcHybrid
from spacy_dynoracle.core.systems.base import TransitionSystem

from ..core.exhaustive import check_costs
from ..parser.treebank import NAME, SENTENCES, examples, make_nlp, train

SOURCE = Path(__file__).with_name("own_hybrid.pyx")
ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "contributing_features.md")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The module, compiled in a folder of its own as `cythonize` does it."""
    folder = tmp_path_factory.mktemp("own")
    shutil.copy(SOURCE, folder)
    package = str(Path(spacy_dynoracle.__file__).parents[1])
    setup = folder / "setup.py"
    setup.write_text(
        "from setuptools import setup\n"
        "from Cython.Build import cythonize\n"
        f"setup(ext_modules=cythonize('own_hybrid.pyx', include_path=[{package!r}]))\n",
        encoding="utf8",
    )
    subprocess.run(
        [sys.executable, setup.name, "-q", "build_ext", "--inplace"],
        cwd=folder,
        check=True,
    )
    (library,) = [*folder.glob("own_hybrid*.so"), *folder.glob("own_hybrid*.pyd")]
    spec = importlib.util.spec_from_file_location("own_hybrid", library)
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_hybrid"] = module
    spec.loader.exec_module(module)
    yield module
    del SYSTEMS["OwnHybrid"], sys.modules["own_hybrid"]


@pytest.mark.heavy
@pytest.mark.parametrize("n", [1, 2, 3])
def test_costs_are_those_of_exhaustive_search(own, n):
    """In every configuration, for every projective tree."""
    check_costs(own.OwnHybrid(), n)


@pytest.mark.heavy
def test_transitions_are_known_by_their_numbers(own):
    system = own.OwnHybrid()
    assert system.transition_names == ("LEFT", "RIGHT", "SHIFT")
    assert system.transitions_of(2, 1) == ("LEFT",)
    assert system.transitions_of(0, 1) == system.transitions_of(1, 2) == ("RIGHT",)
    c = system.initial(2)
    tree = GoldTree([2, 0])
    assert StaticOracle("right").correct(system, c, tree) == {"SHIFT"}


@pytest.mark.heavy
def test_it_trains_and_loads_as_any_other(own, tmp_path):
    nlp = make_nlp(system={"@misc": "spacy_dynoracle.OwnHybrid.v1"})
    train(nlp, examples(nlp.vocab))
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert isinstance(again.get_pipe(NAME).model.system, own.OwnHybrid)
    words = [word for sentence in SENTENCES for word in sentence.words]
    for pipeline in (nlp, again):
        doc = pipeline(spacy.tokens.Doc(pipeline.vocab, words=words))
        assert doc.has_annotation("DEP")
    assert nlp.get_pipe(NAME).to_bytes(exclude=["vocab"]) == again.get_pipe(
        NAME
    ).to_bytes(exclude=["vocab"])


def test_a_name_is_one_system():
    other = type("ArcHybrid", (ArcHybrid,), {})
    with pytest.raises(ValueError, match="there is a transition system 'ArcHybrid'"):
        register_system(other)
    assert SYSTEMS["ArcHybrid"] is ArcHybrid


@pytest.mark.parametrize("wrong", [None, int, ArcHybrid()])
def test_only_systems_can_be_registered(wrong):
    own = type("Own", (ArcHybrid,), {"legal": ArcHybrid.costs})
    with pytest.raises(TypeError, match=r"do not call Own\.legal: .* in Cython"):
        register_system(own)
    with pytest.raises(TypeError, match="is not a subclass of TransitionSystem"):
        register_system(wrong)


def test_default_features_must_exist():
    for attribute in ("default_features", "default_features_with_both_tags"):
        features = {"default_features": "spacy_dynoracle.RichHybrid.v1"}
        system = type("Unfit", (TransitionSystem,), features | {attribute: "None"})
        with pytest.raises(ValueError, match=f"Unfit states {attribute} = 'None'"):
            register_system(system)
    assert "Unfit" not in SYSTEMS


def test_examples_of_contributing():
    """A system with other settings, and a feature set, in a user's Python files."""
    text = "\n".join(page.read_text(encoding="utf8") for page in CONTRIBUTING)
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, {"__name__": "mine"})
    system = {"@misc": "spacy_dynoracle.MyHybrid.v1"}
    try:
        plain = make_nlp(system=system, features=None)
        extended = make_nlp(features={"@misc": "my_features.v1"})
    finally:
        del SYSTEMS["MyHybrid"]
    templates = [nlp.get_pipe(NAME).templates.templates for nlp in (plain, extended)]
    assert templates == [ZHANG_NIVRE_2011, (*ZHANG_NIVRE_2011, "S0w.N1w")]
