"""What a trace holds, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from wordline.figures import short

if TYPE_CHECKING:
    from rich.console import RenderableType


def render_trace(name: str, info: Mapping[str, Any]) -> RenderableType:
    """All figures of `wordline trace info` but the curves."""
    title = Text(f"{name}   {info['requests']:,} requests, {info['read_share']:.1%} reads", style="bold")
    return Group(title, Text(), _sizes(info), Text(), _facts(info), Text(), _classes(info))


def began(trace: Mapping[str, Any]) -> str:
    """When a trace began, and what that says of times in the run."""
    after = "" if trace["keeps_pace"] else " (the run doesn't keep its pace)"
    return f"{trace['path'].rpartition('/')[2]} begins {trace['start']}{after}"


def measured_times(run: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Response times of reads or writes that the traces of a run hold, and whose they are."""
    traces = [trace for trace in run.get("traces", ()) if trace.get("measured")]
    for trace in traces:
        latency = trace["measured"].get(kind, {}).get("latency_ns")
        if latency is not None:
            name = trace.get("flow") or trace["path"].rpartition("/")[2]
            yield f"of {name}, measured" if len(traces) > 1 else "measured", latency


def _measured(info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """When the files began, and how long their requests took."""
    for trace in info["traces"]:
        if trace["start"] is not None:
            yield "Begins", trace["start"] + ("" if trace["keeps_pace"] else " (steps change its pace)")
        for kind, several in (("read", "Reads took"), ("write", "Writes took")):
            latency = ((trace.get("measured") or {}).get(kind) or {}).get("latency_ns")
            if latency is not None:
                shown = ", ".join(f"{label} {_time(latency[key])}" for key, label in LATENCIES.items())
                yield several, f"{shown}, as measured"


LATENCIES = {"mean": "mean", "p50": "p50", "p99": "p99", "p99_9": "p99.9", "max": "max"}


def facts(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Single figures: what, and its value with units."""
    pages, aligned, order = info["footprint"], info["alignment"], info["succession"]
    sequence, arrivals, reuse = info["sequence"], info["arrivals"], info["reuse"]
    rows = [
        (
            "Duration",
            f"{_time(info['span_ns'])}, {info['flows']:,} flow{'s' * (info['flows'] != 1)} (devices)",
        ),
        (
            "Touched",
            f"{_bytes(pages['touched'] * pages['page_bytes'])} in {pages['touched']:,} pages of "
            f"{pages['page_bytes']:,} bytes: {pages['read']:,} read, {pages['written']:,} written, "
            f"{pages['both']:,} both",
        ),
        *_measured(info),
        ("Needs", f"a drive of {info['end_bytes']:,} bytes"),
        ("Aligned", f"{aligned['pages_4k']:.1%} to 4 KiB, {aligned['sectors_512']:.1%} to 512 bytes"),
        ("Hot pages", f"{info['hot_share']:.1%} of all pages are read repeatedly"),
        (
            "Sequential",
            f"{sequence['share']:.1%} of requests go on where the one before ended (reads "
            f"{sequence['read_share']:.1%}, writes {sequence['write_share']:.1%}), "
            f"{sequence['stream_share']:.1%} where one of 32 streams did; "
            f"mean run {sequence['mean_run_bytes'] / 1024:,.1f} KiB",
        ),
        (
            "Arrivals",
            f"{arrivals['iops']:,.1f} IOPS; gaps mean {_time(arrivals['gaps_ns']['mean'])}, p50 "
            f"{_time(arrivals['gaps_ns']['p50'])}, p99 {_time(arrivals['gaps_ns']['p99'])}; variation "
            f"{arrivals['variation']:.2f}, burstiness {arrivals['burstiness']:+.2f}",
        ),
    ]
    rows += [
        (
            f"Per {_time(row['window_ns'])}",
            f"index of dispersion {row['index']:,.2f}, peak {row['peak_to_mean']:,.1f} × mean",
        )
        for row in arrivals["dispersion"]
    ]
    rows.append(
        (
            "Succession",
            f"{order['read_after_write_share']:.1%} of page reads follow a write of the page, "
            f"{order['read_after_read_share']:.1%} a read; {order['write_after_read_share']:.1%} of page "
            f"writes follow a read, {order['write_after_write_share']:.1%} a write",
        )
    )
    distances = [
        f"{label} {reuse[key]:,}"
        for label, key in (("p50", "p50_pages"), ("p90", "p90_pages"))
        if reuse[key] is not None
    ]
    sampled = (
        "" if reuse["sample_rate"] == 1 else f" (estimated from {reuse['sample_rate']:.2%} of the pages)"
    )
    found = f"{reuse['first_access_share']:.1%} of page accesses are a page's first"
    rows.append(("Reuse", ", ".join([found, *(f"distance {text} pages" for text in distances)]) + sampled))
    for kind in ("read", "write"):
        popularity = info[f"{kind}_popularity"]
        fit = popularity["zipf"]
        if popularity["curve"]:
            law = f"Zipf θ {fit['theta']:.2f} (R² {fit['r_squared']:.2f})" if fit else "no Zipf law"
            rows.append(
                (
                    f"Popular {kind}s",
                    f"{popularity['mean_accesses']:,.2f} a page, "
                    f"{popularity['max_accesses']:,} of the most popular; {law}",
                )
            )
    if info["page_sample_rate"] < 1:
        rows.append(("Estimated", f"page figures come from {info['page_sample_rate']:.2%} of the pages"))
    return rows


def _sizes(info: Mapping[str, Any]) -> Table:
    table = _grid("Requests", "count", "total", "mean", "p50", "p90", "p99", "largest, bytes")
    for kind in ("reads", "writes", "trims"):
        row = info[kind]
        if row["requests"]:
            sizes = (f"{row['size_bytes'][key]:,.0f}" for key in ("mean", "p50", "p90", "p99", "max"))
            table.add_row(kind, f"{row['requests']:,}", _bytes(row["bytes"]), *sizes)
    if info["flushes"]:
        table.add_row("flushes", f"{info['flushes']:,}")
    return table


def _facts(info: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for label, value in facts(info):
        table.add_row(label, value)
    for note in info["notes"]:
        table.add_row("Note", note)
    return table


CLASSES = {"read_intensive": "read-intensive", "write_intensive": "write-intensive", "mixed": "mixed"}
"""Keys of the page classes, and their names."""


def _classes(info: Mapping[str, Any]) -> Table:
    table = _grid("Pages (> 90% of accesses)", "pages", "reads", "writes", "accesses")
    for key, name in CLASSES.items():
        row = info["page_classes"][key]
        table.add_row(name, *(f"{row[column]:.1%}" for column in ("pages", "reads", "writes", "accesses")))
    return table


def _grid(*headers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for position, header in enumerate(headers):
        table.add_column(header, justify="right" if position else "left", no_wrap=True)
    return table


def _time(ns: float) -> str:
    for limit, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= limit:
            return f"{short(ns / limit)} {unit}"
    return f"{short(ns)} ns"


def _bytes(count: int) -> str:
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{short(count / (1 << shift))} {unit}"
    return f"{count} bytes"
