"""Files of word clusters, in the format of the program of Percy Liang.

Each line has the path of a cluster, a word and the number of its occurrences, with tabs
between them: ``0110<tab>dogs<tab>31``. The path is a string of the digits 0 and 1.
Words with the same path are one cluster. Paths that begin alike lead to similar
clusters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from spacy.lookups import Lookups, load_lookups
from spacy.util import registry

from ..doc.cluster_numbers import add_clusters
from ..util.config_errors import check_count, config_block
from ..util.files import read_text

# Further steps of a path do not count: the numbers of clusters have so many bits.
MAX_STEPS = 62
PATH = re.compile("[01]+")
# Words of a table that are kept; they are 97 % of the tokens of English web text.
N_WORDS = 100_000
LANGUAGE = re.compile("[a-z]{2,3}")
# The table of spacy-lookups-data.
SPACYS_TABLE = "lexeme_cluster"


@dataclass(frozen=True)
class WordCluster:
    """A word in a cluster.

    Attributes:
        path: The path of the cluster.
        word: The form.
        count: Occurrences of the word; 0 if unknown.
    """

    path: str
    word: str
    count: int


def number_of(path: str) -> int:
    """The number of a cluster in the table of a vocab.

    The lowest bit is the first step of the path.
    """
    return int(path[:MAX_STEPS][::-1], 2)


def read_clusters(path: str | Path) -> list[WordCluster]:
    """The words of a file of clusters.

    Raises:
        ValueError: With the file and the line, if it is not such a file.
    """
    found = []
    text = read_text(path)
    # Words may have characters that `str.splitlines` takes for line ends.
    lines = text.removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, start=1):
        line = line.removesuffix("\r")
        bits, _, rest = line.partition("\t")
        word, _, count = rest.partition("\t")
        if not (PATH.fullmatch(bits) and word and (count or "0").isdecimal()):
            raise ValueError(
                f"{path}, line {number}: expected a path of 0 and 1, a word and a "
                f"number with tabs between them, got {line[:60]!r}"
            )
        found.append(WordCluster(bits, word, int(count or 0)))
    if not found:
        raise ValueError(f"{path}: the file has no clusters")
    return found


@registry.misc("spacy_dynoracle.ClusterTable.v1")
@config_block("lookups")
def cluster_table(source: str | Path | None, n_words: int = N_WORDS) -> Lookups | None:
    """Word clusters for `[initialize.lookups]`. They are saved with the pipeline.

    Args:
        source (str | Path | None): A file of the plug-in `word_clusters`, or a language
            for which spacy-lookups-data has clusters: "de", "en" or "es". None loads
            nothing.
        n_words (int): The number of words to keep of a table of spacy-lookups-data, the
            most frequent ones of a million. A file is read as a whole.

    Raises:
        ValueError: If n_words is not positive, and for a file that cannot be read.
    """
    check_count("n_words", n_words, 1)
    if source is None:
        return None
    lookups = Lookups()
    if LANGUAGE.fullmatch(str(source)) and not Path(source).exists():
        # Its words are sorted by frequency.
        whole = load_lookups(str(source), [SPACYS_TABLE]).get_table(SPACYS_TABLE)
        add_clusters(lookups, dict(islice(whole.items(), n_words)))
    else:
        words = read_clusters(source)
        add_clusters(lookups, {word.word: number_of(word.path) for word in words})
    return lookups
