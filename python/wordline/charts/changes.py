"""Relative changes of several figures, each with its interval, in one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.charts import colors
from wordline.charts.specs import ROOM, Chart, Spec, framed, hiding, legend, rounded

MOST_LINEAR = 4.0
"""The largest ratio by the smallest, beyond which an axis is one of ratios, logarithmic."""

_TICKS = tuple(sign for power in range(-4, 7) for sign in (10.0**power, 2 * 10.0**power, 5 * 10.0**power))

BAND = 13
"""Height of a series in a row, pixels."""


@dataclass(frozen=True)
class Change:
    """A figure of a series by that of the first."""

    row: str
    """The figure."""
    series: str
    ratio: float
    half: float | None
    """Half of the 95% interval of the difference, a share of the first one's figure."""
    value: str
    """The figure as text."""

    @property
    def ends(self) -> tuple[float, float]:
        """Of its interval, or twice itself."""
        return self.ratio - (self.half or 0.0), self.ratio + (self.half or 0.0)

    @property
    def same(self) -> bool:
        """Whether its interval holds no change at all."""
        return self.half is not None and abs(self.ratio - 1) <= self.half


def relative(title: str, changes: Sequence[Change], first: str, tones: Mapping[str, str]) -> Chart:
    """A dot and its interval for each figure and series, around the line of the first series; pale where
    the interval holds no change. Ratios must be positive.
    """
    names = list(dict.fromkeys(change.series for change in changes))
    rows = list(dict.fromkeys(change.row for change in changes))
    ratios = [1.0, *(change.ratio for change in changes)]
    log = max(ratios) > MOST_LINEAR * min(ratios)
    floor = min(ratios) / 2 if log else 0.0
    low = min([1.0, *(max(change.ends[0], floor) for change in changes)])
    high = max([1.0, *(change.ends[1] for change in changes)])
    if log:
        high = min(high, 2 * max(ratios))
        room = (high / low) ** ROOM
        domain = [low / room, high * room]
    else:
        room = (high - low) * ROOM or 0.05
        domain = [low - room, high + room]
    text = (
        "datum.value >= 10 ? '×' + format(datum.value, ',.3~r') : "
        "abs(datum.value - 1) < 1e-9 ? '0' : format((datum.value - 1) * 100, '+.3~r') + '%'"
    )
    across: Spec = {
        "field": "x",
        "type": "quantitative",
        "title": f"change against {first}" + (" (log)" if log else ""),
        "scale": {"domain": [rounded(end) for end in domain], "nice": False, "zero": False}
        | ({"type": "log"} if log else {}),
        "axis": {"labelExpr": text, "tickCount": 6, "labelOverlap": "greedy"}
        | ({"values": [tick for tick in _TICKS if domain[0] <= tick <= domain[1]]} if log else {}),
    }
    values = [
        {"r": change.row, "s": change.series, "x": rounded(change.ratio), "v": change.value, "o": change.same}
        | ({} if change.half is None else dict(zip("lh", map(rounded, change.ends), strict=True)))
        for change in changes
    ]
    percent = "format((datum.{0} - 1) * 100, '+.2~f') + '%'"
    interval = f"isValid(datum.l) ? {percent.format('l')} + ' to ' + {percent.format('h')} : 'unknown'"
    chosen = [tones.get(name) or colors.of_series(place) for place, name in enumerate(names)]
    pale: Spec = {"condition": {"test": "datum.o", "value": 0.4}, "value": 1}
    body: Spec = {
        "data": {"values": values},
        "transform": [
            {"filter": {"param": "shown"}},
            {"calculate": percent.format("x"), "as": "xt"},
            {"calculate": interval, "as": "it"},
        ],
        "encoding": {
            "y": {"field": "r", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 0}},
            "yOffset": {"field": "s", "sort": None},
        },
        "layer": [
            {
                "data": {"values": [{"x": 1}]},
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"x": across, "y": None, "yOffset": None},
            },
            {
                "transform": [{"filter": "isValid(datum.l)"}],
                "mark": {"type": "rule", "strokeWidth": 1.8, "clip": True},
                "encoding": {
                    "x": across | {"field": "l"},
                    "x2": {"field": "h"},
                    "color": legend(names, chosen, "s"),
                    "opacity": pale,
                },
            },
            {
                "params": [hiding(names, "s")],
                "mark": {"type": "point", "filled": True, "size": 55},
                "encoding": {
                    "x": across,
                    "color": legend(names, chosen, "s", "scheme"),
                    "opacity": pale,
                    "tooltip": [
                        {"field": "r", "title": "figure"},
                        {"field": "s", "title": "scheme"},
                        {"field": "v", "title": "is"},
                        {"field": "xt", "title": "change"},
                        {"field": "it", "title": "95% interval"},
                    ],
                },
            },
        ],
    }
    return framed(title, body, len(rows) * max(BAND * len(names), 20))
