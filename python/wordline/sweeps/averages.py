"""Points of a sweep averaged over seeds, with 95% intervals."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wordline import derived, intervals, notes
from wordline.figures import is_unsure
from wordline.names import endings
from wordline.notes import Note
from wordline.study import sparse
from wordline.study.row import AXIS, DONE, FIXED, TEXTS

if TYPE_CHECKING:
    import pyarrow

SEED = f"{AXIS}seed"

CI95 = ".ci95"
"""What the name of the column of half a figure's 95% interval ends with."""

Row = Mapping[str, Any]

MOST_VALUES = 4
"""Of an axis that are named."""

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
        """Half the width of the interval; of one seed's run the distance to its farther end."""
        return None if self.interval is None else self.interval.reach(self.value)

    @property
    def unsure(self) -> bool:
        """Whether its interval exceeds it."""
        return is_unsure(self.value, self.half)


@dataclass(frozen=True)
class Averaged:
    """A point: the values of its axes, and its runs."""

    axes: dict[str, Any]
    rows: list[Row]
    """Those that were run to the end."""
    errors: list[str]

    @functools.cached_property
    def notes_of_runs(self) -> list[list[Note]]:
        """Those of each run, and of all together."""
        return [*map(notes.of_row, self.rows), derived.withheld(self.rows)]

    @property
    def notes(self) -> list[Note]:
        """Those of its runs."""
        return [note for found in self.notes_of_runs for note in found]

    def figure(self, metric: str) -> Average | None:
        """The mean of a figure; `None` where no run has it."""
        found = [(row, value) for row in self.rows if (value := sparse.value(row, metric)) is not None]
        if not found:
            return None
        values = [value for _, value in found]
        interval = intervals.over_seeds(values) or intervals.of_row(found[0][0], metric)
        return Average(statistics.fmean(values), interval)


def shows(points: Sequence[Averaged], metric: str) -> bool:
    """Whether a table has a column for the figure: values, or why there are none."""
    return any(point.figure(metric) or derived.not_known(point.rows, [metric]) for point in points)


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


def said(points: Sequence[Averaged], wanted: Sequence[str] = ()) -> list[notes.Shared]:
    """The notes of all points, and at which points; of figures that are asked for also why there is none."""
    found = notes.shared(
        (str(place), of_run)
        for place, point in enumerate(points)
        for of_run in (*point.notes_of_runs, derived.not_known(point.rows, wanted))
    )
    named = []
    for note in found:
        having = [points[int(place)] for place in note.runs]
        labels = tuple(label_of(point) for point in having)
        named.append(replace(note, runs=labels, which=_which(having, points)))
    return named


def label_of(point: Averaged) -> str:
    """A point by the values of its axes."""
    words = endings(list(point.axes))
    return ", ".join(f"{words[axis]} {value}" for axis, value in point.axes.items()) or "the point"


def _which(having: Sequence[Averaged], points: Sequence[Averaged]) -> str:
    """Some of the points in a few words: by the axes that tell them from the others, if any do."""
    if len(having) == len(points):
        return f"all {len(points)} points" if len(points) > 1 else label_of(points[0])
    values = {axis: list(dict.fromkeys(str(each.axes[axis]) for each in having)) for axis in points[0].axes}
    told = {
        axis: own
        for axis, own in values.items()
        if any(str(point.axes[axis]) not in own for point in points) and len(own) <= MOST_VALUES
    }
    for axis in [*told] if _alike(points, told) == len(having) else ():
        rest_of = {other: own for other, own in told.items() if other != axis}
        if _alike(points, rest_of) == len(having):
            told = rest_of
    if _alike(points, told) == len(having):
        words = endings(list(points[0].axes))
        return ", ".join(f"{words[axis]} {' or '.join(own)}" for axis, own in told.items())
    rest = len(having) - 1
    return f"{label_of(having[0])}, and {rest} more of {len(points)} points" if rest else label_of(having[0])


def _alike(points: Sequence[Averaged], told: Mapping[str, Sequence[str]]) -> int:
    """How many points have these values."""
    return sum(all(str(point.axes[axis]) in own for axis, own in told.items()) for point in points)


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
            columns[metric + CI95] = halves
    return pyarrow.table(columns)
