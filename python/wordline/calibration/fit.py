"""The fit: a sampler finds the region, then designed experiments around the best choice lead to the optimum
and say how far the data determine each value.

1. A third of the budget is the sampler's (tune).
2. The rest is spent on designed experiments around the best choice so far. A folded-over Hadamard design
   moves all values at once by 25% up and down (Box, Hunter and Hunter, "Statistics for Experimenters",
   2nd ed., Wiley 2005). Least squares give the slopes of all figures, and what the runs deviate from the
   plane is the noise of the slopes. A step of Gauss and Newton, damped by that noise, leads on; then a
   smaller design.
3. Intervals follow from the last slopes: 95%; residuals are as large as σ says or, if larger, as they are,
   then with Student's t. Residuals of one direction at one point are independent or one and the same,
   whichever gives the wider interval. What noise adds to the products of slopes in 99 of 100 cases is taken
   off first: a value without effect has an interval as wide as its range.


A value is `determined` where its interval is within 5% of it, `roughly` where it is wider but inside the
range, `undetermined` where it reaches an end of the range (others in it do as well, or the drive wants a
value outside), and `chosen` where it is the best of several words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordline._core import WordlineError
from wordline.calibration.plane import (
    Array,
    Plane,
    design,
    information,
    plane_of,
    scale_of,
    spread_of,
    step_of,
)
from wordline.calibration.problem import Problem, Runner, Search, Tried, Values
from wordline.calibration.space import Free
from wordline.tuning.search import search
from wordline.wording import argument

Watch = Callable[[int, int], None]
"""Called with the choices that are over and those in all."""

Limit = Callable[[], bool]
"""Whether the time is over."""

SEARCHED = 0.35
"""Share of the budget that the sampler has before the designs."""

WIDTH = 0.25
"""Half the width of the first design, as a share of the value."""

NARROWEST = 0.05

NARROWER = 0.6
"""Factor on that from one design to the next, where the optimum was inside or the step led to nothing."""

STILL = 1.0
"""Half-widths of the last design: a step within it is an optimum inside."""

WIDEST = 0.25
"""Most of a range that half a design takes up."""

DETERMINED = 0.05
"""Half an interval, as a share of the value, up to which the data determine it."""

EDGE = 0.02
"""Share of a range that counts as its end."""


@dataclass(frozen=True)
class Value:
    """A fitted value and how far the data determine it."""

    free: Free
    value: Any
    low: float | None
    high: float | None
    """Ends of its 95% interval within the range; `None` for a choice."""
    state: str
    """`determined` (within 5%), `roughly`, `undetermined` (the interval reaches an end of the range), or
    `chosen`.
    """
    profile: list[tuple[float, float]]
    """Value → objective with the others at their best, by the plane; of a choice: none."""
    by_rates: bool = False
    """Whether rates settled it before response times were looked at."""

    @property
    def edge(self) -> str | None:
        """`low` or `high` where it lies at that end of its range, within a fiftieth."""
        if self.free.choices:
            return None
        share = self.free.share(self.value)
        return "low" if share <= EDGE else "high" if share >= 1 - EDGE else None


@dataclass(frozen=True)
class Fit:
    """The outcome."""

    best: Tried
    tried: list[Tried]
    """Every choice that could be run, in order."""
    failed: int
    values: list[Value]
    unfinished: str | None = None
    """Why it hasn't converged; `None` if it has."""
    on_rates: int = 0
    """Choices that were run at the rates alone before."""

    @property
    def count(self) -> int:
        """All choices."""
        return self.on_rates + len(self.tried) + self.failed


def _numbers(free: Sequence[Free]) -> list[Free]:
    return [one for one in free if not one.choices]


def fewest(free: Sequence[Free]) -> int:
    """The smallest budget: a design, two steps, and a trial before them."""
    return int(design(_numbers(free)).shape[0]) + 4


def fit(
    problem: Problem,
    runner: Runner,
    budget: int,
    sampler: str,
    batch: int,
    watch: Watch | None,
    limit: Limit = lambda: False,
) -> Fit:
    """Fits the values with `budget` choices of values, each run at every point of the fit; with fewer where
    the time is over before.
    """
    if budget < fewest(problem.free):
        raise WordlineError(
            f"{argument('budget', budget)}: allowed: {fewest(problem.free)} or more "
            f"with {len(problem.free)} free values"
        )
    numbers = _numbers(problem.free)
    designed = design(numbers).shape[0] + 2 if numbers else 0
    sampled = max(min(round(budget * SEARCHED), budget - designed), 2) if numbers else budget
    found = search(
        Search.of(problem, sampled, sampler, batch),
        runner.study,
        watch=lambda tuning: None if watch is None else watch(len(tuning.trials), budget),
        stop=limit,
    )
    outcomes = runner.run([trial.values for trial in found.trials])
    tried = [one for one in outcomes if one is not None]
    if not tried:
        errors = [trial.error for trial in found.trials if trial.error]
        raise WordlineError(
            f"no choice of values could be run: {errors[0] if errors else 'no request was answered'}"
        )
    failed = len(outcomes) - len(tried)
    state = _State(problem, runner, numbers, tried, failed, len(outcomes), watch, budget, limit)
    plane = state.refine() if numbers else None
    best = state.best()
    return Fit(best, state.tried, state.failed, _values(problem, best, numbers, plane), state.unfinished)


@dataclass
class _State:
    """The second half of a fit, as far as it is."""

    problem: Problem
    runner: Runner
    numbers: list[Free]
    tried: list[Tried]
    failed: int
    used: int
    watch: Watch | None
    budget: int
    limit: Limit = lambda: False
    unfinished: str | None = None

    def best(self) -> Tried:
        return min(self.tried, key=lambda one: one.objective)

    def refine(self) -> Plane | None:
        """Designs and steps until the budget is used up; the last plane."""
        relative, plane = WIDTH, None
        whole = design(self.numbers)
        half = whole[: len(whole) // 2]
        self.unfinished = f"of {self.budget} choices none were left for the designs"
        while (left := self.budget - self.used) >= len(half) + 2:
            if self.limit():
                if self.unfinished is not None:
                    self.unfinished = f"the time was over after {self.used} of {self.budget} choices"
                break
            # The last design tells the intervals: it is the whole one.
            signs = whole if len(whole) + 2 <= left < len(whole) + len(half) + 4 else half
            best = self.best()
            centre, width = self._box(best, relative)
            self._run(best, [centre + row * width for row in signs])
            plane = plane_of(self._inside(best, centre, width), centre, width) or plane
            if plane is None:
                self.unfinished = "too few choices around the best one could be run"
                break
            step = step_of(plane)
            moves = [one.path for one, far in zip(self.numbers, np.abs(step), strict=True) if far > STILL]
            self.unfinished = f"at the end still moving: {', '.join(moves)}" if moves else None
            self._run(best, [plane.centre + share * step * plane.width for share in (1.0, 0.5)])
            if not moves or self.best() is best:
                relative = max(relative * NARROWER, NARROWEST)
        return plane

    def _box(self, best: Tried, relative: float) -> tuple[Array, Array]:
        """Where the design lies: around the best choice, inside the ranges."""
        width = np.array([_width(one, best.values[one.path], relative) for one in self.numbers])
        centre = np.clip(_shares(self.numbers, best), width, 1 - width)
        return centre, width

    def _inside(self, best: Tried, centre: Array, width: Array) -> list[tuple[Array, Tried]]:
        """What was tried in the box or near it, with the same choices."""
        found = []
        for one in self.tried:
            same = all(
                one.values[free.path] == best.values[free.path] for free in self.problem.free if free.choices
            )
            share = _shares(self.numbers, one)
            # Whole numbers are rounded off the corners.
            if same and np.all(np.abs(share - centre) <= 1.25 * width + 1e-9):
                found.append((share, one))
        return found

    def _run(self, like: Tried, places: Sequence[Array]) -> None:
        choices: list[Values] = []
        for place in places:
            own = {one.path: one.value(float(share)) for one, share in zip(self.numbers, place, strict=True)}
            choices.append({**like.values, **own})
        for one in self.runner.run(choices):
            if one is None:
                self.failed += 1
            else:
                self.tried.append(one)
        self.used += len(choices)
        if self.watch is not None:
            self.watch(self.used, self.budget)


def _shares(numbers: Sequence[Free], tried: Tried) -> Array:
    return np.array([one.share(tried.values[one.path]) for one in numbers])


def _width(free: Free, value: float, relative: float) -> float:
    """Half-width of a design along a value, as a share of its range."""
    if free.log:
        width = math.log1p(relative) / math.log(free.high / free.low)
    else:
        width = relative * abs(value) / (free.high - free.low)
    if free.whole and value:
        # At least one up and one down.
        one = (
            math.log1p(1 / value) / math.log(free.high / free.low) if free.log else 1 / (free.high - free.low)
        )
        width = max(width, one)
    return float(min(max(width, 1e-6), WIDEST))


def _values(problem: Problem, best: Tried, numbers: list[Free], plane: Plane | None) -> list[Value]:
    spread = spread_of(plane, best, problem.groups) if plane is not None else None
    found = []
    for one in problem.free:
        value = best.values[one.path]
        if one.choices:
            found.append(Value(one, value, None, None, "chosen", []))
            continue
        if plane is None or spread is None:
            found.append(Value(one, value, one.low, one.high, "undetermined", []))
            continue
        place = numbers.index(one)
        low, high, state = _interval(one, value, float(spread[place] * plane.width[place]))
        found.append(Value(one, value, low, high, state, _profile(one, place, best, plane, numbers, spread)))
    return found


def _interval(free: Free, value: float, half: float) -> tuple[float, float, str]:
    share = free.share(value)
    low, high = share - half, share + half
    ends = (_at(free, low), _at(free, high))
    if low <= 0 or high >= 1:
        return ends[0], ends[1], "undetermined"
    wide = (ends[1] - ends[0]) / 2 > DETERMINED * abs(value)
    return ends[0], ends[1], "roughly" if wide else "determined"


def _at(free: Free, share: float) -> float:
    """The number at a share of the range, not rounded."""
    share = min(max(share, 0.0), 1.0)
    if free.log:
        return float(free.low * (free.high / free.low) ** share)
    return free.low + (free.high - free.low) * share


def _profile(
    free: Free, place: int, best: Tried, plane: Plane, numbers: list[Free], spread: Array
) -> list[tuple[float, float]]:
    """The objective over twice the interval of a value, the others at their best, by the plane."""
    scale = scale_of(plane, best)
    curvatures = scale * information(plane, scale)
    rest = [other for other in range(len(numbers)) if other != place]
    curvature = curvatures[place, place]
    if rest:
        inner = curvatures[np.ix_(rest, rest)]
        curvature -= float(curvatures[place, rest] @ np.linalg.solve(inner, curvatures[rest, place]))
    centre = free.share(best.values[free.path])
    points = []
    for number in range(-5, 6):
        step = number / 5 * 2 * float(spread[place])
        share = centre + step * float(plane.width[place])
        if 0.0 <= share <= 1.0:
            points.append(
                (_at(free, share), best.objective + max(curvature, 0.0) * step**2 / len(best.residuals))
            )
    return points
