"""A derivation as text for the terminal, at most 100 columns wide."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import typer
from rich.cells import cell_len, set_cell_size

from ..core.results import ScoredTransition
from ..core.state.configuration import RootRule
from ..util.texts import counted
from .derivation import Contributions, Derivation, Step

Style = Callable[..., str]

_WIDTH = 100
_MARGIN = 4
_LIST = _WIDTH - _MARGIN - len("buffer  []")
_WORD = 24
# Columns of the candidates: transition, label, arc, score, cost; then a remark.
_COLUMNS = (12, 16, 34, 9, 6)
_FEATURE_COLUMNS = (56, 9, 9, 10)
_TREE_COLUMNS = (4, 16, 6, 18, 15)


def derivation_text(
    derivation: Derivation, *, features: int = 0, color: bool = False
) -> Iterator[str]:
    """Yield the lines of a derivation.

    Args:
        features: The number of features shown for each step.
        color: Whether to mark lines with ANSI styles.
    """
    style: Style = typer.style if color else _plain
    yield style(_headline(derivation), bold=True)
    for number, step in enumerate(derivation.steps, 1):
        yield ""
        yield from _configuration(derivation, f"{number}", step.stack, step.buffer)
        yield from _candidates(derivation, step, style)
        if features and step.contributions is not None:
            yield from _contributions(step.contributions, features)
    yield ""
    yield from _configuration(derivation, "end", derivation.stack, derivation.buffer)
    if derivation.attached:
        words = joined([derivation.words[k] for k in derivation.attached], _LIST - 20)
        yield f"    still headless, attached to ROOT: {words}"
    yield ""
    yield from _tree(derivation, style)
    yield ""
    yield from _summary(derivation)


def _plain(line: str, **_: object) -> str:
    return line


def _headline(derivation: Derivation) -> str:
    system = derivation.system
    any_number = derivation.root_rule == RootRule.ANY
    roots = "any number of roots" if any_number else "one root"
    root = "no ROOT node" if system.root == "none" else f"ROOT {system.root}"
    line = f"{type(system).__name__}, {root}, {roots}"
    if derivation.parsed_again:
        line += "; some of these words are parsed again below, with one root"
    return line


def _configuration(
    derivation: Derivation, number: str, stack: Sequence[int], buffer: Sequence[int]
) -> Iterator[str]:
    left = [derivation.words[k] for k in stack]
    right = [derivation.words[k] for k in buffer]
    margin = f"{number:>{_MARGIN - 1}} "
    if derivation.system.chooses_pair:
        if left and right:
            left[-1], right[0] = f"<{_clipped(left[-1])}", f"{_clipped(right[0])}>"
        half = _LIST // 2
        words = f"{joined(left, half, end=True)} {joined(right, half)}".strip()
        yield f"{margin}list    [{words}]"
        return
    yield f"{margin}stack   [{joined(left, _LIST, end=True)}]"
    yield f"{' ' * _MARGIN}buffer  [{joined(right, _LIST)}]"


def _clipped(word: str, width: int = _WORD) -> str:
    """A word of that many columns at most."""
    return word if cell_len(word) <= width else set_cell_size(word, width - 3) + "..."


def joined(words: Sequence[str], width: int, end: bool = False) -> str:
    """Words side by side; where they do not fit, the first or the last that do."""
    words = [_clipped(word) for word in words]
    if cell_len(" ".join(words)) <= width:
        return " ".join(words)
    shown: list[str] = []
    room = width - len("9999 more ... ")
    for word in reversed(words) if end else words:
        room -= cell_len(word) + 1
        if room < 0:
            break
        shown.append(word)
    rest = len(words) - len(shown)
    if end:
        return " ".join([f"{rest} more ...", *reversed(shown)])
    return " ".join([*shown, f"... {rest} more"])


def _row(cells: Iterable[str], widths: Sequence[int], right: Sequence[int] = ()) -> str:
    """Cells in columns; those whose numbers are in `right` are set to the right."""
    row = ""
    for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        clipped = _clipped(cell, width)
        fill = " " * (width - cell_len(clipped))
        row += (fill + clipped if i in right else clipped + fill) + " "
    return row


def _candidates(derivation: Derivation, step: Step, style: Style) -> Iterator[str]:
    wrong = step.is_correct(step.chosen) is False
    # Only the best of the correct ones is worth a remark.
    remedy = next((x for x in step.candidates if step.is_correct(x)), None)
    for x in step.candidates:
        score = "" if x.score is None else f"{x.score:.2f}"
        remarks = []
        if x == step.chosen:
            remarks += ["wrong"] * wrong + ["forced"] * step.forced
        elif x == step.predicted:
            remarks.append("best score")
        elif wrong and x == remedy:
            remarks.append("correct")
        cells = (
            transition_name(x),
            x.label or "",
            "" if x.arc is None else _arc(derivation, *x.arc),
            score,
            "" if x.cost is None else str(x.cost),
        )
        line = _row(cells, _COLUMNS, right=(3, 4)) + " " + ", ".join(remarks)
        mark = ">" if x == step.chosen else " "
        line = f"{' ' * _MARGIN}{mark} {line}".rstrip()
        if x == step.chosen:
            line = style(line, bold=True, fg="red" if wrong else None)
        yield line


def _contributions(found: Contributions, most: int) -> Iterator[str]:
    """The features that made the difference of two scores."""
    other = " ".join(filter(None, (transition_name(found.other), found.other.label)))
    titles = ("feature", "chosen", "other", "difference")
    margin = " " * (_MARGIN + 4)
    numbers = (1, 2, 3)
    yield f"{margin}compared with {other}:"
    yield margin + _row(titles, _FEATURE_COLUMNS, right=numbers).rstrip()
    for x in found.features[:most]:
        weights = (f"{x.chosen:.2f}", f"{x.other:.2f}", f"{x.difference:+.2f}")
        yield margin + _row((x.feature, *weights), _FEATURE_COLUMNS, numbers).rstrip()
    hidden = found.features[most:]
    rest = found.rest + sum(x.difference for x in hidden)
    n_rest = found.n_rest + len(hidden)
    if n_rest:
        cells = (counted(n_rest, "more feature"), "", "", f"{rest:+.2f}")
        yield margin + _row(cells, _FEATURE_COLUMNS, right=numbers).rstrip()


def transition_name(x: ScoredTransition) -> str:
    """A transition, with the position of its pair in easy-first."""
    return x.transition if x.position is None else f"{x.transition} {x.position}"


def _arc(derivation: Derivation, head: int, dependent: int) -> str:
    width = (_COLUMNS[2] - len(" -> ")) // 2
    nodes = (f"{k} {derivation.words[k]}" if k else "ROOT" for k in (head, dependent))
    return " -> ".join(_clipped(node, width) for node in nodes)


def _tree(derivation: Derivation, style: Style) -> Iterator[str]:
    """One line for each word: tag, head, label and remarks."""
    titles = ("", "word", "tag", "head", "label")
    yield (" " * _MARGIN + _row(titles, _TREE_COLUMNS)).rstrip()
    rows = zip(*derivation.restored, *derivation.derived, strict=True)
    errors = set(derivation.errors)
    for k, (head, label, derived_head, derived_label) in enumerate(rows, 1):
        remarks = []
        if k in errors and derivation.treebank is not None:
            gold = derivation.treebank
            node = _node(derivation, gold.heads[k - 1], gold.labels[k - 1])
            if k in derivation.outside:
                node = "in another sentence"
            remarks.append(f"gold: {node}")
        if (head, label) != (derived_head, derived_label or label):
            was = _node(derivation, derived_head, derived_label)
            remarks.append(f"derived: {was}")
        cells = (
            str(k),
            derivation.words[k],
            derivation.tags[k],
            _node(derivation, head, None),
            label or "",
        )
        room = _WIDTH - _MARGIN - sum(_TREE_COLUMNS) - len(_TREE_COLUMNS)
        row = _row(cells, _TREE_COLUMNS, right=(0,)) + _clipped(
            "; ".join(remarks), room
        )
        line = (" " * _MARGIN + row).rstrip()
        yield style(line, fg="red") if k in errors else line


def _node(derivation: Derivation, head: int | None, label: str | None) -> str:
    """A head, and its label where there is one."""
    if head is None:
        return "-"
    node = f"{head} {derivation.words[head]}" if head else "ROOT"
    return f"{node} {label}" if label else node


def _summary(derivation: Derivation) -> Iterator[str]:
    forced = sum(step.forced for step in derivation.steps)
    line = f"{counted(len(derivation.steps), 'transition')}, {forced} of them forced"
    if derivation.gold is not None:
        line += f"; cost {derivation.total_cost}"
    if derivation.treebank is not None:
        n_words = len(derivation.words) - 1
        line += f"; {len(derivation.errors)} of {n_words} words wrong"
    yield line
    if derivation.gold is None and derivation.treebank is not None:
        yield "No costs: the system defines them for complete gold trees only."
    elif derivation.gold != derivation.treebank:
        yield "The gold tree has crossing arcs: costs refer to it with these lifted."
    if derivation.gold is not None and derivation.unshifts:
        yield "Costs are those of the system without UNSHIFT, on which training runs."
    if any(step.n_candidates > len(step.candidates) for step in derivation.steps):
        yield "Of what is legal only the best is shown: see --top."
