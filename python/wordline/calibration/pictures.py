"""Measured and simulated as pictures: response times over load, and their distribution at each load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wordline.calibration.measured import MeasuredPoint
from wordline.calibration.protocol import DIRECTIONS, STATISTICS
from wordline.calibration.replays import Replay
from wordline.calibration.tables import Table
from wordline.calibration.way_rows import WRITTEN
from wordline.calibration.ways import Way
from wordline.charts import Axis, Chart, colors, curves, embed
from wordline.names import PERCENTILES
from wordline.report.page import report_page, table

Series = Mapping[str, Sequence[tuple[float, float]]]

MEASURED, SIMULATED = ", measured", ", simulated"
"""What the names of two series that belong together end with."""

SOLID, DASHED = [1, 0], [5, 3]


def draw(title: str, series: Series, x: Axis, y: Axis) -> Chart:
    """Lines measured and simulated, those of one name in one color, the simulated ones dashed."""
    names = list(dict.fromkeys(name.split(", ")[0] for name in series))
    tones = {name: colors.of_series(names.index(name.split(", ")[0])) for name in series}
    chart = curves(title, series, x, y, tones=tones)
    color = chart.spec["encoding"]["color"]
    if color["legend"] is not None:
        # Strokes: squares of one color would tell the two apart by nothing.
        color["legend"] |= {"symbolType": "stroke", "symbolSize": 400}
    dashes = [DASHED if name.endswith(SIMULATED) else SOLID for name in series]
    for layer in chart.spec["layer"]:
        if layer["mark"]["type"] == "line":
            dash = {**color, "scale": {"domain": list(series), "range": dashes}}
            layer.setdefault("encoding", {})["strokeDash"] = dash
    return chart


def write_page(
    title: str,
    subtitle: str,
    said: Sequence[str],
    tables: Sequence[Table],
    points: Sequence[MeasuredPoint],
    fitted: Sequence[bool],
    found: Sequence[Mapping[str, Any]],
) -> str:
    """The page of a calibration: what is said of it, its tables, and pictures."""
    whole = list(zip(points, fitted, found, strict=True))
    ways = [_way(*one) for one in whole if isinstance(one[0].load, Way)]
    loads = [one for one in whole if one[0].timed]
    points, fitted, found = (list(column) for column in zip(*loads, strict=True))
    over_load = _over_parts if any(isinstance(point.load, Replay) for point in points) else _over_load
    over = embed.figures(chart for way in DIRECTIONS for chart in over_load(points, found, way))
    words = "".join(f"<p>{escape(text)}</p>" for text in said)
    body = f"<section><h2>Verdict</h2>{words}</section>"
    for caption, heads, rows in (one for one in tables if one[2]):
        body += f"<section><h2>{escape(caption)}</h2>{table(heads, rows)}</section>"
    body += (
        "<section><h2>Response times over load</h2><p>Solid: measured. Dashed: simulated.</p>"
        f"{over}</section>"
    )
    distributions = embed.figures(_curves(points, fitted, found))
    if distributions:
        body += (
            "<section><h2>Distribution by load</h2><p>Share of requests that take longer. "
            f"Solid: measured. Dashed: simulated.</p>{distributions}</section>"
        )
    if ways:
        body += (
            "<section><h2>On the way to the steady state</h2><p>Solid: measured. Dashed: simulated.</p>"
            f"{embed.figures(ways)}</section>"
        )
    return report_page(title, body, subtitle)


def _over_load(
    points: Sequence[MeasuredPoint], found: Sequence[Mapping[str, Any]], way: str
) -> Iterator[Chart]:
    series = {}
    for name in STATISTICS:
        figure, label = f"{way}_{name}_us", PERCENTILES[name]
        series[label + MEASURED] = [
            (point.figures["writes_per_s"], point.figures[figure] * 1e3) for point in points
        ]
        series[label + SIMULATED] = [
            (one["writes_per_s"], one[figure] * 1e3)
            for one in sorted(found, key=lambda one: one["writes_per_s"])
        ]
    yield draw(f"{way}s over load", series, Axis("writes a second"), Axis("response time", "time", log=True))


def _over_parts(
    points: Sequence[MeasuredPoint], found: Sequence[Mapping[str, Any]], way: str
) -> Iterator[Chart]:
    """The same of each trace by its parts, which are in order of time."""
    traces: dict[str, list[tuple[Replay, MeasuredPoint, Mapping[str, Any]]]] = {}
    for point, one in zip(points, found, strict=True):
        if isinstance(point.load, Replay) and way in point.load.compared:
            traces.setdefault(point.load.label, []).append((point.load, point, one))
    for label, parts in traces.items():
        series = {}
        for name in STATISTICS:
            figure, head = f"{way}_{name}_us", PERCENTILES[name]
            series[head + MEASURED] = [(part.number, point.figures[figure] * 1e3) for part, point, _ in parts]
            series[head + SIMULATED] = [(part.number, one[figure] * 1e3) for part, _, one in parts]
        title = f"{way}s by part of the trace" + (f" {label}" if label else "")
        yield draw(title, series, Axis("part"), Axis("response time", "time", log=True))


def _curves(
    points: Sequence[MeasuredPoint], fitted: Sequence[bool], found: Sequence[Mapping[str, Any]]
) -> Iterator[Chart]:
    for point, seen, one in zip(points, fitted, found, strict=True):
        series = {}
        for way in DIRECTIONS:
            measured = point.curve.get(way, ())
            if measured:
                series[way + MEASURED] = _tail(measured)
                series[way + SIMULATED] = _tail(one["curve"][way])
        if len(series) == 2 * len(_compared(point)):
            yield draw(
                f"{point.name}, {'fitted' if seen else 'held out'}",
                series,
                Axis("response time", "time", log=True),
                Axis("share of requests that take longer", "share", log=True),
            )


def _compared(point: MeasuredPoint) -> Sequence[str]:
    return point.load.compared if isinstance(point.load, Replay) else DIRECTIONS


def _way(point: MeasuredPoint, seen: bool, one: Mapping[str, Any]) -> Chart:
    series = {"writes" + MEASURED: point.curve[WRITTEN], "writes" + SIMULATED: one["curve"]}
    title = f"{point.name}, {'fitted' if seen else 'held out'}"
    return draw(title, series, Axis("capacities written"), Axis("writes a second"))


def _tail(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Response times in ns and the share of requests that take longer."""
    return [(value * 1e3, 1 - share) for share, value in curve if share < 1]
