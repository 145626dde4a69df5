"""What differs between runs: their configuration and their figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordline import intervals, notes
from wordline.figures import UNSURE, at, fitting, is_unsure, legends, mark, title, to_three_digits
from wordline.names import KINDS
from wordline.study.row import figures as numbers_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from wordline.report.runs import SavedRun

FIGURES = (
    *(
        f"{direction}.{key}"
        for direction in KINDS
        for key in (
            "requests", "iops", "bandwidth_bytes_per_s", "latency_ns.mean", "latency_ns.p50",
            "latency_ns.p99", "latency_ns.p99_9", "latency_ns.max",
        )
    ),
    "waf", "gc.victims", "gc.moved_units", "flash.reads", "flash.programs", "flash.erases",
)  # fmt: skip


def configuration(runs: Sequence[SavedRun]) -> list[list[str]]:
    """Keys whose values differ, and the value of each run."""
    trees = [dict(flat(run.result["config"])) | {"seed": run.result["seed"]} for run in runs]
    keys = dict.fromkeys(key for one in trees for key in one if not key.endswith(".description"))
    rows = [[key, *(_word(one.get(key)) for one in trees)] for key in keys]
    return [row for row in rows if len(set(row[1:])) > 1]


def flat(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a tree by its dotted path."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{path}{key}.")
        else:
            yield path + key, value


def _word(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Difference:
    """A figure that two runs don't share."""

    metric: str
    values: tuple[float | None, float | None]
    ratio: float | None
    """The second by the first; `None` where that is nothing or missing."""
    same: bool | None
    """Whether the difference lies inside its 95% interval; `None` where that is unknown."""
    unsure: tuple[bool, bool] = (False, False)
    """Which of the two its own interval exceeds."""


def figures(one: SavedRun, other: SavedRun, every: bool = False) -> list[Difference]:
    """Figures that differ: the main ones, or every number but those that depend on the clock."""
    names: Sequence[str] = FIGURES
    if every:
        found = [dict(numbers_of(_compared(run.result))) for run in (one, other)]
        names = [name for name in dict.fromkeys([*found[0], *found[1]]) if not name.startswith("intervals.")]
    made = []
    for name in names:
        values = (at(one.result, name), at(other.result, name))
        if values[0] == values[1]:
            continue
        known = [value for value in values if value is not None]
        ratio = values[1] / values[0] if len(known) == 2 and values[0] and values[1] is not None else None
        ends = [intervals.of_result(run.result, name) for run in (one, other)]
        same = None
        if values[0] is not None and values[1] is not None:
            same = intervals.same(values[0], ends[0], values[1], ends[1])
        unsure = [
            value is not None and end is not None and is_unsure(value, end.reach(value))
            for value, end in zip(values, ends, strict=True)
        ]
        made.append(Difference(name, values, ratio, same, (unsure[0], unsure[1])))
    return made


def said(one: SavedRun, other: SavedRun) -> list[notes.Shared]:
    """The notes of both."""
    return notes.shared((run.label, run.result.get("notes", [])) for run in (one, other))


def _compared(result: Mapping[str, Any]) -> dict[str, Any]:
    left_out = (
        "schema",
        "config",
        "changed",
        "engine",
        "dies",
        "channels",
        "notes",
        "version",
        "seed",
        "checked",
    )
    return {key: value for key, value in result.items() if key not in left_out}


def render(one: SavedRun, other: SavedRun, found: Sequence[Difference]) -> RenderableType:
    """For a terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    deaths = [(run.label, notes.died(run.result.get("notes", []))) for run in (one, other)]
    parts: list[RenderableType] = [
        Text(f"{label}: {death}", style="bold red") for label, death in deaths if death is not None
    ]
    labels = (one.label, other.label)
    keys = configuration((one, other))
    figures_ = [_row(each) for each in found]
    for name, rows in (("Configuration", keys), ("Figures", figures_)):
        if not rows:
            parts += [Text(f"{name}: the same"), Text()]
            continue
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        headers = [name, *labels, *(["ratio"] if name == "Figures" else [])]
        for place, header in enumerate(headers):
            table.add_column(header, justify="right" if place else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        parts += [table, Text()]
    if told := legends(figures_):
        parts += [Text("\n".join(told), style="dim"), Text()]
    parts += [Text(f"note: {note.text()}", style="yellow") for note in said(one, other)]
    return Group(*(parts[:-1] if parts[-1] == Text() else parts))


def _row(found: Difference) -> list[str]:
    ratio = "–" if found.ratio is None else f"{mark(found.same, *found.values)}{to_three_digits(found.ratio)}"
    figures_ = (
        UNSURE if unsure else fitting(found.metric, value)
        for value, unsure in zip(found.values, found.unsure, strict=True)
    )
    return [title(found.metric), *figures_, "–" if any(found.unsure) else ratio]
