"""The table of a sweep for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wordline._core import WordlineError
from wordline.figures import formatted, heading
from wordline.study.row import AXIS

if TYPE_CHECKING:
    from wordline.sweeps.api import Sweep

MOST_ROWS = 60
"""Rows that are printed; all are in the file."""


def render(sweep: Sweep, metrics: list[str]) -> RenderableType:
    """What came of the points, and a row for each."""
    rows = sweep.table().to_pylist()
    known = {name for row in rows for name, value in row.items() if value is not None}
    given = [metric for metric in metrics if metric in known]
    unknown = [metric for metric in metrics if metric not in known]
    if unknown and not given and any(row["status"] == "done" for row in rows):
        raise WordlineError(f"--metric {unknown[0]}: no row has it; see the columns of the table")
    axes = [name for name in (rows[0] if rows else {}) if name.startswith(AXIS)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in axes:
        table.add_column(_short(name.removeprefix(AXIS)))
    for metric in given:
        table.add_column(heading(metric), justify="right")
    failures = any(row["error"] for row in rows)
    if failures:
        table.add_column("error", style="red")
    for row in rows[:MOST_ROWS]:
        cells = [str(row[name]) for name in axes] + [formatted(metric, row.get(metric)) for metric in given]
        table.add_row(*cells, *([row["error"] or ""] if failures else []))
    parts: list[RenderableType] = [_title(sweep), Text(), table]
    if len(rows) > MOST_ROWS:
        parts.append(Text(f"… and {len(rows) - MOST_ROWS:,} more rows", style="dim"))
    return Group(*parts)


def _short(path: str) -> str:
    return path.rpartition(".")[2]


def _title(sweep: Sweep) -> Text:
    text = Text(sweep.name, style="bold")
    outcome = sweep.outcome
    if outcome is not None:
        text.append(
            f"   {outcome.points:,} points: {outcome.kept:,} were there, {outcome.done:,} done", style="dim"
        )
        if outcome.failed:
            text.append(f", {outcome.failed:,} failed", style="red")
    return text
