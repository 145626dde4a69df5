"""The tables of a calibration, for the terminal and its page: errors before and after, and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wordline.calibration.compare import Line, Summary, summaries
from wordline.calibration.fit import Value
from wordline.calibration.rates import Load
from wordline.calibration.ways import Way, part_of

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""Caption, heads and rows."""


def summary_table(made: Sequence[Summary]) -> Table:
    """Errors by figure: of points that the fit saw, and apart of those held out."""
    found = {(one.figure, one.fitted): one for one in made}
    heads = (
        "figure", "fitted: before", "median", "largest", "held out: before", "median", "largest", "repeats"
    )  # fmt: skip
    rows = []
    for figure in dict.fromkeys(one.figure for one in made):
        cells = []
        for fitted in (True, False):
            one = found.get((figure, fitted))
            before = "–" if one is None or one.before is None else percent(one.before)
            cells += [before, *(["–"] * 2 if one is None else [percent(one.median), percent(one.largest)])]
        repeats = [
            one.repeats for (name, _), one in found.items() if name == figure and one.repeats is not None
        ]
        rows.append((figure, *cells, percent(max(repeats)) if repeats else "–"))
    return "Errors, and the spread of the measurement's own repeats", heads, rows


def values_table(values: Sequence[Value]) -> Table:
    """Values with their intervals, and what settled them."""
    rows = []
    for one in values:
        interval = "–" if one.low is None or one.high is None else f"{number(one.low)} to {number(one.high)}"
        span = "" if one.free.choices else f"{number(one.free.low)} to {number(one.free.high)}"
        before = "–" if one.free.base is None else number(one.free.base)
        state = f"{one.state}, by rates" if one.by_rates else one.state
        rows.append((one.free.path, number(one.free.setting(one.value)), interval, state, span, before))
    return "Values", ("value", "fitted", "95% interval", "", "range", "before"), rows


def rates_table(lines: Sequence[Line]) -> Table:
    """Rates and write amplification at other loads than the protocol's; without any no rows."""
    from wordline.figures import number as figure

    rows = []
    for line in lines:
        if isinstance(line.point.load, Load):
            before = "–" if line.before is None else figure(line.before)
            seen = "fitted" if line.fitted else "held out"
            rows.append((
                line.point.name, line.figure, seen, figure(line.measured), before, figure(line.simulated)
            ))  # fmt: skip
    heads = ("load", "figure", "", "measured", "before", "fitted")
    return "Rates and write amplification", heads, rows


def ways_table(lines: Sequence[Line]) -> Table:
    """Errors on each way to the steady state, over its parts; without any no rows."""
    rows = []
    ways = dict.fromkeys(line.point.name for line in lines if isinstance(line.point.load, Way))
    for name in ways:
        own = [line for line in lines if line.point.name == name]
        (made,) = summaries(own)
        before = "–" if made.before is None else percent(made.before)
        worst = max(own, key=lambda line: abs(math.log(line.simulated / line.measured)))
        rows.append((
            name, "fitted" if made.fitted else "held out", str(made.points), before, percent(made.median),
            percent(made.largest), part_of(worst.figure),
        ))  # fmt: skip
    heads = ("way", "", "parts", "before: median", "median", "largest", "at capacities")
    return "Errors on the way to the steady state", heads, rows


def percent(share: float) -> str:
    """A share; from 1 on the factor that it stands for."""
    return f"{share:.1%}" if share < 1 else f"× {1 + share:.2f}"


def number(value: Any) -> str:
    """A value of a description."""
    if isinstance(value, list):
        return ", ".join(number(one) for one in value)
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
