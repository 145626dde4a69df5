"""The page of one run, or of several side by side."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from wordline import _core, intervals, notes
from wordline.charts import Axis, Chart, Share, colors, curves, heat, stacked
from wordline.charts.embed import figures
from wordline.figures import UNSURE, at, fitting, fitting_interval, title
from wordline.files import made_folder, write_text
from wordline.names import KINDS
from wordline.report import blame
from wordline.report.differences import configuration
from wordline.report.page import page
from wordline.report.runs import SavedRun, load_runs
from wordline.report.tables import facts, legend, sections, table

SUMMARY = (
    "read.iops", "write.iops", "read.bandwidth_bytes_per_s", "write.bandwidth_bytes_per_s",
    "read.latency_ns.mean", "read.latency_ns.p50", "read.latency_ns.p99", "read.latency_ns.p99_9",
    "read.latency_ns.max",
    "write.latency_ns.mean", "write.latency_ns.p50", "write.latency_ns.p99", "write.latency_ns.p99_9",
    "write.latency_ns.max",
    *(f"{kind}.{key}" for kind in ("trim", "flush") for key in (
        "iops", "latency_ns.mean", "latency_ns.p50", "latency_ns.p99", "latency_ns.p99_9", "latency_ns.max",
    )),
    "waf",
)  # fmt: skip

MOST_POINTS = 400
"""Points of a line; more are joined in groups, or left out where they lie close."""

MOST_CELLS = 2048
"""Cells of a map of blocks; more are joined in groups."""

LOG_FROM = 20
"""A time series is drawn on a logarithmic axis when its values differ by this factor."""

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def write_report(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], title: str | None = None
) -> Path:
    """Writes the page of the runs in these folders. Raises `WordlineError` for one that holds no run."""
    return write_page(out, render(load_runs(folders), title))


def write_page(out: str | os.PathLike[str], text: str) -> Path:
    """Writes a page, and its folder if that isn't there."""
    target = Path(out)
    made_folder(target.parent)
    write_text(target, text)
    return target


def whole(title: str, text: str) -> str:
    """A page with this body, of whatever isn't runs alone."""
    return page(title, text, style=STYLE, subtitle=f"Wordline {_core.__version__}")


def render(runs: Sequence[SavedRun], title: str | None = None) -> str:
    """The page as text."""
    names = names_of(runs)
    versions = ", ".join(dict.fromkeys(str(run.result["version"]) for run in runs))
    heading = title or (names if len(runs) == 1 else f"{len(runs)} runs")
    words = [names] if len(runs) > 1 or title else []
    return page(heading, body(runs), style=STYLE, subtitle=", ".join([*words, f"Wordline {versions}"]))


def names_of(runs: Sequence[SavedRun]) -> str:
    """Drives, schemes and workloads."""
    kinds = ("device", "scheme", "workload")
    return " · ".join(
        " or ".join(dict.fromkeys(run.result["config"][kind]["name"] for run in runs)) for kind in kinds
    )


def body(runs: Sequence[SavedRun]) -> str:
    """All sections."""
    return sections(
        (
            ("Summary", _summary(runs)),
            ("Response times", figures(_latencies(runs))),
            ("Where the time went", _blame(runs)),
            ("Over time", _series(runs)),
            ("Write amplification by cause", figures(_waf(runs))),
            ("Dies and blocks", figures(_maps(runs))),
            ("Configuration", _configuration(runs)),
        )
    )


def _colors(runs: Sequence[SavedRun]) -> dict[str, str]:
    return {run.label: colors.of_series(place) for place, run in enumerate(runs)}


def _summary(runs: Sequence[SavedRun]) -> str:
    shown = [metric for metric in SUMMARY if any(at(run.result, metric) is not None for run in runs)]
    rows = [[title(metric), *(_figure(metric, run, runs[0]) for run in runs)] for metric in shown]
    said = [
        f'<p class="fair">{escape(run.label)}: {escape(note)}</p>'
        for run in runs
        for note in _notes(run.result)
    ]
    deaths = [(run.label, notes.died(run.result["notes"])) for run in runs]
    dead = "".join(
        f'<p class="bad lead">{escape(f"{label}: {found}")}</p>' for label, found in deaths if found
    )
    figures_ = table(["", *(run.label for run in runs)], rows)
    return dead + _inputs(runs) + figures_ + legend(rows) + "".join(said)


def _inputs(runs: Sequence[SavedRun]) -> str:
    """What was run: device, scheme, workload, seed, and the command line where it is known."""
    rows = []
    for kind in ("device", "scheme", "workload"):
        found = [run.result["config"][kind] for run in runs]
        told = [
            config["name"] + (f": {config['description']}" if config.get("description") else "")
            for config in found
        ]
        rows.append((kind, " · ".join(dict.fromkeys(told))))
    rows.append(("seed", ", ".join(dict.fromkeys(str(run.result["seed"]) for run in runs))))
    commands = {run.command: run.label for run in runs if run.command}
    for command, label in commands.items():
        rows.append((f"command of {label}" if len(commands) > 1 else "command", shlex.join(command)))
    return facts(rows)


def _figure(metric: str, run: SavedRun, first: SavedRun) -> str:
    """A figure with half its interval, behind ≈ where it differs from the first run's by chance only."""
    value, interval = at(run.result, metric), intervals.of_result(run.result, metric)
    if value is None or interval is None:
        return fitting(metric, value)
    text = fitting_interval(metric, value, interval.reach(value))
    base = at(first.result, metric)
    if run is first or base is None or text == UNSURE:
        return text
    about = intervals.same(value, interval, base, intervals.of_result(first.result, metric))
    return f"≈ {text}" if about else text


def _notes(result: Mapping[str, Any]) -> list[str]:
    ideals = result["drive"].get("not_physical", [])
    return [*map(notes.text, result["notes"]), *(f"not physical: {ideal}" for ideal in ideals)]


SLOWER = Axis("share of requests that take longer", "share", log=True)
RESPONSE = Axis("response time", "time", log=True)


def _latencies(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    for kind, several in KINDS.items():
        found = {run.label: curve for run in runs if (curve := _tail(run, kind))}
        if found:
            thinned = {label: _thinned(curve) for label, curve in found.items()}
            yield curves(several, thinned, RESPONSE, SLOWER, tones=_colors(runs), steps=True)


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


def _blame(runs: Sequence[SavedRun]) -> str:
    panels = {
        f"{several}, {words}": [(run.label, _parts(run, kind, which)) for run in runs]
        for kind, several in KINDS.items()
        for which, words in (("mean", "mean of all"), ("tail", "mean from the 99th percentile on"))
    }
    return explained(panels)


def explained(panels: Mapping[str, blame.Rows]) -> str:
    """The charts of blame and what the parts are."""
    drawn = figures(blame.charts(panels))
    if not drawn:
        return ""
    return f"{drawn}<details><summary>What the parts are</summary>{facts(blame.legend(panels))}</details>"


def _parts(run: SavedRun, kind: str, which: str) -> dict[str, float]:
    # Results of earlier versions have no more of TRIMs and flushes than their number.
    found = run.result[kind].get("blame", {}).get(which)
    return {name: value for name, value in found["mean_ns"].items() if value} if found else {}


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


def _series(runs: Sequence[SavedRun]) -> str:
    tables = {run.label: found for run in runs if (found := run.table("series")) is not None}
    if not tables:
        return (
            '<p class="dim">Not recorded. <code>--set workload.measure.interval_ns=1000000</code> asks for '
            "a row for each millisecond.</p>"
        )

    def charts() -> Iterator[Chart]:
        for column, name, axis, scale in SERIES:
            found = {label: curve for label, rows in tables.items() if (curve := _curve(rows, column, scale))}
            values = [y for curve in found.values() for _, y in curve if y > 0]
            if values:
                log = axis.kind == "time" and max(values) > LOG_FROM * min(values)
                vertical = Axis(axis.title, axis.kind, log=log)
                horizontal = Axis("time since the start of the window", "time", zero=False)
                yield curves(name, found, horizontal, vertical, tones=_colors(runs))

    return figures(charts())


def _curve(rows: Any, column: str, scale: float) -> list[tuple[float, float]]:
    """Nanoseconds and values; bytes as rates. Of many rows the means of groups."""
    starts, lengths = rows["start_ns"].to_pylist(), rows["duration_ns"].to_pylist()
    values = rows[column].to_pylist()
    rate = column.endswith("_bytes")
    group = -(-len(values) // MOST_POINTS)
    curve = []
    for first in range(0, len(values), group):
        part = range(first, min(first + group, len(values)))
        time = sum(lengths[row] for row in part)
        known = [values[row] for row in part if values[row] is not None]
        if not known or not time:
            continue
        value = sum(known) / time if rate else sum(known) / len(known)
        curve.append((float(starts[first] + time / 2), value * scale))
    return curve


def _waf(runs: Sequence[SavedRun]) -> Iterator[Chart]:
    found = [
        (run.label, {name: float(value) for name, value in run.result["waf_by_cause"].items() if value})
        for run in runs
        if run.result["waf"] is not None
    ]
    causes = list(dict.fromkeys(name for _, parts in found for name in parts))
    if causes:
        pieces = [Share(name.replace("_", " "), colors.of_series(place)) for place, name in enumerate(causes)]
        rows = [(label, {name.replace("_", " "): v for name, v in parts.items()}) for label, parts in found]
        yield stacked("", rows, pieces, Axis("bytes programmed for each byte written"))


BUSY = Axis("busy share of the window", "share", limits=(0.0, 1.0))


def _maps(runs: Sequence[SavedRun]) -> Iterator[Chart]:
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
        yield heat(f"{prefix}dies", cells, "die of its channel", "channel", BUSY)
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
        yield heat(
            f"{prefix}{name}{joined}",
            shares,
            "number in its row",
            "first number of the row",
            scale,
            every=8 * group,
        )


def _configuration(runs: Sequence[SavedRun]) -> str:
    rows = configuration(runs)
    differing = table(["what differs", *(run.label for run in runs)], rows) if rows else ""
    whole = "".join(
        f"<details><summary>{escape(run.label)}: all of it</summary><pre>"
        f"{escape(json.dumps(run.result['config'], indent=1))}</pre></details>"
        for run in runs
    )
    return differing + whole
