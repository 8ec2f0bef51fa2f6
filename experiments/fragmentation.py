"""How to attach the words that arc-eager leaves on the stack: to ROOT, or by the tree
constraint (Nivre & Fernandez-Gonzalez 2014, section 4).

Both systems use one model, trained with ROOT first. The old system attaches the words
that have no head to ROOT. The new system unshifts them. Both derivations are the same
up to the first configuration with an empty buffer.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import spacy

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import Configuration, RootRule
from spacy_dynoracle.core.state.projectivity import find_cycle
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.evaluation.attachment import Evaluation, SentenceCounts
from spacy_dynoracle.parser.label_names import restored_tree
from spacy_dynoracle.reports.significance import AVERAGE, NOTE, Gain, Paired, compare
from spacy_dynoracle.reports.tables import MISSING, Grid, difference
from spacy_dynoracle.treebank import read_conllu

from .parsing import (
    core_sentences,
    derive,
    interleaved_seconds,
    median_ratio,
    parse,
    parser_of,
)

ROOT = 0
REPEATS = 7
# The numerator and denominator of each score, as members of SentenceCounts.
MEASURES = {
    "uas": ("heads", "words"),
    "las": ("heads_and_labels", "labelled_words"),
}


@dataclass
class Leftover:
    """Headless words on the stack when the buffer is empty for the first time.

    tokens: number of these words. possible: number of words whose gold head is on the
    stack too. old, new: number of the possible words to which each system gives the
    gold head.
    """

    tokens: int = 0
    possible: int = 0
    old: int = 0
    new: int = 0

    def __add__(self, other: Leftover) -> Leftover:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Leftover(*(a + b for a, b in pairs))


def count_leftover(
    stack: Sequence[int],
    headless: Sequence[int],
    gold: Sequence[int | None],
    old: Sequence[int],
    new: Sequence[int],
) -> dict[str, Leftover]:
    """Count the leftover words of one sentence, separately for gold head ROOT and
    others.

    stack: words on the stack, including ROOT. headless: words on the stack that have no
    head. gold, old, new: heads of the words 1..n. Words with an unknown gold head do
    not count.
    """
    counts = {"root": Leftover(), "other": Leftover()}
    for word in headless:
        head = gold[word - 1]
        if head is None:
            continue
        found = counts["root" if head == ROOT else "other"]
        found.tokens += 1
        if head in stack:
            found.possible += 1
            found.old += old[word - 1] == head
            found.new += new[word - 1] == head
    return counts


def first_empty_buffer(model: Model, sentence: Sentence) -> Configuration:
    """The first configuration with an empty buffer, in a system with ROOT first."""
    return next(c for c in derive(model, sentence) if not c.buffer)


@dataclass
class Analysis:
    """The results of both systems on one file, with one model.

    leftover: counts of leftover words by gold head, "root" or "other". possible:
    possible, old and new of `Leftover` for each sentence. old, new: counts of each
    sentence. trees: number of sentences for which the new system gave a tree.
    single_rooted: number of those trees with one root. old_single_rooted: number of
    trees of the old system with one root. old_seconds, new_seconds: time of parsing all
    sentences in each round.
    """

    sentences: int = 0
    leftover: dict[str, Leftover] = field(
        default_factory=lambda: {"root": Leftover(), "other": Leftover()}
    )
    possible: list[tuple[int, int, int]] = field(default_factory=list)
    old: list[SentenceCounts] = field(default_factory=list)
    new: list[SentenceCounts] = field(default_factory=list)
    trees: int = 0
    single_rooted: int = 0
    old_single_rooted: int = 0
    old_seconds: list[float] = field(default_factory=list)
    new_seconds: list[float] = field(default_factory=list)

    @property
    def total(self) -> Leftover:
        """The counts of leftover words with any gold head."""
        return self.leftover["root"] + self.leftover["other"]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Analysis:
        """Make an analysis from the record that `asdict` made of it."""
        values = dict(record)
        values["leftover"] = {
            name: Leftover(**counts) for name, counts in record["leftover"].items()
        }
        for name in ("old", "new"):
            values[name] = [SentenceCounts(**counts) for counts in record[name]]
        return cls(**values)


def analyse(pipeline: Path, treebank_file: Path, repeats: int = REPEATS) -> Analysis:
    """Parse a file with both systems and compare them.

    pipeline: a pipeline whose parser is arc-eager with ROOT first. Raises ValueError
    for another parser, and if the two systems differ before the buffer is empty.
    """
    nlp = spacy.load(pipeline)
    trained = parser_of(nlp).model
    if trained is None or trained.system.root != "first":
        raise ValueError(f"{pipeline}: its parser does not have ROOT first")
    gold = list(read_conllu(treebank_file))
    sentences = core_sentences(nlp, gold)
    parsed = zip(
        gold,
        sentences,
        parse(trained, sentences, RootRule.ANY),
        parse(trained, sentences, RootRule.TREE),
        strict=True,
    )
    analysis = Analysis(sentences=len(gold))
    evaluations = Evaluation("all"), Evaluation("all")
    for tree, sentence, old, new in parsed:
        c = first_empty_buffer(trained, sentence)
        for word, head in enumerate(c.heads, 1):
            if head is not None and not head == old[0][word - 1] == new[0][word - 1]:
                raise ValueError(f"{tree.name}: word {word} lost its head {head}")
        analysis.trees += not find_cycle(new[0])
        analysis.single_rooted += new[0].count(ROOT) == 1
        analysis.old_single_rooted += old[0].count(ROOT) == 1
        old, new = restored_tree(trained, *old), restored_tree(trained, *new)
        headless = [w for w in c.stack if w != ROOT and c.heads[w - 1] is None]
        counts = count_leftover(c.stack, headless, tree.heads, old[0], new[0])
        for name, found in counts.items():
            analysis.leftover[name] += found
        both = counts["root"] + counts["other"]
        analysis.possible.append((both.possible, both.old, both.new))
        analysis.old.append(evaluations[0].add(tree.words, *old))
        analysis.new.append(evaluations[1].add(tree.words, *new))
    analysis.old_seconds, analysis.new_seconds = interleaved_seconds(
        [
            (
                lambda: list(sentences),
                partial(GreedySearch().parse, trained, root_rule=rule),
            )
            for rule in (RootRule.ANY, RootRule.TREE)
        ],
        repeats,
    )
    return analysis


# ---- tables --------------------------------------------------------------------------


def pooled(analyses: Sequence[Analysis]) -> Analysis:
    """The sum over the seeds. The sentences of each seed count separately."""
    total = Analysis()
    for one in analyses:
        total.sentences += one.sentences
        for name, counts in one.leftover.items():
            total.leftover[name] += counts
        total.possible += one.possible
        total.old += one.old
        total.new += one.new
        total.trees += one.trees
        total.single_rooted += one.single_rooted
        total.old_single_rooted += one.old_single_rooted
        total.old_seconds += one.old_seconds
        total.new_seconds += one.new_seconds
    return total


def report(
    analyses: Mapping[str, Analysis], split: str
) -> tuple[list[Grid], dict[str, Any]]:
    """The tables of the analyses of treebanks, and their numbers for JSON."""
    grids = [
        _leftover_table(analyses, split),
        _target_table(analyses, split),
        _score_table(analyses, split),
        _tree_table(analyses, split),
    ]
    records = {name: asdict(analysis) for name, analysis in analyses.items()}
    for name, analysis in analyses.items():
        del records[name]["possible"]
        for side in ("old", "new"):
            records[name][side] = _scores(getattr(analysis, side))
    differences = {
        measure: {
            name: asdict(tested)
            for name, tested in _differences(analyses, measure).items()
        }
        for measure in MEASURES
    }
    return grids, {"split": split, "treebanks": records, "new - old": differences}


def _leftover_table(analyses: Mapping[str, Analysis], split: str) -> Grid:
    grid = Grid(
        f"Words left headless on the stack, {split} set",
        ["treebank", "tokens", "possible", "old", "new", "recall old", "recall new"],
        notes=[
            "Possible: the gold head is on the stack too. Old: right after attachment "
            "to ROOT; new: right with the tree constraint. Recall: of possible."
        ],
    )
    for name, analysis in analyses.items():
        total = analysis.total
        grid.add(name, *map(str, astuple(total)), *_recalls(total))
    _add_average(grid, [analysis.total for analysis in analyses.values()], 4)
    return grid


def _target_table(analyses: Mapping[str, Analysis], split: str) -> Grid:
    columns = ["treebank"]
    for target in ("ROOT", "other"):
        columns += [f"{target}: possible", "recall old", "recall new"]
    grid = Grid(f"The same by gold head, {split} set", columns)
    for name, analysis in analyses.items():
        cells = []
        for counts in analysis.leftover.values():
            cells += [str(counts.possible), *_recalls(counts)]
        grid.add(name, *cells)
    return grid


def _score_table(analyses: Mapping[str, Analysis], split: str) -> Grid:
    columns = ["treebank"]
    for measure in MEASURES:
        columns += [f"{measure.upper()} old", "new", "new - old"]
    grid = Grid(f"Overall scores, {split} set, all words", columns, notes=[NOTE])
    tested = {measure: _differences(analyses, measure) for measure in MEASURES}
    for name, analysis in analyses.items():
        old, new = _scores(analysis.old), _scores(analysis.new)
        cells = []
        for measure in MEASURES:
            cells += [f"{old[measure]:.2f}", f"{new[measure]:.2f}"]
            cells.append(difference(tested[measure].get(name)))
        grid.add(name, *cells)
    if len(analyses) > 1:
        cells = []
        for measure in MEASURES:
            cells += ["", "", difference(tested[measure].get(AVERAGE))]
        grid.add(AVERAGE, *cells)
    return grid


def _tree_table(analyses: Mapping[str, Analysis], split: str) -> Grid:
    grid = Grid(
        f"Trees and time, {split} set",
        [
            "treebank",
            "sentences",
            "new: trees",
            "new: one root",
            "old: one root",
            "old ms",
            "new ms",
            "new / old",
        ],
        notes=[
            "Time: the core alone, all sentences, medians of rounds in which both take "
            "turns; new / old is the median of the quotients of the rounds."
        ],
    )
    for name, analysis in analyses.items():
        old, new = analysis.old_seconds, analysis.new_seconds
        grid.add(
            name,
            str(analysis.sentences),
            str(analysis.trees),
            str(analysis.single_rooted),
            str(analysis.old_single_rooted),
            f"{1000 * statistics.median(old):.0f}" if old else MISSING,
            f"{1000 * statistics.median(new):.0f}" if new else MISSING,
            f"{median_ratio(new, old):.3f}" if old else MISSING,
        )
    return grid


def _recalls(counts: Leftover) -> list[str]:
    if not counts.possible:
        return [MISSING, MISSING]
    shares = (counts.old / counts.possible, counts.new / counts.possible)
    return [f"{100 * share:.1f}" for share in shares]


def _add_average(grid: Grid, counts: Sequence[Leftover], blanks: int) -> None:
    """Add a row with the mean of the recalls. Each treebank has the same weight."""
    known = [c for c in counts if c.possible]
    if len(known) < 2:
        return
    means = (
        statistics.mean(100 * getattr(c, side) / c.possible for c in known)
        for side in ("old", "new")
    )
    grid.add(AVERAGE, *[""] * blanks, *(f"{mean:.1f}" for mean in means))


def _scores(counts: Sequence[SentenceCounts]) -> dict[str, float]:
    found = {}
    for measure, (part, whole) in MEASURES.items():
        words = sum(getattr(c, whole) for c in counts)
        hits = sum(getattr(c, part) for c in counts)
        found[measure] = 100 * hits / words if words else 0.0
    return found


def _differences(analyses: Mapping[str, Analysis], measure: str) -> dict[str, Gain]:
    """The gains of the new system over the old one."""
    part, whole = MEASURES[measure]
    paired = {}
    for name, analysis in analyses.items():
        pairs = zip(analysis.new, analysis.old, strict=True)
        gains = [getattr(new, part) - getattr(old, part) for new, old in pairs]
        words = sum(getattr(c, whole) for c in analysis.old)
        paired[name] = Paired(np.array(gains, dtype=np.int64), words)
    return compare(paired)
