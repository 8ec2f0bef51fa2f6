"""Settings for the tests of every room."""

import gc
import os

import pytest
from hypothesis import settings

from spacy_dynoracle.tagger import training_tags

# Deadlines measure the machine, not the package. In CI the examples are the same in
# every run, so that a failure there is one that the change made; on a contributor's
# machine they are new ones each time. `--hypothesis-profile random` looks further.
settings.register_profile("local", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("random", deadline=None, max_examples=1000)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "local")

NOT_QUICK = ("slow", "heavy")


def pytest_configure(config):
    if config.option.markexpr == "quick":
        settings.load_profile("quick")


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    """`pytest -m quick` needs only the first case of a test.

    Making an item for each of the others takes longer than running the quick tests.
    """
    if metafunc.config.option.markexpr == "quick":
        del metafunc._calls[1:]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """`pytest -m quick`: the first case of every test, but for those marked heavy."""
    seen = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test not in seen and not any(map(item.get_closest_marker, NOT_QUICK)):
            item.add_marker("quick")
        seen.add(test)


@pytest.fixture
def folds(monkeypatch):
    """The folds that are tagged: the number of examples, theirs, and the attributes."""
    calls = []
    original = training_tags.held_out_tags

    def counted(examples, fold, tagger):
        calls.append((len(examples), fold, tagger.recipe.attrs))
        return original(examples, fold, tagger)

    monkeypatch.setattr(training_tags, "held_out_tags", counted)
    return calls


def pytest_collection_finish():
    """Modules and tests stay to the end: garbage collections need not visit them."""
    gc.collect()
    gc.freeze()
