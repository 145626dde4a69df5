"""Axes of a sweep: lists of values, ranges, and lists that go together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from wordline._core import WordlineError

Combination = dict[str, Any]

MOST_STEPS = 100_000

_RANGE = {"from", "to", "steps", "scale"}


def values(where: str, given: object) -> list[Any]:
    """The values of an axis: a list, one value, or a range `{ from, to, steps, scale }`."""
    if isinstance(given, Mapping):
        return _range(where, given)
    found = list(given) if isinstance(given, list) else [given]
    if not found:
        raise WordlineError(f"{where} = []: allowed: one value or more")
    check_once(f"{where} = {found}", found)
    return found


def check_once(what: str, found: Sequence[Any]) -> None:
    """Refuses values of which two are the same: 1 and 1.0 are, 1 and true aren't."""
    different = {value if type(value) in (int, float) else repr(value) for value in found}
    if len(different) < len(found):
        raise WordlineError(f"{what}: allowed: each value once")


def _range(where: str, given: Mapping[str, Any]) -> list[Any]:
    unknown = sorted(given.keys() - _RANGE)
    if unknown or not {"from", "to", "steps"} <= given.keys():
        what = (
            f"{where}.{unknown[0]}: unknown key" if unknown else f"{where}: a range needs from, to and steps"
        )
        raise WordlineError(f'{what}: allowed: {{ from, to, steps, scale = "linear" or "log" }}')
    first, last, steps = given["from"], given["to"], given["steps"]
    scale = given.get("scale", "linear")
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in (first, last))
    if not numbers:
        raise WordlineError(f"{where}: from = {first!r}, to = {last!r}: allowed: numbers")
    if not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= MOST_STEPS:
        raise WordlineError(f"{where}.steps = {steps!r}: allowed: a whole number from 2 to {MOST_STEPS}")
    if scale not in ("linear", "log") or (scale == "log" and min(first, last) <= 0):
        raise WordlineError(f"{where}.scale = {scale!r}: allowed: linear, or log between numbers above 0")
    whole = isinstance(first, int) and isinstance(last, int)
    found = []
    for step in range(steps):
        share = step / (steps - 1)
        if scale == "log":
            value = first * math.exp(share * math.log(last / first))
        else:
            value = first + share * (last - first)
        # The ends are exact; between them ten digits say enough and give tidy names.
        exact = first if step == 0 else last if step == steps - 1 else float(f"{value:.10g}")
        found.append(round(exact) if whole else exact)
    return list(dict.fromkeys(found))


def combinations(axes: Mapping[str, object], together: list[Mapping[str, object]]) -> list[Combination]:
    """Every combination of the axes, the last changing first. The lists of a group in `together` go side by
    side.
    """
    groups: list[list[Combination]] = []
    names: set[str] = set()
    for name, given in axes.items():
        groups.append([{name: value} for value in values(f"axes.{name}", given)])
        names.add(name)
    for number, group in enumerate(together):
        where = f"together[{number}]"
        lists = {name: given for name, given in group.items() if isinstance(given, list)}
        if len(lists) < len(group) or len({len(given) for given in lists.values()}) != 1:
            raise WordlineError(f"{where}: allowed: lists of the same length, one for each of its axes")
        twice = sorted(names & lists.keys())
        if twice:
            raise WordlineError(f"{where}.{twice[0]}: allowed: each axis once")
        names |= lists.keys()
        rows = list(zip(*lists.values(), strict=True))
        if len(set(map(repr, rows))) < len(rows):
            raise WordlineError(f"{where}: {rows}: allowed: lists that have each combination once")
        groups.append([dict(zip(lists, row, strict=True)) for row in rows])
    return [
        {name: value for part in parts for name, value in part.items()}
        for parts in itertools.product(*groups)
    ]
