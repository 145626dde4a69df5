"""The page of one run, or of several side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from wordline import intervals, notes
from wordline.figures import at, formatted, heading, number
from wordline.files import made_folder, write_text
from wordline.names import part_label
from wordline.report import svg
from wordline.report.page import page
from wordline.report.runs import SavedRun, load_runs

SUMMARY = (
    "read.iops", "write.iops", "read.bandwidth_bytes_per_s", "write.bandwidth_bytes_per_s",
    "read.latency_ns.mean", "read.latency_ns.p99", "read.latency_ns.p99_9",
    "write.latency_ns.mean", "write.latency_ns.p99", "write.latency_ns.p99_9", "waf",
)  # fmt: skip

SMALLEST_SHARE = 0.01
"""Parts of a response time below this share in every run are one part, `other`."""

MOST_POINTS = 400
"""Points of a line; more are joined in groups."""

MOST_CELLS = 2048
"""Cells of a map of blocks; more are joined in groups."""

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")

DIRECTIONS = ("read", "write")


def write_report(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], title: str | None = None
) -> Path:
    """Writes the page of the runs in these folders. Raises `WordlineError` for one that holds no run."""
    runs = load_runs(folders)
    target = Path(out)
    made_folder(target.parent)
    write_text(target, render(runs, title))
    return target


def render(runs: Sequence[SavedRun], title: str | None = None) -> str:
    """The page as text."""
    kinds = ("device", "scheme", "workload")
    names = " · ".join(
        " or ".join(dict.fromkeys(run.result["config"][kind]["name"] for run in runs)) for kind in kinds
    )
    sections = (
        ("Summary", _summary(runs)),
        ("Response times", _latencies(runs)),
        ("Where the time went", _blame(runs)),
        ("Over time", _series(runs)),
        ("Write amplification by cause", _waf(runs)),
        ("Dies and blocks", _maps(runs)),
        ("Configuration", _configuration(runs)),
    )
    body = "".join(f"<section><h2>{name}</h2>{text}</section>" for name, text in sections if text)
    versions = ", ".join(dict.fromkeys(str(run.result["version"]) for run in runs))
    heading_ = title or (names if len(runs) == 1 else f"{len(runs)} runs")
    words = [names] if len(runs) > 1 or title else []
    return page(heading_, body, style=STYLE, subtitle=", ".join([*words, f"Wordline {versions}"]))


def _colors(runs: Sequence[SavedRun]) -> dict[str, str]:
    return {run.label: svg.color(place) for place, run in enumerate(runs)}


def _legend(runs: Sequence[SavedRun]) -> str:
    return svg.legend(_colors(runs)) if len(runs) > 1 else ""


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(
        f"<th{' class=n' if place else ''}>{escape(text)}</th>" for place, text in enumerate(headers)
    )
    lines = (
        "<tr>"
        + "".join(f"<td{' class=n' if place else ''}>{escape(text)}</td>" for place, text in enumerate(row))
        + "</tr>"
        for row in rows
    )
    body = "".join(lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _charts(charts: Iterator[tuple[str, str]]) -> str:
    made = "".join(
        f"<figure><figcaption>{escape(name)}</figcaption>{chart}</figure>" for name, chart in charts
    )
    return f'<div class="charts">{made}</div>' if made else ""


def _summary(runs: Sequence[SavedRun]) -> str:
    shown = [metric for metric in SUMMARY if any(at(run.result, metric) is not None for run in runs)]
    rows = [[heading(metric), *(_figure(metric, run, runs[0]) for run in runs)] for metric in shown]
    said = [
        f'<p class="fair">{escape(run.label)}: {escape(note)}</p>'
        for run in runs
        for note in _notes(run.result)
    ]
    return _table(["", *(run.label for run in runs)], rows) + "".join(said)


def _figure(metric: str, run: SavedRun, first: SavedRun) -> str:
    """A figure with half its interval, behind ≈ where it differs from the first run's by chance only."""
    value, interval = at(run.result, metric), intervals.of_result(run.result, metric)
    text = formatted(metric, value)
    if value is None or interval is None:
        return text
    text += f" ±{formatted(metric, interval.reach(value))}"
    base = at(first.result, metric)
    if run is first or base is None:
        return text
    about = intervals.same(value, interval, base, intervals.of_result(first.result, metric))
    return f"≈ {text}" if about else text


def _notes(result: Mapping[str, Any]) -> list[str]:
    ideals = result["drive"].get("not_physical", [])
    return [*map(notes.text, result["notes"]), *(f"not physical: {ideal}" for ideal in ideals)]


def _latencies(runs: Sequence[SavedRun]) -> str:
    def charts() -> Iterator[tuple[str, str]]:
        for direction in DIRECTIONS:
            curves = {run.label: curve for run in runs if (curve := _tail(run, direction))}
            if curves:
                xs = [x for curve in curves.values() for x, _ in curve]
                ys = [y for curve in curves.values() for _, y in curve]
                horizontal = svg.axis("response time, µs", xs, log=True)
                vertical = svg.axis("share of requests that take longer", [*ys, 1.0], log=True, text=_percent)
                yield (
                    f"{direction}s",
                    svg.lines(curves, horizontal, vertical, steps=True, colors=_colors(runs)),
                )

    return _legend(runs) + _charts(charts())


def _percent(share: float) -> str:
    return f"{share * 100:.10g}%"


def _tail(run: SavedRun, direction: str) -> list[tuple[float, float]]:
    """µs, and the share of requests that take longer."""
    table = run.table("histogram")
    if table is None:
        return []
    rows = zip(*(table[name].to_pylist() for name in ("direction", "latency_ns", "requests")), strict=True)
    bins = [(latency, count) for which, latency, count in rows if which == direction]
    total, above, curve = sum(count for _, count in bins), 0, []
    for latency, count in reversed(bins):
        if above:
            curve.append((latency / 1e3, above / total))
        above += count
    curve.reverse()
    # The first point says where the curve leaves 100%.
    return [(bins[0][0] / 1e3, 1.0), *curve] if bins else []


def _blame(runs: Sequence[SavedRun]) -> str:
    shares: dict[str, float] = {}
    for run in runs:
        for direction in DIRECTIONS:
            for which in ("mean", "tail"):
                parts = _parts(run, direction, which)
                total = sum(parts.values())
                for name, value in parts.items():
                    shares[name] = max(shares.get(name, 0.0), value / total if total else 0.0)
    large = sorted(
        (name for name in shares if shares[name] >= SMALLEST_SHARE), key=lambda name: (-shares[name], name)
    )
    colors = {part_label(name): svg.color(place) for place, name in enumerate(large)}
    # More parts than colors: the smallest of them share the last.
    colors["other"] = "#9aa4b2"

    def charts() -> Iterator[tuple[str, str]]:
        for direction in DIRECTIONS:
            for which, words in (("mean", "mean of all"), ("tail", "from the 99th percentile on")):
                rows = []
                for run in runs:
                    parts = _parts(run, direction, which)
                    known = {part_label(name): parts.get(name, 0.0) / 1e3 for name in large}
                    known["other"] = sum(value for name, value in parts.items() if name not in large) / 1e3
                    if parts:
                        rows.append((run.label, known))
                if rows:
                    yield (
                        f"{direction}s, {words}, µs",
                        svg.bars(rows, "µs", colors, lambda us: f"{number(us)} µs"),
                    )

    drawn = _charts(charts())
    return svg.legend(colors) + drawn if drawn else ""


def _parts(run: SavedRun, direction: str, which: str) -> dict[str, float]:
    blame = run.result[direction]["blame"][which]
    return {name: value for name, value in blame["mean_ns"].items() if value} if blame["requests"] else {}


SERIES = (
    ("read_latency_mean_ns", "reads, mean response time", "µs", 1e-3, True),
    ("read_latency_p99_ns", "reads, 99th percentile", "µs", 1e-3, True),
    ("write_latency_mean_ns", "writes, mean response time", "µs", 1e-3, True),
    ("write_latency_p99_ns", "writes, 99th percentile", "µs", 1e-3, True),
    ("read_bytes", "reads", "MB/s", 1e3, False),
    ("write_bytes", "writes", "MB/s", 1e3, False),
    ("waf", "write amplification", "WAF", 1.0, False),
    ("requests_outstanding_mean", "requests inside the drive", "requests", 1.0, False),
)


def _series(runs: Sequence[SavedRun]) -> str:
    tables = {run.label: table for run in runs if (table := run.table("series")) is not None}
    if not tables:
        return (
            '<p class="dim">Not recorded. <code>--set workload.measure.interval_ns=1000000</code> asks for '
            "a row for each millisecond.</p>"
        )

    def charts() -> Iterator[tuple[str, str]]:
        for column, name, unit, scale, log in SERIES:
            curves = {
                label: curve for label, table in tables.items() if (curve := _curve(table, column, scale))
            }
            values = [y for curve in curves.values() for _, y in curve]
            if any(values):
                horizontal = svg.axis("time, s", [x for curve in curves.values() for x, _ in curve])
                vertical = svg.axis(unit, values, log=log)
                yield f"{name}, {unit}", svg.lines(curves, horizontal, vertical, colors=_colors(runs))

    return _legend(runs) + _charts(charts())


def _curve(table: Any, column: str, scale: float) -> list[tuple[float, float]]:
    """Seconds and values; bytes as rates. Of many rows the means of groups."""
    starts, lengths = table["start_ns"].to_pylist(), table["duration_ns"].to_pylist()
    values = table[column].to_pylist()
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
        curve.append(((starts[first] + time / 2) / 1e9, value * scale))
    return curve


def _waf(runs: Sequence[SavedRun]) -> str:
    causes = list(
        dict.fromkeys(
            name for run in runs for name, value in (run.result["waf_by_cause"] or {}).items() if value
        )
    )
    rows = [
        (run.label, {name: run.result["waf_by_cause"].get(name, 0.0) for name in causes})
        for run in runs
        if run.result["waf"] is not None
    ]
    if not rows:
        return ""
    colors = {name: svg.color(place) for place, name in enumerate(causes)}
    chart = svg.bars(rows, "bytes programmed for each byte written", colors, lambda value: f"{value:.3f}")
    return svg.legend(colors) + _charts(iter([("bytes programmed for each byte that the host wrote", chart)]))


def _maps(runs: Sequence[SavedRun]) -> str:
    def charts() -> Iterator[tuple[str, str]]:
        for run in runs:
            window = run.result["window"]["end_ns"] - run.result["window"]["start_ns"]
            channels: dict[int, list[float | None]] = {}
            for die in run.result["dies"]:
                busy = sum(die["busy_ns"].values())
                channels.setdefault(die["channel"], []).append(busy / window if window else 0.0)
            rows = [channels[channel] for channel in sorted(channels)]
            prefix = f"{run.label}: " if len(runs) > 1 else ""
            yield f"{prefix}dies, by channel", svg.heat(rows, "busy", lambda v: f"{v:.1%}", "channel", "die")
            yield from ((prefix + name, chart) for name, chart in _blocks(run))

    return _charts(charts())


def _blocks(run: SavedRun) -> Iterator[tuple[str, str]]:
    table = run.table("blocks")
    if table is None:
        return
    for column, name in (("valid_units", "valid pages of superblocks"), ("erases", "erases of superblocks")):
        values = [float(value) for value in table[column].to_pylist()]
        group = -(-len(values) // MOST_CELLS)
        means = [
            sum(part) / len(part)
            for first in range(0, len(values), group)
            if (part := values[first : first + group])
        ]
        across = 64 if len(means) > 512 else 32
        rows = [list[float | None](means[first : first + across]) for first in range(0, len(means), across)]
        yield name, svg.heat(rows, name, lambda v: f"{v:,.4g}", "row", "place")


def _configuration(runs: Sequence[SavedRun]) -> str:
    flat = [dict(_flat(run.result["config"])) | {"seed": run.result["seed"]} for run in runs]
    keys = list(dict.fromkeys(key for one in flat for key in one if not key.endswith(".description")))
    rows = [
        [key, *(_word(one.get(key)) for one in flat)]
        for key in keys
        if len({_word(one.get(key)) for one in flat}) > 1
    ]
    differing = _table(["what differs", *(run.label for run in runs)], rows) if rows else ""
    whole = "".join(
        f"<details><summary>{escape(run.label)}: all of it</summary><pre>"
        f"{escape(json.dumps(run.result['config'], indent=1))}</pre></details>"
        for run in runs
    )
    return differing + whole


def _flat(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield path + key, value


def _word(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
