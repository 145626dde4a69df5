"""Charts as specifications of Vega-Lite: plain data, for Vega in a page, vl-convert, Altair's `from_dict`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline.charts import colors
from wordline.charts.axis import Axis, text_of

Spec = dict[str, Any]
Point = tuple[float, float]
Point3 = tuple[float, float, float, float]

HEIGHT = 250

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

ROOM = 0.04
"""Of an axis, beyond the outermost dots."""

LEAST_HEIGHT = 70
"""Of a heat map: the title of its rows must have room beside it."""

MOST_COLUMNS_OF_LEGEND = 40
"""Letters of a legend's entries in all, above which they stand below one another."""


@dataclass(frozen=True)
class Chart:
    """A picture."""

    title: str
    spec: Spec
    """Without a theme. The width is that of the place where it stands."""
    wide: bool = False
    """Takes the whole width of a page."""


def _rounded(value: float) -> float:
    """With six digits, which is finer than any screen."""
    return float(f"{value:.6g}")


def _chart(title: str, body: Spec, height: int = HEIGHT, *, wide: bool = False) -> Chart:
    frame: Spec = {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    return Chart(title, frame | body, wide)


def _legend(names: Sequence[str], tones: Sequence[str], field: str, title: str | None = None) -> Spec:
    """A color for each name, below the chart; a click hides what it names."""
    columns = 1 if max(map(len, names), default=0) > MOST_COLUMNS_OF_LEGEND else 2
    columns = len(names) if sum(map(len, names)) + 3 * len(names) < MOST_COLUMNS_OF_LEGEND else columns
    return {
        "field": field,
        "type": "nominal",
        "title": title,
        "sort": None,
        "scale": {"domain": list(names), "range": list(tones)},
        "legend": {"orient": "bottom", "columns": columns, "symbolType": "square"}
        if len(names) > 1
        else None,
    }


def _hiding(names: Sequence[str], field: str) -> Spec:
    """Which entries of the legend are shown: all, until one is clicked."""
    return {
        "name": "shown",
        "select": {"type": "point", "fields": [field], "toggle": "true"},
        "bind": "legend",
        "value": [{field: name} for name in names],
    }


ZOOM: Spec = {
    "name": "zoomed",
    "select": {"type": "interval", "zoom": "wheel![event.shiftKey]"},
    "bind": "scales",
}
"""Shift and the wheel zoom, dragging moves, a double click shows all again."""


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
) -> Chart:
    """A line for each series. Points that a logarithmic axis can't show are left out.

    `reach` has x, y, lowest and highest of intervals.
    """
    names = list(series)
    rows = [
        {"s": name, "x": _rounded(px), "y": _rounded(py)}
        for name, found in series.items()
        for px, py in found
        if _shown(px, x) and _shown(py, y)
    ]
    chosen = [(tones or {}).get(name) or colors.of_series(place) for place, name in enumerate(names)]
    color = _legend(names, chosen, "s", legend_title)
    place = {"x": x.channel("x"), "y": y.channel("y"), "color": color}
    if marks:
        ends = [value for found in (reach or {}).values() for *_, low, high in found for value in (low, high)]
        x, y = _roomy(x, [row["x"] for row in rows]), _roomy(y, [row["y"] for row in rows] + ends)
        place |= {"x": x.channel("x"), "y": y.channel("y")}
    tip = [{"field": "s", "title": legend_title or "run"}] if len(names) > 1 else []
    tip += [{"field": "xt", "title": x.title}, {"field": "yt", "title": y.title}]
    line: Spec = {"type": "line", "clip": True} | ({"interpolate": "step-after"} if steps else {})
    layers: list[Spec] = []
    if reach:
        bands = [
            {"s": name, "x": _rounded(px), "y": _rounded(low), "h": _rounded(high)}
            for name, found in reach.items()
            for px, _, low, high in found
            if _shown(px, x) and _shown(low, y)
        ]
        layers.append(
            {
                "data": {"values": bands},
                "transform": [{"filter": {"param": "shown"}}],
                "mark": {"type": "rule", "clip": True, "strokeWidth": 1.4},
                "encoding": place | {"y2": {"field": "h"}},
            }
        )
    layers.append({"params": [_hiding(names, "s"), ZOOM], "mark": line})
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
    return _chart(title, body)


def _roomy(axis: Axis, values: Sequence[Any]) -> Axis:
    """The axis with room for whole dots at its ends."""
    if axis.kind == "name" or axis.limits is not None or not values:
        return axis
    low, high = min(values), max(values)
    if axis.log:
        room = (high / low) ** ROOM if high > low else 2.0
        return replace(axis, limits=(_rounded(low / room), _rounded(high * room)))
    low = min(low, 0.0) if axis.zero else low
    room = (high - low) * ROOM or abs(high) or 1.0
    return replace(
        axis, limits=(low if axis.zero and low == 0 else _rounded(low - room), _rounded(high + room))
    )


def _shown(value: float, axis: Axis) -> bool:
    return axis.kind == "name" or (math.isfinite(value) and (value > 0 or not axis.log))


@dataclass(frozen=True)
class Share:
    """One of the pieces of a bar."""

    name: str
    color: str
    about: str = ""
    """What it is, for those who point at it."""


def stacked(
    title: str, rows: Sequence[tuple[str, Mapping[str, float]]], pieces: Sequence[Share], axis: Axis
) -> Chart:
    """A horizontal bar for each row, of named pieces. Rows' names stand above, where nothing clips them."""
    names = [piece.name for piece in pieces]
    about = {piece.name: piece.about for piece in pieces}
    values = [
        {"r": label, "p": name, "v": _rounded(parts[name]), "o": place}
        | ({"a": about[name]} if about[name] else {})
        for label, parts in rows
        for place, name in enumerate(names)
        if parts.get(name, 0.0) > 0
    ]
    several = len(rows) > 1
    tip = [{"field": "r", "title": "run"}] if several else []
    tip += [
        {"field": "p", "title": "part"},
        {"field": "vt", "title": "takes"},
        {"field": "st", "title": "share"},
    ]
    tip += [{"field": "a", "title": "what it is"}] if any(about.values()) else []
    band: Spec = {
        "field": "r",
        "type": "nominal",
        "sort": None,
        "title": None,
        "scale": {"paddingInner": 0.5 if several else 0.1, "paddingOuter": 0.3 if several else 0.1},
        "axis": {
            "labelAlign": "left", "labelBaseline": "bottom", "labelPadding": -2, "labelOffset": -13,
            "labelLimit": 0, "ticks": False, "domain": False, "offset": 0, "zindex": 1,
        }
        if several
        else None,
    }  # fmt: skip
    high = max((sum(parts.get(name, 0.0) for name in names) for _, parts in rows), default=0.0) or 1.0
    width = axis.channel("v") | {
        "stack": "zero",
        "scale": {"domain": [0, _rounded(high * 1.18)], "nice": False},
    }
    tones = [piece.color for piece in pieces]
    body = {
        "data": {"values": values},
        "transform": [
            {"joinaggregate": [{"op": "sum", "field": "v", "as": "t"}], "groupby": ["r"]},
            {"calculate": text_of(axis.kind, "datum.v"), "as": "vt"},
            {"calculate": "format(datum.v / datum.t, '.1%')", "as": "st"},
            {"filter": {"param": "shown"}},
        ],
        "encoding": {"y": band},
        "layer": [
            {
                "params": [_hiding(names, "p")],
                "mark": {"type": "bar"},
                "encoding": {
                    "x": width,
                    "color": _legend(names, tones, "p"),
                    "order": {"field": "o"},
                    "tooltip": tip,
                },
            },
            {
                "transform": [
                    {"aggregate": [{"op": "sum", "field": "v", "as": "sum"}], "groupby": ["r"]},
                    {"calculate": text_of(axis.kind, "datum.sum"), "as": "vt"},
                ],
                "mark": {"type": "text", "align": "left", "dx": 4},
                "encoding": {"x": {"field": "sum", "type": "quantitative"}, "text": {"field": "vt"}},
            },
        ],
    }
    return _chart(title, body, 46 * len(rows) if several else 34)


def bars(
    title: str,
    rows: Sequence[tuple[str, str, float, float | None]],
    axis: Axis,
    *,
    tones: Mapping[str, str] | None = None,
    legend_title: str | None = None,
) -> Chart:
    """Upright bars side by side: group, name, value, and half of its interval."""
    names = list(dict.fromkeys(name for _, name, _, _ in rows))
    groups = list(dict.fromkeys(group for group, _, _, _ in rows))
    values = [
        {"g": group, "s": name, "y": _rounded(value)}
        | ({"l": _rounded(value - half), "h": _rounded(value + half)} if half is not None else {})
        for group, name, value, half in rows
    ]
    tip = ([{"field": "g", "title": "workload"}] if len(groups) > 1 else []) + [
        {"field": "s", "title": legend_title or "scheme"},
        {"field": "yt", "title": axis.title},
        {"field": "it", "title": "95% interval"},
    ]
    chosen = [(tones or {}).get(name) or colors.of_series(place) for place, name in enumerate(names)]
    alone = len(groups) == 1
    across: Spec = {
        "field": "s" if alone else "g",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": None if alone else {"labelAngle": 0 if sum(map(len, groups)) < 50 else -25, "labelLimit": 0},
    }
    place: Spec = {"x": across} | ({} if alone else {"xOffset": {"field": "s", "sort": None}})
    interval = (
        f"isValid(datum.l) ? {text_of(axis.kind, 'datum.l')} + ' to ' + {text_of(axis.kind, 'datum.h')} : '–'"
    )
    body = {
        "data": {"values": values},
        "transform": [
            {"filter": {"param": "shown"}},
            {"calculate": text_of(axis.kind, "datum.y"), "as": "yt"},
            {"calculate": interval, "as": "it"},
        ],
        "encoding": place,
        "layer": [
            {
                "params": [_hiding(names, "s")],
                "mark": {"type": "bar"},
                "encoding": {
                    "y": axis.channel("y"),
                    "color": _legend(names, chosen, "s", legend_title),
                    "tooltip": tip,
                },
            },
            {
                "transform": [{"filter": "isValid(datum.l)"}],
                "mark": {"type": "rule", "strokeWidth": 1.4},
                "encoding": {"y": {"field": "l", "type": "quantitative"}, "y2": {"field": "h"}},
            },
        ],
    }
    return _chart(title, body)


def heat(
    title: str,
    cells: Sequence[tuple[Any, Any, float]],
    x: str,
    y: str,
    axis: Axis,
    *,
    numbers: bool = False,
    names: tuple[str, str] | None = None,
    every: int = 1,
) -> Chart:
    """A grid of cells, each with its column, row and value; `axis` says what the color stands for.

    `every` labels each so many columns only.
    """
    rows = list(dict.fromkeys(row for _, row, _ in cells))
    values = [{"x": column, "y": row, "v": _rounded(value)} for column, row, value in cells]
    low, high = axis.limits or (min(v for *_, v in cells), max(v for *_, v in cells))
    across, down = names or (x, y)
    color: Spec = {
        "field": "v",
        "type": "quantitative",
        "title": axis.shown_title,
        "scale": {"domain": [low, high if high > low else low + 1], "scheme": "blues"}
        | ({"type": "log"} if axis.log else {}),
        "legend": {"orient": "bottom", "direction": "horizontal", "labelExpr": axis.label, "tickCount": 4}
        | ({"values": [0, 0.25, 0.5, 0.75, 1]} if axis.limits == (0.0, 1.0) else {}),
    }
    thin = {"labelExpr": f"toNumber(datum.value) % {every} == 0 ? datum.label : ''"}
    place: Spec = {
        "x": {
            "field": "x", "type": "ordinal", "title": x, "sort": None,
            "axis": {"labelAngle": 0, "labelOverlap": "parity"} | (thin if every > 1 else {}),
        },
        "y": {"field": "y", "type": "ordinal", "title": y, "sort": None, "axis": {"labelOverlap": "parity"}},
    }  # fmt: skip
    tip = [
        {"field": "x", "title": across},
        {"field": "y", "title": down},
        {"field": "vt", "title": axis.title},
    ]
    layers: list[Spec] = [{"mark": "rect", "encoding": {"color": color, "tooltip": tip}}]
    if numbers:
        middle = (low + high) / 2
        layers.append(
            {
                "mark": {"type": "text"},
                "encoding": {
                    "text": {"field": "vt"},
                    "color": {
                        "condition": {"test": f"datum.v > {middle:g}", "value": "white"},
                        "value": "black",
                    },
                },
            }
        )
    body = {
        "data": {"values": values},
        "transform": [{"calculate": text_of(axis.kind, "datum.v"), "as": "vt"}],
        "encoding": place,
        "layer": layers,
    }
    tall = max(22 if numbers else 18 if len(rows) <= 16 else 9, LEAST_HEIGHT // max(len(rows), 1))
    return _chart(title, body, tall * len(rows))


def points(
    title: str,
    dots: Sequence[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    *,
    tips: Mapping[str, str],
    front: Sequence[Point] = (),
    best: str = "best",
) -> Chart:
    """Dots with `x`, `y`, `best` (true or false) and what `tips` names; `front` is joined by steps."""
    kinds = [best, "other trials"]
    values = [
        {**dot, "k": kinds[not dot["best"]]}
        # The best are drawn last, on top.
        for dot in sorted(dots, key=lambda dot: bool(dot["best"]))
        if _shown(dot["x"], x) and _shown(dot["y"], y)
    ]
    x, y = _roomy(x, [dot["x"] for dot in values]), _roomy(y, [dot["y"] for dot in values])
    place = {"x": x.channel("x"), "y": y.channel("y")}
    layers: list[Spec] = []
    if front:
        layers.append(
            {
                "data": {"values": [{"x": _rounded(px), "y": _rounded(py)} for px, py in front]},
                "mark": {
                    "type": "line",
                    "interpolate": "step-after",
                    "color": colors.SERIES[1],
                    "clip": True,
                },
                "encoding": place,
            }
        )
    layers.append(
        {
            "params": [_hiding(kinds, "k"), *([] if x.kind == "name" else [ZOOM])],
            "transform": [
                {"filter": {"param": "shown"}},
                {"calculate": text_of(x.kind, "datum.x"), "as": "xt"},
                {"calculate": text_of(y.kind, "datum.y"), "as": "yt"},
            ],
            "mark": {"type": "point", "filled": True, "size": 55, "clip": True},
            "encoding": place
            | {
                "color": _legend(kinds, (colors.SERIES[1], colors.SERIES[0]), "k"),
                "tooltip": [
                    {"field": "xt", "title": x.title},
                    {"field": "yt", "title": y.title},
                    *({"field": field, "title": shown} for field, shown in tips.items()),
                ],
            },
        }
    )
    return _chart(title, {"data": {"values": values}, "layer": layers}, 320)
