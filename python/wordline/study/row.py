"""A finished point as a row of a table: its key, what it was, every figure of the result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wordline import _core, derived, intervals
from wordline.study.point import Inputs, Point

Row = dict[str, Any]

DONE = "done"
FAILED = "failed"
"""By itself: it would fail again."""
LOST = "lost"
"""Failed by its machine: it is run again the next time."""

FIXED = ("key", "status", "error", "device", "scheme", "workload", "seed", "version", "build")
"""Columns of every row, before the axes and the figures."""

TEXTS = ("inputs", "result")
"""Columns of JSON: the configuration in force, and the whole of `result.json`."""

SERIES = ("write_bytes", "duration_ns", "waf")
"""What a row keeps of a time series that was asked for, as JSON in the column `series`."""

AXIS = "axis."
"""What the name of an axis begins with as a column."""

_LEFT_OUT = ("schema", "config", "changed", "dies", "channels", "notes", "version", "seed", "checked")


def row(
    point: Point,
    inputs: Inputs,
    result: str | None,
    error: str | None = None,
    status: str | None = None,
    series: str | None = None,
) -> Row:
    """The row of a point that ended: with the text of its result and of its time series, or with an error."""
    fields: dict[str, Any] = {
        "key": inputs.key,
        "status": status or (DONE if error is None else FAILED),
        "error": error,
        **{kind: inputs.config[kind]["name"] for kind in ("device", "scheme", "workload")},
        "seed": point.scenario.seed,
        "version": _core.__version__,
        "build": _core.__build__,
    }
    fields |= {AXIS + name: _plain(value) for name, value in point.axes}
    fields["inputs"] = json.dumps(inputs.config, separators=(",", ":"))
    if result is not None:
        data = json.loads(result)
        fields |= dict(figures({name: value for name, value in data.items() if name not in _LEFT_OUT}))
        fields |= derived.figures(data)
        for name, interval in derived.intervals_of(data).items():
            fields |= intervals.columns(name, interval)
        fields["result"] = result
    if series is not None:
        fields["series"] = series
    return fields


def _plain(value: Any) -> Any:
    """A value that a column can hold: numbers, words and truth as they are, all else as JSON."""
    return value if isinstance(value, str | int | float | bool) or value is None else json.dumps(value)


def figures(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float | bool]]:
    """Every number of a result by its dotted path. Distributions and lists are in the result's own text.

    Of requests that didn't occur there is only their number.
    """
    if data.get("requests") == 0:
        yield f"{path}requests", 0.0
        return
    for name, value in data.items():
        if isinstance(value, Mapping) and not name.isdecimal():
            if not all(key.isdecimal() for key in value):
                yield from figures(value, f"{path}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield path + name, float(value)
