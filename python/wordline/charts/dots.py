"""Dots, the best of them joined by a front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordline.charts import colors
from wordline.charts.axis import Axis, text_of
from wordline.charts.specs import ZOOM, Chart, Point, Spec, framed, hiding, legend, roomy, rounded, shown


def points(
    title: str,
    dots: Sequence[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    *,
    tips: Mapping[str, str],
    front: Sequence[Point] = (),
    best: str = "best",
    label: str | None = None,
) -> Chart:
    """Dots with `x`, `y`, `best` (true or false) and what `tips` names; `front` is joined by steps.

    The best have the value of `label` beside them.
    """
    kinds = [best, "other trials"]
    values = [
        {**dot, "k": kinds[not dot["best"]]}
        # The best are drawn last, on top.
        for dot in sorted(dots, key=lambda dot: bool(dot["best"]))
        if shown(dot["x"], x) and shown(dot["y"], y)
    ]
    x, y = roomy(x, [dot["x"] for dot in values]), roomy(y, [dot["y"] for dot in values])
    place = {"x": x.channel("x"), "y": y.channel("y")}
    layers: list[Spec] = []
    if front:
        layers.append(
            {
                "data": {"values": [{"x": rounded(px), "y": rounded(py)} for px, py in front]},
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
            "params": [hiding(kinds, "k"), *([] if x.kind == "name" else [ZOOM])],
            "transform": [
                {"filter": {"param": "shown"}},
                {"calculate": text_of(x.kind, "datum.x"), "as": "xt"},
                {"calculate": text_of(y.kind, "datum.y"), "as": "yt"},
            ],
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1, "clip": True},
            "encoding": place
            | {
                "color": legend(kinds, (colors.SERIES[1], colors.SERIES[0]), "k"),
                "tooltip": [
                    {"field": "xt", "title": x.title},
                    {"field": "yt", "title": y.title},
                    *({"field": field, "title": shown} for field, shown in tips.items()),
                ],
            },
        }
    )
    if label is not None:
        # Several dots in one place have their labels beside each other.
        named: dict[Point, list[str]] = {}
        for dot in values:
            if dot["best"]:
                named.setdefault((dot["x"], dot["y"]), []).append(str(dot[label]))
        layers.append(
            {
                "data": {
                    "values": [{"x": px, "y": py, "t": ", ".join(own)} for (px, py), own in named.items()]
                },
                "mark": {"type": "text", "align": "left", "dx": 6, "dy": -6},
                "encoding": place | {"text": {"field": "t"}},
            }
        )
    return framed(title, {"data": {"values": values}, "layer": layers}, 320)
