"""Pages of any folders that were written: runs, comparisons, sweeps, searches, several at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from wordline import labels
from wordline.charts.embed import figures
from wordline.comparison import sheets
from wordline.comparison.figures import Comparison
from wordline.comparison.saved import SAVED as COMPARISON
from wordline.comparison.saved import load as load_comparison
from wordline.figures import fitting_interval, title
from wordline.folders import check, replaced
from wordline.names import endings
from wordline.notes import when_died
from wordline.report import html, index_page, studies, study_facts
from wordline.report.gathered import PAGE, is_of_folders
from wordline.report.kept_studies import load_search, rows_of
from wordline.report.page import (
    MOST_ROWS,
    facts,
    legend,
    paragraphs,
    report_page,
    sections,
    table,
    write_page,
)
from wordline.report.runs import load_runs
from wordline.sweeps.api import TABLE as SWEEP
from wordline.sweeps.averages import METRICS, averages, label_of, said, shows
from wordline.tuning.search import DESCRIBED as SEARCH


def write_report(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], title: str | None = None
) -> Path:
    """Writes one page of these folders, whatever wrote them; where one is a folder of folders, a page that
    lists what is in all of them. Raises `WordlineError` for one that is none.
    """
    if any(map(is_of_folders, map(Path, folders))):
        return index_page.write_index([Path(folder) for folder in folders], out, title)
    runs, others = [], []
    for folder in map(Path, folders):
        check(folder)
        study = next((render for name, render in STUDIES if (folder / name).is_file()), None)
        if study is None:
            runs.append(folder)
        else:
            others.append((folder, study))
    if not others:
        return html.write_report(folders, out, title)
    parts = []
    if runs:
        found = load_runs(runs)
        parts.append((html.names_of(found), html.body(found)))
    parts += [study(folder) for folder, study in others]
    alone = len(parts) == 1
    body = "".join(
        text if alone else f"<section><h2>{escape(name)}</h2></section>{text}" for name, text in parts
    )
    heading = title or (parts[0][0] if alone else ", ".join(name for name, _ in parts))
    return write_page(out, report_page(heading, body))


def write_study(folder: Path, keep: Sequence[str]) -> Path:
    """Writes the page of a study beside those of its files that are named, in the place of whatever else
    Wordline wrote there.
    """
    with replaced(folder, keep) as stage:
        write_report([folder], stage / PAGE)
    return folder / PAGE


def write_sweep(folder: Path, keep: Sequence[str], metrics: Sequence[str] = ()) -> Path:
    """The same of a sweep; the figures that are named come first."""
    with replaced(folder, keep) as stage:
        name, body = _sweep(folder, metrics)
        write_page(stage / PAGE, report_page(name, body))
    return folder / PAGE


def _comparison(folder: Path) -> tuple[str, str]:
    return comparison_body(*load_comparison(folder))


def comparison_body(found: Comparison, command: Sequence[str] = ()) -> tuple[str, str]:
    """A name for a comparison, and all its sections."""
    return f"{found.title}: {', '.join(labels.briefs(found.schemes).values())}", _comparison_sections(
        found, command
    )


def _comparison_sections(found: Comparison, command: Sequence[str]) -> str:
    metrics = found.metrics()
    made = [sheet for sheet in sheets.sheets(found, metrics) if "where a" not in sheet.title]
    names = labels.briefs(found.schemes)
    heads = [[names.get(head, head) for head in sheet.headers] for sheet in made]
    tables = "".join(
        f"<h3>{escape(sheet.title)}</h3>{table(own, sheet.rows)}"
        for own, sheet in zip(heads, made, strict=True)
    )
    said = sheets.notes_of(found, made)
    said += sheets.failures_of(found)
    # Whole names stand among the facts.
    for name, text in names.items():
        said = [note.replace(name, text) for note in said] if text != name else said
    notes = "".join(f'<p class="fair">{escape(note)}</p>' for note in said)
    rows = [("device", found.device)]
    rows += [(f"{kind} set", ", ".join(told)) for kind, told in _changes(found).items() if told]
    rows += [("schemes", ", ".join(found.schemes))]
    rows += [("workloads", ", ".join(found.workloads)), ("seeds", ", ".join(map(str, found.seeds)))]
    rows += [("command", " ".join(command))] if command else []
    panels = studies.blame_of(found)
    return sections(
        (
            (f"What changes against {names[found.schemes[0]]}", _changes_drawn(found, metrics)),
            ("Summary", facts(rows) + tables + notes),
            ("Response times", figures(studies.percentiles(found))),
            ("Where the time went", html.explained(panels, studies.blame_messages(found, panels))),
        )
    )


def _changes_drawn(found: Comparison, metrics: Sequence[str]) -> str:
    """One chart of changes for each workload; the figures themselves on demand."""
    drawn = figures(studies.changes_of(found, metrics))
    how = (
        "Dots with 95% intervals of the difference; pale: the interval holds no change. "
        "A dot without an interval may be chance. "
        "↑ more is better, ↓ less is better; neither where there is no arrow."
    )
    own = figures(studies.absolute(found, metrics))
    more = f"<details><summary>The figures themselves</summary>{own}</details>" if own else ""
    return (f'<p class="dim">{how}</p>{drawn}' if drawn else "") + more


def _changes(found: Comparison) -> dict[str, list[str]]:
    return {kind: labels.changes({"changed": found.changed}, kind) for kind in labels.KINDS}


def sweep_body(rows: Sequence[dict[str, Any]], metrics: Sequence[str] = METRICS) -> str:
    """All sections of a sweep: its points averaged over seeds."""
    found = averages(rows)
    given = [metric for metric in metrics if shows(found, metric)]
    axes = list(found[0].axes) if found else []
    deaths = [when_died(point.notes) for point in found]
    failures = any(point.errors for point in found)
    lines = []
    for point, death in zip(found[:MOST_ROWS], deaths, strict=False):
        cells = [str(point.axes[axis]) for axis in axes]
        for metric in given:
            figure = point.figure(metric)
            known = (None, None) if figure is None else (figure.value, figure.half)
            cells.append(fitting_interval(metric, *known))
        cells += [death or "–"] if any(deaths) else []
        lines.append([*cells, *([point.errors[0] if point.errors else ""] if failures else [])])
    headers = [*endings(axes).values(), *map(title, given)]
    headers += ["drive died"] if any(deaths) else []
    headers += ["error"] if failures else []
    rest = len(found) - MOST_ROWS
    more = f'<p class="dim">… and {rest:,} more points</p>' if rest > 0 else ""
    seeds = sorted({row["seed"] for row in rows})
    names = [
        (kind, ", ".join(sorted({str(row[kind]) for row in rows})))
        for kind in ("device", "scheme", "workload")
    ]
    told = [*names, *study_facts.swept(found), ("seeds", ", ".join(map(str, seeds)))]
    told.append(("points", f"{len(found):,}"))
    errors = [(label_of(point), error) for point in found for error in point.errors]
    head = study_facts.failed("runs", errors, len(rows)) + facts(told) + study_facts.best(found, given)
    return sections(
        (
            ("Summary", head + study_facts.shared(rows)),
            ("Figures by axis", figures(studies.of_sweep(found, given))),
            ("Points", table(headers, lines) + more + legend(lines) + paragraphs(said(found, given))),
        )
    )


def _sweep(folder: Path, metrics: Sequence[str] = ()) -> tuple[str, str]:
    wanted = list(dict.fromkeys((*metrics, *METRICS)))
    return folder.resolve().name, sweep_body(rows_of(folder / SWEEP), wanted)


def _search(folder: Path) -> tuple[str, str]:
    found = load_search(folder)
    return found.name, search_body(found)


def search_body(found: studies.Search) -> str:
    """All sections of a search."""
    headers = [
        "trial",
        *map(title, found.objectives),
        *endings(found.parameters).values(),
    ]
    lines = [
        [
            str(trial["trial"]),
            *(found.text(trial, name) for name in found.objectives),
            *(
                f"{value:.4g}" if isinstance(value, float) else str(value)
                for value in map(trial.get, found.parameters)
            ),
        ]
        for trial in found.trials
        if trial["trial"] in found.best
    ]
    errors = [(f"trial {trial['trial']}", trial["error"]) for trial in found.trials if trial["error"]]
    head = study_facts.failed("trials", errors, len(found.trials)) + facts(study_facts.searched(found))
    return sections(
        (
            ("Summary", head),
            (
                "Best" if len(found.objectives) == 1 else "Front",
                table(headers, lines) + legend(lines) + paragraphs(found.notes),
            ),
            (f"{len(found.trials)} trials", figures(studies.of_search(found))),
        )
    )


STUDIES: tuple[tuple[str, Callable[[Path], tuple[str, str]]], ...] = (
    (COMPARISON, _comparison),
    (SEARCH, _search),
    (SWEEP, _sweep),
)
"""The file by which a folder is known, and what its page shows: a name and a body."""

__all__ = ["PAGE", "search_body", "sweep_body", "write_report", "write_study", "write_sweep"]
