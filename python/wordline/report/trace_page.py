"""What a trace holds, as one HTML page with charts that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from wordline.charts import Axis, Chart, bars, curves
from wordline.charts.embed import figures
from wordline.report.page import facts as facts_table
from wordline.report.page import report_page, sections, table, write_page
from wordline.report.trace import CLASSES, facts

READS, WRITES, ALL = "reads", "writes", "all"
TONES = {READS: "#1f6fb4", WRITES: "#c7562b", ALL: "#64748b", "requests": "#64748b"}
"""Colors of reads and writes, and of what is both."""

SIZES = ("mean", "p25", "p50", "p75", "p90", "p99", "max")


def write_page_of(path: Path, name: str, info: Mapping[str, Any]) -> None:
    """Writes the page."""
    under = f"{info['requests']:,} requests, {info['read_share']:.1%} reads"
    notes = "".join(f'<p class="fair">{escape(note)}</p>' for note in info["notes"])
    headers = ["pages (more than 90% of accesses)", "pages", "reads", "writes", "accesses"]
    classes = [
        [label, *(f"{info['page_classes'][key][column]:.1%}" for column in headers[1:])]
        for key, label in CLASSES.items()
    ]
    body = sections(
        (
            ("Requests", notes + _requests(info) + facts_table(facts(info)) + table(headers, classes)),
            ("Charts", figures(_charts(info))),
        )
    )
    write_page(path, report_page(Path(name).name, body, under))


def _requests(info: Mapping[str, Any]) -> str:
    rows = [
        [
            kind,
            f"{info[kind]['requests']:,}",
            f"{info[kind]['bytes'] / 2**20:,.1f}",
            *(f"{info[kind]['size_bytes'][key]:,.0f}" for key in SIZES),
        ]
        for kind in ("reads", "writes", "trims")
        if info[kind]["requests"]
    ]
    if info["flushes"]:
        rows.append(["flushes", f"{info['flushes']:,}"])
    return table(["", "count", "MiB", *SIZES[:-1], "largest, bytes"], rows)


def _charts(info: Mapping[str, Any]) -> Iterator[Chart]:
    load = info["arrivals"]["load"]
    time = Axis("time of the trace", "time", zero=False)
    if load:
        rate = [(point["from_ns"], point["requests"] / point["ns"] * 1e9) for point in load]
        yield curves(
            "requests over time", {"requests": rate}, time, Axis("requests/s"), tones=TONES, steps=True
        )
        moved = {
            name: [(point["from_ns"], point[key] / point["ns"] * 1e9) for point in load]
            for name, key in ((READS, "read_bytes"), (WRITES, "written_bytes"))
        }
        yield curves("data over time", moved, time, Axis("rate", "rate"), tones=TONES, steps=True)
    sizes = [
        (_size(row["up_to_bytes"]), kind, row["share"], None)
        for row in sorted(
            ({**row, "kind": kind} for kind in (READS, WRITES) for row in info[kind]["size_bins"]),
            key=lambda row: row["up_to_bytes"],
        )
        for kind in (row["kind"],)
    ]
    if sizes:
        yield bars(
            "request sizes, up to, by powers of two",
            sizes,
            Axis("share of requests", "share"),
            tones=TONES,
            legend_title="requests",
        )
    hits = Axis("page accesses that hit", "share", limits=(0.0, 1.0))
    curve = info["reuse"]["curve"]
    if curve:
        found = {
            name: [(point["cache_pages"] * 4096 / 2**20, point[key]) for point in curve]
            for name, key in ((ALL, "hit_share"), (READS, "read_hit_share"))
        }
        yield curves(
            "reuse: hits of LRU caches, from reuse distances",
            found,
            Axis("LRU cache, MiB", log=True),
            hits,
            tones=TONES,
        )
    yield from _popularity(info)


def _popularity(info: Mapping[str, Any]) -> Iterator[Chart]:
    found = {f"{kind}s": info[f"{kind}_popularity"] for kind in ("read", "write")}
    found = {name: popularity for name, popularity in found.items() if popularity["curve"]}
    if not found:
        return
    shares = {
        name: [(point["page_share"], point["access_share"]) for point in popularity["curve"]]
        for name, popularity in found.items()
    }
    yield curves(
        "popularity: shares of the most popular pages",
        shares,
        Axis("share of pages", "share", log=True),
        Axis("share of accesses", "share", limits=(0.0, 1.0)),
        tones=TONES,
    )
    ranks, tones = {}, {}
    for name, popularity in found.items():
        fit = popularity["zipf"]
        label = name + (f", θ {fit['theta']:.2f}" if fit else "")
        ranks[label] = [(point["rank"], point["accesses"]) for point in popularity["curve"]]
        tones[label] = TONES[name]
    yield curves(
        "popularity by rank: a Zipf law is a line of slope −θ",
        ranks,
        Axis("rank of the page", log=True),
        Axis("accesses", log=True),
        tones=tones,
        marks=True,
    )


def _size(up_to: int) -> str:
    """A size of requests: `512 B`, `4 KiB`."""
    for limit, unit in ((2**20, "MiB"), (2**10, "KiB")):
        if up_to >= limit:
            return f"{up_to / limit:g} {unit}"
    return f"{up_to} B"
