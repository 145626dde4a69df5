"""What a number's difference from the printed one comes to. Computed, never chosen.

Reproduced: within 2 points of a ratio (not more than a third of it), or within 20% of any number. A closed
form may name a bound of its own. A printed limit must be met on its right side; a speed-up is judged by its
gain, a WAF as a level. Direction: a change of the printed sign, from a third to three times as large.
Contradicted: a change of the other sign by more than 2 points, or of more than 5 points where none (at most
5%) is printed. With `--seeds N` both must exceed the 95% interval. Not comparable: the same by construction.
Not exercised: what the number is about didn't happen in the run, and the run was a quick one, or the number
would be reproduced or in direction. Equal figures are in no order.

Marks are what is counted. A number that a twin or a choice was fitted to, that the paper doesn't print,
or that repeats another has none, and stands in brackets with the reason. Numbers of one run have one mark
together, the worst. Eight numbers or more of one kind are a table: beside it stand what the best constant
guess would have reproduced, and the rank correlation with print. Unless that is positive beyond chance (5%)
none of them is in direction, nor is a printed nothing reproduced.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

Verdict = Literal[
    "reproduced",
    "direction",
    "not reproduced",
    "contradicted",
    "not comparable",
    "not exercised",
    "not run",
]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""From the best to what says nothing."""

Kind = Literal["change", "factor", "level", "order"]
"""A change is about 0 (−0.37), a factor about 1 (1.87), a level about nothing; an order is words with `<`."""

POINTS = 0.02
"""A ratio that is off by no more than 2 points is reproduced, ..."""

MOST_OF_IT = 1 / 3
"""... and by no more than this share of it, else each small one would be (none printed: 2 points)."""

RELATIVE = 0.2
"""And so is any number that is off by no more than 20%; of a factor its gain."""

SIZE = 3.0
"""A change in the printed direction is at least a third and at most three times as large."""

NOTHING = 0.05
"""A printed change of at most this much says that nothing happens: a larger one contradicts it."""

_LIMITS: dict[str, Callable[[float, float], bool]] = {
    "at most": operator.le,
    "less than": operator.lt,
    "more than": operator.gt,
    "at least": operator.ge,
}


@dataclass(frozen=True)
class Target:
    """A printed number."""

    value: float | str
    """A number, or an order such as `A < B`."""
    unit: str = ""
    kind: Kind = "level"
    within: float | None = None
    """Relative bound where the default is too wide."""
    factor: float | None = None
    """In its place: so many times as large, or so many times as small."""


def kind_of(metric: str, unit: str, value: float | str) -> Kind:
    """The kind of a printed number, told from its words."""
    if isinstance(value, str):
        return "order"
    words = metric.lower()
    if any(word in words for word in ("change", "gain", "loss", "increase", "slow-down")):
        return "change"
    if words.startswith("waf"):
        return "level"
    return "factor" if unit.split(" ")[0] == "x" or "speed-up" in words else "level"


def says_nothing_happens(kind: Kind, value: float | str) -> bool:
    """Whether a printed change is within 2 points of none."""
    if isinstance(value, str) or kind not in ("change", "factor"):
        return False
    return abs(_change(kind, value)) <= POINTS


def _change(kind: Kind, value: float) -> float:
    """What a value is a change by: a factor about 1, all else about nothing."""
    return value - 1.0 if kind == "factor" else value


def judge(target: Target, ours: float | str | None, interval: float | None = None) -> Verdict:
    """The verdict on a number of ours. `interval` is half the width of its 95% interval over seeds.

    Reproduced: within 2 points of a ratio (not more than a third of it) or 20%; of a printed limit, on its
    right side only. A factor is judged by its gain, which is a change. Direction: a change of
    the printed sign, from a third to three times as large, by more than the interval. Contradicted: a change
    of the other sign by more than the interval and 2 points, or one of more than 5 points where none is
    printed. An order is reproduced or not.
    """
    if ours is None:
        return "not run"
    if isinstance(target.value, str) or isinstance(ours, str):
        return "reproduced" if _order(str(target.value)) == _order(str(ours)) else "not reproduced"
    limit = _limit(target)
    if limit(ours, target.value) if limit else _is_near(target, ours):
        return "reproduced"
    if target.kind in ("change", "factor"):
        printed, found = _change(target.kind, target.value), _change(target.kind, ours)
        return _of_changes(printed, found, interval or 0.0)
    return "not reproduced"


def _of_changes(printed: float, ours: float, interval: float) -> Verdict:
    """The verdict on a change that isn't reproduced."""
    size = abs(ours)
    if printed * ours > 0 and abs(printed) / SIZE <= size <= abs(printed) * SIZE and size > interval:
        return "direction"
    most = NOTHING if abs(printed) <= NOTHING else POINTS
    opposite = printed * ours <= 0 or abs(printed) <= NOTHING
    return "contradicted" if opposite and size > max(most, interval) else "not reproduced"


def _is_near(target: Target, ours: float) -> bool:
    assert not isinstance(target.value, str)  # noqa: S101
    off = abs(ours - target.value)
    if target.factor is not None:
        return target.value / target.factor <= ours <= target.value * target.factor
    if target.within is not None:
        return off <= target.within * abs(target.value)
    size = abs(_change(target.kind, target.value))
    ratio = target.kind == "factor" or target.unit.startswith(("ratio", "points"))
    points = min(POINTS, MOST_OF_IT * size) if size != 0 else POINTS
    return off <= RELATIVE * size + 1e-12 or (ratio and off <= points + 1e-12)


def _limit(target: Target) -> Callable[[float, float], bool] | None:
    """How ours is compared with a limit that the unit names, as in `ratio (at most)`."""
    assert not isinstance(target.value, str)  # noqa: S101
    if "better by" in target.unit and target.value < 0:  # More of a decrease is lower.
        return operator.lt
    return next((keeps for words, keeps in _LIMITS.items() if words in target.unit), None)


def _order(text: str) -> list[str]:
    return [part.strip() for part in text.split("<")]


def parsed(text: str) -> float | str:
    """A printed value: a number, or words."""
    try:
        return float(text)
    except ValueError:
        return text
