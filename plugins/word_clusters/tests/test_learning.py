"""Clustering of vectors, and clusters from pipelines and text."""

import numpy as np
import pytest
import spacy
from spacy.vectors import Vectors
from typer.testing import CliRunner

from dynoracle_clusters import learn_clusters
from dynoracle_clusters.__main__ import app
from dynoracle_clusters.learning import write_clusters
from dynoracle_clusters.tree import ROUNDS, kmeans, normalized, ward_paths
from dynoracle_clusters.vectors import sentences_of
from spacy_dynoracle.clusters import WordCluster, read_clusters
from tests import commands
from tests.programs import ROOT

# Three directions; the first two are closer to each other.
CENTRES = np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32)
NAMES = ["red", "blue", "run"]


def around(n, seed=0):
    """Vectors around the centres, and the number of the centre of each."""
    draw = np.random.default_rng(seed)
    numbers = np.arange(3 * n) % 3
    noise = draw.normal(scale=0.02, size=(3 * n, 3))
    return (CENTRES[numbers] + noise).astype(np.float32), numbers


@pytest.fixture
def pipeline(tmp_path):
    """The directory of a pipeline with word vectors."""
    vectors, numbers = around(8)
    words = [f"{NAMES[number]}{i}" for i, number in enumerate(numbers)]
    nlp = spacy.blank("en")
    for word in words:
        nlp.vocab.strings.add(word)
    nlp.vocab.vectors = Vectors(data=vectors, keys=words)
    nlp.to_disk(tmp_path / "vectors")
    return tmp_path / "vectors"


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


# ---- k-means and the tree ------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(4))
def test_vectors_are_in_the_cluster_with_the_nearest_mean(seed):
    vectors, _ = around(20, seed)
    vectors = normalized(vectors)
    rounds = []
    numbers, means = kmeans(vectors, 5, seed, rounds.append)
    assert rounds == [1] * ROUNDS
    assert set(numbers) == set(range(len(means)))
    distances = np.linalg.norm(vectors[:, None] - means[None], axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), numbers)
    again, _ = kmeans(vectors, 5, seed, rounds.append)
    np.testing.assert_array_equal(numbers, again)


@pytest.mark.heavy
def test_no_cluster_is_empty():
    """Equal vectors are all nearest to the same mean."""
    vectors = np.ones((6, 2), dtype=np.float32) / np.float32(2**0.5)
    numbers, means = kmeans(vectors, 4, 0, lambda n: None)
    assert set(numbers) == set(range(len(means)))


def test_similar_clusters_are_joined_first():
    red, blue, run = ward_paths(CENTRES)
    assert sorted([red, blue, run], key=len)[0] == run
    assert red[:-1] == blue[:-1] != run
    assert ward_paths(CENTRES[:1]) == ["0"]


# ---- sources -------------------------------------------------------------------------


@pytest.mark.heavy
def test_clusters_of_a_pipeline(pipeline, tmp_path):
    shown = commands.works(
        run(pipeline, "--n-clusters", 3, "--output", tmp_path / "out.tsv")
    )
    assert "out.tsv: 24 words in 3 clusters" in shown
    found = {}
    for word in read_clusters(tmp_path / "out.tsv"):
        found.setdefault(word.path, set()).add(word.word.rstrip("0123456789"))
    kinds = {"".join(kinds): path for path, kinds in found.items()}
    assert set(kinds) == set(NAMES)
    # Red and blue are closer to each other.
    assert kinds["red"][0] == kinds["blue"][0] != kinds["run"][0]
    fewer = learn_clusters([pipeline], n_clusters=100, max_words=6)
    assert sorted(word.word for word in fewer) == [
        "blue1", "blue4", "red0", "red3", "run2", "run5",
    ]  # fmt: skip


@pytest.mark.heavy
def test_clusters_of_text(tmp_path):
    text = tmp_path / "more.txt"
    text.write_text("The harbour is open.\n\n" * 30, encoding="utf8")
    treebank = ROOT / "treebanks" / "English-Harbour" / "dev.conllu"
    sources = [treebank, text]
    settings = {"n_clusters": 8, "lang": "en", "max_words": 60}
    words = learn_clusters(sources, **settings)
    assert len(words) == 60
    assert len({word.path for word in words}) == 8
    counts = {word.word: word.count for word in words}
    assert counts["harbour"] >= 30
    assert min(counts.values()) >= 3
    assert learn_clusters(sources, **settings) == words


def test_sentences_of_files(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("It rains.\n\n  \nIt does not.\n", encoding="utf8")
    sentences = list(sentences_of([text], spacy.blank("en")))
    assert sentences == [["It", "rains", "."], ["It", "does", "not", "."]]
    # Of longer sentences gensim reads the first words alone.
    text.write_text("It " * 10_001)
    assert list(map(len, sentences_of([text], spacy.blank("en")))) == [10_000, 1]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["a.txt", "en_core_web_md"], "expected one pipeline with word vectors, or"),
        (["no_such_pipeline"], "no_such_pipeline"),
        (["none.conllu"], "none.conllu"),
        (["a.txt", "--lang=qtr"], "; 'xx' is for languages"),
    ],
)
def test_wrong_sources(tmp_path, sources, message):
    result = run(*sources, "--output", tmp_path / "out.tsv")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_pipeline(tmp_path):
    result = run(tmp_path, "--output", tmp_path / "out.tsv")
    assert result.exit_code == 1
    assert f"{tmp_path}: not a pipeline; of a folder, name the files" in result.stderr


@pytest.mark.heavy
def test_a_pipeline_without_vectors(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    result = run(tmp_path / "blank", "--output", tmp_path / "out.tsv")
    assert result.exit_code == 1
    assert "the pipeline has no word vectors" in result.stderr


# ---- files ---------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["a\nb", "a\tb", "a\r", "\n"])
def test_words_that_the_format_cannot_have_are_left_out(word, tmp_path):
    given = [WordCluster("0", word, 3), WordCluster("1", "ship", 2)]
    write_clusters(tmp_path / "clusters", given)
    assert read_clusters(tmp_path / "clusters") == given[1:]
    assert (tmp_path / "clusters").read_bytes() == b"1\tship\t2\n"
