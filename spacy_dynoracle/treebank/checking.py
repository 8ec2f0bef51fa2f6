"""Checking a treebank before a parser is trained on it.

An error makes a sentence unusable: it is not a tree, a line does not have ten columns,
or the file is not UTF-8. Warnings are about single sentences: several roots, a text
that differs from the words, or a sentence id that occurs twice.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unicodedata import is_normalized

from spacy.morphology import Morphology

from ..core.state.projectivity import nonprojective_arcs
from ..errors import TreebankError
from ..util.texts import n_alike
from .corpora import corpus_suffix, read_treebank
from .docs import morph_of
from .files import find_splits
from .report import FileReport, TreebankReport, WordsFound
from .sentence import UNKNOWN, Problem, TreebankSentence
from .text import has_no_space, sentence_text

# From a treebank file to the words of it that a tokenizer finds in the raw text.
MeasureWords = Callable[[Path], WordsFound]

# Why training cannot use a sentence, by the kind of its first problem.
_SKIP_REASONS = {
    "cycle": "cycle",
    "root": "no root",
    "head": "unusable head",
    "words": "no words",
}
NO_KNOWN_HEAD = "no known head"
MALFORMED = "malformed"


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
        report.joined += sum(has_no_space(word.misc) for word in sentence.words)
        report.joined += sum(has_no_space(t.misc) for t in sentence.multiword_tokens)
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


def _difference(rebuilt: str, text: str) -> str:
    """A message that quotes both texts around their first difference."""
    at = n_alike(rebuilt, text)
    start = max(0, at - 10)
    return (
        f"the words and their SpaceAfter=No give {rebuilt[start : at + 10]!r} where "
        f"'# text' has {text[start : at + 10]!r} (character {at + 1})"
    )
