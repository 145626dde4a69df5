"""Comparisons and sweeps as cells of notebooks, and a comparison as files of a folder."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from wordline import views
from wordline.comparison import sheets
from wordline.comparison.figures import Comparison
from wordline.comparison.saved import SAVED, described
from wordline.figures import fitting, sure, title
from wordline.files import write_text
from wordline.folders import replaced
from wordline.names import endings
from wordline.report import studies
from wordline.report.folders import PAGE, comparison_body
from wordline.report.page import MOST_ROWS, legend, paragraphs, report_page, table, write_page
from wordline.report.run_views import drawn
from wordline.sweeps.api import OpenSweep, Sweep
from wordline.sweeps.averages import METRICS, averages, said


@views.draw_cell.register
def _cell_of_comparison(found: Comparison) -> str:
    """Its tables, the changes against the first scheme, percentiles, bars of each figure."""
    metrics = found.metrics()
    made = sheets.sheets(found, metrics)
    tables = "".join(
        f"<p><b>{escape(sheet.title)}</b></p>{table(sheet.headers, sheet.rows)}" for sheet in made
    )
    said = [*sheets.notes_of(found, made), *sheets.failures_of(found)]
    tables += "".join(f"<p>{escape(note)}</p>" for note in said)
    return tables + drawn(
        itertools.chain(
            studies.changes_of(found, metrics), studies.percentiles(found), studies.absolute(found, metrics)
        )
    )


@views.draw_cell.register
def _cell_of_sweep(found: Sweep) -> str:
    """Its points, averaged over seeds, and each figure by axis."""
    runs = found.table().to_pylist()
    points = averages(runs)
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
        f"<p><b>{escape(found.name)}</b>: {len(runs)}{_of_all(found)} runs</p>"
        f"{table(headers, rows)}{legend(rows)}{paragraphs(said(points))}"
        f"{drawn(studies.of_sweep(points, metrics))}"
    )


def _of_all(found: Sweep) -> str:
    return f" of {len(set(found.keys))}" if isinstance(found, OpenSweep) else ""


@views.write_folder.register
def _folder_of_comparison(
    found: Comparison, folder: str | os.PathLike[str], command: Sequence[str]
) -> list[Path]:
    """Beside the rows that the folder holds."""
    heading, body = comparison_body(found, command)
    with replaced(folder) as stage:
        write_text(stage / SAVED, described(found, command))
        write_page(stage / PAGE, report_page(heading, body))
    return [Path(folder) / SAVED, Path(folder) / PAGE]
