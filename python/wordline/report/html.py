"""The page of one run, or of several side by side."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from wordline import intervals, labels, lifetime, notes, power
from wordline.charts import Chart
from wordline.charts.axis import LOG_FROM
from wordline.charts.embed import figures
from wordline.figures import UNSURE, at, fitting, fitting_interval, mark, title
from wordline.names import KINDS
from wordline.report import blame, messages, run_charts
from wordline.report.differences import configuration
from wordline.report.page import facts, legend, report_page, sections, table, write_page
from wordline.report.runs import SavedRun, load_runs
from wordline.report.tiles import tiles
from wordline.report.trace import measured_times
from wordline.result import tables_of

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


WENT = "where the time went"

FROM_P99 = "mean from the 99th percentile on"


def write_report(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], title: str | None = None
) -> Path:
    """Writes the page of the runs in these folders. Raises `WordlineError` for one that holds no run."""
    return write_page(out, render(load_runs(folders), title))


def render(runs: Sequence[SavedRun], title: str | None = None) -> str:
    """The page as text."""
    names = names_of(runs)
    versions = ", ".join(dict.fromkeys(str(run.result["version"]) for run in runs))
    heading = title or (names if len(runs) == 1 else f"{len(runs)} runs")
    words = [names] if len(runs) > 1 or title else []
    return report_page(heading, body(runs), ", ".join([*words, f"Wordline {versions}"]))


def names_of(runs: Sequence[SavedRun]) -> str:
    """Drives, schemes and workloads."""
    return " · ".join(
        " or ".join(dict.fromkeys(labels.called(run.result, kind) for run in runs)) for kind in labels.KINDS
    )


def body(runs: Sequence[SavedRun]) -> str:
    """All sections. First what answers how long requests took, and why."""
    panels = _panels(runs)
    long, why = list(run_charts.latencies(runs)), blame.charts(panels, _messages(panels))
    return sections(
        (
            ("How long, and why", _dead(runs) + tiles(runs) + figures([*long[:1], *why[:1]])),
            ("Summary", _summary(runs)),
            ("Response times", figures(long[1:])),
            ("Where the time went", _explained(why[1:], panels)),
            ("Over time", _series(runs)),
            ("Capacity, life, power", _life(runs)),
            ("Write amplification by cause", figures(run_charts.write_amplification(runs))),
            ("Dies and blocks", figures(run_charts.maps(runs))),
            ("Configuration", _configuration(runs)),
        )
    )


def _summary(runs: Sequence[SavedRun]) -> str:
    shown = [metric for metric in SUMMARY if any(at(run.result, metric) is not None for run in runs)]
    rows = []
    for metric in shown:
        rows.append([title(metric), *(_figure(metric, run, runs[0]) for run in runs)])
        rows += _measured(metric, runs)
    said = [
        f'<p class="fair">{escape(f"{run.label}: {note}" if len(runs) > 1 else note)}</p>'
        for run in runs
        for note in _notes(run.result)
    ]
    figures_ = table(["", *(run.label for run in runs)], rows)
    return "".join(said) + _inputs(runs) + figures_ + legend(rows)


def _measured(metric: str, runs: Sequence[SavedRun]) -> list[list[str]]:
    """Rows of what a figure was when the traces of the runs were recorded."""
    kind, _, name = metric.partition(".latency_ns.")
    if not name:
        return []
    found = [dict(measured_times(run.result, kind)) for run in runs]
    labels_ = dict.fromkeys(label for own in found for label in own)
    return [
        [
            f"{title(metric)}, {label}",
            *(fitting(metric, own[label][name] if label in own else None) for own in found),
        ]
        for label in labels_
    ]


def _dead(runs: Sequence[SavedRun]) -> str:
    deaths = [(run.label, notes.died(run.result["notes"])) for run in runs]
    return "".join(
        f'<p class="bad lead">{escape(f"{label}: {found}")}</p>' for label, found in deaths if found
    )


def _inputs(runs: Sequence[SavedRun]) -> str:
    """What was run: device, scheme, workload, seed, and the command line where it is known."""
    rows = []
    for kind in labels.KINDS:
        found = [run.result["config"][kind] for run in runs]
        told = [
            config["name"] + (f": {config['description']}" if config.get("description") else "")
            for config in found
        ]
        rows.append((kind, " · ".join(dict.fromkeys(told))))
        changed = {", ".join(labels.changes(run.result, kind)): run.label for run in runs}
        for text, label in changed.items():
            if text:
                several = f" of {label}" if len(changed) > 1 else ""
                rows.append((f"{kind} set{several}", text))
    rows.append(("seed", ", ".join(dict.fromkeys(str(run.result["seed"]) for run in runs))))
    commands = {run.command: run.label for run in runs if run.command}
    for command, label in commands.items():
        rows.append((f"command of {label}" if len(commands) > 1 else "command", shlex.join(command)))
    return facts(rows)


def _figure(metric: str, run: SavedRun, first: SavedRun) -> str:
    """A figure with half its interval, behind ≈ where it differs from the first run's by chance only, and ?
    where that isn't known.
    """
    value, interval = at(run.result, metric), intervals.of_result(run.result, metric)
    if value is None:
        return fitting(metric, value)
    text = fitting_interval(metric, value, None if interval is None else interval.reach(value))
    base = at(first.result, metric)
    if run is first or base is None or text == UNSURE:
        return text
    same = intervals.same(value, interval, base, intervals.of_result(first.result, metric))
    return f"{mark(same, value, base)} {text}".lstrip()


def _notes(result: Mapping[str, Any]) -> list[str]:
    ideals = result["drive"].get("not_physical", [])
    return [*map(notes.text, result["notes"]), *(f"not physical: {ideal}" for ideal in ideals)]


def _panels(runs: Sequence[SavedRun]) -> dict[str, blame.Rows]:
    """Bars of parts: a panel for each kind of requests, of one run one for all whose bars one axis shows."""
    which = (("mean", "mean of all"), ("tail", FROM_P99))
    if len(runs) == 1:
        found: dict[str, blame.Rows] = {
            f"{WENT}, {words}": [(several, _parts(runs[0], kind, part)) for kind, several in KINDS.items()]
            for part, words in which
        }
        found = {title: [row for row in rows if row[1]] for title, rows in found.items()}
        sums = [[sum(parts.values()) for _, parts in rows] for rows in found.values()]
        if all(max(each) <= LOG_FROM * min(each) for each in sums if each):
            return {title: rows for title, rows in found.items() if rows}
    return {
        f"{several}: {WENT}, {words}": [(run.label, _parts(run, kind, part)) for run in runs]
        for kind, several in KINDS.items()
        for part, words in which
    }


def _messages(panels: Mapping[str, blame.Rows]) -> dict[str, str]:
    """What each panel of `_panels` says."""
    found = {}
    for name, rows in panels.items():
        kind = next((kind for kind, several in KINDS.items() if name.startswith(f"{several}: ")), None)
        known, tail = [row for row in rows if row[1]], name.endswith(FROM_P99)
        found[name] = messages.parts_of(kind, known, tail) if kind else messages.parts_of_kinds(known, tail)
    return found


def explained(panels: Mapping[str, blame.Rows], said: Mapping[str, str]) -> str:
    """The charts of blame, what they say, and what the parts are."""
    return _explained(blame.charts(panels, said), panels)


def _explained(charts: Sequence[Chart], panels: Mapping[str, blame.Rows]) -> str:
    if not any(panels.values()):
        return ""
    parts = facts(blame.legend(panels))
    return f"{figures(charts)}<details><summary>What the parts are</summary>{parts}</details>"


def _parts(run: SavedRun, kind: str, which: str) -> dict[str, float]:
    # Results of earlier versions have no more of TRIMs and flushes than their number.
    found = run.result[kind].get("blame", {}).get(which)
    return {name: value for name, value in found["mean_ns"].items() if value} if found else {}


def _series(runs: Sequence[SavedRun]) -> str:
    if not any("series" in tables_of(run.result) for run in runs):
        return (
            '<p class="dim">Not recorded. <code>--set workload.measure.interval_ns=1000000</code> asks for '
            "a row for each millisecond.</p>"
        )
    charts = list(run_charts.series(runs))
    by_clock = '<p><label><input type="checkbox" id="clock"> time of day (UTC)</label></p>'
    return (by_clock if any("usermeta" in chart.spec for chart in charts) else "") + figures(charts)


def _life(runs: Sequence[SavedRun]) -> str:
    """Capacity, endurance and power at the load of each run."""
    told = {run.label: rows for run in runs if (rows := _life_of(run.result))}
    names = dict.fromkeys(name for rows in told.values() for name in rows)
    if len(told) == 1:
        (rows,) = told.values()
        return facts(list(rows.items()))
    lines = [[name, *(rows.get(name, "–") for rows in told.values())] for name in names]
    return table(["", *told], lines) if lines else ""


def _life_of(result: Mapping[str, Any]) -> dict[str, str]:
    life, used = lifetime.of(result), power.of(result)
    rows = {} if life is None else dict(life.told())
    return rows if used is None else {**rows, "power": used.told()}


def _configuration(runs: Sequence[SavedRun]) -> str:
    rows = configuration(runs)
    differing = table(["what differs", *(run.label for run in runs)], rows) if rows else ""
    whole = "".join(
        f"<details><summary>{escape(run.label)}: all of it</summary><pre>"
        f"{escape(json.dumps(run.result['config'], indent=1))}</pre></details>"
        for run in runs
    )
    return differing + whole
