"""Lines, with intervals and dots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from wordline.charts import colors
from wordline.charts.axis import Axis, text_of
from wordline.charts.clock import Clock
from wordline.charts.specs import ZOOM, Chart, Point, Spec, framed, hiding, legend, roomy, rounded, shown

Point3 = tuple[float, float, float, float]

Span = tuple[float, float, float, str]


def curves(
    title: str,
    series: Mapping[str, Iterable[Point]],
    x: Axis,
    y: Axis,
    *,
    tones: Mapping[str, str] | None = None,
    steps: bool = False,
    marks: bool = False,
    legend_title: str | None = None,
    reach: Mapping[str, Iterable[Point3]] | None = None,
    spans: Mapping[str, Iterable[Span]] | None = None,
    clock: Clock | None = None,
) -> Chart:
    """A line for each series. Points that a logarithmic axis can't show are left out.

    `reach` has x, y, lowest and highest of intervals, `spans` those along x: lowest, highest, y and a name.
    With a `clock` a page may show the time of day at `x`.
    """
    names = list(series)
    rows: list[dict[str, Any]] = [
        {"s": name, "x": rounded(px), "y": rounded(py)}
        for name, found in series.items()
        for px, py in found
        if shown(px, x) and shown(py, y)
    ]
    chosen = [(tones or {}).get(name) or colors.of_series(place) for place, name in enumerate(names)]
    color = legend(names, chosen, "s", legend_title)
    place = {"x": x.channel("x"), "y": y.channel("y"), "color": color}
    # What an interval holds of nothing and less, a logarithmic axis shows as its end.
    floor = min((row["y"] for row in rows), default=1.0) / 2 if y.log else -math.inf
    ranges = {
        name: [(px, py, max(low, floor), high) for px, py, low, high in found]
        for name, found in (reach or {}).items()
    }
    if marks:
        ends = [value for found in ranges.values() for *_, low, high in found for value in (low, high)]
        heights: list[Any] = [row["y"] for row in rows]
        # What is never negative isn't drawn so because its interval is wide.
        least = 0.0 if min(heights, default=0.0) >= 0 and not y.log else -math.inf
        x, y = roomy(x, [row["x"] for row in rows]), roomy(y, heights + ends, least)
        place |= {"x": x.channel("x"), "y": y.channel("y")}
    tip = [{"field": "s", "title": legend_title or "run"}] if len(names) > 1 else []
    tip += [{"field": "xt", "title": x.title}, {"field": "yt", "title": y.title}]
    line: Spec = {"type": "line", "clip": True} | ({"interpolate": "step-after"} if steps else {})
    layers: list[Spec] = []
    if ranges:
        bands = [
            {"s": name, "x": rounded(px), "y": rounded(low), "h": rounded(high)}
            for name, found in ranges.items()
            for px, _, low, high in found
            if shown(px, x) and shown(low, y)
        ]
        layers.append(
            {
                "data": {"values": bands},
                "transform": [{"filter": {"param": "shown"}}],
                "mark": {"type": "rule", "clip": True, "strokeWidth": 1.4},
                "encoding": place | {"y2": {"field": "h"}},
            }
        )
    if spans:
        if color["legend"] is not None:
            # Else as pale as these.
            color["legend"]["symbolOpacity"] = 1
        layers.append(_spans(spans, x, y, place, min((row["x"] for row in rows), default=1.0) / 2))
    layers.append({"params": [hiding(names, "s"), ZOOM], "mark": line})
    layers.append(
        {
            "params": [
                {
                    "name": "at",
                    "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"},
                }
            ],
            "mark": {"type": "point", "filled": True, "size": 50, "clip": True},
            "encoding": {
                "opacity": {"value": 1}
                if marks
                else {"condition": {"param": "at", "empty": False, "value": 1}, "value": 0},
                "tooltip": tip,
            },
        }
    )
    body = {
        "data": {"values": rows},
        "transform": [
            {"filter": {"param": "shown"}},
            {"calculate": text_of(x.kind, "datum.x"), "as": "xt"},
            {"calculate": text_of(y.kind, "datum.y"), "as": "yt"},
        ],
        "encoding": place,
        "layer": layers,
    }
    times = [row["x"] for row in rows]
    of_day = clock.spec(min(times), max(times)) if clock is not None and times else None
    if of_day is not None:
        body["usermeta"] = {"clock": of_day}
    return framed(title, body)


def _spans(spans: Mapping[str, Iterable[Span]], x: Axis, y: Axis, place: Spec, least: float) -> Spec:
    """Pale bars behind the lines, on a logarithmic axis from `least` on."""
    values = [
        {
            "s": name,
            "x": rounded(max(low, least) if x.log else low),
            "x2": rounded(high),
            "y": rounded(py),
            "n": called,
        }
        for name, found in spans.items()
        for low, high, py, called in found
        if shown(high, x) and shown(py, y)
    ]
    ends = f"{text_of(x.kind, 'datum.x')} + ' to ' + {text_of(x.kind, 'datum.x2')}"
    return {
        "data": {"values": values},
        "transform": [{"filter": {"param": "shown"}}, {"calculate": ends, "as": "it"}],
        "mark": {"type": "rule", "clip": True, "strokeWidth": 5, "opacity": 0.3},
        "encoding": place
        | {
            "x2": {"field": "x2"},
            "tooltip": [{"field": "n", "title": "figure"}, {"field": "it", "title": "95% interval"}],
        },
    }
