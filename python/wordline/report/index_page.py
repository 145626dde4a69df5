"""The page of folders of folders: what is in them, and two of their runs side by side."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wordline import _core, labels, outputs
from wordline.comparison.figures import DEFAULT_METRICS, Comparison
from wordline.figures import (
    LEGEND,
    LEGEND_OF_DIFFERENCES,
    UNSURE,
    best_of,
    fitting,
    fitting_interval,
    fitting_parts,
    title,
)
from wordline.intervals import student_t
from wordline.names import KINDS, endings, part_label
from wordline.notes import when_died
from wordline.report import tiles
from wordline.report.differences import FIGURES
from wordline.report.gathered import PAGE, Gathered, Swept, gather
from wordline.report.lines import Line, shared
from wordline.report.page import REPORT_STYLE, facts, page, sections, write_page
from wordline.report.studies import Search
from wordline.sweeps.averages import METRICS, Average

HERE = Path(__file__).parent

SCRIPT = (HERE / "index.js").read_text(encoding="utf-8")

STYLE = (HERE / "index.css").read_text(encoding="utf-8")

STEPS = 200
"""Of the table of Student's t in a page, by the inverse of the degrees of freedom."""


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    value: float | None = None
    """What it is sorted by; without one it is sorted as text."""
    href: str = ""
    about: str = ""
    """Said below it: half its interval."""
    bad: str = ""
    """The same, of what went wrong."""


def write_index(tops: Sequence[Path], out: str | os.PathLike[str], heading: str | None = None) -> Path:
    """Writes the page. Raises `WordlineError` where nothing is there, or where `out` is one of the pages that
    it leads to.
    """
    found = gather(tops, Path(out))
    pages = [folder / PAGE for folder in found.places.values()] + [page for page, _ in found.pages.values()]
    outputs.check("", out, outputs.PAGE, pages)
    names = ", ".join(top.resolve().name for top in tops)
    text = body(found, Path(out).absolute().parent)
    version = f"Wordline {_core.__version__}"
    return write_page(out, page(heading or names, text, style=REPORT_STYLE + STYLE, subtitle=version))


def body(found: Gathered, base: Path) -> str:
    """All sections; links are relative to the folder `base`."""
    hrefs = {place: _link(folder / PAGE, base) for place, folder in found.places.items()}
    without = [(place, _command(found.places[place])) for place, href in hrefs.items() if not href]
    others = [
        [Cell(place, href=_link(page, base)), Cell(name)] for place, (page, name) in found.pages.items()
    ]
    unreadable = [f"{place}: {why}" for place, why in found.unreadable.items()]
    lines = found.lines
    script = _script(lines) if lines else ""
    beside = '<div id="beside"></div>' if len(lines) > 1 else ""
    return (
        _counts(found)
        + "".join(f'<p class="bad">{escape(text)}</p>' for text in unreadable)
        + sections(
            (
                ("Runs", _runs(lines, hrefs) if lines else ""),
                ("Side by side", beside),
                ("Comparisons", _comparisons(found.comparisons, hrefs)),
                ("Sweeps", _sweeps(found.sweeps, hrefs)),
                ("Searches", _searches(found.searches, hrefs)),
                ("Other pages", sortable(("page", "title"), others) if others else ""),
                ("Folders without a page", facts(without) if without else ""),
            )
        )
        + script
    )


def _link(page: Path, base: Path) -> str:
    """Empty where there is no page of Wordline's."""
    if not outputs.PAGE.is_own(page):
        return ""
    return quote(Path(os.path.relpath(page.absolute(), base)).as_posix())


def _command(folder: Path) -> str:
    return f"{shlex.join(['wordline', 'report', str(folder), '--out', str(folder / PAGE)])} writes it"


def _counts(found: Gathered) -> str:
    runs = sum(1 for line in found.lines if line.place not in found.comparisons)
    counts = {
        "runs": runs,
        "comparisons": len(found.comparisons),
        "sweeps": len(found.sweeps),
        "searches": len(found.searches),
        "other pages": len(found.pages),
        "not readable": len(found.unreadable),
    }
    return tiles.laid((name, f"<b>{count:,}</b>") for name, count in counts.items() if count)


def sortable(headers: Sequence[str], rows: Iterable[Sequence[Cell]], *, numbers_from: int = 1 << 30) -> str:
    """A table that a click on a header sorts; columns from `numbers_from` on hold numbers."""
    head = "".join(
        f'<th{" class=n" if place >= numbers_from else ""}><button type="button">{escape(text)}</button></th>'
        for place, text in enumerate(headers)
    )
    lines = "".join(
        "<tr>" + "".join(_field(cell, place >= numbers_from) for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        '<div class="scroll"><table class="sortable"><thead><tr>'
        f"{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _field(cell: Cell, number: bool) -> str:
    text = f'<a href="{escape(cell.href)}">{escape(cell.text)}</a>' if cell.href else escape(cell.text)
    value = "" if cell.value is None else f' data-v="{cell.value!r}"'
    words = (("dim", cell.about), ("bad", cell.bad))
    under = "".join(f'<small class="{kind}">{escape(said)}</small>' for kind, said in words if said)
    return f"<td{' class=n' if number else ''}{value}>{text}{under}</td>"


def _figure(metric: str, found: Average | None) -> Cell:
    if found is None:
        return Cell(fitting(metric, None))
    if found.unsure:
        return Cell(UNSURE, found.value)
    about = ""
    if found.half is not None:
        _, half, unit = fitting_parts(metric, found.value, found.half)
        about = f"±{half} {unit}".strip()
    return Cell(fitting(metric, found.value), found.value, about=about)


def _runs(lines: Sequence[Line], hrefs: Mapping[str, str]) -> str:
    common = shared(lines)
    words = [_words(line, common) for line in lines]
    alike = {name for name in words[0] if len(lines) > 1 and len({each[name] for each in words}) == 1}
    told = [(name, words[0][name]) for name in words[0] if name in alike and words[0][name]]
    told += [("set in all", ", ".join(sorted(f"{path}={value}" for path, value in common)))] if common else []
    names = [name for name in words[0] if name not in alike]
    metrics = [metric for metric in DEFAULT_METRICS if any(metric in line.figures for line in lines)]
    rows = [
        [
            Cell(line.name, href=hrefs.get(line.place, ""), bad=f"died {line.died}" if line.died else ""),
            *(Cell(own[name]) for name in names),
            *(_figure(metric, line.figures.get(metric)) for metric in metrics),
        ]
        for line, own in zip(lines, words, strict=True)
    ]
    unsure = any(cell.text == UNSURE for row in rows for cell in row)
    legend = f'<p class="dim">{escape(LEGEND)}</p>' if unsure else ""
    headers = ["folder", *names, *map(title, metrics)]
    table = sortable(headers, rows, numbers_from=1 + len(names))
    hint = "A click on a heading sorts." + (
        " A and B choose two for the section below." if len(lines) > 1 else ""
    )
    return f'{facts(told)}<p class="dim">{hint}</p><div id="runs">{table}</div>{legend}'


def _words(line: Line, common: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What was run."""
    result = {"changed": line.changed}
    told = ", ".join(change for kind in labels.KINDS for change in labels.changes(result, kind, common))
    several = len(line.seeds) > 1
    return {
        **{kind: labels.brief(name) for kind, name in line.names.items()},
        "set": told,
        "seed": (f"{len(line.seeds)}: " if several else "") + _numbers(line.seeds),
    }


def _numbers(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))


def _comparisons(found: Mapping[str, Comparison], hrefs: Mapping[str, str]) -> str:
    rows = [
        [
            Cell(place, href=hrefs.get(place, "")),
            Cell(each.title),
            Cell(", ".join(labels.briefs(each.schemes).values())),
            Cell(", ".join(each.workloads)),
            Cell(_numbers(each.seeds)),
            Cell(f"{len(each.errors):,}", len(each.errors)),
        ]
        for place, each in found.items()
    ]
    headers = ("folder", "device", "schemes", "workloads", "seeds", "failed")
    return sortable(headers, rows, numbers_from=5) if rows else ""


def _sweeps(found: Mapping[str, Swept], hrefs: Mapping[str, str]) -> str:
    """With the best value of each figure. What a drive did before it died is no merit."""
    alive = {
        place: [point for point in sweep.points if when_died(point.notes) is None]
        for place, sweep in found.items()
    }
    best = {
        place: {metric: _best(metric, [point.figure(metric) for point in points]) for metric in METRICS}
        for place, points in alive.items()
    }
    metrics = [metric for metric in METRICS if any(each[metric] for each in best.values())]
    rows = []
    for place, sweep in found.items():
        axes = list(sweep.points[0].axes) if sweep.points else []
        ends = endings(axes)
        values = {axis: list(dict.fromkeys(str(point.axes[axis]) for point in sweep.points)) for axis in axes}
        varied = "; ".join(f"{ends[axis]} {_few(own)}" for axis, own in values.items())
        errors = sum(len(point.errors) for point in sweep.points)
        rows.append(
            [
                Cell(place, href=hrefs.get(place, "")),
                *(Cell(_each(sweep.rows, kind)) for kind in labels.KINDS),
                Cell(varied),
                Cell(_each(sweep.rows, "seed")),
                Cell(f"{len(sweep.points):,}", len(sweep.points)),
                Cell(f"{errors:,}", errors),
                *(_figure(metric, best[place][metric]) for metric in metrics),
            ]
        )
    headers = ["folder", *labels.KINDS, "varied", "seeds", "points", "failed"]
    headers += [f"best {title(metric)}" for metric in metrics]
    return sortable(headers, rows, numbers_from=6) if rows else ""


def _best(metric: str, found: Sequence[Average | None]) -> Average | None:
    known = [figure for figure in found if figure is not None]
    target = best_of(metric, (figure.value for figure in known))
    return next((figure for figure in known if figure.value == target), None)


def _each(rows: Sequence[Mapping[str, Any]], column: str) -> str:
    return ", ".join(dict.fromkeys(labels.brief(str(row[column])) for row in rows))


def _few(values: Sequence[str]) -> str:
    return ", ".join(values) if len(values) <= 4 else f"{values[0]}, … {values[-1]} ({len(values)})"


def _searches(found: Mapping[str, Search], hrefs: Mapping[str, str]) -> str:
    rows = []
    for place, search in found.items():
        best = next((trial for trial in search.trials if trial["trial"] in search.best), None)
        alone = best is not None and len(search.objectives) == 1
        figures = ", ".join(
            f"{title(name)} {search.text(best, name)}" if alone and best else f"{title(name)} to {way}"
            for name, way in search.objectives.items()
        )
        failed = sum(trial["error"] is not None for trial in search.trials)
        rows.append(
            [
                Cell(place, href=hrefs.get(place, "")),
                Cell(search.name),
                Cell(", ".join(endings(search.parameters).values())),
                Cell(figures if alone else f"{figures}: a front of {len(search.best)}"),
                Cell(f"{len(search.trials):,}", len(search.trials)),
                Cell(f"{failed:,}", failed),
            ]
        )
    headers = ("folder", "name", "varied", "best", "trials", "failed")
    return sortable(headers, rows, numbers_from=4) if rows else ""


def _script(lines: Sequence[Line]) -> str:
    """The data of all lines, and what lays two of them side by side."""
    keys = dict.fromkeys(key for line in lines for key in line.keys)
    differing = [key for key in keys if len({line.keys.get(key) for line in lines}) > 1]
    parts = dict.fromkeys(part for line in lines for told in line.blame.values() for part in told)
    data = {
        "figures": {metric: title(metric) for metric in FIGURES},
        "kinds": dict(KINDS),
        "parts": {part: part_label(part) for part in parts},
        # By the inverse of the degrees of freedom, from none, the normal distribution, to one.
        "legend": LEGEND_OF_DIFFERENCES,
        "t": [round(student_t(STEPS / step if step else 1e9), 5) for step in range(STEPS + 1)],
        "runs": [
            {
                "name": line.name,
                "died": line.died,
                "seed": _numbers(line.seeds),
                "keys": {key: line.keys[key] for key in differing if key in line.keys},
                "figures": {metric: _told(metric, found) for metric, found in line.figures.items()},
                "blame": line.blame,
            }
            for line in lines
        ],
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="data">{text}</script><script>{SCRIPT}</script>'


def _told(metric: str, found: Average) -> list[Any]:
    """Value, text, standard error and degrees of freedom."""
    text = fitting_interval(metric, found.value, found.half)
    known = found.interval
    return [found.value, text, known and known.error, known and known.degrees]
