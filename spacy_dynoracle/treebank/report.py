"""The findings about a treebank before training, and the report about them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .docs import pos_of
from .sentence import Problem

# Below this share of the words, a parser cannot be of use on text.
FEW_WORDS = 0.9

# So many words have some that stand together, if the data tell it.
MANY_WORDS = 200
# So many values are named as examples.
_SHOWN = 5
NO_JOINED = (
    "a blank stands between any two words (there is no SpaceAfter=No), so the treebank "
    "does not tell where its text has blanks, and no tokenizer can learn from it where "
    "words end: restore SpaceAfter=No from the original text, or parse text that is "
    "divided into words already"
)


class WordsFound(NamedTuple):
    """The tokens and words of a treebank that a tokenizer finds in the raw text.

    Attributes:
        tokens, words: F1 as a fraction of 1. No parser can score more than `words` from
            text.
    """

    tokens: float
    words: float


@dataclass
class FileReport:
    """The contents of a treebank file. Fields are counts unless they say otherwise.

    For a file that is checked alone, seen_sentences and unseen_labels are empty.

    Attributes:
        words: Without multiword tokens and empty nodes.
        max_length: Words of the longest sentence.
        ranges: Multiword tokens.
        multiword: Multiword tokens in lower case, as ``du = de + le``.
        joined: Words and multiword tokens that no blank follows.
        changed_feats: FEATS that spaCy cannot hold as they are.
        decomposed: Words whose form or lemma is not in the Unicode form NFC.
        words_found: What each of some tokenizers finds in the raw text.
        partial_sentences: Sentences with some unknown heads.
        cycles: Sentences whose heads form a cycle.
        nonprojective_trees: Usable for training, unless the parser is told to drop
            them.
        text_compared, text_mismatches: Sentences with a comment ``# text``, and those
            whose words give another text.
        skipped: Sentences that training cannot use, by reason.
        seen_sentences: Sentences that occur word for word in an earlier split.
        unseen_labels: Labels that do not occur in the training split.
        errors, warnings: The problems.
    """

    path: str
    sentences: int = 0
    words: int = 0
    max_length: int = 0
    ranges: int = 0
    multiword: Counter[str] = field(default_factory=Counter)
    joined: int = 0
    words_found: dict[str, WordsFound] = field(default_factory=dict)
    empty_nodes: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    upos: Counter[str] = field(default_factory=Counter)
    changed_feats: Counter[str] = field(default_factory=Counter)
    decomposed: int = 0
    xpos: Counter[str] = field(default_factory=Counter)
    unknown_heads: int = 0
    partial_sentences: int = 0
    unlabelled_words: int = 0
    multiple_roots: int = 0
    cycles: int = 0
    nonprojective_trees: int = 0
    nonprojective_arcs: int = 0
    text_compared: int = 0
    text_mismatches: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seen_sentences: int = 0
    unseen_labels: Counter[str] = field(default_factory=Counter)
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    @property
    def mean_length(self) -> float:
        """The mean number of words in a sentence."""
        return self.words / self.sentences if self.sentences else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; counters are sorted by frequency, then by name."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, Counter):
                value = by_frequency(value)
            elif isinstance(value, list):
                value = [str(problem) for problem in value]
            elif isinstance(value, dict):
                value = {key: found._asdict() for key, found in value.items()}
            values[name] = value
        values["mean_length"] = round(self.mean_length, 2)
        return values


@dataclass
class TreebankReport:
    """The reports on the files of a treebank.

    Attributes:
        files: By split (train, dev, test), or one file by its name.
    """

    path: str
    files: dict[str, FileReport]

    @property
    def errors(self) -> list[Problem]:
        """The errors of all files, in file order."""
        return [error for file in self.files.values() for error in file.errors]

    @property
    def warnings(self) -> list[Problem]:
        """The warnings of all files, in file order."""
        return [warning for file in self.files.values() for warning in file.warnings]

    @property
    def doubts(self) -> list[str]:
        """Sentences about what training does not learn as it is in the treebank, and
        what to do.
        """
        found, files = [], self.files.values()
        n_words = sum(file.words for file in files)
        if n_words >= MANY_WORDS and not any(file.joined for file in files):
            found.append(NO_JOINED)
        n_roots = sum(file.multiple_roots for file in files)
        if n_roots:
            found.append(
                f"{n_roots:,} sentences have several roots: spaCy begins a sentence at "
                "each root, so a splitter learns to cut there: attach the others to "
                "the first root"
            )
        upos = Counter[str]()
        feats = Counter[str]()
        for file in files:
            upos.update({tag: n for tag, n in file.upos.items() if not pos_of(tag)})
            feats.update(file.changed_feats)
        if upos:
            found.append(
                f"{_most(upos)} are no UPOS of Universal Dependencies: their words "
                "have no POS in spaCy, and a tagger learns it from the other words "
                "alone: write UPOS there, and your own tags in XPOS"
            )
        if feats:
            found.append(
                f"{_most(feats)} are no FEATS as Universal Dependencies has them, "
                "pairs such as Case=Acc,Nom with values in order: spaCy changes or "
                "drops them, so they are never found"
            )
        decomposed = sum(file.decomposed for file in files)
        if decomposed:
            found.append(
                f"{decomposed:,} words or their lemmas are not in Unicode form NFC, "
                "as Universal Dependencies want them: a lemmatizer makes fewer right "
                "lemmas of them: convert the treebank, for example by uconv -x any-nfc"
            )
        train = self.files.get("train")
        if train is not None and 2 * train.partial_sentences > train.sentences:
            found.append(
                f"{train.partial_sentences:,} sentences of train have some unknown "
                "heads, and are documents of their own, from which a splitter does not "
                "learn where sentences end: complete some"
            )
        return found

    @property
    def advice(self) -> list[str]:
        """Sentences about what a parser of this treebank will lack on text, and what to
        do, with `doubts`.
        """
        found = self.doubts
        for name, file in self.files.items():
            best = max((x.words for x in file.words_found.values()), default=1.0)
            if best < FEW_WORDS:
                found.append(
                    f"{name}: the tokenizer finds {100 * best:.1f} % of the words in "
                    "the text (F1), and no parser can score more than that there: "
                    "choose another tokenizer in [nlp.tokenizer], or parse text that "
                    "is divided into words already"
                )
        ranges = sum(file.ranges for file in self.files.values())
        if ranges:
            found.append(
                f"{ranges:,} multiword tokens: a parser finds their words in a text if "
                "[nlp.tokenizer] of its config is spacy_dynoracle.WordTokenizer.v1, as "
                "in the configs of this project"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        files = {name: file.as_dict() for name, file in self.files.items()}
        return {"path": self.path, "files": files, "advice": self.advice}


def by_frequency(counter: Counter[str]) -> dict[str, int]:
    """The counts, the most frequent first; equal ones are sorted by name."""
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def _most(found: Counter[str]) -> str:
    """The most frequent of some values, and how many words have any."""
    names = list(by_frequency(found))
    shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
    return f"{shown} ({found.total():,} words)"
