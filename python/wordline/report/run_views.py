"""Runs, of one seed or of several, as cells of notebooks and as files of a folder.

In a notebook charts are SVG, which any viewer draws.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet
from rich.console import Console

from wordline import intervals, labels, notes, views
from wordline.charts import Axis, Chart, curves, images
from wordline.figures import at, fitting, sure
from wordline.files import made_folder, write_text, written
from wordline.folders import replaced
from wordline.names import KINDS, PERCENTILES
from wordline.report import blame, html, messages, run_charts
from wordline.report.page import legend, table
from wordline.report.runs import COMMAND
from wordline.report.terminal import TEXT_WIDTH, render
from wordline.result import Result
from wordline.seeds import Seeds

PAGE = "report.html"

MOST_CHARTS = 8


def drawn(charts: Iterable[Chart]) -> str:
    """The first charts, for a cell."""
    pictures = (images.svg(chart) for chart in islice(charts, MOST_CHARTS))
    style = "display:inline-block;margin:0 1em 1em 0;background:#fff"
    return "".join(f'<div style="{style}">{picture}</div>' for picture in pictures)


@views.draw_cell.register
def _cell(found: Result) -> str:
    """Response times and rates, the distribution, and where the time went."""
    data: Any = found.to_dict()
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
    spans = {KINDS[kind]: own for kind in directions if (own := run_charts.spans_of(data, kind))}
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
            spans=spans,
        ).saying(messages.response_times(data), run_charts.INTERVALS if spans else "")
    ]
    parts = [(KINDS[direction], _parts(data, direction)) for direction in directions]
    went = "where the time went, mean"
    charts += blame.charts({went: parts}, {went: messages.parts_of_kinds(parts, tail=False)})
    summary = table(["", *(KINDS[direction] for direction in directions)], rows)
    told = "".join(f"<p>{escape(notes.text(note))}</p>" for note in data["notes"])
    head = f"<p><b>{escape(labels.title(data))}</b>, seed {data['seed']}</p>"
    return f"{head}{_dead(data['notes'])}{summary}{legend(rows)}{waf}{told}{drawn(charts)}"


def _figure(data: Any, path: str) -> str:
    value, interval = at(data, path), intervals.of_result(data, path)
    reach = None if value is None or interval is None else interval.reach(value)
    return fitting(path, value) if value is None else sure(fitting(path, value), value, reach)


def _dead(found_: Iterable[notes.Note]) -> str:
    found = notes.died(found_)
    return "" if found is None else f"<p><b>{escape(found)}</b></p>"


def _parts(data: Any, direction: str) -> dict[str, float]:
    return {name: value for name, value in data[direction]["blame"]["mean"]["mean_ns"].items() if value}


@views.write_folder.register
def _folder(found: Result, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    with replaced(folder) as stage:
        names = _write_run(found, stage, command)
    return [Path(folder) / name for name in names]


def _write_run(found: Result, folder: Path, command: Sequence[str]) -> list[str]:
    """Writes a run into a new folder; returns the names of its files."""
    write_text(folder / "result.json", found.json() + "\n")
    if command:
        write_text(folder / COMMAND, json.dumps(list(command)) + "\n")
    with written(folder / "report.txt") as part, part.open("w", encoding="utf-8") as file:
        Console(file=file, width=TEXT_WIDTH).print(render(found))
    tables = found.tables()
    for name in tables:
        with written(folder / f"{name}.parquet") as part:
            pyarrow.parquet.write_table(found.table(name), part)
    html.write_report([folder], folder / PAGE)
    return ["result.json", "report.txt", PAGE, *(f"{name}.parquet" for name in tables)]


@views.write_folder.register
def _folder_of_seeds(found: Seeds, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    with replaced(folder) as stage:
        write_text(stage / "summary.json", json.dumps(found.to_dict(), indent=2) + "\n")
        with written(stage / "summary.parquet") as part:
            pyarrow.parquet.write_table(found.table(), part)
        for seed, result in found.items():
            _write_run(result, made_folder(stage / f"seed-{seed}"), command)
        html.write_report([stage], stage / PAGE)
    names = ("summary.json", "summary.parquet", *(f"seed-{seed}" for seed in found), PAGE)
    return [Path(folder) / name for name in names]
