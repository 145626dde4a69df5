"""What a trace holds, as one HTML page with plots that needs nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.files import write_text
from wordline.report.page import page
from wordline.report.trace import CLASSES, facts

STYLE = """
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem }
figure { margin: 0 } figure svg { width: 34rem; max-width: 100%; height: auto; background: white }
.note { color: #8a5a00 }
"""

READ, WRITE = "#1f6fb4", "#c7562b"
"""Colours of reads and writes."""


def write_page(path: Path, name: str, info: Mapping[str, Any]) -> None:
    """Writes the page. Raises `WordlineError` where what draws it is not installed."""
    try:
        import jinja2
        import matplotlib as mpl
    except ImportError as error:
        raise WordlineError(f"--html needs {error.name}: pip install 'wordline[plot]'") from None
    template = (
        resources.files("wordline.report").joinpath("trace_page.html.jinja").read_text(encoding="utf-8")
    )
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    # Letters stay letters, and names inside don't differ from run to run.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "wordline", "font.size": 9, "axes.grid": True}
    with mpl.rc_context(settings):
        plots = [(title, note, _svg(draw, info)) for title, note, draw in PLOTS if _has(draw, info)]
    body = environment.from_string(template).render(
        info=info, facts=facts(info), classes=CLASSES, plots=plots
    )
    under = f"{info['requests']:,} requests, {info['read_share']:.1%} reads"
    write_text(path, page(Path(name).name, body, style=STYLE, subtitle=under))


def _has(draw: Callable[..., None], info: Mapping[str, Any]) -> bool:
    """Whether there is anything to draw."""
    if draw in (_reuse,):
        return bool(info["reuse"]["curve"])
    if draw in (_popularity, _ranks):
        return any(info[f"{kind}_popularity"]["curve"] for kind in ("read", "write"))
    return bool(info["arrivals"]["load"])


def _svg(draw: Callable[[Any, Mapping[str, Any]], None], info: Mapping[str, Any]) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(alpha=0.3)
    draw(axes, info)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _load(axes: Any, info: Mapping[str, Any]) -> None:
    load = info["arrivals"]["load"]
    seconds = [point["from_ns"] / 1e9 for point in load]
    for key, label, color in (("read_bytes", "read", READ), ("written_bytes", "written", WRITE)):
        rate = [point[key] / point["ns"] * 1e3 for point in load]
        axes.step(seconds, rate, where="post", label=label, color=color, linewidth=0.9)
    axes.set(xlabel="time, s", ylabel="MB/s")


def _rate(axes: Any, info: Mapping[str, Any]) -> None:
    load = info["arrivals"]["load"]
    seconds = [point["from_ns"] / 1e9 for point in load]
    rate = [point["requests"] / point["ns"] * 1e9 for point in load]
    axes.step(seconds, rate, where="post", color="#444444", linewidth=0.9)
    axes.set(xlabel="time, s", ylabel="requests/s")


def _sizes(axes: Any, info: Mapping[str, Any]) -> None:
    from matplotlib.ticker import FuncFormatter

    for shift, (kind, color) in ((-0.2, ("reads", READ)), (0.2, ("writes", WRITE))):
        bins = info[kind]["size_bins"]
        places = [row["up_to_bytes"].bit_length() - 10 + shift for row in bins]
        axes.bar(places, [row["share"] * 100 for row in bins], width=0.4, label=kind, color=color)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{2 ** (place - 1):g}"))
    axes.set(xlabel="request size, up to … KiB", ylabel="% of requests")


def _reuse(axes: Any, info: Mapping[str, Any]) -> None:
    curve = info["reuse"]["curve"]
    mib = [point["cache_pages"] * 4096 / 2**20 for point in curve]
    for key, label, color in (("hit_share", "all", "#444444"), ("read_hit_share", "reads", READ)):
        axes.plot(mib, [point[key] * 100 for point in curve], label=label, color=color)
    axes.set(xlabel="LRU cache, MiB", ylabel="% of page accesses that hit", xscale="log", ylim=(0, 100))


def _popularity(axes: Any, info: Mapping[str, Any]) -> None:
    for kind, color in (("read", READ), ("write", WRITE)):
        curve = info[f"{kind}_popularity"]["curve"]
        shares = [point["page_share"] * 100 for point in curve]
        axes.plot(shares, [point["access_share"] * 100 for point in curve], label=f"{kind}s", color=color)
    axes.set(xlabel="% of pages, most popular first", ylabel="% of accesses", xscale="log", ylim=(0, 100))


def _ranks(axes: Any, info: Mapping[str, Any]) -> None:
    for kind, color in (("read", READ), ("write", WRITE)):
        popularity = info[f"{kind}_popularity"]
        curve = popularity["curve"]
        ranks = [point["rank"] for point in curve]
        fit = popularity["zipf"]
        label = f"{kind}s" + (f", θ {fit['theta']:.2f}" if fit else "")
        axes.plot(ranks, [point["accesses"] for point in curve], ".", markersize=3, label=label, color=color)
    axes.set(xlabel="rank of the page", ylabel="accesses", xscale="log", yscale="log")


PLOTS: tuple[tuple[str, str, Callable[[Any, Mapping[str, Any]], None]], ...] = (
    ("Requests over time", "", _rate),
    ("Data over time", "", _load),
    ("Request sizes", "Bins by powers of two.", _sizes),
    ("Reuse", "Hits of LRU caches, from reuse distances.", _reuse),
    ("Popularity", "", _popularity),
    ("Popularity by rank", "A Zipf law is a straight line of slope −θ.", _ranks),
)
"""Title, remark and drawing of each plot."""
