"""Heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wordline.charts.axis import Axis, text_of
from wordline.charts.specs import Chart, Spec, framed, rounded

LEAST_HEIGHT = 70
"""The title of its rows must have room beside it."""


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
    values = [{"x": column, "y": row, "v": rounded(value)} for column, row, value in cells]
    low, high = axis.limits or (min(v for *_, v in cells), max(v for *_, v in cells))
    across, down = names or (x, y)
    color: Spec = {
        "field": "v",
        "type": "quantitative",
        "title": axis.shown_title,
        "scale": {"domain": [low, high if high > low else low + 1], "scheme": "blues"}
        | ({"type": "log"} if axis.log else {}),
        "legend": {
            "orient": "bottom",
            "direction": "horizontal",
            "labelExpr": axis.label,
            "tickCount": 4,
            "labelOverlap": "greedy",
            "labelSeparation": 6,
        }
        | ({"values": [0, 0.5, 1]} if axis.limits == (0.0, 1.0) else {}),
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
        middle = math.sqrt(low * high) if axis.log else (low + high) / 2
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
    return framed(title, body, tall * len(rows))


def changes(title: str, cells: Sequence[tuple[str, str, float | None]], value: str) -> Chart:
    """A grid of changes, shares of what they are changes of: less is blue, more is red, nothing is white.

    Each cell has its column, row and change; `None` where there is no figure. Half of it, or as much
    more, has the full color.
    """
    rows = list(dict.fromkeys(row for _, row, _ in cells))
    values = [
        {"x": column, "y": row, **({} if change is None else {"v": rounded(change)})}
        for column, row, change in cells
    ]
    text = "isValid(datum.v) ? format(datum.v * 100, '+.0f') : ''"
    color: Spec = {
        "field": "v",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [-0.5, 0.5], "clamp": True, "scheme": "redblue", "reverse": True},
        "legend": {"orient": "bottom", "direction": "horizontal", "format": "+.0%"},
    }
    body = {
        "data": {"values": values},
        "transform": [{"calculate": text, "as": "vt"}],
        "encoding": {
            "x": {
                "field": "x", "type": "ordinal", "title": None, "sort": None,
                "axis": {"orient": "top", "labelAngle": 0, "labelOverlap": False, "labelFontSize": 9},
            },
            "y": {
                "field": "y", "type": "ordinal", "title": None, "sort": None,
                "axis": {"labelLimit": 0},
            },
        },
        "layer": [
            {
                "mark": "rect",
                "encoding": {
                    "color": color,
                    "tooltip": [
                        {"field": "x", "title": "workload"},
                        {"field": "y", "title": "scheme"},
                        {"field": "vt", "title": "%"},
                    ],
                },
            },
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {
                    "text": {"field": "vt"},
                    "color": {
                        "condition": {"test": "abs(datum.v) > 0.35", "value": "white"},
                        "value": "black",
                    },
                },
            },
        ],
    }  # fmt: skip
    return framed(f"{title}: {value}", body, 16 * len(rows))
