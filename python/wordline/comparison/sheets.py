"""A comparison as sheets of text: for a terminal, for Markdown, for CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wordline.comparison.figures import DIRECTIONS, Direction, Part
from wordline.figures import best_of, formatted_interval, heading, legends, mark, number, to_three_digits
from wordline.markdown import escaped
from wordline.markdown import table as table_lines
from wordline.names import part_label
from wordline.notes import DEATH

if TYPE_CHECKING:
    from wordline.comparison.figures import Cell, Comparison

SMALLEST_SHARE = 0.01
"""Parts below this share of every scheme's response time are folded into one row."""


SUM = "sum"


@dataclass(frozen=True)
class Sheet:
    """A table of text. The first column is words, the others are numbers."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    best: frozenset[tuple[int, int]] = frozenset()
    """Row and column of the best of the schemes; of a figure that is neither good nor bad there is none."""


def sheets(comparison: Comparison, metrics: Sequence[str], part: Part = "mean") -> list[Sheet]:
    """Figures and blame of each workload, and the mean over all workloads where there are several."""
    made = []
    for workload in comparison.workloads:
        given = [metric for metric in metrics if comparison.shows(workload, metric)]
        made.append(_figures(comparison, workload, given))
        made += [
            sheet for direction in DIRECTIONS if (sheet := _blame(comparison, workload, direction, part))
        ]
    if len(comparison.workloads) > 1:
        made.append(_means(comparison, metrics))
    return made


def _figures(comparison: Comparison, workload: str, metrics: Sequence[str]) -> Sheet:
    deaths = [comparison.died(workload, scheme) for scheme in comparison.schemes]
    rows = [["drive died", *(death or "–" for death in deaths)]] if any(deaths) else []
    marked = set()
    for metric in metrics:
        cells = [comparison.cell(workload, scheme, metric) for scheme in comparison.schemes]
        # What a drive did before it died is no merit, nor what chance did.
        told = {
            place: cell.value
            for place, (cell, death) in enumerate(zip(cells, deaths, strict=True))
            if cell is not None and not cell.unsure and death is None
        }
        if len(set(told.values())) > 1:
            target = best_of(metric, told.values())
            marked |= {(len(rows), 1 + place) for place, value in told.items() if value == target}
        rows.append([heading(metric), *(_cell_text(metric, cell, cells[0]) for cell in cells)])
    return Sheet(f"{comparison.title} · {workload}", ["", *comparison.schemes], rows, frozenset(marked))


def _cell_text(metric: str, cell: Cell | None, first: Cell | None) -> str:
    """The value, half its interval, and in parentheses what it is of the first scheme's: behind ≈ where the
    difference lies inside its interval, and ? where it has none.
    """
    if cell is None:
        return "–"
    text = formatted_interval(metric, cell.value, cell.ci95)
    if cell is first or cell.ratio is None or cell.unsure or (first is not None and first.unsure):
        return text
    before = mark(cell.same, cell.value, None if first is None else first.value)
    return f"{text} ({before}{to_three_digits(cell.ratio)})"


def _blame(comparison: Comparison, workload: str, direction: Direction, part: Part) -> Sheet | None:
    blames = [comparison.blame(workload, scheme, direction, part) for scheme in comparison.schemes]
    totals = [sum(blame.values()) for blame in blames]
    if not any(totals):
        return None
    known = [comparison.has_requests(workload, scheme, direction) for scheme in comparison.schemes]
    share = {
        key: max(blame.get(key, 0.0) / total for blame, total in zip(blames, totals, strict=True) if total)
        for key in {key for blame in blames for key in blame}
    }
    shown = sorted((key for key in share if share[key] >= SMALLEST_SHARE), key=lambda key: (-share[key], key))
    folded = [key for key in share if key not in shown]
    rows = [[part_label(key), *_times((blame.get(key, 0.0) for blame in blames), known)] for key in shown]
    if folded:
        rest = (sum(blame.get(key, 0.0) for key in folded) for blame in blames)
        label = (
            part_label(folded[0]) if len(folded) == 1 else f"{len(folded)} parts below {SMALLEST_SHARE:.0%}"
        )
        rows.append([label, *_times(rest, known)])
    rows.append([SUM, *_times(totals, known)])
    which = "from p99 on" if part == "tail" else "in the mean"
    title = f"{workload}: where a {direction}'s time went {which}, µs"
    return Sheet(title, ["", *comparison.schemes], rows)


def _times(values_ns: Iterable[float], known: Sequence[bool]) -> list[str]:
    """Times in µs; of a scheme without such requests, as where its run failed, there is none."""
    return [number(value / 1e3) if there else "–" for value, there in zip(values_ns, known, strict=True)]


def _means(comparison: Comparison, metrics: Sequence[str]) -> Sheet:
    rows = []
    for metric in metrics:
        means = [_mean(comparison, scheme, metric) for scheme in comparison.schemes]
        if any(comparison.geometric_mean(scheme, metric) is not None for scheme in comparison.schemes):
            texts = (to_three_digits(mean) if mean is not None else "–" for mean in means)
            rows.append([heading(metric).partition(",")[0], *texts])
    title = f"{len(comparison.workloads)} workloads: geometric mean of the ratio to {comparison.schemes[0]}"
    return Sheet(title, ["", *comparison.schemes], rows)


def _mean(comparison: Comparison, scheme: str, metric: str) -> float | None:
    """The geometric mean over workloads, where all of its ratios are of figures of drives that live."""
    for workload in comparison.workloads:
        for each in (scheme, comparison.schemes[0]):
            cell = comparison.cell(workload, each, metric)
            if cell is None or cell.unsure or comparison.died(workload, each) is not None:
                return None
    return comparison.geometric_mean(scheme, metric)


def terminal(comparison: Comparison, metrics: Sequence[str], part: Part = "mean") -> RenderableType:
    """For a terminal. The best of each figure is bold."""
    parts: list[RenderableType] = []
    made = sheets(comparison, metrics, part)
    for sheet in made:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for position, header in enumerate(sheet.headers):
            name = header.replace("+", " + ")
            table.add_column(
                name, justify="right" if position else "left", no_wrap=not position, overflow="fold"
            )
        for line, row in enumerate(sheet.rows):
            table.add_row(*(Text(text, style=_style(sheet, line, column)) for column, text in enumerate(row)))
        parts += [Text(sheet.title, style="bold"), table, Text()]
    for note in notes_of(comparison, made):
        parts.append(Text(f"note: {note}", style="yellow"))
    parts += [Text(line, style="red") for line in failures_of(comparison)]
    return Group(*parts)


def _style(sheet: Sheet, line: int, column: int) -> str:
    if (line, column) in sheet.best:
        return "bold green"
    return "dim" if sheet.rows[line][0] == SUM else ""


def markdown(comparison: Comparison, metrics: Sequence[str], part: Part = "mean") -> str:
    """For a Markdown document."""
    lines = []
    made = sheets(comparison, metrics, part)
    for sheet in made:
        lines += [f"**{escaped(sheet.title)}**", ""]
        lines += table_lines(sheet.headers, sheet.rows, lambda place: place > 0)
    below = [*(f"Note: {note}" for note in notes_of(comparison, made)), *failures_of(comparison)]
    lines += [line for said in below for line in (escaped(said), "")]
    return "\n".join(lines).rstrip() + "\n"


_LATEX = str.maketrans(
    {
        **{sign: "\\" + sign for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$", "≈": r"$\approx$", "µ": r"$\mu$", "–": "--", "·": r"$\cdot$", "≥": r"$\geq$",
    }
)  # fmt: skip


def latex(comparison: Comparison, metrics: Sequence[str], part: Part = "mean") -> str:
    """For a LaTeX document, with the package booktabs. The best of each figure is bold."""
    lines = []
    made = sheets(comparison, metrics, part)
    for sheet in made:
        columns = "l" + "r" * (len(sheet.headers) - 1)
        lines += [r"\begin{table}", r"\centering", rf"\caption{{{sheet.title.translate(_LATEX)}}}"]
        lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        lines.append(" & ".join(header.translate(_LATEX) for header in sheet.headers) + r" \\")
        lines.append(r"\midrule")
        for number_, row in enumerate(sheet.rows):
            cells = [text.translate(_LATEX) for text in row]
            cells = [
                rf"\textbf{{{text}}}" if (number_, place) in sheet.best else text
                for place, text in enumerate(cells)
            ]
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    lines += [f"% note: {note}" for note in notes_of(comparison, made)]
    lines += [f"% {line}" for line in failures_of(comparison)]
    return "\n".join(lines).rstrip() + "\n"


def notes_of(comparison: Comparison, made: Sequence[Sheet]) -> list[str]:
    """What stands below these sheets: the notes of the runs, and what words and marks in them mean."""
    said = [
        f"{workload}, {note.text()}"
        for workload in comparison.workloads
        for note in comparison.notes(workload)
    ]
    return said + legends(row for sheet in made for row in sheet.rows)


def failures_of(comparison: Comparison) -> list[str]:
    """Which runs failed, and which figures are therefore means of fewer seeds than were asked for."""
    lines = [f"{workload}, {scheme}: {error}" for (workload, scheme), error in comparison.errors.items()]
    for (workload, scheme), (ended, seeds) in comparison.fewer_seeds.items():
        lines.append(f"{workload}, {scheme}: figures are of {ended} of {seeds} seeds, the others failed")
    return lines


def comma_separated(comparison: Comparison, metrics: Sequence[str]) -> str:
    """One row for each workload, scheme and figure, blame included, in the units of `result.json`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["workload", "scheme", "metric", "value", "ratio", "ci95", "same", "unsure"])
    blame: dict[str, None] = {}
    for workload in comparison.workloads:
        for scheme in comparison.schemes:
            for direction in DIRECTIONS:
                for part in ("mean", "tail"):
                    parts = comparison.blame(workload, scheme, direction, part)
                    blame |= dict.fromkeys(f"{direction}.blame.{part}.mean_ns.{key}" for key in parts)
    deaths = [metric for metric in (f"{DEATH}.time_ns",) if comparison.has(metric)]
    for cell in comparison.cells([*metrics, *deaths, *blame]):
        known = (cell.ratio, cell.ci95, cell.same, cell.unsure)
        optional = ["" if value is None else repr(value) for value in known]
        writer.writerow([cell.workload, cell.scheme, cell.metric, repr(cell.value), *optional])
    return out.getvalue()
