"""The table of a sweep for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wordline.figures import LEGEND, UNSURE, check_known, formatted_interval, heading
from wordline.names import endings
from wordline.notes import when_died
from wordline.study.row import DONE
from wordline.sweeps.averages import METRICS, Averaged, averages, said, shows
from wordline.wording import argument

if TYPE_CHECKING:
    from wordline.sweeps.api import OpenSweep

MOST_ROWS = 60
"""Rows that are printed; all are in the file."""


def render(sweep: OpenSweep, metrics: list[str] | None = None) -> RenderableType:
    """What came of the points, and a row for each: the means of its seeds. Raises `WordlineError` for a
    figure that is named and that no point has.
    """
    rows = sweep.table().to_pylist()
    known = {name for row in rows for name, value in row.items() if value is not None}
    points = averages(rows)
    if metrics is not None and any(row["status"] == DONE for row in rows):
        option = argument("metrics", option="--metric")
        check_known(metrics, known, lambda metric: metric in known or shows(points, metric), option)
    given = [metric for metric in metrics or METRICS if metric in known or shows(points, metric)]
    axes = list(points[0].axes) if points else []
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in endings(axes).values():
        table.add_column(name, overflow="fold")
    for metric in given:
        table.add_column(heading(metric), justify="right", overflow="fold")
    deaths = [when_died(point.notes) for point in points]
    if any(deaths):
        table.add_column("drive died", style="red")
    failures = any(point.errors for point in points)
    if failures:
        table.add_column("error", style="red")
    unsure = False
    for point, death in zip(points[:MOST_ROWS], deaths, strict=False):
        texts = [_text(point, metric) for metric in given]
        unsure = unsure or UNSURE in texts
        cells = [str(point.axes[name]) for name in axes] + texts + ([death or "–"] if any(deaths) else [])
        table.add_row(*cells, *(["; ".join(dict.fromkeys(point.errors))] if failures else []))
    parts: list[RenderableType] = [_title(sweep), Text(), table]
    if len(points) > MOST_ROWS:
        parts.append(Text(f"… and {len(points) - MOST_ROWS:,} more points", style="dim"))
    lines = [Text(LEGEND, style="dim")] if unsure else []
    lines += [Text(f"note: {note.text()}", style="yellow") for note in said(points, given)]
    parts += [Text(), *lines] if lines else []
    return Group(*parts)


def _text(point: Averaged, metric: str) -> str:
    """The mean over seeds and half its interval; of one seed the value as it is."""
    found = point.figure(metric)
    return formatted_interval(metric, *((None, None) if found is None else (found.value, found.half)))


def _title(sweep: OpenSweep) -> Text:
    text = Text(sweep.name, style="bold")
    outcome = sweep.outcome
    if outcome is not None:
        text.append(
            f"   {outcome.points:,} points: {outcome.kept:,} were there, {outcome.done:,} done", style="dim"
        )
        if outcome.failed_before:
            text.append(f", {outcome.failed_before:,} failed before (--retry runs them again)", style="red")
        if outcome.failed:
            text.append(f", {outcome.failed:,} failed", style="red")
    return text
