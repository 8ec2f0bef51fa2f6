"""Worker processes: the same parses under every start method."""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest

from .treebank import SENTENCES

SCRIPT = """
import json
import multiprocessing
import sys

import spacy
from spacy.tokens import Doc


def main():
    path, method, n_process = sys.argv[1], sys.argv[2], int(sys.argv[3])
    multiprocessing.set_start_method(method)
    nlp = spacy.load(path)
    sentences = json.load(sys.stdin)
    docs = [Doc(nlp.vocab, words=words, pos=tags) for words, tags in sentences]
    parses = [
        [[t.head.i for t in doc], [t.dep_ for t in doc], [t.is_sent_start for t in doc]]
        for doc in nlp.pipe(docs, n_process=n_process, batch_size=4)
    ]
    json.dump(parses, sys.stdout)


if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def run(trained_nlp, tmp_path_factory):
    """Parse in a new interpreter; its script can be imported by spawned workers."""
    path = tmp_path_factory.mktemp("processes")
    trained_nlp.to_disk(path / "pipeline")
    (path / "script.py").write_text(SCRIPT)
    sentences = [[s.words, s.tags] for s in SENTENCES] + [[[], []], [["\n"], ["SPACE"]]]

    def run(method, n_process):
        arguments = [path / "script.py", path / "pipeline", method, n_process]
        result = subprocess.run(
            [sys.executable, *map(str, arguments)],
            input=json.dumps(sentences),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture(scope="module")
def expected(run):
    return run("spawn", 1)


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, marks=[pytest.mark.slow] * (method == "forkserver"))
        for method in multiprocessing.get_all_start_methods()
    ],
)
def test_start_methods(run, expected, method):
    assert run(method, 2) == expected


def test_one_process(expected):
    assert len(expected) == len(SENTENCES) + 2
    assert expected[-2:] == [[[], [], []], [[0], ["ROOT"], [True]]]
    for (heads, labels, _), s in zip(expected, SENTENCES, strict=False):
        assert labels == list(s.labels)
        assert [0 if h == d else h + 1 for d, h in enumerate(heads)] == list(s.heads)
