"""Worker processes: the same parses under every start method."""

import json
import multiprocessing

import pytest

from ..programs import new_process
from .treebank import BLANKS, NAME, SENTENCES, TAG_OF, block
from .uncertain import MARGINAL, TRANSITION

pytestmark = pytest.mark.heavy

SCRIPT = """
import json
import multiprocessing
import sys

import spacy
from spacy.tokens import Doc


def trees_of(doc):
    return [
        [s.heads.tolist(), s.deps, s.scores.tolist()] for s in doc._.kbest or []
    ]


def parse(path, documents, n_process):
    nlp = spacy.load(path)
    docs = [
        Doc(nlp.vocab, words=words, pos=tags, sent_starts=starts)
        for words, tags, starts in documents
    ]
    return [
        [
            [t.head.i for t in doc],
            [t.dep_ for t in doc],
            [t.is_sent_start for t in doc],
            [t._.dep_probability for t in doc],
            trees_of(doc),
        ]
        for doc in nlp.pipe(docs, n_process=n_process, batch_size=4)
    ]


def main():
    method, n_process, *paths = sys.argv[1:]
    multiprocessing.set_start_method(method)
    documents = json.load(sys.stdin)
    json.dump([parse(path, documents, int(n_process)) for path in paths], sys.stdout)


if __name__ == "__main__":
    main()
"""


def document(words, starts=None):
    tags = ["SPACE" if word.isspace() else TAG_OF[word] for word in words]
    return [words, tags, starts]


def documents():
    """The sentences, then some without words, with blanks, with preset boundaries."""
    more = [document([]), document(["\n"])]
    words = [word for s in SENTENCES[:3] for word in s.words]
    more.append(document([BLANKS[0], *words[:4], BLANKS[1], *words[4:], BLANKS[2]]))
    more.append(document(words, [True if i % 5 == 0 else None for i in range(21)]))
    more.append(document(words, [False] * 21))
    return [document(s.words) for s in SENTENCES] + more


@pytest.fixture(scope="module")
def run(trained_nlp, pipelines, tmp_path_factory):
    """Parse in a new interpreter, with a pipeline for each value of `sentences`; its
    script can be imported by spawned workers.
    """
    path = tmp_path_factory.mktemp("processes")
    (path / "script.py").write_text(SCRIPT)
    made = [
        trained_nlp,
        pipelines(**MARGINAL, sentences="preset"),
        pipelines(**TRANSITION, sentences="doc"),
        pipelines(search=block("BeamSearch", beam_size=4, n_best=2)),
    ]
    for number, nlp in enumerate(made):
        nlp.to_disk(path / str(number))
        assert nlp.pipe_names == [NAME]

    def run(method, n_process, which=(0, 1, 2, 3)):
        arguments = [path / "script.py", method, n_process]
        arguments += [path / str(number) for number in which]
        result = new_process(
            *arguments, stdin=json.dumps(documents()), timeout=900, OMP_NUM_THREADS="1"
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture(scope="module")
def expected(run):
    return run("spawn", 1)


# Workers that are started anew import spaCy first, and as many pipelines as there are.
WITH_VALUES = [1, 3]


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, marks=[pytest.mark.slow] * (method == "forkserver"))
        for method in multiprocessing.get_all_start_methods()
    ],
)
def test_start_methods(run, expected, method):
    which = [0, 1, 2, 3] if method == "fork" else WITH_VALUES
    assert run(method, 2, which) == [expected[number] for number in which]


def test_one_process(expected):
    predicted, preset, one, beam = expected
    n = len(SENTENCES)
    for parses in expected:
        assert len(parses) == n + 5
        assert parses[n : n + 2] == [
            [[], [], [], [], []],
            [[0], ["ROOT"], [True], [None], []],
        ]
    for (heads, labels, _, values, _), s in zip(predicted, SENTENCES, strict=False):
        assert labels == list(s.labels)
        assert [0 if h == d else h + 1 for d, h in enumerate(heads)] == list(s.heads)
        assert set(values) == {None}
    assert preset[n + 3][2] == [i % 5 == 0 for i in range(21)]
    assert one[n + 3][2] == [i == 0 for i in range(21)]
    for parses in (preset, one):
        assert all(0 <= value <= 1 for value in parses[0][3])
    assert [len(heads) for heads, _, _ in beam[0][4]] == [2]
