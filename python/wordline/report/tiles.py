"""The main figures of runs as tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from wordline import intervals
from wordline.figures import UNSURE, at, fitting, fitting_parts, is_unsure, title
from wordline.names import KINDS
from wordline.report.runs import SavedRun

MOST_RUNS = 3
"""Beyond these the table is the better place."""

FIGURES = ("iops", "latency_ns.mean", "latency_ns.p99")
"""Of each of the kinds of requests that there are most of."""

MOST_KINDS = 2


def tiles(runs: Sequence[SavedRun]) -> str:
    """A tile for each figure, with the value of each run and half its interval."""
    if len(runs) > MOST_RUNS:
        return ""
    made = []
    for metric in _metrics(runs):
        lines = "".join(
            (f"<small>{escape(run.label)}</small>" if len(runs) > 1 else "") + _value(metric, run)
            for run in runs
        )
        made.append((title(metric), lines))
    return laid(made)


def laid(made: Iterable[tuple[str, str]]) -> str:
    """Names, each with what stands in its tile."""
    each = (f'<div class="tile"><span>{escape(name)}</span>{inner}</div>' for name, inner in made)
    return f'<div class="tiles">{"".join(each)}</div>'


def _metrics(runs: Sequence[SavedRun]) -> list[str]:
    requests = {kind: sum(run.result[kind]["requests"] for run in runs) for kind in KINDS}
    most = sorted((kind for kind in KINDS if requests[kind]), key=lambda kind: -requests[kind])[:MOST_KINDS]
    wanted = [f"{kind}.{figure}" for kind in KINDS if kind in most for figure in FIGURES]
    return [metric for metric in [*wanted, "waf"] if any(at(run.result, metric) is not None for run in runs)]


def _value(metric: str, run: SavedRun) -> str:
    value, interval = at(run.result, metric), intervals.of_result(run.result, metric)
    half = None if value is None or interval is None else interval.reach(value)
    if value is not None and is_unsure(value, half):
        return f"<b>{UNSURE}</b>"
    return f"<b>{escape(fitting(metric, value))}</b>{_about(metric, value, half)}"


def _about(metric: str, value: float | None, half: float | None) -> str:
    """Half the interval as tables round it."""
    if value is None or half is None:
        return ""
    _, about, unit = fitting_parts(metric, value, half)
    return f" <i>±{escape(f'{about} {unit}'.strip())}</i>"
