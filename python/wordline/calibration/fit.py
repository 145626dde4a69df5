"""The fit: a sampler finds the region, then designed experiments around the best choice lead to the optimum
and say how far the data determine each value.

Around the best choice the residuals are taken as linear in the free values (in shares of their ranges, ratios
where those are searched in ratios). A folded-over Hadamard design (G. E. P. Box, J. S. Hunter, W. G. Hunter,
"Statistics for Experimenters", 2nd ed., Wiley 2005, ch. 5 and 7) gives each slope from all of its runs, free
of pairwise interactions, and what the runs deviate from the plane is the noise of the slopes. The step is
that of Gauss and Newton, damped by this noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordline._core import WordlineError
from wordline.calibration.problem import Problem, Runner, Search, Tried, Values
from wordline.calibration.space import Free
from wordline.tuning.search import search

Array = NDArray[np.float64]

Watch = Callable[[int, int], None]
"""Called with the choices that are over and those in all."""

SEARCHED = 0.35
"""Share of the budget that the sampler has before the designs."""

WIDTH = 0.25
"""Half the width of the first design, as a share of the value."""

NARROWEST = 0.05

NARROWER = 0.6
"""Factor on that from one design to the next, where the optimum was inside or the step led to nothing."""

WIDEST = 0.25
"""Most of a range that half a design takes up."""

FARTHEST = 3.0
"""A step goes so many half-widths at most."""

DAMPING = 0.5
"""Of the noise of the slopes that holds a step back: with all of it values of little effect creep."""

CONFIDENCE = 0.95

DETERMINED = 0.05
"""Half an interval, as a share of the value, up to which the data determine it."""


@dataclass(frozen=True)
class Plane:
    """Residuals around a choice of values: `r = at + slopes · d`, d in half-widths from the centre."""

    centre: Array
    """Shares of the ranges."""
    width: Array
    """Half-widths of the design."""
    at: Array
    slopes: Array
    noise: Array
    """What chance adds to slopesᵀ · slopes."""
    chance: float
    """Variance of the residuals around the plane, mean over them: chance of the simulation, and curvature."""


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


@dataclass(frozen=True)
class Fit:
    """The outcome."""

    best: Tried
    tried: list[Tried]
    """Every choice that could be run, in order."""
    failed: int
    values: list[Value]

    @property
    def count(self) -> int:
        """All choices."""
        return len(self.tried) + self.failed


def fewest(free: Sequence[Free]) -> int:
    """The smallest budget: a design, two steps, and a trial before them."""
    return int(_design(_numbers(free)).shape[0]) + 4


def fit(problem: Problem, runner: Runner, budget: int, sampler: str, batch: int, watch: Watch | None) -> Fit:
    """Fits the values with `budget` choices of values, each run at every point of the fit."""
    if budget < fewest(problem.free):
        raise WordlineError(
            f"--budget {budget}: allowed: {fewest(problem.free)} or more with {len(problem.free)} free values"
        )
    numbers = _numbers(problem.free)
    design = _design(numbers).shape[0] + 2 if numbers else 0
    sampled = max(min(round(budget * SEARCHED), budget - design), 2) if numbers else budget
    found = search(
        Search.of(problem, sampled, sampler, batch),
        runner.study,
        watch=None if watch is None else lambda done, _: watch(done, budget),
    )
    outcomes = runner.run([trial.values for trial in found.trials])
    tried = [one for one in outcomes if one is not None]
    if not tried:
        errors = [trial.error for trial in found.trials if trial.error]
        raise WordlineError(
            f"no choice of values could be run: {errors[0] if errors else 'no request was answered'}"
        )
    state = _State(problem, runner, numbers, tried, len(outcomes) - len(tried), len(outcomes), watch, budget)
    plane = state.refine() if numbers else None
    best = state.best()
    return Fit(best, state.tried, state.failed, _values(problem, best, numbers, plane))


def _numbers(free: Sequence[Free]) -> list[Free]:
    return [one for one in free if not one.choices]


def _design(numbers: Sequence[Free]) -> Array:
    """Rows of ±1: each value up in half of the runs, whatever any other is, and each row with its mirror
    image.
    """
    from scipy.linalg import hadamard

    if not numbers:
        return np.empty((0, 0))
    order = 2 ** math.ceil(math.log2(len(numbers) + 1))
    half = hadamard(order)[:, 1 : len(numbers) + 1].astype(float)
    return np.vstack([half, -half])


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

    def best(self) -> Tried:
        return min(self.tried, key=lambda one: one.objective)

    def refine(self) -> Plane | None:
        """Designs and steps until the budget is used up; the last plane."""
        relative, plane = WIDTH, None
        whole = _design(self.numbers)
        half = whole[: len(whole) // 2]
        while (left := self.budget - self.used) >= len(half) + 2:
            # The last design tells the intervals: it is the whole one.
            signs = whole if len(whole) + 2 <= left < len(whole) + len(half) + 4 else half
            best = self.best()
            centre, width = self._box(best, relative)
            self._run(best, [centre + row * width for row in signs])
            plane = _plane(self._inside(best, centre, width), centre, width) or plane
            if plane is None:
                break
            step = _step(plane)
            self._run(best, [plane.centre + share * step * plane.width for share in (1.0, 0.5)])
            if np.all(np.abs(step) <= 1.0) or self.best() is best:
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


def _plane(inside: Sequence[tuple[Array, Tried]], centre: Array, width: Array) -> Plane | None:
    """Least squares over what lies in the box; `None` if that is too little."""
    count = len(width)
    if len(inside) < count + 2:
        return None
    rows = np.array([np.concatenate([[1.0], (share - centre) / width]) for share, _ in inside])
    values = np.array([one.residuals for _, one in inside])
    if np.linalg.matrix_rank(rows) < count + 1:
        return None
    found, _, _, _ = np.linalg.lstsq(rows, values, rcond=None)
    freedom = len(inside) - count - 1
    variance = ((values - rows @ found) ** 2).sum(axis=0) / freedom
    spread = np.linalg.inv(rows.T @ rows)[1:, 1:]
    return Plane(centre, width, found[0], found[1:].T, variance.sum() * spread, float(variance.mean()))


def _step(plane: Plane) -> Array:
    """Half-widths from the centre to the least residuals of the plane, damped by the noise of its slopes."""
    from scipy.optimize import lsq_linear

    low = np.maximum(-FARTHEST, -plane.centre / plane.width)
    high = np.minimum(FARTHEST, (1 - plane.centre) / plane.width)
    damping = DAMPING * np.diag(np.sqrt(np.maximum(np.diag(plane.noise), 1e-12)))
    slopes = np.vstack([plane.slopes, damping])
    aim = np.concatenate([-plane.at, np.zeros(len(plane.width))])
    return np.asarray(lsq_linear(slopes, aim, bounds=(low, np.maximum(high, low + 1e-9))).x)


def _values(problem: Problem, best: Tried, numbers: list[Free], plane: Plane | None) -> list[Value]:
    spread = _spread(plane, best, problem.groups) if plane is not None else None
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


def _information(plane: Plane, scale: float) -> Array:
    """What the figures and the ranges say: products of the slopes by the variance of a residual, and the
    variance of a value that may lie anywhere in its range. Without the second a value of no effect would
    leave no other one its interval, since noise mixes their slopes.
    """
    return np.asarray(_known(plane, plane.slopes) / scale + _ranges(plane))


def _known(plane: Plane, slopes: Array) -> Array:
    """slopesᵀ · slopes, less what chance adds to it in 99 of 100 cases."""
    from scipy.stats import chi2

    count = len(plane.slopes)
    raw = slopes.T @ slopes - plane.noise * chi2.ppf(0.99, count) / count
    levels, axes = np.linalg.eigh((raw + raw.T) / 2)
    return np.asarray(axes @ np.diag(np.maximum(levels, 0.0)) @ axes.T)


def _ranges(plane: Plane) -> Array:
    """By the variance of a uniform distribution over each range."""
    return np.diag(12 * plane.width**2)


def _scale(plane: Plane, best: Tried) -> float:
    """Variance of a residual: what the deviations say, or what it is if more, and that around the plane."""
    freedom = max(len(best.residuals) - len(plane.width), 1)
    return max(1.0, sum(value**2 for value in best.residuals) / freedom) + plane.chance


def _spread(plane: Plane, best: Tried, groups: Sequence[int]) -> Array:
    """Half of each 95% interval, in half-widths. The residuals of a group (one direction at one point) are
    independent or one and the same, whichever gives the wider interval.
    """
    from scipy.stats import t

    scale = _scale(plane, best)
    inverse = np.linalg.inv(_information(plane, scale))
    sums = np.array([plane.slopes[np.array(groups) == group].sum(axis=0) for group in sorted(set(groups))])
    joint = inverse @ (_known(plane, sums) / scale + _ranges(plane)) @ inverse
    variance = np.maximum(np.diag(inverse), np.diag(joint))
    freedom = max(len(best.residuals) - len(plane.width), 1)
    return np.asarray(t.ppf((1 + CONFIDENCE) / 2, freedom) * np.sqrt(variance))


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
    scale = _scale(plane, best)
    information = scale * _information(plane, scale)
    rest = [other for other in range(len(numbers)) if other != place]
    curvature = information[place, place]
    if rest:
        inner = information[np.ix_(rest, rest)]
        curvature -= float(information[place, rest] @ np.linalg.solve(inner, information[rest, place]))
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
