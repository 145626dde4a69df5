"""Charts as SVG text: lines over linear or logarithmic axes, stacked bars, heat maps. No script is needed to
see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

COLORS = (
    "#1f77b4",
    "#d97706",
    "#2a9d6f",
    "#8e5ea2",
    "#c44e52",
    "#64748b",
    "#b59a10",
    "#17899b",
    "#7c5c46",
    "#e377a2",
)

WIDTH, HEIGHT = 470, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 42

MOST_DENSE = 11
"""Rows of a heat map lower than this have no numbers beside them."""

Point = tuple[float, float]
Format = Callable[[float], str]


def color(number: int) -> str:
    """The color of the series with this number."""
    return COLORS[number % len(COLORS)]


@dataclass
class Axis:
    """A range of values along one side of a chart."""

    label: str
    low: float
    high: float
    log: bool = False
    format: Format = field(default=lambda value: tick_text(value))

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        if self.log:
            return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round values along the axis."""
        if not self.log:
            return _linear_ticks(self.low, self.high)
        decades = range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1)
        steps = (1.0,) if len(decades) > 3 else (1.0, 2.0, 5.0)
        first = math.floor(math.log10(self.low))
        found = [step * 10.0**decade for decade in range(first, first + 40) for step in steps]
        return [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]


def axis(
    label: str, values: Sequence[float], *, log: bool = False, zero: bool = True, text: Format | None = None
) -> Axis:
    """An axis that holds these values."""
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = (min(finite), max(finite)) if finite else (1.0, 10.0)
    if log:
        low, high = (low, high) if high > low * 1.5 else (low / 2, high * 2)
    else:
        low = min(low, 0.0) if zero else low
        high = high if high > low else low + 1.0
        high += (high - low) * 0.05
    return Axis(label, low, high, log, text or tick_text)


def _linear_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, first + 12) if number * step <= high * (1 + 1e-9)]


def tick_text(value: float) -> str:
    """A short number: `20k`, `0.001`."""
    size = abs(value)
    for limit, name in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            return f"{value / (1e3 if name == 'k' else limit):,.4g}{name}"
    return f"{value:,.4g}" if size >= 1e-4 or value == 0 else f"{value:.0e}"


def _x(scale: Axis, value: float) -> float:
    return LEFT + scale.share(value) * (WIDTH - LEFT - RIGHT)


def _y(scale: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - scale.share(value) * (HEIGHT - TOP - BOTTOM)


def _svg(height: float, body: str, label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{body}</svg>'


def _text(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _frame(horizontal: Axis, vertical: Axis) -> str:
    parts = []
    for value in vertical.ticks():
        y = _y(vertical, value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 5, y + 4, vertical.format(value), "end"))
    for value in horizontal.ticks():
        x = _x(horizontal, value)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 15, horizontal.format(value)))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, horizontal.label, extra=' class="label"'))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f' class="label" transform="rotate(-90 13 {middle:.1f})"'
    parts.append(_text(13, middle, vertical.label, extra=turned))
    return "".join(parts)


def lines(
    series: Mapping[str, Sequence[Point]],
    horizontal: Axis,
    vertical: Axis,
    *,
    steps: bool = False,
    colors: Mapping[str, str] | None = None,
    dashed: frozenset[str] = frozenset(),
) -> str:
    """A chart of one line for each series. Points that a logarithmic axis can't show are left out."""
    parts = [_frame(horizontal, vertical)]
    for number, (name, points) in enumerate(series.items()):
        path = _path(
            [point for point in points if _shown(point, horizontal, vertical)], horizontal, vertical, steps
        )
        stroke = (colors or {}).get(name, color(number))
        dash = ' stroke-dasharray="5 3"' if name in dashed else ""
        parts.append(
            f'<path class="line" stroke="{stroke}"{dash} d="{path}"><title>{escape(name)}</title></path>'
        )
    return _svg(HEIGHT, "".join(parts), f"{vertical.label} over {horizontal.label}")


def _shown(point: Point, horizontal: Axis, vertical: Axis) -> bool:
    x, y = point
    return (
        math.isfinite(x)
        and math.isfinite(y)
        and (x > 0 or not horizontal.log)
        and (y > 0 or not vertical.log)
    )


def _path(points: Sequence[Point], horizontal: Axis, vertical: Axis, steps: bool) -> str:
    words: list[str] = []
    for x, y in points:
        at, height = _x(horizontal, x), _y(vertical, y)
        if not words:
            words.append(f"M{at:.1f} {height:.1f}")
        else:
            words.append(f"H{at:.1f}V{height:.1f}" if steps else f"L{at:.1f} {height:.1f}")
    return "".join(words)


def bars(
    rows: Sequence[tuple[str, Mapping[str, float]]], unit: str, colors: Mapping[str, str], text: Format
) -> str:
    """Horizontal bars, one below the other, each stacked of named parts."""
    high = max((sum(parts.values()) for _, parts in rows), default=0.0) or 1.0
    scale = Axis(unit, 0.0, high * 1.14)
    body, y = [], float(TOP)
    for label, parts in rows:
        body.append(_text(LEFT - 50, y + 11, label, "start", ' class="label"'))
        x = 8.0
        width = WIDTH - 16
        for name, value in parts.items():
            wide = scale.share(value) * width
            if wide > 0:
                title = f"<title>{escape(name)}: {escape(text(value))}</title>"
                body.append(
                    f'<rect x="{x:.1f}" y="{y + 16:.1f}" width="{max(wide - 0.5, 0.3):.2f}" height="20" '
                    f'fill="{colors[name]}">{title}</rect>'
                )
            x += wide
        body.append(_text(x + 4, y + 30, text(sum(parts.values())), "start"))
        y += 46
    return _svg(y + 4, "".join(body), unit)


def heat(
    rows: Sequence[Sequence[float | None]], label: str, text: Format, row_name: str, column_name: str
) -> str:
    """A grid of cells, darker where the value is higher."""
    known = [value for row in rows for value in row if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    across = max((len(row) for row in rows), default=1)
    cell = min((WIDTH - 40) / max(across, 1), 24.0)
    tall = min(max(cell, 5.0), 20.0)
    body = []
    for line, row in enumerate(rows):
        if tall >= MOST_DENSE:
            body.append(_text(30, TOP + 12 + (line + 0.7) * tall, str(line), "end"))
        for place, value in enumerate(row):
            if value is None:
                continue
            share = (value - low) / (high - low) if high > low else 0.5
            title = f"{row_name} {line}, {column_name} {place}: {text(value)}"
            x, y = 36 + place * cell, TOP + 12 + line * tall
            body.append(
                f'<rect x="{x:.2f}" y="{y:.2f}" width="{cell * 0.96:.2f}" '
                f'height="{tall * 0.94:.2f}" fill="{_shade(share)}"><title>{escape(title)}</title></rect>'
            )
    body.append(_text(36, TOP + 5, f"{label}: {text(low)} to {text(high)}", "start"))
    return _svg(TOP + 20 + len(rows) * tall, "".join(body), label)


def _shade(share: float) -> str:
    """From pale to dark blue."""
    first, last = (222, 235, 247), (8, 58, 117)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(first, last, strict=True))


def legend(colors: Mapping[str, str], dashed: frozenset[str] = frozenset()) -> str:
    """Names beside their colors."""
    items = "".join(
        f'<li><i style="background:{shade}"></i>{escape(name)}{" (dashed)" if name in dashed else ""}</li>'
        for name, shade in colors.items()
    )
    return f'<ul class="legend">{items}</ul>'
