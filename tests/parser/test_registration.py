"""Entry points: everything is found without importing the package."""

import json
import runpy
from importlib.metadata import distribution

import pytest
from spacy.util import registry

from spacy_dynoracle.core.systems import SYSTEMS

from ..core.builders import run_python
from ..programs import ROOT

pytestmark = pytest.mark.heavy

REGISTRIES = {
    "spacy_factories": "factories",
    "spacy_misc": "misc",
    "spacy_readers": "readers",
    "spacy_callbacks": "callbacks",
    "spacy_scorers": "scorers",
}
ENTRY_POINTS = sorted(
    distribution("spacy-dynoracle").entry_points, key=lambda e: (e.group, e.name)
)
REGISTERED = [e for e in ENTRY_POINTS if e.group in REGISTRIES]
# Components, and what stands in blocks, without the name of the package and `v1`.
COMPONENTS = "parser committee senter tagger"
BLOCKS = """
    ArcEager ArcHybrid ArcHybridSwap ArcStandard Covington EasyFirst
    NonMonotonicArcEager
    DynamicOracle NonDeterministicOracle StaticOracle
    ErrorExploration NoExploration SamplingExploration
    AdaGradRDA AveragedPerceptron StructuredPerceptron
    ZhangNivre2011 ZhangNivre2011Standard RichEager RichHybrid RichHybridTwoTags
    RichCovington RichCovingtonTwoTags RichStandard GoldbergNivre2013EasyFirst
    WithMorphology SenterFeatures TaggerFeatures FeatureTemplates
    BeamSearch GreedySearch
    TaggedCorpus set_epoch parser_scorer senter_scorer tagger_scorer
"""
PUBLIC_NAMES = {
    *(f"dynoracle_{name}" for name in COMPONENTS.split()),
    *(f"spacy_dynoracle.{name}.v1" for name in BLOCKS.split()),
}


def printed(code):
    """What a fresh interpreter prints as JSON."""
    return json.loads(run_python(code).splitlines()[-1])


def test_the_factory_is_there_without_an_import():
    names = printed(
        "import json, spacy\n"
        "nlp = spacy.blank('en')\n"
        "nlp.add_pipe('dynoracle_parser')\n"
        "print(json.dumps(nlp.pipe_names))"
    )
    assert names == ["dynoracle_parser"]


def test_config_blocks_resolve_without_an_import():
    """Names are looked up in the registries before the package is imported."""
    blocks = {
        e.name: REGISTRIES[e.group] for e in REGISTERED if e.group != "spacy_factories"
    }
    found = printed(
        "import json\n"
        "from spacy.util import registry\n"
        f"blocks = {blocks!r}\n"
        "print(json.dumps([n for n, r in blocks.items() if registry.has(r, n)]))"
    )
    assert sorted(found) == sorted(blocks)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS, ids=lambda e: e.name)
def test_every_entry_point_loads(entry_point):
    """Every registered name resolves to its entry point."""
    loaded = entry_point.load()
    assert callable(loaded)
    if entry_point in REGISTERED:
        found = registry.get(REGISTRIES[entry_point.group], entry_point.name)
        assert callable(found)
        if entry_point.group != "spacy_factories":
            assert found.__name__ == loaded.__name__


def test_released_names_are_entry_points():
    assert {e.name for e in REGISTERED} >= PUBLIC_NAMES


def test_installed_entry_points_are_those_of_the_sources():
    collected = runpy.run_path(str(ROOT / "setup.py"))["entry_points"]()
    expected = {
        (group, *line.split(" = "))
        for group, lines in collected.items()
        for line in lines
    }
    found = {(e.group, e.name, e.value) for e in ENTRY_POINTS}
    assert found == expected, "run: pip install --no-build-isolation -e ."


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda s: s.__name__)
def test_systems_for_parsers_are_entry_points(system):
    names = {e.name for e in REGISTERED}
    assert (f"spacy_dynoracle.{system.__name__}.v1" in names) == system.builds_trees


def test_versioned_names():
    for entry_point in REGISTERED:
        if entry_point.group != "spacy_factories":
            assert entry_point.name.startswith("spacy_dynoracle.")
            assert entry_point.name.rpartition(".")[2].startswith("v")


def test_importing_the_factory_is_cheap():
    """spaCy imports the factory in every process that makes a pipeline."""
    heavy, ours = printed(
        "import json, spacy, spacy.pipeline, sys\n"
        "heavy = {'typer', 'rich', 'matplotlib', 'pandas', 'scipy'}\n"
        "for module in [m for m in sys.modules if m.split('.')[0] in heavy]:\n"
        "    del sys.modules[module]\n"
        "import spacy_dynoracle.parser.component\n"
        "tops = {m.split('.')[0] for m in sys.modules}\n"
        "ours = [m for m in sys.modules if m.startswith('spacy_dynoracle.')]\n"
        "print(json.dumps([sorted(tops & heavy), ours]))"
    )
    assert heavy == []
    parts = {name.split(".")[1] for name in ours}
    assert "parser" in parts
    assert not parts & {"cli", "treebank", "evaluation", "explain"}
