"""What notebooks show of results: tables, and charts as SVG, which any viewer of notebooks draws."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import islice
from typing import Any

from wordline import intervals, notes, views
from wordline.charts import Axis, Chart, curves, images
from wordline.comparison import sheets
from wordline.comparison.figures import Comparison
from wordline.figures import at, fitting, sure, title
from wordline.names import KINDS, PERCENTILES, endings
from wordline.report import blame, studies
from wordline.report.page import MOST_ROWS, legend, paragraphs, table
from wordline.result import Result
from wordline.sweeps.api import Sweep
from wordline.sweeps.averages import METRICS, averages, said

MOST_CHARTS = 8


def _drawn(charts: Iterable[Chart]) -> str:
    pictures = (images.svg(chart) for chart in islice(charts, MOST_CHARTS))
    style = "display:inline-block;margin:0 1em 1em 0;background:#fff"
    return "".join(f'<div style="{style}">{picture}</div>' for picture in pictures)


@views.draw_cell.register
def _of_result(found: Result) -> str:
    """Response times and rates, the distribution, and where the time went."""
    data: Any = found.to_dict()
    names = " · ".join(data["config"][kind]["name"] for kind in ("device", "scheme", "workload"))
    directions = [direction for direction in KINDS if data[direction]["requests"]]
    paths = {
        "IOPS": "iops",
        "rate": "bandwidth_bytes_per_s",
        **{f"latency {label}": f"latency_ns.{key}" for key, label in PERCENTILES.items()},
    }
    rows = [
        [
            label,
            *(_figure(data, f"{direction}.{path}") for direction in directions),
        ]
        for label, path in paths.items()
    ]
    waf = f"<p>WAF {_figure(data, 'waf')}</p>" if data["waf"] is not None else ""
    tails = {}
    for direction in directions:
        latencies, requests = found.histogram(direction)  # type: ignore[arg-type]
        above, total = int(requests.sum()), int(requests.sum())
        curve = []
        for latency, count in zip(latencies.tolist(), requests.tolist(), strict=True):
            above -= count
            curve.append((float(latency), above / total))
        tails[KINDS[direction]] = curve
    charts = [
        curves(
            "response times",
            tails,
            Axis("response time", "time", log=True),
            Axis("share of requests that take longer", "share", log=True),
            steps=True,
        )
    ]
    parts = [(KINDS[direction], _parts(data, direction)) for direction in directions]
    charts += blame.charts({"where the time went, mean": parts})
    summary = table(["", *(KINDS[direction] for direction in directions)], rows)
    told = "".join(f"<p>{escape(notes.text(note))}</p>" for note in data["notes"])
    head = f"<p><b>{escape(names)}</b>, seed {data['seed']}</p>"
    return f"{head}{_dead(data['notes'])}{summary}{legend(rows)}{waf}{told}{_drawn(charts)}"


def _figure(data: Any, path: str) -> str:
    value, interval = at(data, path), intervals.of_result(data, path)
    reach = None if value is None or interval is None else interval.reach(value)
    return fitting(path, value) if value is None else sure(fitting(path, value), value, reach)


def _dead(found_: Iterable[notes.Note]) -> str:
    found = notes.died(found_)
    return "" if found is None else f"<p><b>{escape(found)}</b></p>"


def _parts(data: Any, direction: str) -> dict[str, float]:
    return {name: value for name, value in data[direction]["blame"]["mean"]["mean_ns"].items() if value}


@views.draw_cell.register
def _of_comparison(found: Comparison) -> str:
    """Its tables, bars of each figure, percentiles."""
    metrics = found.metrics(found.wanted)
    made = sheets.sheets(found, metrics)
    tables = "".join(
        f"<p><b>{escape(sheet.title)}</b></p>{table(sheet.headers, sheet.rows)}" for sheet in made
    )
    tables += "".join(f"<p>{escape(note)}</p>" for note in sheets.notes_of(found, made))
    return tables + _drawn(studies.of_comparison(found, metrics))


@views.draw_cell.register
def _of_sweep(found: Sweep) -> str:
    """Its points, averaged over seeds, and each figure by axis."""
    points = averages(found.table().to_pylist())
    metrics = [metric for metric in METRICS if any(point.figure(metric) for point in points)]
    axes = list(points[0].axes) if points else []
    rows = []
    for point in points[:MOST_ROWS]:
        figures = [(metric, point.figure(metric)) for metric in metrics]
        rows.append(
            [str(point.axes[axis]) for axis in axes]
            + [
                fitting(metric, None)
                if figure is None
                else sure(fitting(metric, figure.value), figure.value, figure.half)
                for metric, figure in figures
            ]
        )
    headers = list(endings(axes).values()) + list(map(title, metrics))
    return (
        f"<p><b>{escape(found.name)}</b>: {len(points)} of {len(set(found.keys))} points</p>"
        f"{table(headers, rows)}{legend(rows)}{paragraphs(said(points))}"
        f"{_drawn(studies.of_sweep(points, metrics))}"
    )
