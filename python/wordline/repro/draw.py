"""The figure of an exhibit: lines, points or bars, in the form that its file asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.charts import Axis, Chart, colors, save
from wordline.charts.axis import Kind
from wordline.charts.specs import SCHEMA, Spec
from wordline.repro.exhibit import TargetsAre
from wordline.repro.numbers import Number
from wordline.repro.table import SPREAD

REFERENCE = "#111827"

NUMBERS = "numbers"
"""A figure of the exhibit's numbers: ours as bars, the printed ones as marks."""

KINDS = ("line", "bar", NUMBERS)

WIDTH, HEIGHT = 520, 290

PANEL = 320
"""Width of a picture beside another."""

ACROSS = 3
"""Pictures side by side; more go below."""

PLACE = 22
"""Least width of a place of bars: its name is readable beside the next."""

LONG = 70
"""Letters below the bars that don't stand side by side."""

LONG_NAME = 30
"""Letters of a legend's name that has a line for itself: in a wider font it would reach over the next one."""

FIGURE_KEYS = (
    "kind", "x", "y", "series", "panel", "reference", "reference_label", "x_label", "y_label", "x_log",
    "y_log", "x_scale",
    "y_scale", "percent", "y_min", "labels", "metric", "beside", "second", "relative_to",
)  # fmt: skip

Line = Mapping[str, Any]


def draw(
    figure: Mapping[str, Any],
    lines: Sequence[Line],
    title: str,
    path: Path,
    numbers: Sequence[Number] = (),
    targets_are: TargetsAre = "printed",
) -> list[Path]:
    """Draws the figure as PNG and SVG beside each other; returns their paths.

    With `beside`, the label of its axis, the numbers stand in a second picture, the printed ones as marks.
    """
    unknown = [key for key in figure if key not in FIGURE_KEYS]
    if unknown or figure.get("kind", "line") not in KINDS:
        raise WordlineError(
            f"figure of {title}: {unknown or figure['kind']}: allowed: {', '.join(FIGURE_KEYS)}"
        )
    chart = described(figure, lines, title)
    if "beside" in figure:
        chart = _with_numbers(figure, chart, numbers, targets_are)
    width = _width(figure, lines, WIDTH)
    return [save(chart, path.with_suffix(ending), width) for ending in (".png", ".svg")]


def _width(figure: Mapping[str, Any], lines: Sequence[Line], least: int) -> int:
    """Of a picture: so much that the names of all bars are readable."""
    places = {line[figure["x"]] for line in lines} if figure.get("kind") == "bar" else ()
    return max(least, PLACE * len(places))


def draw_numbers(
    figure: Mapping[str, Any],
    numbers: Sequence[Number],
    title: str,
    path: Path,
    targets_are: TargetsAre = "printed",
) -> list[Path]:
    """The same of numbers whose metric begins as `metric` says, each with the printed one as a mark.

    What follows `: ` in the metric, or else the workload, stands below.
    """
    lines: list[Line] = []
    for number in numbers:
        if _is_drawn(number) and number.metric.startswith(figure.get("metric", "")):
            name = number.metric.partition(": ")[2] or number.workload or number.metric
            lines.append(_compared(number, name))
    return draw({**figure, **_beside(targets_are)}, lines, title, path)


def _beside(targets_are: TargetsAre) -> dict[str, Any]:
    """A figure of numbers."""
    return {"kind": "bar", "x": "name", "y": "here", "reference": "target", "reference_label": targets_are}


def _is_drawn(number: Number) -> bool:
    return isinstance(number.ours, int | float) and isinstance(number.target, int | float)


def _compared(number: Number, name: str) -> Line:
    """A line of a figure of numbers."""
    line = {"name": name, "here": number.ours, "target": number.target}
    return line if number.interval is None else line | {"here" + SPREAD: number.interval}


def _with_numbers(
    figure: Mapping[str, Any], chart: Chart, numbers: Sequence[Number], targets_are: TargetsAre
) -> Chart:
    """The chart and, beside it, the printed numbers of the exhibit with ours."""
    lines = [
        _compared(number, ", ".join(part for part in (number.metric, number.against) if part))
        for number in numbers
        if not number.uncounted and _is_drawn(number)
    ]
    if not lines:
        return chart
    labels = {**figure.get("labels", {}), figure["beside"]: "here"}
    shown = {**_beside(targets_are), "y_label": figure["beside"], "labels": labels, "zero": True}
    pictures = [{**chart.spec, "width": PANEL}, {**_picture(shown, lines), "width": PANEL}]
    resolve = {"scale": {"color": "independent", "y": "independent", "x": "independent"}}
    return Chart(chart.title, {"$schema": SCHEMA, "hconcat": pictures, "resolve": resolve})


def described(figure: Mapping[str, Any], lines: Sequence[Line], title: str) -> Chart:
    """The figure as a specification; with `panel`, a column or several, a picture for each of its values.

    With `second`, what differs of it, another picture of the same lines stands beside it. Of more series than
    there are colors each has a picture of its own. Raises `WordlineError` where two lines are drawn at one
    place: bars would stand on each other.
    """
    if "relative_to" in figure:
        lines = _relative(figure, lines)
    if "second" in figure:
        both = [figure, {**figure, "y_scale": 1.0, **figure["second"]}]
        pictures = [{**_picture(one, lines), "width": PANEL} for one in both]
        return Chart(
            title, {"$schema": SCHEMA, "hconcat": pictures, "resolve": {"scale": {"y": "independent"}}}
        )
    names, rows = _rows(figure, lines)
    if "series" in figure and len(names) > len(colors.SERIES):
        rest = {key: value for key, value in figure.items() if key != "series"}
        figure = {**rest, "panel": columns_of(figure, "panel", "series")}
        names, rows = _rows(figure, lines)
    if "panel" not in figure:
        return Chart(title, _picture(figure, lines))
    groups: dict[str, list[Line]] = {}
    labels = figure.get("labels", {})
    for line in lines:
        values = (str(line[column]) for column in columns_of(figure, "panel"))
        groups.setdefault(", ".join(str(labels.get(value, value)) for value in values), []).append(line)
    # A scheme that one panel lacks has its colour in the others all the same.
    pictures = [
        _picture(figure, own, names, rows) | {"title": name, "width": _width(figure, own, PANEL)}
        for name, own in groups.items()
    ]
    beside = {"hconcat": pictures} if len(pictures) <= ACROSS else {"concat": pictures, "columns": ACROSS}
    return Chart(title, {"$schema": SCHEMA, **beside, "resolve": {"scale": {"y": "shared"}}})


def _relative(figure: Mapping[str, Any], lines: Sequence[Line]) -> list[Line]:
    """The lines, `y` by that of the one with the words of `relative_to` and the same place, which goes."""
    ys, words = _listed(figure["y"]), figure["relative_to"]
    places = [column for column in columns_of(figure, "x", "series", "panel") if column not in words]

    def is_base(line: Line) -> bool:
        return all(line[column] == value for column, value in words.items())

    def place(line: Line) -> tuple[Any, ...]:
        return tuple(line[column] for column in places)

    bases = {place(line): line for line in lines if is_base(line)}
    found: list[Line] = []
    for line in lines:
        base = bases.get(place(line))
        if is_base(line) or base is None:
            continue
        known = {y: line[y] / base[y] if line[y] is not None and base[y] else None for y in ys}
        found.append({name: value for name, value in line.items() if not name.endswith(SPREAD)} | known)
    return found


def _picture(
    figure: Mapping[str, Any],
    lines: Sequence[Line],
    names: Sequence[str] = (),
    every: Sequence[Mapping[str, Any]] = (),
) -> Spec:
    """`names` are the series, `every` the marks of all panels, where not all are in these lines."""
    is_bar = figure.get("kind") == "bar"
    found, rows = _rows(figure, lines)
    _refuse_one_place(rows)
    names = names or found
    tones = [colors.of_series(place) for place in range(len(names))]
    domain, range_ = list(names), tones
    words = [*domain, *_reference_words(figure)[:1]]
    if figure.get("reference") and is_bar:
        domain = words
        range_ = [*tones, REFERENCE]
    columns = 1 if max(map(len, words)) >= LONG_NAME else 4 if len("".join(words)) < LONG else 2
    alone = len(domain) == 1 and domain[0] == figure.get("y_label")
    color: Spec = {
        "field": "s",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": domain, "range": range_},
        "legend": None if alone else {"orient": "bottom", "columns": columns},
    }
    body: Spec = {
        "$schema": SCHEMA,
        "height": HEIGHT,
        "data": {"values": rows},
        "encoding": {"x": _across(figure, rows, is_bar)},
        "layer": (_bars if is_bar else _lines)(figure, rows, color, _upwards(figure, every or rows, "y")),
    }
    if is_bar:
        body["encoding"]["xOffset"] = {"field": "s", "sort": list(names)}
    return body


def _refuse_one_place(rows: Sequence[Mapping[str, Any]]) -> None:
    """Each mark has a place of its own, or stands for the same."""
    heights: dict[tuple[Any, Any], Any] = {}
    for row in rows:
        place, height = (row["s"], row["x"]), row.get("y")
        if heights.setdefault(place, height) != height:
            what = f"{row['s']} at {row['x']}".strip()
            raise WordlineError(
                f"figure: {what} is drawn for lines that differ: allowed: told apart by `series` or `panel`"
            )


def _rows(figure: Mapping[str, Any], lines: Sequence[Line]) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the series, and a row for each mark: series, place, height, its interval, reference."""
    is_bar, ys = figure.get("kind") == "bar", _listed(figure["y"])
    key, labels = figure.get("series"), figure.get("labels", {})
    references = _listed(figure.get("reference"))
    scale_x, scale_y = figure.get("x_scale", 1.0), figure.get("y_scale", 1.0)
    names: dict[str, None] = {}
    rows = []
    for line in lines:
        series = str(line[key]) if key else ""
        series = str(labels.get(series, series))
        for place_of_y, y in enumerate(ys):
            # One for all, or one for each.
            reference = references[place_of_y if len(references) == len(ys) else 0]
            words = [part for part in (series, labels.get(y, y) if len(ys) > 1 else "") if part]
            label = str(figure.get("y_label", y))
            name = ", ".join(words) or str(labels.get(label, label))
            names[name] = None
            place = line[figure["x"]]
            row: dict[str, Any] = {"s": name}
            row["x"] = str(labels.get(str(place), place)) if is_bar else place * scale_x
            if line[y] is not None:
                row["y"] = line[y] * scale_y
                if line.get(y + SPREAD) is not None:
                    reach = line[y + SPREAD] * scale_y
                    row |= {"l": row["y"] - reach, "h": row["y"] + reach}
            if reference and line[reference] is not None:
                row["r"] = line[reference] * scale_y
            rows.append(row)
    return list(names), rows


def columns_of(figure: Mapping[str, Any], *roles: str) -> list[str]:
    """The columns that have these roles in a picture, such as `x`, `series` and `panel`."""
    return [column for role in roles if role in figure for column in _listed(figure[role])]


def _listed(value: Any) -> list[str]:
    return list(value) if isinstance(value, list) else [value]


def _axis(figure: Mapping[str, Any], side: str) -> Axis:
    kind: Kind = "share" if figure.get("percent") == side else "number"
    zero = bool(figure.get("zero")) and side == "y"
    return Axis(figure.get(f"{side}_label", ""), kind, log=bool(figure.get(f"{side}_log")), zero=zero)


def _across(figure: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], is_bar: bool) -> Spec:
    if is_bar:
        places = list(dict.fromkeys(row["x"] for row in rows))
        angle = -35 if sum(map(len, places)) > LONG else 0
        return {
            "field": "x",
            "type": "nominal",
            "sort": None,
            "title": figure.get("x_label", ""),
            "axis": {"labelAngle": angle, "labelLimit": 0, "grid": False},
        }
    return _axis(figure, "x").channel("x")


def _upwards(figure: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], field: str) -> Spec:
    is_bar = figure.get("kind") == "bar"
    found = _axis(figure, "y").channel(field)
    known = [row[name] for row in rows for name in ("y", "l", "h", "r") if name in row]
    known = [value for value in known if value > 0 or not figure.get("y_log")]
    if known and not figure.get("y_log"):
        low = figure.get("y_min", min(0.0, *known) if is_bar else min(known))
        high = max(known)
        room = (high - low) * 0.05 or abs(high) or 1.0
        open_below = not is_bar and "y_min" not in figure
        found["scale"] |= {"domain": [low - room if open_below else low, high + room], "nice": True}
    elif known:
        found["scale"] |= {"domain": [min(known) * 0.9, max(known) * 1.1]}
    return found


OF_BOTH = re.compile(r"lines?: (.+), points?: (.+)")
"""A label that says what lines and points are."""


def _reference_words(figure: Mapping[str, Any]) -> tuple[str, ...]:
    """What a reference is called, and what our numbers beside it are; empty without one."""
    if not figure.get("reference"):
        return ()
    label = str(figure.get("reference_label", "closed form"))
    both = OF_BOTH.fullmatch(label)
    return (both[1], both[2]) if both else (label, "simulated")


def _swatch(channel: str, word: str, value: Any, symbol: Mapping[str, Any]) -> Spec:
    """A legend entry of its own for all lines, or all points, whichever series they are of."""
    return {
        channel: {
            "datum": word,
            "type": "nominal",
            "scale": {"domain": [word], "range": [value]},
            "legend": {"title": None, "orient": "bottom", **symbol},
        }
    }


def _having(field: str, log: bool) -> Spec:
    return {"filter": f"isValid(datum.{field})" + (f" && datum.{field} > 0" if log else "")}


def _lines(figure: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], color: Spec, y: Spec) -> list[Spec]:
    log, measured = bool(figure.get("y_log")), not figure.get("reference")
    layers: list[Spec] = []
    line: Spec = {}
    point: Spec = {}
    if not measured:
        reference, ours = _reference_words(figure)
        stroke = {"symbolType": "stroke", "symbolStrokeColor": REFERENCE}
        line = _swatch("strokeDash", reference, [1, 0], stroke)
        point = _swatch("shape", ours, "circle", {"symbolFillColor": REFERENCE, "symbolStrokeWidth": 0})
    if any("l" in row for row in rows):
        layers.append(
            {
                "transform": [_having("l", log)],
                "mark": {"type": "rule", "strokeWidth": 1.2},
                "encoding": {"y": y | {"field": "l"}, "y2": {"field": "h"}, "color": color},
            }
        )
    if not measured:
        layers.append(
            {
                "transform": [_having("r", log)],
                "mark": {"type": "line", "strokeWidth": 1.2},
                "encoding": {"y": y | {"field": "r"}, "color": color} | line,
            }
        )
    else:
        layers.append(
            {"transform": [_having("y", log)], "mark": "line", "encoding": {"y": y, "color": color}}
        )
    layers.append(
        {
            "transform": [_having("y", log)],
            "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
            "encoding": {"y": y, "color": color} | point,
        }
    )
    return layers


def _bars(figure: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], color: Spec, y: Spec) -> list[Spec]:
    log = bool(figure.get("y_log"))
    base = y["scale"]["domain"][0] if "domain" in y["scale"] else math.nan
    ends = {"y2": {"datum": base}} if log or figure.get("y_min") else {}
    layers: list[Spec] = [
        {
            "transform": [_having("y", log)],
            "mark": {"type": "bar", "clip": True},
            "encoding": {"y": y, "color": color} | ends,
        }
    ]
    if any("l" in row for row in rows):
        layers.append(
            {
                "transform": [_having("l", log)],
                "mark": {"type": "rule", "color": REFERENCE},
                "encoding": {"y": y | {"field": "l"}, "y2": {"field": "h"}},
            }
        )
    if figure.get("reference"):
        layers.append(
            {
                "transform": [_having("r", log)],
                "mark": {"type": "tick", "color": REFERENCE, "thickness": 2},
                "encoding": {"y": y | {"field": "r"}},
            }
        )
    return layers
