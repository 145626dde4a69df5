"""Specifications of Vega-Lite as plain data, for Vega in a page, vl-convert, Altair's `from_dict`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline.charts.axis import Axis

Spec = dict[str, Any]
Point = tuple[float, float]

HEIGHT = 250

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

ROOM = 0.04
"""Of an axis, beyond the outermost dots."""

MOST_COLUMNS_OF_LEGEND = 40
"""Letters of a legend's entries in all, above which they stand below one another."""


@dataclass(frozen=True)
class Chart:
    """A picture."""

    title: str
    """What it says, or shows."""
    spec: Spec
    """Without a theme. The width is that of the place where it stands."""
    wide: bool = False
    """Takes the whole width of a page."""
    about: str = ""
    """What it shows, where the title is what it says."""

    def saying(self, message: str, more: str = "") -> Chart:
        """The same with a message as its title; without one, as it is. `more` is said of what it shows."""
        about = f"{self.title}{more}"
        return replace(self, title=message, about=about) if message else replace(self, title=about)


def rounded(value: float) -> float:
    """With six digits, which is finer than any screen."""
    return float(f"{value:.6g}")


def framed(title: str, body: Spec, height: int = HEIGHT, *, wide: bool = False) -> Chart:
    """What every chart begins with."""
    frame: Spec = {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    return Chart(title, frame | body, wide)


def legend(
    names: Sequence[str], tones: Sequence[str], field: str, title: str | None = None, least: int = 2
) -> Spec:
    """A color for each name, below the chart, where there are so many; a click hides what it names."""
    columns = 1 if max(map(len, names), default=0) > MOST_COLUMNS_OF_LEGEND else 2
    columns = len(names) if sum(map(len, names)) + 3 * len(names) < MOST_COLUMNS_OF_LEGEND else columns
    return {
        "field": field,
        "type": "nominal",
        "title": title,
        "sort": None,
        "scale": {"domain": list(names), "range": list(tones)},
        "legend": {"orient": "bottom", "columns": columns, "symbolType": "square"}
        if len(names) >= least
        else None,
    }


def hiding(names: Sequence[str], field: str) -> Spec:
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


def roomy(axis: Axis, values: Sequence[Any], least: float = -math.inf) -> Axis:
    """The axis with room for whole dots at its ends; it begins at `least` at the lowest."""
    if axis.kind == "name" or axis.limits is not None or not values:
        return axis
    low, high = max(min(values), least), max(values)
    if axis.log:
        room = (high / low) ** ROOM if high > low else 2.0
        return replace(axis, limits=(rounded(low / room), rounded(high * room)))
    low = min(low, 0.0) if axis.zero else low
    room = (high - low) * ROOM or abs(high) or 1.0
    return replace(
        axis, limits=(low if axis.zero and low == 0 else rounded(low - room), rounded(high + room))
    )


def shown(value: float, axis: Axis) -> bool:
    """Whether the axis can show a value: none up to 0 on a logarithmic one."""
    return axis.kind == "name" or (math.isfinite(value) and (value > 0 or not axis.log))
