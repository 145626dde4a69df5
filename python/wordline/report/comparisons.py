"""A comparison as a part of a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from wordline.charts.embed import figures
from wordline.comparison import sheets
from wordline.report import html, studies
from wordline.report.tables import facts, sections, table

if TYPE_CHECKING:
    from wordline.comparison.figures import Comparison


def named(found: Comparison, command: Sequence[str] = ()) -> tuple[str, str]:
    """A name for it, and all its sections."""
    return f"{found.device}: {', '.join(found.schemes)}", _body(found, command)


def _body(found: Comparison, command: Sequence[str]) -> str:
    metrics = found.metrics(found.wanted)
    made = [sheet for sheet in sheets.sheets(found, metrics) if "where a" not in sheet.title]
    tables = "".join(f"<h3>{escape(sheet.title)}</h3>{table(sheet.headers, sheet.rows)}" for sheet in made)
    said = sheets.notes_of(found, made)
    said += [f"{workload}, {scheme}: {error}" for (workload, scheme), error in found.errors.items()]
    notes = "".join(f'<p class="fair">{escape(note)}</p>' for note in said)
    rows = [("device", found.device), ("schemes", ", ".join(found.schemes))]
    rows += [("workloads", ", ".join(found.workloads)), ("seeds", ", ".join(map(str, found.seeds)))]
    rows += [("command", " ".join(command))] if command else []
    return sections(
        (
            ("Summary", facts(rows) + tables + notes),
            ("Figures", figures(studies.of_comparison(found, metrics))),
            ("Where the time went", html.explained(studies.blame_of(found))),
        )
    )
