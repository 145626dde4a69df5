"""Measured and simulated as pictures: response times over load, and their distribution at each load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from wordline.calibration.measured import DIRECTIONS, STATISTICS, MeasuredPoint
from wordline.names import PERCENTILES
from wordline.report import svg
from wordline.report.html import STYLE
from wordline.report.page import page

Series = Mapping[str, Sequence[tuple[float, float]]]


def draw(
    series: Series, x_label: str, y_label: str, *, x_log: bool = False, dashed: frozenset[str] = frozenset()
) -> str:
    """The chart of named lines over a logarithmic vertical axis, as SVG: the one place that knows how charts
    are drawn.
    """
    every = [point for line in series.values() for point in line]
    horizontal = svg.axis(x_label, [x for x, _ in every], log=x_log, zero=not x_log)
    vertical = svg.axis(y_label, [y for _, y in every], log=True)
    # A dashed line has the color of its partner.
    names = list(dict.fromkeys(name.split(", ")[0] for name in series))
    colors = {name: svg.color(names.index(name.split(", ")[0])) for name in series}
    return svg.lines(series, horizontal, vertical, colors=colors, dashed=dashed)


def write_page(
    title: str,
    subtitle: str,
    points: Sequence[MeasuredPoint],
    fitted: Sequence[bool],
    found: Sequence[Mapping[str, Any]],
) -> str:
    """The page of a calibration. Solid lines are measured, dashed ones simulated."""
    names = [PERCENTILES[name] for name in STATISTICS]
    key = svg.legend({name: svg.color(place) for place, name in enumerate(names)})
    over = "".join(_figure(f"{way}s over load", _over_load(points, found, way)) for way in DIRECTIONS)
    body = (
        f"<section><h2>Response times over load</h2><p>Solid: measured. Dashed: simulated.</p>{key}"
        f'<div class="charts">{over}</div></section>'
    )
    curves = "".join(
        _figure(f"{point.name}, {'fitted' if seen else 'held out'}", chart)
        for point, seen, one in zip(points, fitted, found, strict=True)
        if (chart := _curves(point, one))
    )
    if curves:
        key = svg.legend({name: svg.color(place) for place, name in enumerate(DIRECTIONS)})
        body += (
            "<section><h2>Distribution by load</h2><p>Share of requests that take longer. "
            f'Solid: measured. Dashed: simulated.</p>{key}<div class="charts">{curves}</div></section>'
        )
    return page(title, body, style=STYLE, subtitle=subtitle)


def _figure(name: str, chart: str) -> str:
    return f"<figure><figcaption>{escape(name)}</figcaption>{chart}</figure>"


def _over_load(points: Sequence[MeasuredPoint], found: Sequence[Mapping[str, Any]], way: str) -> str:
    series = {}
    for name in STATISTICS:
        figure, label = f"{way}_{name}_us", PERCENTILES[name]
        series[f"{label}, measured"] = [
            (point.figures["writes_per_s"] / 1e3, point.figures[figure]) for point in points
        ]
        series[f"{label}, simulated"] = [
            (one["writes_per_s"] / 1e3, one[figure])
            for one in sorted(found, key=lambda one: one["writes_per_s"])
        ]
    return draw(
        series,
        "writes a second, thousands",
        "response time, µs",
        dashed=frozenset(name for name in series if name.endswith("simulated")),
    )


def _curves(point: MeasuredPoint, one: Mapping[str, Any]) -> str:
    series = {}
    for way in DIRECTIONS:
        measured = point.curve.get(way, ())
        if not measured:
            return ""
        series[f"{way}, measured"] = _tail(measured)
        series[f"{way}, simulated"] = _tail(one["curve"][way])
    return draw(
        series,
        "response time, µs",
        "share of requests that take longer",
        x_log=True,
        dashed=frozenset(name for name in series if name.endswith("simulated")),
    )


def _tail(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(value, 1 - share) for share, value in curve if share < 1]
