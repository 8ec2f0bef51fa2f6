"""Checking a treebank before a parser is trained on it.

An error makes a sentence unusable: it is not a tree, a line does not have ten columns,
or the file is not UTF-8. Warnings are about single sentences: several roots, a text
that differs from the words, or a sentence id that occurs twice.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import is_normalized

from spacy.morphology import Morphology

from ..core.state.projectivity import nonprojective_arcs
from ..errors import TreebankError
from ..util.texts import n_alike
from .corpora import corpus_suffix, read_treebank
from .docs import morph_of, pos_of
from .files import find_splits
from .sentence import UNKNOWN, Problem, TreebankSentence
from .text import NO_SPACE, sentence_text

# From a treebank file to the words of it that a tokenizer finds in the raw text.
MeasureWords = Callable[[Path], "WordsFound"]

# Below this share of the words, a parser cannot be of use on text.
FEW_WORDS = 0.9

# Why training cannot use a sentence, by the kind of its first problem.
_SKIP_REASONS = {
    "cycle": "cycle",
    "root": "no root",
    "head": "unusable head",
    "words": "no words",
}
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
NO_KNOWN_HEAD = "no known head"
MALFORMED = "malformed"


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
        upos = sum((file.upos for file in files), Counter[str]())
        odd = Counter({tag: n for tag, n in upos.items() if not pos_of(tag)})
        if odd:
            found.append(
                f"{_most(odd)} are no UPOS of Universal Dependencies: their words have "
                "no POS in spaCy, and a tagger learns it from the other words alone: "
                "write UPOS there, and your own tags in XPOS"
            )
        feats = sum((file.changed_feats for file in files), Counter[str]())
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


def check(
    path: str | Path, tokenizers: Mapping[str, MeasureWords] | None = None
) -> TreebankReport:
    """Check a treebank before training.

    Args:
        path: A file, or a directory with train, dev and test files.
        tokenizers: The tokenizers to measure on the raw text, by the names that the
            report gives them; `evaluation.words_found` makes them of pipelines.

    Raises:
        TreebankError: If there is nothing to check at the path.
    """
    if Path(path).is_dir():
        report = _check_directory(path)
    else:
        file = check_file(path)
        report = TreebankReport(str(path), {Path(path).name: file})
    for file in report.files.values():
        for name, measure in (tokenizers or {}).items():
            file.words_found[name] = measure(Path(file.path))
    return report


def _check_directory(path: str | Path) -> TreebankReport:
    splits = find_splits(path)
    if not splits:
        raise TreebankError(
            f"{path}: no train, dev or test file (.conllu or .conll) in this "
            "directory; name a file or the directory of one treebank",
            str(path),
        )
    ids: dict[str, str] = {}
    texts: set[str] = set()
    files: dict[str, FileReport] = {}
    for split, file in splits.items():
        checker = _FileChecker(file, ids, texts)
        files[split] = checker.check()
        texts |= checker.own
    if "train" in files:
        known = files["train"].labels
        for report in files.values():
            report.unseen_labels = Counter(
                {label: n for label, n in report.labels.items() if label not in known}
            )
    return TreebankReport(str(path), files)


def check_file(path: str | Path) -> FileReport:
    """Check one file.

    Raises:
        TreebankError: If it does not exist.
    """
    return _FileChecker(path, {}, set()).check()


@dataclass
class _FileChecker:
    """Makes the report on one file.

    Attributes:
        ids: The file of each sentence id of the treebank so far; those of this file are
            added.
        earlier: The sentences of earlier splits.
        own: The sentences of this file.
    """

    path: str | Path
    ids: dict[str, str]
    earlier: set[str]

    def __post_init__(self) -> None:
        self.own: set[str] = set()
        self.own_ids: set[str] = set()
        self.report = FileReport(str(self.path))

    def check(self) -> FileReport:
        for sentence in read_treebank(self.path, on_problem=self.report.errors.append):
            self._count(sentence)
            self._compare(sentence)
            if sentence.problems:
                kinds = {problem.kind for problem in sentence.problems}
                self.report.cycles += bool(kinds & {"cycle", "root"})
                kind = sentence.problems[0].kind
                self.report.skipped[_SKIP_REASONS.get(kind, MALFORMED)] += 1
            else:
                self._check_tree(sentence)
        return self.report

    def _warn(self, sentence: TreebankSentence, kind: str, message: str) -> None:
        self.report.warnings.append(
            Problem(str(self.path), sentence.line, sentence.name, kind, message)
        )

    def _count(self, sentence: TreebankSentence) -> None:
        report = self.report
        report.sentences += 1
        report.words += len(sentence.words)
        report.max_length = max(report.max_length, len(sentence.words))
        report.ranges += len(sentence.multiword_tokens)
        report.joined += sum(NO_SPACE in word.misc for word in sentence.words)
        report.joined += sum(NO_SPACE in t.misc for t in sentence.multiword_tokens)
        for token in sentence.multiword_tokens:
            forms = sentence.forms[token.first - 1 : token.last]
            report.multiword[f"{token.form} = {' + '.join(forms)}".lower()] += 1
        report.empty_nodes += sum(
            "." in line.partition("\t")[0] for _, line in sentence.insertions
        )
        for word in sentence.words:
            if word.deprel is None:
                report.unlabelled_words += 1
            else:
                report.labels[word.deprel] += 1
            if word.upos != UNKNOWN:
                report.upos[word.upos] += 1
            if word.xpos != UNKNOWN:
                report.xpos[word.xpos] += 1
            report.decomposed += not all(
                is_normalized("NFC", text) for text in (word.form, word.lemma)
            )
            if word.feats != UNKNOWN and not _keeps(word.feats):
                report.changed_feats[word.feats] += 1

    def _compare(self, sentence: TreebankSentence) -> None:
        """Compare with the comment ``# text``, earlier ids and earlier splits."""
        if sentence.sent_id is not None:
            first = self.ids.setdefault(sentence.sent_id, str(self.path))
            if first != str(self.path) or sentence.sent_id in self.own_ids:
                self._warn(
                    sentence, "sent_id", f"this sent_id occurs before, in {first}"
                )
            self.own_ids.add(sentence.sent_id)
        words = " ".join(sentence.forms)
        self.report.seen_sentences += words in self.earlier
        self.own.add(words)
        if sentence.text is None or sentence.problems:
            return
        self.report.text_compared += 1
        rebuilt = " ".join(sentence_text(sentence).split())
        text = " ".join(sentence.text.split())
        if rebuilt != text:
            self.report.text_mismatches += 1
            self._warn(sentence, "text", _difference(rebuilt, text))

    def _check_tree(self, sentence: TreebankSentence) -> None:
        report = self.report
        heads = sentence.heads
        unknown = heads.count(None)
        report.unknown_heads += unknown
        if unknown == len(heads):
            report.skipped[NO_KNOWN_HEAD] += 1
            return
        report.partial_sentences += unknown > 0
        roots = heads.count(0)
        if roots > 1:
            report.multiple_roots += 1
            if corpus_suffix(self.path) == ".conllu":
                self._warn(
                    sentence, "root", f"{roots} roots; UD trees have exactly one"
                )
        crossing = nonprojective_arcs(heads)
        report.nonprojective_arcs += len(crossing)
        report.nonprojective_trees += bool(crossing)


@lru_cache(maxsize=1 << 12)
def _keeps(feats: str) -> bool:
    """Whether spaCy holds FEATS as they are, whatever the order of their keys."""
    known = Morphology.dict_to_feats(Morphology.feats_to_dict(morph_of(feats)))
    return set(known.split("|")) == set(feats.split("|"))


def _most(found: Counter[str]) -> str:
    """The most frequent of some values, and how many words have any."""
    names = list(by_frequency(found))
    shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
    return f"{shown} ({found.total():,} words)"


def _difference(rebuilt: str, text: str) -> str:
    """A message that quotes both texts around their first difference."""
    at = n_alike(rebuilt, text)
    start = max(0, at - 10)
    return (
        f"the words and their SpaceAfter=No give {rebuilt[start : at + 10]!r} where "
        f"'# text' has {text[start : at + 10]!r} (character {at + 1})"
    )
