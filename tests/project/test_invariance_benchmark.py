"""The properties that benchmarks/invariance.py checks: they hold, and they can fail."""

import itertools
import json
import random

import pytest
import spacy

from benchmarks.data import read_texts
from benchmarks.pipelines import trained
from benchmarks.properties import (
    PROPERTIES,
    Count,
    Subject,
    blanks_attached,
    documents,
    parsed_twice,
)

from ..programs import ROOT, new_process

pytestmark = pytest.mark.heavy

SAMPLE = ROOT / "treebanks" / "English-Harbour"
CALLS = itertools.count()


@pytest.fixture(scope="module")
def nlp():
    return trained(SAMPLE, "en", n_epochs=1, seed=0)


def subject_of(nlp):
    texts, others = (read_texts(SAMPLE, 0, [split]) for split in ("test", "dev"))
    docs = documents(texts, 6, with_starts=False)
    return Subject(nlp, docs, documents(others, 3, with_starts=False), seed=1)


# Those that need no processes.
of_each_property = pytest.mark.parametrize(
    "holds", [f for f in PROPERTIES.values() if f.__name__ != "run"]
)


@of_each_property
def test_they_hold(nlp, holds):
    count = Count.of(holds(subject_of(nlp)))
    assert count.error is None
    assert count.tried >= 6
    assert count.tokens >= 6 * (holds is not blanks_attached)
    assert (count.failed, count.changed) == (0, 0)


@spacy.Language.component("fickle")
def fickle(doc):
    """Every call gives another analysis."""
    for token in doc:
        token.dep_ = f"label {next(CALLS)}"
    return doc


@of_each_property
def test_they_can_fail(nlp, holds):
    pipeline = spacy.blank("en")
    pipeline.add_pipe("dynoracle_parser", source=nlp)
    pipeline.add_pipe("fickle")
    count = Count.of(holds(subject_of(pipeline)))
    assert count.error is None
    assert count.failed == count.tried > 0
    assert count.changed == count.tokens


def test_errors_are_counted(nlp):
    subject = subject_of(nlp)
    subject.expected.pop()
    count = Count.of(parsed_twice(subject))
    assert count.error.startswith("ValueError: zip()")


def test_documents_have_up_to_eight_sentences():
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
