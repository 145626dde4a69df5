"""Points of a sweep averaged over seeds, with 95% intervals."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordline import intervals
from wordline.study.row import AXIS, DONE, FIXED, TEXTS

if TYPE_CHECKING:
    import pyarrow

SEED = f"{AXIS}seed"

Row = Mapping[str, Any]

METRICS = (
    "read.latency_ns.mean",
    "read.latency_ns.p99",
    "write.latency_ns.mean",
    "write.latency_ns.p99",
    "trim.latency_ns.p99",
    "flush.latency_ns.mean",
    "flush.latency_ns.p99",
    "waf",
)


@dataclass(frozen=True)
class Average:
    """A figure of one point: the mean over its seeds."""

    value: float
    interval: intervals.Interval | None
    """Over seeds; of one seed's run, if that has one."""

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.interval is None else self.interval.reach(self.value)


@dataclass(frozen=True)
class Averaged:
    """A point: the values of its axes, and its runs."""

    axes: dict[str, Any]
    rows: list[Row]
    """Those that were run to the end."""
    errors: list[str]

    def figure(self, metric: str) -> Average | None:
        """The mean of a figure; `None` where no run has it."""
        found = [row for row in self.rows if row.get(metric) is not None]
        values = [float(row[metric]) for row in found]
        if not values:
            return None
        interval = intervals.over_seeds(values) or intervals.of_row(found[0], metric)
        return Average(statistics.fmean(values), interval)


def averages(rows: Sequence[Row]) -> list[Averaged]:
    """The points of these rows, in their order: rows that differ in their seed only are one."""
    points: dict[tuple[Any, ...], Averaged] = {}
    for row in rows:
        axes = {name.removeprefix(AXIS): row[name] for name in row if name.startswith(AXIS) and name != SEED}
        point = points.setdefault(tuple(axes.values()), Averaged(axes, [], []))
        if row["status"] == DONE:
            point.rows.append(row)
        else:
            point.errors.append(str(row["error"]))
    return list(points.values())


def metrics(rows: Sequence[Row]) -> list[str]:
    """Every figure that a row has."""
    known = {*FIXED, *TEXTS}
    names = dict.fromkeys(name for row in rows for name, value in row.items() if isinstance(value, float))
    return [name for name in names if name not in known and not name.startswith((AXIS, intervals.FIGURES))]


def table(rows: Sequence[Row]) -> pyarrow.Table:
    """A row for each point: axes, number of seeds, and each figure with `.ci95`, half its interval."""
    import pyarrow

    points = averages(rows)
    columns: dict[str, list[Any]] = {}
    for name in points[0].axes if points else ():
        columns[AXIS + name] = [point.axes[name] for point in points]
    columns["seeds"] = [len(point.rows) for point in points]
    for metric in metrics(rows):
        found = [point.figure(metric) for point in points]
        columns[metric] = [None if one is None else one.value for one in found]
        halves = [None if one is None else one.half for one in found]
        if any(half is not None for half in halves):
            columns[f"{metric}.ci95"] = halves
    return pyarrow.table(columns)
