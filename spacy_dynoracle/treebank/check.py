"""What a treebank contains, and what is wrong with it for training a parser.

Errors make a sentence unusable (the reader's problems: not a tree, not ten
columns, not UTF-8, ...). Warnings are worth knowing and harm nothing: several
roots, text that disagrees with the tokens, repeated sentence ids.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..core.state.projectivity import (
    deprojectivize,
    is_decorated,
    nonprojective_arcs,
    projectivize,
)
from ..errors import TreebankError
from .docs import sentence_text
from .files import find_splits
from .reader import read_conllu
from .sentence import UNKNOWN, Problem, Sentence

# (heads, labels) of a non-projective tree -> the same after projectivising and
# undoing it. Heads are 1-based, 0 for the root.
RoundTrip = Callable[[list[int], list[str]], tuple[list[int], list[str]]]

# Reasons for which training cannot use a sentence, by kind of problem.
_SKIP_REASONS = {
    "cycle": "cycle",
    "root": "no root",
    "head": "unusable head",
    "words": "no words",
}
NO_KNOWN_HEAD = "no known head"
MALFORMED = "malformed"


@dataclass
class FileReport:
    """The contents of one treebank file. All fields but lengths are counts.

    words leave out multiword ranges and empty nodes; cycles counts the trees
    with one; partial_sentences have some unknown heads; skipped counts the
    sentences training cannot use, by reason; nonprojective_trees are usable, but
    skipped too where the parser is told to drop them. roundtrip_lost are the
    arcs that projectivising and undoing it does not restore; None if not tried.
    seen_sentences occur word for word in an earlier split, and unseen_labels
    never in the training split; both are empty for a file on its own.
    """

    path: str
    sentences: int = 0
    words: int = 0
    max_length: int = 0
    ranges: int = 0
    empty_nodes: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    upos: Counter[str] = field(default_factory=Counter)
    xpos: Counter[str] = field(default_factory=Counter)
    unknown_heads: int = 0
    partial_sentences: int = 0
    unlabelled_words: int = 0
    multiple_roots: int = 0
    cycles: int = 0
    nonprojective_trees: int = 0
    nonprojective_arcs: int = 0
    roundtrip_lost: int | None = None
    text_compared: int = 0
    text_mismatches: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seen_sentences: int = 0
    unseen_labels: Counter[str] = field(default_factory=Counter)
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    @property
    def mean_length(self) -> float:
        """Words per sentence."""
        return self.words / self.sentences if self.sentences else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; counters sorted by frequency, then name."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, Counter):
                value = by_frequency(value)
            elif isinstance(value, list):
                value = [str(problem) for problem in value]
            values[name] = value
        values["mean_length"] = round(self.mean_length, 2)
        return values


@dataclass
class TreebankReport:
    """The files of a treebank: by split, or one file by its name."""

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

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        files = {name: file.as_dict() for name, file in self.files.items()}
        return {"path": self.path, "files": files}


def by_frequency(counter: Counter[str]) -> dict[str, int]:
    """The counts from the most to the least frequent, ties by name."""
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def lift_and_restore(
    heads: list[int], labels: list[str]
) -> tuple[list[int], list[str]]:
    """Projectivise and undo it, as training and parsing do (Nivre & Nilsson 2005)."""
    lifted, decorated = projectivize(heads, labels)
    # Complete trees stay complete.
    return deprojectivize(cast(list[int], lifted), cast(list[str], decorated))


def check_treebank(
    path: str | Path, round_trip: RoundTrip | None = lift_and_restore
) -> TreebankReport:
    """Check one file, or the train, dev and test files of a directory.

    round_trip: the pseudo-projective transformation to count lost arcs with;
        None to skip this.

    Raises TreebankError when there is nothing to check at the path.
    """
    if not Path(path).is_dir():
        name = Path(path).name
        return TreebankReport(str(path), {name: check_file(path, round_trip)})
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
        own: set[str] = set()
        checker = _FileChecker(file, round_trip, ids, texts, own)
        files[split] = checker.check()
        texts |= own
    if "train" in files:
        known = files["train"].labels
        for report in files.values():
            report.unseen_labels = Counter(
                {label: n for label, n in report.labels.items() if label not in known}
            )
    return TreebankReport(str(path), files)


def check_file(
    path: str | Path, round_trip: RoundTrip | None = lift_and_restore
) -> FileReport:
    """Check one file. Raises TreebankError if it does not exist."""
    return _FileChecker(path, round_trip, {}, set(), None).check()


class _FileChecker:
    """Collects the report of one file.

    ids: the sentence ids of the treebank so far and their files (extended).
    earlier: the sentences of earlier splits; own: where to put those of this
        one, None to forget them.
    """

    def __init__(
        self,
        path: str | Path,
        round_trip: RoundTrip | None,
        ids: dict[str, str],
        earlier: set[str],
        own: set[str] | None,
    ) -> None:
        self.path = path
        self.round_trip = round_trip
        self.ids = ids
        self.earlier = earlier
        self.own = own
        self.own_ids: set[str] = set()
        self.report = FileReport(str(path))
        if round_trip is not None:
            self.report.roundtrip_lost = 0

    def check(self) -> FileReport:
        for sentence in read_conllu(self.path, on_problem=self.report.errors.append):
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

    def _warn(self, sentence: Sentence, kind: str, message: str) -> None:
        self.report.warnings.append(
            Problem(str(self.path), sentence.line, sentence.name, kind, message)
        )

    def _count(self, sentence: Sentence) -> None:
        report = self.report
        report.sentences += 1
        report.words += len(sentence.tokens)
        report.max_length = max(report.max_length, len(sentence.tokens))
        report.ranges += len(sentence.ranges)
        report.empty_nodes += sum(
            "." in line.partition("\t")[0] for _, line in sentence.insertions
        )
        for token in sentence.tokens:
            if token.deprel is None:
                report.unlabelled_words += 1
            else:
                report.labels[token.deprel] += 1
            if token.upos != UNKNOWN:
                report.upos[token.upos] += 1
            if token.xpos != UNKNOWN:
                report.xpos[token.xpos] += 1

    def _compare(self, sentence: Sentence) -> None:
        """Against the text comment, earlier ids and earlier splits."""
        if sentence.sent_id is not None:
            first = self.ids.setdefault(sentence.sent_id, str(self.path))
            if first != str(self.path) or sentence.sent_id in self.own_ids:
                self._warn(
                    sentence, "sent_id", f"this sent_id occurs before, in {first}"
                )
            self.own_ids.add(sentence.sent_id)
        words = " ".join(sentence.forms)
        self.report.seen_sentences += words in self.earlier
        if self.own is not None:
            self.own.add(words)
        if sentence.text is None or sentence.problems:
            return
        self.report.text_compared += 1
        rebuilt = " ".join(sentence_text(sentence).split())
        text = " ".join(sentence.text.split())
        if rebuilt != text:
            self.report.text_mismatches += 1
            self._warn(sentence, "text", _difference(rebuilt, text))

    def _check_tree(self, sentence: Sentence) -> None:
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
            if str(self.path).endswith(".conllu"):
                self._warn(
                    sentence, "root", f"{roots} roots; UD trees have exactly one"
                )
        crossing = nonprojective_arcs(heads)
        report.nonprojective_arcs += len(crossing)
        report.nonprojective_trees += bool(crossing)
        if crossing and self.round_trip is not None:
            lost = _lost_arcs(sentence, self.round_trip)
            report.roundtrip_lost = (report.roundtrip_lost or 0) + lost


def _difference(rebuilt: str, text: str) -> str:
    """A message quoting both texts around their first difference."""
    pairs = enumerate(zip(rebuilt, text, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(rebuilt), len(text)))
    start = max(0, at - 10)
    return (
        f"the words and their SpaceAfter=No give {rebuilt[start : at + 10]!r} where "
        f"'# text' has {text[start : at + 10]!r} (character {at + 1})"
    )


def _lost_arcs(sentence: Sentence, round_trip: RoundTrip) -> int:
    """The arcs of a tree that do not survive; 0 for partial trees, not tried."""
    heads = [head for head in sentence.heads if head is not None]
    labels = [label for label in sentence.deprels if label is not None]
    whole = len(heads) == len(labels) == len(sentence.tokens)
    if not whole or any(is_decorated(label) for label in labels):
        return 0
    restored, _ = round_trip(heads, labels)
    return sum(a != b for a, b in zip(heads, restored, strict=True))
