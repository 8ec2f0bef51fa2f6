"""An experiment: settings in a file of the folder `plans`, or in a file of your own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any, cast

import srsly

from .metrics import METRICS
from .papers import LABELLED, UNLABELLED
from .settings import FIELDS, Setting

PLANS = Path(__file__).with_name("plans")
SCALES = ("small", "full")
# A small scale has little data to train on, which takes the time, and enough to score.
# The block `small` of a plan says more.
SMALL = {
    "sizes": {"train": 600, "dev": 1000, "test": 1000},
    "treebanks": 2,
    "epochs": 5,
}
# Of a group of rows, beside the settings.
OF_GROUP = ("name", "vary", "metrics")


@dataclass(frozen=True)
class Row:
    """A row of the tables: its name, its setting, and what is measured."""

    name: str
    setting: Setting
    metrics: tuple[str, ...]

    @property
    def condition(self) -> str:
        """With labels or without."""
        return LABELLED if self.setting.labels else UNLABELLED


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        name: Name of its file.
        paper: Id of the paper in `papers.yaml` whose rows it has.
        rows: The trainings to compare.
        splits: What is scored.
        metrics: What is measured (see `metrics.METRICS`).
        columns: Measures to show; all if it is empty.
        compare: Pairs of rows whose difference is tested.
        tested: Measures that are tested.
        speed: Row with which the speed of nlp.pipe is compared, None for no comparison.
        extremes: Whether there are rows "lowest" and "highest".
        picture: "heat_map", "curves" or None.
        treebanks: Number of treebanks to take if none is named; 0 for all.
        sizes: Sentences of each split; all if it is not named.
        config: Config of the parser.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    paper: str | None = None
    splits: tuple[str, ...] = ("test",)
    metrics: tuple[str, ...] = ("scores",)
    columns: tuple[str, ...] = ()
    compare: tuple[tuple[str, str], ...] = ()
    tested: tuple[str, ...] = ("uas", "las")
    speed: str | None = None
    extremes: bool = False
    picture: str | None = None
    treebanks: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    config: str = "configs/papers.cfg"
    note: str = ""

    def __post_init__(self) -> None:
        names = {row.name for row in self.rows}
        wanted = {name for pair in self.compare for name in pair}
        wanted |= {self.speed} if self.speed else set()
        if missing := sorted(wanted - names):
            raise ValueError(
                f"{self.name}: no row {missing[0]!r}; rows: {'; '.join(sorted(names))}"
            )
        if unknown := set(self.splits) - {"test", "dev"}:
            raise ValueError(f"splits {min(unknown)!r}: expected test or dev")
        known = (*METRICS, "simulation")
        if unknown := {m for row in self.rows for m in row.metrics} - {*known}:
            raise ValueError(
                f"metrics {min(unknown)!r}: expected some of {', '.join(known)}"
            )


KEYS = tuple(each.name for each in fields(Experiment) if each.name != "name")


def plans() -> dict[str, Path]:
    """The files of all experiments by name."""
    return {path.stem: path for path in sorted(PLANS.glob("*.yaml"))}


def read_plan(
    name: str, scale: str = "full", changes: Mapping[str, Any] | None = None
) -> Experiment:
    """Read an experiment.

    Args:
        name: Name of a plan, or a YAML file.
        scale: "small" applies its block `small`.
        changes: Values by name, of the experiment or of the settings of all rows.

    Raises:
        ValueError: Listing the names, for an unknown name, and for values that are not
            possible.
    """
    path = Path(name) if name.endswith(".yaml") else plans().get(name)
    if path is None or not path.is_file():
        raise ValueError(f"no experiment {name!r}: expected {', '.join(plans())}")
    values = cast(dict[str, Any], srsly.yaml_loads(path.read_text("utf-8")))
    small = {**SMALL, **values.pop("small", {})}
    if scale == "small":
        _change(values, small)
    _change(values, changes or {})
    base, metrics = values.pop("base", {}), values.get("metrics", ("scores",))
    rows = [row for group in values.pop("rows") for row in _rows(group, base, metrics)]
    known = {row.name for row in rows}
    # A change may have left rows out.
    values["compare"] = [
        tuple(pair) for pair in values.get("compare", ()) if known.issuperset(pair)
    ]
    lists = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return Experiment(name=path.stem, rows=tuple(rows), **lists)


def _change(values: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change a plan. A list of values of a setting replaces those that vary."""
    for key, value in changes.items():
        if key in FIELDS:
            _change_setting(values["rows"], key, value)
        elif key in KEYS and key != "rows":
            values[key] = value
        else:
            names = (*(k for k in KEYS if k != "rows"), *FIELDS)
            raise ValueError(f"{key!r}: expected one of {', '.join(names)}")


def _change_setting(groups: Sequence[dict[str, Any]], key: str, value: Any) -> None:
    many = isinstance(value, list)
    varied = [group for group in groups if key in group.get("vary", ())]
    if many and not varied:
        raise ValueError(f"{key}: expected one value, because no rows vary it")
    for group in groups:
        if group in varied:
            group["vary"] = {**group["vary"], key: value if many else [value]}
        elif not many:
            group[key] = value


def _rows(
    group: Mapping[str, Any], base: Mapping[str, Any], metrics: Sequence[str]
) -> Iterator[Row]:
    """The rows of a group: one for each combination of the values in `vary`.

    The name is a template of the settings.
    """
    vary = group.get("vary", {})
    settings = {k: v for k, v in group.items() if k not in OF_GROUP}
    for unknown in {*settings, *vary, *base} - set(FIELDS):
        raise ValueError(f"{unknown!r}: expected one of {', '.join(FIELDS)}")
    for combination in product(*vary.values()):
        own = {**base, **settings, **dict(zip(vary, combination, strict=True))}
        name = group["name"].format(**own)
        yield Row(name, Setting(**own), (*metrics, *group.get("metrics", ())))
