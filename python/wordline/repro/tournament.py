"""The page of the tournament: which system helps which workload, why, and at what cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import markdown
from wordline.files import write_text
from wordline.report.page import page, table
from wordline.repro.standings import FIGURES, WAITS, Load, Row, Standing, loads, read, standings
from wordline.repro.summary import run_of

if TYPE_CHECKING:
    from wordline.repro.reproduction import Reproduction, Shown

    Tables = Sequence[tuple[Shown, Sequence[Row]]]

PAPER = "tournament"

ASKED = "ask.html"
"""Beside published pictures: the page that can be asked."""

SCRIPT = (Path(__file__).parent / "tournament.js").read_text(encoding="utf-8")

ASK = (
    '<section id="ask"><h2>Ask</h2><p><label>Drive <select id="drive"></select></label>'
    '<label>Figure <select id="figure"></select></label></p><p class="dim">A click on a workload sorts, '
    "one on a figure tells what its reads wait for.</p>"
    '<div class="scroll" id="table"></div><div id="why"></div></section>'
)

STYLE = (
    "#ask select{font:inherit;margin-right:1em}#ask td.n{cursor:pointer;text-align:right}"
    "#ask td.chosen{outline:2px solid currentColor}#why{margin-top:1em}"
)

RULE = (
    "Changes are against the first scheme of each table, on the same drive under the same requests; "
    "means over workloads are geometric ones of the ratios. A wait is that of a mean read. A gain goes "
    "with a wait where, over the workloads, the gain of the scheme and the share of this wait in a read "
    "under the first scheme are in the same order by more than chance (5%, of all waits together)."
)

HEAD = (
    "scheme", "reads, mean", "p99", "p99.9", "writes, mean", "p99", "p99.9", "WAF", "flash operations",
    "DRAM", "capacity", "most gained", "most lost", "waits less for", "waits more for",
    "gain goes with the wait for",
)  # fmt: skip

NUMBERS = len(FIGURES) + 2
"""Of a line's cells, those behind the scheme that are numbers: with DRAM and capacity."""


LOADS = (
    "workload",
    "mean read",
    *(f"behind {name}" for name in WAITS.values()),
    "reclaims",
    "helped most by",
)
"""Of the workloads under the first scheme: parts of a mean read."""


def write(found: Reproduction) -> None:
    """Writes `tournament.html` and `tournament.md` where exhibits of the tournament were run."""
    tables = _tables(found)
    if tables:
        write_text(found.folder / "tournament.html", as_html(tables))
        write_text(found.folder / "tournament.md", as_markdown(found.folder, tables, "tournament.html"))


def markdown_of(found: Reproduction) -> str:
    """The page of standings of the exhibits that were run, where `ASKED` lies beside pictures."""
    return as_markdown(found.folder, _tables(found), f"{PAPER}/{ASKED}")


def html_of(found: Reproduction) -> str:
    """The page that can be asked."""
    return as_html(_tables(found))


def _tables(found: Reproduction) -> Tables:
    """The exhibits of the tournament that were run, each with the lines of its table."""
    return [
        (one, read(path))
        for one in found.shown
        if one.exhibit.paper == PAPER
        for path in one.files
        if path.suffix == ".csv" and path.exists()
    ]


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:+.1%}"


def _bytes(value: float | None) -> str:
    return "" if value is None else f"{value / 2**20:,.0f} MiB"


def _time(value: tuple[str, float] | None) -> str:
    return "" if value is None else f"{value[0]} ({value[1] / 1000:,.1f} µs)"


def cells(standing: Standing) -> list[str]:
    """A line of a table of standings."""
    best, worst, goes = standing.best, standing.worst, standing.goes_with
    return [
        standing.scheme,
        *(_percent(standing.means[name]) for name in FIGURES),
        _bytes(standing.dram_bytes),
        "" if standing.capacity is None else f"{standing.capacity:.1%}",
        "" if best is None or best[1] > -0.005 else f"{best[0]} ({best[1]:+.1%})",
        "" if worst is None or worst[1] < 0.005 else f"{worst[0]} ({worst[1]:+.1%})",
        _time(standing.saves),
        _time(standing.costs),
        "" if goes is None else f"{goes[0]} (rank correlation {goes[1]:.2f}, chance {goes[2]:.2g})",
    ]


def load_cells(load: Load) -> list[str]:
    """A line of a table of workloads."""
    helped = load.helped
    return [
        load.workload,
        "" if load.read_mean_ns is None else f"{load.read_mean_ns / 1000:,.1f} µs",
        *("" if (share := load.shares.get(name)) is None else f"{share:.0%}" for name in WAITS.values()),
        "" if load.reclaims is None else f"{load.reclaims:,.0f}",
        "" if helped is None or helped[1] > -0.005 else f"{helped[0]} ({helped[1]:+.1%})",
    ]


def _exercised(rows: Sequence[Row]) -> str:
    """What a short run can't show."""
    reclaims = [row["reclaims"] for row in rows if row.get("reclaims") is not None]
    if not reclaims or any(reclaims):
        return ""
    return "No block was read often enough to be reclaimed: schemes of read reclaim are not exercised."


def as_markdown(folder: Path, tables: Tables, asked: str) -> str:
    """For reading anywhere; pictures lie below `folder`, the page that can be asked at `asked`."""
    lines = [
        "# Tournament",
        "",
        RULE,
        "",
        f"By workload, and what each read waits for: [ask the runs]({asked}).",
        "",
    ]
    for one, rows in tables:
        lines += [
            f"## {PAPER} {one.exhibit.name}: {one.exhibit.title}",
            "",
            one.exhibit.about,
            "",
            f"Run: {run_of(one)}.",
            "",
        ]
        lines += [f"Failed: {error}" for error in one.errors]
        picture = next((path for path in one.files if path.suffix == ".svg"), None)
        if picture is not None:
            lines += [f"![{one.exhibit.title}]({picture.relative_to(folder).as_posix()})", ""]
        lines += markdown.table(HEAD, map(cells, standings(rows)), lambda place: 1 <= place <= NUMBERS)
        lines += [f"{text}\n" for text in [_exercised(rows)] if text]
        lines += ["Workloads under the first scheme, by parts of a mean read:", ""]
        lines += markdown.table(
            LOADS, map(load_cells, loads(rows)), lambda place: 1 <= place < len(LOADS) - 1
        )
        if one.exhibit.left_out:
            lines += [
                "Left out:",
                "",
                *(f"- `{name}`: {why}" for name, why in one.exhibit.left_out.items()),
                "",
            ]
    return "\n".join(lines).rstrip() + "\n"


def _short(row: Row) -> dict[str, Any]:
    """A line with the digits that a reader sees."""
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in row.items()}


def as_html(tables: Tables) -> str:
    """One self-contained page."""
    data = {
        "figures": FIGURES,
        "waits": WAITS,
        "drives": {one.exhibit.title: [_short(row) for row in rows] for one, rows in tables},
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    parts = [
        f'<p class="lead">{escape(RULE)}</p>{ASK}'
        f'<script type="application/json" id="data">{text}</script><script>{SCRIPT}</script>'
    ]
    for one, rows in tables:
        parts.append(f"<section><h2>{escape(one.exhibit.title)}</h2>")
        parts.append(f'<p class="dim">{escape(one.exhibit.about)} {escape("Run: " + run_of(one))}.</p>')
        parts += [f'<p class="bad">Failed: {escape(error)}</p>' for error in one.errors]
        parts += [f'<p class="bad">{escape(text)}</p>' for text in [_exercised(rows)] if text]
        parts.append(table(HEAD, [cells(standing) for standing in standings(rows)]))
        parts.append(table(LOADS, [load_cells(load) for load in loads(rows)]))
        if one.exhibit.left_out:
            items = "".join(
                f"<li>{escape(name)}: {escape(why)}</li>" for name, why in one.exhibit.left_out.items()
            )
            parts.append(f"<p>Left out:</p><ul>{items}</ul>")
        parts.append("</section>")
    return page("Tournament", "".join(parts), style=STYLE)
