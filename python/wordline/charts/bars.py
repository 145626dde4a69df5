"""Bars: lying, of named pieces, and upright, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.charts import colors
from wordline.charts.axis import Axis, text_of
from wordline.charts.specs import Chart, Spec, framed, hiding, legend, roomy, rounded


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
        {"r": label, "p": name, "v": rounded(parts[name]), "o": place}
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
        "scale": {"domain": [0, rounded(high * 1.18)], "nice": False},
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
                "params": [hiding(names, "p")],
                "mark": {"type": "bar"},
                "encoding": {
                    "x": width,
                    # Nothing else says what a bar of one piece is.
                    "color": legend(names, tones, "p", least=1),
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
    return framed(title, body, 46 * len(rows) if several else 34)


def bars(
    title: str,
    rows: Sequence[tuple[str, str, float, float | None]],
    axis: Axis,
    *,
    tones: Mapping[str, str] | None = None,
    legend_title: str | None = None,
) -> Chart:
    """Upright bars side by side: group, name, value, and half of its interval.

    On a logarithmic axis, which has no nothing for a bar to stand on, they are dots.
    """
    names = list(dict.fromkeys(name for _, name, _, _ in rows))
    groups = list(dict.fromkeys(group for group, _, _, _ in rows))
    # What an interval holds of nothing and less, a logarithmic axis shows as its end.
    floor = min((value for *_, value, _ in rows), default=1.0) / 2 if axis.log else -math.inf
    if axis.log:
        axis = roomy(
            axis, [max(end, floor) for *_, v, half in rows for end in (v - (half or 0), v + (half or 0))]
        )
    values = [
        {"g": group, "s": name, "y": rounded(value)}
        | ({"l": rounded(max(value - half, floor)), "h": rounded(value + half)} if half is not None else {})
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
                "params": [hiding(names, "s")],
                "mark": {"type": "point", "filled": True, "size": 60} if axis.log else {"type": "bar"},
                "encoding": {
                    "y": axis.channel("y"),
                    "color": legend(names, chosen, "s", legend_title),
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
    return framed(title, body)
