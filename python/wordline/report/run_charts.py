"""Charts of runs side by side: response times, figures over time, write amplification, dies and blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline import intervals
from wordline.charts import Axis, Chart, Clock, Share, colors, curves, heat, stacked
from wordline.charts.lines import Span
from wordline.figures import title
from wordline.names import KINDS, TAILS
from wordline.report import messages
from wordline.report.runs import SavedRun

MOST_POINTS = 400
"""Points of a line; more are joined in groups, or left out where they lie close."""

MOST_CELLS = 2048
"""Cells of a map of blocks; more are joined in groups."""


def _colors(runs: Sequence[SavedRun]) -> dict[str, str]:
    return {run.label: colors.of_series(place) for place, run in enumerate(runs)}


SLOWER = Axis("share of requests that take longer", "share", log=True)
HOW_LONG = "how long requests took"
INTERVALS = "; pale bars: 95% intervals of percentiles"
RESPONSE = Axis("response time", "time", log=True)


def latencies(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    """The share of requests that take longer than a time: of one run all kinds of requests in one chart, of
    several a chart for each kind.
    """
    if len(runs) == 1:
        kinds = {
            several: _thinned(curve) for kind, several in KINDS.items() if (curve := _tail(runs[0], kind))
        }
        if kinds:
            spans = _spans({several: (runs[0], kind) for kind, several in KINDS.items() if several in kinds})
            chart = curves(HOW_LONG, kinds, RESPONSE, SLOWER, steps=True, spans=spans)
            yield chart.saying(messages.response_times(runs[0].result), INTERVALS if spans else "")
        return
    for kind, several in KINDS.items():
        found = {run.label: curve for run in runs if (curve := _tail(run, kind))}
        if found:
            thinned = {label: _thinned(curve) for label, curve in found.items()}
            own = {run.label: (run, kind) for run in runs if run.label in found}
            spans = _spans(own)
            chart = curves(
                f"{several}: {HOW_LONG}",
                thinned,
                RESPONSE,
                SLOWER,
                tones=_colors(runs),
                steps=True,
                spans=spans,
            )
            said = messages.response_times_of(kind, [(label, run.result) for label, (run, _) in own.items()])
            yield chart.saying(said, INTERVALS if spans else "")


def _spans(own: Mapping[str, tuple[SavedRun, str]]) -> dict[str, list[Span]]:
    """The 95% intervals of percentiles, of each line that has any."""
    made = {name: spans_of(run.result, kind) for name, (run, kind) in own.items()}
    return {name: spans for name, spans in made.items() if spans}


def spans_of(result: Mapping[str, Any], kind: str) -> list[Span]:
    """The intervals of a run's percentiles: their ends, the share of requests that take longer, a name."""
    made = []
    for name, share in TAILS:
        path = f"{kind}.latency_ns.{name}"
        interval = intervals.of_result(result, path)
        if interval is not None:
            made.append((interval.low, interval.high, share, title(path)))
    return made


def _tail(run: SavedRun, kind: str) -> list[tuple[float, float]]:
    """Nanoseconds, and the share of requests that take longer."""
    rows = run.table("histogram")
    if rows is None:
        return []
    columns = (rows[name].to_pylist() for name in ("direction", "latency_ns", "requests"))
    bins = [(latency, count) for which, latency, count in zip(*columns, strict=True) if which == kind]
    total, above, curve = sum(count for _, count in bins), 0, []
    for latency, count in reversed(bins):
        if above:
            curve.append((float(latency), above / total))
        above += count
    curve.reverse()
    # The first point says where the curve leaves 100%.
    return [(float(bins[0][0]), 1.0), *curve] if bins else []


def _thinned(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same without points that lie closer than a screen shows, the ends always there."""
    if len(curve) <= MOST_POINTS:
        return list(curve)
    (x0, y0), (x1, y1) = ((math.log(x), math.log(y)) for x, y in (curve[0], curve[-1]))
    step = ((x1 - x0 or 1.0) / MOST_POINTS, (y0 - y1 or 1.0) / MOST_POINTS)
    kept = [curve[0]]
    for x, y in curve[1:-1]:
        before = kept[-1]
        if math.log(x / before[0]) / step[0] + math.log(before[1] / y) / step[1] >= 2:
            kept.append((x, y))
    return [*kept, curve[-1]]


SERIES = (
    ("read_latency_mean_ns", "reads, mean response time", Axis("response time", "time"), 1.0),
    ("read_latency_p99_ns", "reads, 99th percentile", Axis("response time", "time"), 1.0),
    ("write_latency_mean_ns", "writes, mean response time", Axis("response time", "time"), 1.0),
    ("write_latency_p99_ns", "writes, 99th percentile", Axis("response time", "time"), 1.0),
    ("read_bytes", "reads, rate", Axis("rate", "rate"), 1e9),
    ("write_bytes", "writes, rate", Axis("rate", "rate"), 1e9),
    ("waf", "write amplification", Axis("bytes programmed for each written"), 1.0),
    ("requests_outstanding_mean", "requests inside the drive", Axis("requests"), 1.0),
)
"""Column, title, axis, and the factor from the column's unit to the axis's."""

SUBJECTS = {
    "read_latency_mean_ns": "Mean response time of reads",
    "read_latency_p99_ns": "99th percentile of reads",
    "write_latency_mean_ns": "Mean response time of writes",
    "write_latency_p99_ns": "99th percentile of writes",
    "read_bytes": "Rate of reads",
    "write_bytes": "Rate of writes",
    "waf": "Bytes programmed for each written",
    "requests_outstanding_mean": "Requests inside the drive",
}
"""What the sentence above a series is about."""

PROGRAMS = "_program_operations"
"""What the name of a column of programs ends with."""


def series(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    """Each figure over time, of the runs that recorded a time series."""
    tables = {run.label: found for run in runs if (found := run.table("series")) is not None}
    clock = clock_of([run for run in runs if run.label in tables])
    for column, name, axis, scale in SERIES:
        found = {
            run.label: curve
            for run in runs
            if (rows := tables.get(run.label)) is not None and (curve := _curve(run, rows, column, scale))
        }
        values = [y for curve in found.values() for _, y in curve if y > 0]
        if values:
            vertical = axis.over(values) if axis.kind == "time" else axis
            horizontal = Axis("time since the start of the run", "time", zero=False)
            groups = {_group(tables[label].num_rows) for label in found}
            title_, subject, how = _joined(column, name, groups)
            chart = curves(title_, found, horizontal, vertical, tones=_colors(runs), clock=clock)
            yield chart.saying(messages.over_time(subject, axis.kind, found), f" over time{how}")


def _group(rows: int) -> int:
    """How many of so many rows stand for one point."""
    return -(-rows // MOST_POINTS)


def _joined(column: str, name: str, groups: set[int]) -> tuple[str, str, str]:
    """Title, subject and what is said of points that stand for so many intervals, by run: the percentiles of
    several make no percentile of all, so they are called what they are.
    """
    most = max(groups)
    if most < 2:
        return name, SUBJECTS[column], ""
    joined = f"{most if len(groups) == 1 else f'up to {most}'} intervals"
    if not _is_percentile(column):
        return name, SUBJECTS[column], f", means of {joined}"
    largest = f"largest 99th percentile of {joined}"
    several, _, _ = name.partition(",")
    return f"{several}, {largest}", f"{largest[0].upper()}{largest[1:]}, {several}", ""


def clock_of(runs: Sequence[SavedRun]) -> Clock | None:
    """The wall clock that all of these runs have: of traces that begin with the run and keep their pace."""
    starts = {_start(run.result) for run in runs}
    (start,) = starts if len(starts) == 1 else (None,)
    return None if start is None else Clock(start)


def _start(result: Mapping[str, Any]) -> int | None:
    """The wall clock at time 0 of a run, ns since 1970; `None` where it isn't one."""
    traces = result.get("traces", [])
    flows = result["config"]["workload"].get("flow", [])
    # Requests that settle a drive, and flows that begin later, shift a trace against the run.
    shifted = result["engine"].get("settling_requests") or any(
        flow.get("start_ns") or flow.get("after") for flow in flows
    )
    starts: set[int | None] = {trace.get("start_unix_ns") for trace in traces}
    if shifted or len(starts) != 1 or not all(trace["keeps_pace"] for trace in traces):
        return None
    return next(iter(starts))


def _curve(run: SavedRun, rows: Any, column: str, scale: float) -> list[tuple[float, float]]:
    """Nanoseconds and values; bytes as rates. Of many rows a group has what one row of its length would
    have; of percentiles, which no longer row can be told from, the largest.
    """
    starts, lengths = rows["start_ns"].to_pylist(), rows["duration_ns"].to_pylist()
    over, under = _sums(run, rows, column)
    group = _group(len(starts))
    largest = _is_percentile(column)
    curve = []
    for first in range(0, len(starts), group):
        part = slice(first, first + group)
        amount = sum(under[part])
        if amount:
            middle = float(starts[first] + sum(lengths[part]) / 2)
            value = max(_ratios(over[part], under[part])) if largest else sum(over[part]) / amount
            curve.append((middle, value * scale))
    return curve


def _is_percentile(column: str) -> bool:
    return "_p99_" in column


def _ratios(over: Sequence[float], under: Sequence[float]) -> Iterator[float]:
    """Of each row that has the figure."""
    return (amount / weight for amount, weight in zip(over, under, strict=True) if weight)


def _sums(run: SavedRun, rows: Any, column: str) -> tuple[list[float], list[float]]:
    """Of each row what a figure is the ratio of: sums of these are those of a longer row."""
    values = rows[column].to_pylist()
    if column.endswith("_bytes"):
        return values, rows["duration_ns"].to_pylist()
    if column == "waf":
        # Intervals in which nothing was written may have programs, too.
        page = run.result["config"]["device"]["geometry"]["page_bytes"]
        programs = [rows[name].to_pylist() for name in rows.column_names if name.endswith(PROGRAMS)]
        return [sum(row) * page for row in zip(*programs, strict=True)], rows["write_bytes"].to_pylist()
    kind, latency, _ = column.partition("_latency_")
    weights = rows[f"{kind}_requests" if latency else "duration_ns"].to_pylist()
    known = [0 if value is None else weight for value, weight in zip(values, weights, strict=True)]
    return [(value or 0.0) * weight for value, weight in zip(values, known, strict=True)], known


def write_amplification(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    """Bytes programmed for each byte written, by cause."""
    found = [
        (run.label, {name: float(value) for name, value in run.result["waf_by_cause"].items() if value})
        for run in runs
        if run.result["waf"] is not None
    ]
    causes = list(dict.fromkeys(name for _, parts in found for name in parts))
    if causes:
        pieces = [Share(name.replace("_", " "), colors.of_series(place)) for place, name in enumerate(causes)]
        rows = [(label, {name.replace("_", " "): v for name, v in parts.items()}) for label, parts in found]
        axis = Axis("bytes programmed for each byte written")
        chart = stacked("write amplification by cause", rows, pieces, axis)
        known = [
            (run.label, run.result["waf"], run.result["waf_by_cause"]) for run in runs if run.result["waf"]
        ]
        yield chart.saying(messages.write_amplification(known))


BUSY = Axis("busy share of the window", "share", limits=(0.0, 1.0))


def maps(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    """How busy each die was, and where the run has a table of blocks, their valid pages and erases."""
    for run in runs:
        window = run.result["window"]["end_ns"] - run.result["window"]["start_ns"]
        places: dict[int, int] = {}
        cells = []
        for die in run.result["dies"]:
            channel = die["channel"]
            place = places[channel] = places.get(channel, -1) + 1
            busy = sum(die["busy_ns"].values()) / window if window else 0.0
            cells.append((place, channel, min(busy, 1.0)))
        prefix = f"{run.label}: " if len(runs) > 1 else ""
        dies = heat(f"{prefix}dies", cells, "die of its channel", "channel", BUSY)
        yield dies.saying(messages.busy([share for *_, share in cells]))
        yield from _blocks(run, prefix)


def _blocks(run: SavedRun, prefix: str) -> Iterator[Chart]:
    rows = run.table("blocks")
    if rows is None:
        return
    units = run.result["drive"]["physical_units"] / max(rows.num_rows, 1)
    for column, name, most in (
        ("valid_units", "valid pages of superblocks", units),
        ("erases", "erases of superblocks", None),
    ):
        values = [float(value) for value in rows[column].to_pylist()]
        group = -(-len(values) // MOST_CELLS)
        means = [
            sum(part) / len(part)
            for first in range(0, len(values), group)
            if (part := values[first : first + group])
        ]
        across = 64 if len(means) > 512 else 32
        cells = [
            (place % across * group, place // across * across * group, mean)
            for place, mean in enumerate(means)
        ]
        scale = Axis(
            "valid share" if most else "erases",
            "share" if most else "number",
            limits=(0.0, 1.0 if most else max(1.0, *values)),
        )
        shares = [(x, y, min(value / most, 1.0) if most else value) for x, y, value in cells]
        joined = f", means of {group} each" if group > 1 else ""
        chart = heat(
            f"{prefix}{name}{joined}",
            shares,
            "number in its row",
            "first of row",
            scale,
            every=8 * group,
        )
        said = (
            messages.valid([min(value / most, 1.0) for value in values]) if most else messages.erased(values)
        )
        yield chart.saying(said if values else "")
