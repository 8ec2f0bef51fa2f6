"""The properties that benchmarks/invariance.py checks: they hold, and they can fail."""

import itertools
import json
import random
import sys

import pytest
import spacy

from ..programs import ROOT, new_process

pytestmark = pytest.mark.heavy

SAMPLE = ROOT / "treebanks" / "English-Harbour"
CALLS = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def checkout():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def nlp(checkout):
    from benchmarks.pipelines import trained

    return trained(SAMPLE, "en", n_epochs=1, seed=0)


def subject_of(nlp, with_starts=False):
    from benchmarks.data import read_texts
    from benchmarks.properties import Subject, documents

    texts, others = (read_texts(SAMPLE, 0, [split]) for split in ("test", "dev"))
    docs = documents(texts, 6, with_starts)
    return Subject(nlp, docs, documents(others, 3, with_starts), seed=1)


def properties(*without):
    """Those that need no processes, by their functions' names."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.properties import PROPERTIES

    found = {f.__name__: f for f in PROPERTIES.values()}
    return {k: f for k, f in found.items() if k not in (*without, "run")}


@pytest.mark.parametrize("name", properties())
def test_they_hold(nlp, name):
    from benchmarks.properties import Count

    count = Count.of(properties()[name](subject_of(nlp)))
    assert count.error is None
    assert count.tried >= 6
    assert count.tokens >= 6 * (name != "blanks_attached")
    assert (count.failed, count.changed) == (0, 0)


@spacy.Language.component("fickle")
def fickle(doc):
    """Every call gives another analysis."""
    for token in doc:
        token.dep_ = f"label {next(CALLS)}"
    return doc


@pytest.mark.parametrize("name", properties())
def test_they_can_fail(nlp, name):
    from benchmarks.properties import Count

    pipeline = spacy.blank("en")
    pipeline.add_pipe("dynoracle_parser", source=nlp)
    pipeline.add_pipe("fickle")
    count = Count.of(properties()[name](subject_of(pipeline)))
    assert count.error is None
    assert count.failed == count.tried > 0
    assert count.changed == count.tokens


def test_errors_are_counted(nlp):
    from benchmarks.properties import Count, parsed_twice

    subject = subject_of(nlp)
    subject.expected.pop()
    count = Count.of(parsed_twice(subject))
    assert count.error.startswith("ValueError: zip()")


def test_documents_have_up_to_eight_sentences(checkout):
    from benchmarks.data import read_texts
    from benchmarks.properties import documents

    texts = read_texts(SAMPLE, 0, ["dev"])
    docs = documents(texts, 9, with_starts=True)
    assert [d.starts.count(True) for d in docs] == [*range(1, 9), 1][: len(docs)]
    assert [d.starts for d in documents(texts, 2, with_starts=False)] == [None, None]
    spaced, places = docs[2].with_blanks(random.Random(0))
    assert [spaced.text.words[i] for i in places] == docs[2].text.words
    assert [spaced.starts[i] for i in places] == docs[2].starts
    assert all(
        spaced.text.words[i].isspace() == (i not in places)
        for i in range(len(spaced.text.words))
    )


@pytest.mark.slow
def test_the_command(tmp_path):
    """With worker processes, and spaCy's parser beside it."""
    output = tmp_path / "invariance.json"
    script = ROOT / "benchmarks" / "invariance.py"
    sizes = ["--docs", "5", "--epochs", "1", "--spacy-steps", "5"]
    command = [script, *sizes, "--output", output]
    result = new_process(*command, cwd=tmp_path, timeout=3000)
    assert result.returncode == 0, result.stderr
    data = json.loads(output.read_text(encoding="utf-8"))
    assert len(data["results"]) == 4
    for name, counts in data["results"].items():
        for what, count in counts.items():
            assert what in result.stdout
            assert count["tried"] > 0 or "spaCy" in name
            assert count["failed"] == 0 or "spaCy" in name
    assert "parsed twice" in data["results"]["spaCy's parser"]
