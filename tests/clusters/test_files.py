"""Files of clusters, and the tables that a config loads."""

import numpy as np
import pytest
import spacy
from spacy.lookups import Lookups
from spacy.strings import get_string_id
from spacy.vocab import Vocab

from spacy_dynoracle.clusters import WordCluster, cluster_table, files, read_clusters
from spacy_dynoracle.clusters.files import number_of
from spacy_dynoracle.doc.cluster_numbers import CLUSTER_0, clusters_of

WORDS = [
    WordCluster("000", "dog", 3),
    WordCluster("000", "cat", 1),
    WordCluster("0010", "dogs", 2),
    WordCluster("1", "a b", 0),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "clusters.tsv"
    path.write_text("000\tdog\t3\n000\tcat\t1\n0010\tdogs\t2\n1\ta b\t0\n", "utf8")
    return path


def test_files_are_read(file):
    assert read_clusters(file) == WORDS


@pytest.mark.parametrize("word", ["a\x85b", "a\u2028b", "a\x1cb", "a\x0bb", "a\x0cb"])
def test_words_may_have_what_looks_like_a_line_end(word, tmp_path):
    (tmp_path / "clusters").write_text(f"0\t{word}\t3\n1\tship\t2\n", "utf8")
    expected = [WordCluster("0", word, 3), WordCluster("1", "ship", 2)]
    assert read_clusters(tmp_path / "clusters") == expected


def test_the_first_step_is_the_lowest_bit():
    assert [number_of(path) for path in ("0", "1", "110", "001")] == [0, 1, 3, 4]
    assert number_of("1" * 100) == 2**62 - 1


@pytest.mark.heavy
def test_the_table_is_saved_with_the_pipeline(file, tmp_path):
    nlp = spacy.blank("en")
    nlp.config["initialize"]["lookups"] = {
        "@misc": "spacy_dynoracle.ClusterTable.v1",
        "source": str(file),
    }
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    vocab = spacy.load(tmp_path / "model").vocab
    forms = [vocab.strings[word] for word in ("dog", "cat", "dogs", "mouse")]
    dog, cat, dogs, mouse = clusters_of(vocab, np.array(forms, dtype=np.uint64))
    assert dog == cat != 0
    assert dogs == 4
    assert mouse == 0


def test_no_source():
    assert cluster_table(None) is None


def test_a_language(monkeypatch):
    """The most frequent words of the table are kept. They come first."""
    asked = []
    whole = {f"word {i}": i % 7 for i in range(100)}

    def load(lang, tables):
        asked.append((lang, tables))
        lookups = Lookups()
        lookups.add_table(files.SPACYS_TABLE, whole)
        return lookups

    monkeypatch.setattr(files, "load_lookups", load)
    forms = np.array([get_string_id(word) for word in whole], dtype=np.uint64)
    vocab = Vocab()
    for n_words in (30, 1000):
        vocab.lookups = cluster_table("en", n_words=n_words)
        kept = clusters_of(vocab, forms)
        assert np.count_nonzero(kept) == min(n_words, len(whole))
        assert kept[:8].tolist() == [CLUSTER_0, 1, 2, 3, 4, 5, 6, CLUSTER_0]
    assert asked == [("en", [files.SPACYS_TABLE])] * 2


def test_an_impossible_number_of_words():
    with pytest.raises(ValueError, match="n_words = 0: expected at least 1"):
        cluster_table("en", n_words=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no clusters"),
        ("01\tdog\t1\ndog\n", "line 2: expected a path of 0 and 1, a word"),
        ("01\tdog\tmany\n", "line 1: expected"),
        ("02\tdog\t1\n", "line 1: expected"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    path = tmp_path / "clusters.tsv"
    path.write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=message) as error:
        cluster_table(path)
    assert "clusters.tsv" in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(ValueError, match=r"none\.tsv: cannot be read: No such file"):
        cluster_table(tmp_path / "none.tsv")
