"""Axes and the texts of their values: `320 ms`, `12%`, `1.2 GB/s`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["time", "share", "rate", "number", "name"]
"""Nanoseconds; shares of one; bytes a second; plain numbers; words."""


def _steps(value: str, steps: tuple[tuple[float, float, str], ...], last: str) -> str:
    """An expression that gives a value in the largest unit that it reaches."""
    chosen = " : ".join(
        f"abs({value}) >= {limit:g} ? format({value} / {scale:g}, ',.4~r') + ' {unit}'"
        for limit, scale, unit in steps
    )
    return f"({chosen} : {value} == 0 ? '0' : format({value}, ',.4~r') + '{last}')"


def text_of(kind: Kind, value: str) -> str:
    """The expression of Vega that writes `value`, itself an expression, for a person."""
    if kind == "time":
        return _steps(value, ((1e9, 1e9, "s"), (1e6, 1e6, "ms"), (1e3, 1e3, "µs")), " ns")
    if kind == "rate":
        return _steps(value, ((1e9, 1e9, "GB/s"), (1e6, 1e6, "MB/s"), (1e3, 1e3, "kB/s")), " B/s")
    if kind == "share":
        return f"(format({value} * 100, '.4~r') + '%')"
    if kind == "number":
        return f"(abs({value}) >= 1e4 ? format({value}, '.4~s') : format({value}, ',.4~r'))"
    return f"('' + {value})"


LOG_FROM = 20
"""Times that differ by a larger factor are drawn on a logarithmic axis."""

LOG_NUMBERS_FROM = 1000
"""The same of rates and plain numbers."""


@dataclass(frozen=True)
class Axis:
    """One side of a chart, or what a color stands for."""

    title: str
    kind: Kind = "number"
    log: bool = False
    zero: bool = True
    """A linear axis begins at zero."""
    limits: tuple[float, float] | None = None
    """Where it begins and ends whatever the values: an absolute scale."""

    def channel(self, field: str) -> dict[str, Any]:
        """Its encoding in Vega-Lite."""
        if self.kind == "name":
            return {
                "field": field,
                "type": "nominal",
                "title": self.title,
                "sort": None,
                "axis": {"grid": False, "labelAngle": 0, "labelOverlap": True},
            }
        scale: dict[str, Any] = {"type": "log"} if self.log else {"zero": self.zero}
        if self.limits is not None:
            scale["domain"] = list(self.limits)
        else:
            scale["nice"] = not self.log
        return {
            "field": field,
            "type": "quantitative",
            "title": self.shown_title,
            "scale": scale,
            "axis": {"labelExpr": self.label, "tickCount": 6, "labelOverlap": "greedy"},
        }

    def over(self, values: Iterable[float]) -> Axis:
        """The same, logarithmic where these values differ by more than a line shows: times by `LOG_FROM`,
        others by `LOG_NUMBERS_FROM`. A time series may have rows of nothing, which it leaves out.
        """
        known = [value for value in values if value > 0]
        limit = LOG_FROM if self.kind == "time" else LOG_NUMBERS_FROM
        wide = bool(known) and max(known) > limit * min(known)
        return replace(self, log=True) if wide and self.kind in ("time", "rate", "number") else self

    @property
    def shown_title(self) -> str:
        """With a mark where it is logarithmic."""
        return f"{self.title} (log)" if self.log else self.title

    @property
    def label(self) -> str:
        """The expression of a tick's text; of a logarithmic axis 1, 2 and 5 of each decade have one."""
        text = text_of(self.kind, "datum.value")
        if not self.log:
            return text
        mantissa = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"
        return f"indexof([1, 2, 5], {mantissa}) < 0 ? '' : {text}"
