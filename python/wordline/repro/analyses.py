"""Numbers from several lines of an exhibit's table: changes, counts, orders, where a curve is flat."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

Wanted = Mapping[str, Any]
"""A `[[number]]` of an exhibit's file."""

NEVER = "never"
"""In place of a number: what it is the place of happens nowhere."""

Lines = Sequence[Mapping[str, Any]]

SEED = "seed"
"""Lines of several seeds have it; what is set against each other is of the same one."""


def mean_change(number: Wanted, lines: Lines) -> float | None:
    """Mean over the other columns of `value` where `where` holds, by that where `against` holds, less one."""
    return _mean(changes(number, lines))


def speed_up(number: Wanted, lines: Lines) -> float | None:
    """How many times as large `value` is by `where` as by `against`.

    The geometric mean over the lines that agree otherwise.
    """
    factors = [change + 1 for change in changes(number, lines)]
    return math.prod(factors) ** (1 / len(factors)) if factors else None


def least_change(number: Wanted, lines: Lines) -> float | None:
    """The same, the smallest: of a decrease the largest."""
    return min(changes(number, lines), default=None)


def largest_change(number: Wanted, lines: Lines) -> float | None:
    """The same, the largest."""
    return max(changes(number, lines), default=None)


def count_of_changes(number: Wanted, lines: Lines) -> float | None:
    """The same, how many are at most `limit`."""
    found = changes(number, lines)
    return float(sum(change <= number["limit"] for change in found)) if found else None


def changes(number: Wanted, lines: Lines) -> list[float]:
    """`value` where `where` holds by that where `against` holds, less one."""
    pairs = _pairs(number, lines, number["where"], number["against"])
    return [value / base - 1 for value, base in pairs if base]


def points(number: Wanted, lines: Lines) -> list[float]:
    """`value` where `where` holds less that where `against` holds, both by that where `base` holds."""
    over = number.get("over") or _others(lines, {*number["where"], *number["base"], number["value"]})
    bases = _by(lines, number["base"], over, number["value"])
    first = _by(lines, number["where"], over, number["value"])
    second = _by(lines, number["against"], over, number["value"])
    there = [key for key in first if key in second and bases.get(key)]
    return [(first[key] - second[key]) / bases[key] for key in there]


def mean_points(number: Wanted, lines: Lines) -> float | None:
    """Mean of `value` where `where` holds less that where `against` holds, by that where `base` holds."""
    return _mean(points(number, lines))


def difference(number: Wanted, lines: Lines) -> float | None:
    """Mean of `value` where `where` holds less that where `against` holds."""
    return _mean([value - base for value, base in _pairs(number, lines, number["where"], number["against"])])


def count_of_points(number: Wanted, lines: Lines) -> float | None:
    """How many of them are above `above` (default: no bound) and at most `limit`."""
    found = points(number, lines)
    above = number.get("above", float("-inf"))
    return float(sum(above < each <= number["limit"] for each in found)) if found else None


def removed_for_each(number: Wanted, lines: Lines) -> float | None:
    """`value` where `against` holds less that where `where` holds, by `per` of the latter; the mean."""
    over = number["over"]
    made = _by(lines, number["where"], over, number["per"])
    after = _by(lines, number["where"], over, number["value"])
    before = _by(lines, number["against"], over, number["value"])
    there = [key for key in made if made[key] and key in before and key in after]
    return _mean([(before[key] - after[key]) / made[key] for key in there])


def for_each_without(number: Wanted, lines: Lines) -> float | None:
    """The sum of `value` where `where` holds by that of `per` where `against` holds."""
    above = _values(number, lines)
    below = _values({"value": number["per"], "where": number["against"]}, lines)
    return sum(above) / sum(below) if above and sum(below) else None


def average(number: Wanted, lines: Lines) -> float | None:
    """Mean of `value` of the lines where `where` holds."""
    return _mean(_values(number, lines))


def highest(number: Wanted, lines: Lines) -> float | None:
    """The largest of them."""
    return max(_values(number, lines), default=None)


def lowest(number: Wanted, lines: Lines) -> float | None:
    """The smallest of them."""
    return min(_values(number, lines), default=None)


def order(number: Wanted, lines: Lines) -> str | None:
    """Names of a column (`where.by`) in the order of the mean of another (`value`), joined by `<`."""
    by = number["where"]["by"]
    fixed = {name: value for name, value in number["where"].items() if name != "by"}

    def mean(name: str) -> float | None:
        return _mean(_values({**number, "where": {**fixed, by: name}}, lines))

    return _ordered(number, mean)


def order_of_gains(number: Wanted, lines: Lines) -> str | None:
    """Names of a column (`by`) in the order of the mean decrease of `value` by `where` against `against`."""

    def loss(name: str) -> float | None:
        change = _mean(changes(number, [line for line in lines if str(line[number["by"]]) == name]))
        return None if change is None else -change

    return _ordered(number, loss)


def worst(number: Wanted, lines: Lines) -> str | None:
    """`NAME worst in most cases`, or in how many, for the name of the column `where.by` that has the largest
    `value` most often over the lines that agree in `over`; of equals the first of `names`.
    """
    by = number["where"]["by"]
    fixed = {name: value for name, value in number["where"].items() if name != "by"}
    cases: dict[tuple[Any, ...], dict[str, float]] = {}
    for line in lines:
        if fits(line, fixed) and line.get(number["value"]) is not None:
            case = tuple(line.get(name) for name in (*number["over"], SEED))
            cases.setdefault(case, {})[str(line[by])] = line[number["value"]]
    if not cases:
        return None
    worsts = [max(found, key=lambda name: found[name]) for found in cases.values()]
    often = {name: worsts.count(key) for name, key in number["names"].items()}
    name = max(often, key=lambda name: often[name])
    if 2 * often[name] > len(cases):
        return f"{name} worst in most cases"
    return f"{name} worst in {often[name]} of {len(cases)}"


def flat_from(number: Wanted, lines: Lines) -> float | None:
    """The smallest value of the column `by` from which on `value`, by that of its largest one, is at most
    `limit` higher, in the mean over the lines that agree otherwise.
    """
    by = number["by"]
    fitting = [line for line in lines if fits(line, number["where"])]
    places = sorted({line[by] for line in fitting})
    found = None
    for place in reversed(places):
        wanted = {**number, "where": {by: place}, "against": {by: places[-1]}}
        change = mean_change(wanted, fitting)
        if change is None or change > number["limit"]:
            break
        found = float(place)
    return found


def _changes_by(number: Wanted, lines: Lines) -> list[tuple[Any, float]]:
    """The mean change of `value` where `where` holds against that where `against` holds, for each value of
    the column `by`, the smallest first.
    """
    by = number["by"]
    places = sorted({line[by] for line in lines})
    each = ((place, mean_change(number, [line for line in lines if line[by] == place])) for place in places)
    return [(place, change) for place, change in each if change is not None]


def lower_from(number: Wanted, lines: Lines) -> float | str | None:
    """The smallest value of the column `by` from which on the mean change is below 0; `never` where it isn't
    at the largest.
    """
    each = _changes_by(number, lines)
    found: float | str | None = NEVER if each else None
    for place, change in reversed(each):
        if change >= 0:
            break
        found = float(place)
    return found


def higher_up_to(number: Wanted, lines: Lines) -> float | None:
    """The largest value of the column `by` up to which the mean change is above 0; 0 where it never is."""
    each = _changes_by(number, lines)
    found = 0.0 if each else None
    for place, change in each:
        if change <= 0:
            break
        found = float(place)
    return found


ANALYSES: dict[str, Callable[[Wanted, Lines], float | str | None]] = {
    "mean": mean_change,
    "speed_up": speed_up,
    "least": least_change,
    "largest": largest_change,
    "count": count_of_changes,
    "points": mean_points,
    "count_of_points": count_of_points,
    "difference": difference,
    "removed_for_each": removed_for_each,
    "for_each_without": for_each_without,
    "average": average,
    "highest": highest,
    "lowest": lowest,
    "order": order,
    "order_of_gains": order_of_gains,
    "worst": worst,
    "flat_from": flat_from,
    "lower_from": lower_from,
    "higher_up_to": higher_up_to,
}


SLIGHTLY = 0.1
"""By so much at most a figure is above another that is printed as slightly less."""


def _ordered(number: Wanted, figure: Callable[[str], float | None]) -> str | None:
    """The printed order where ours is that, else the names in ours. `names` says what a printed name is in
    the table; names joined by `and` have no order among themselves, those by `<=` may be equal, those by
    `slightly <` are apart by a tenth at most. Equal figures are joined by `=`, which no printed order has.
    """
    parts = [part.strip() for part in str(number["target"]).split("<")]
    may_equal = [part.startswith("=") for part in parts[1:]]
    near = [part.endswith("slightly") for part in parts[:-1]]
    groups = [[_bare(name) for name in part.lstrip("=").split(" and ")] for part in parts]
    printed = [name for group in groups for name in group]
    found = {name: figure(number.get("names", {}).get(name, name)) for name in printed}
    figures = {name: value for name, value in found.items() if value is not None}
    if len(figures) < len(printed):
        return None

    def holds(lower: str, higher: str, equal: bool, near: bool) -> bool:
        if math.isclose(figures[lower], figures[higher]):
            return equal
        return figures[lower] < figures[higher] <= (1 + SLIGHTLY if near else math.inf) * figures[lower]

    neighbours = zip(pairwise(groups), may_equal, near, strict=True)
    if all(holds(a, b, *how) for (group, after), *how in neighbours for a in group for b in after):
        return str(number["target"])
    # Names, and not the printed order, decide where figures are equal.
    ours = sorted(printed, key=lambda name: (figures[name], name))
    text = ours[0]
    for before, name in pairwise(ours):
        text += f" {'=' if math.isclose(figures[before], figures[name]) else '<'} {name}"
    return text


def _bare(name: str) -> str:
    return name.strip().removesuffix("slightly").strip()


def _pairs(number: Wanted, lines: Lines, pick: Wanted, base: Wanted) -> list[tuple[float, float]]:
    """`value` where `pick` holds beside that where `base` holds, the columns of `over` being the same."""
    over = number.get("over") or _others(lines, {*pick, *base, number["value"]})
    bases = _by(lines, base, over, number["value"])
    picked = _by(lines, pick, over, number["value"])
    weights = number.get("weights", {})
    return [
        (value, bases[key])
        for key, value in picked.items()
        if key in bases
        for _ in range(max(weights.get(str(part), 1) for part in key))
    ]


def _by(lines: Lines, wanted: Wanted, over: Sequence[str], value: str) -> dict[tuple[Any, ...], Any]:
    fitting = [line for line in lines if fits(line, wanted) and line.get(value) is not None]
    return {tuple(line.get(name) for name in (*over, SEED)): line[value] for line in fitting}


def _values(number: Wanted, lines: Lines) -> list[float]:
    """`value` of the lines where `where` holds."""
    fitting = [line[number["value"]] for line in lines if fits(line, number["where"])]
    return [value for value in fitting if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _others(lines: Lines, known: set[str]) -> list[str]:
    """Columns of words and whole numbers: what tells lines apart."""
    first = lines[0] if lines else {}
    return [name for name, value in first.items() if name not in known and isinstance(value, str | int)]


def fits(line: Mapping[str, Any], wanted: Wanted) -> bool:
    """Whether a line has these values; of a list any."""
    each = ((line.get(name), value) for name, value in wanted.items())
    return all(found in value if isinstance(value, list) else found == value for found, value in each)
