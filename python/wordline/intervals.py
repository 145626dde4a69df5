"""How certain figures are: the intervals of one run or over seeds, and whether two figures differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CONFIDENCE = 0.95
"""Share of intervals that hold what they are to estimate."""

FIGURES = "intervals.figures."
"""What the path of a figure has before it in the row of a run that holds its interval."""


def student_t(degrees: float) -> float:
    """Student's t at which the two-sided 95% interval ends."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + CONFIDENCE / 2))


@dataclass(frozen=True)
class Interval:
    """The 95% interval of a figure."""

    low: float
    high: float
    degrees: float
    """Degrees of freedom of Student's t."""

    @property
    def half(self) -> float:
        """Half its width."""
        return (self.high - self.low) / 2

    @property
    def error(self) -> float:
        """The standard error that it was made from; of a percentile, one that gives the same width."""
        return self.half / student_t(self.degrees)

    def reach(self, value: float) -> float:
        """The larger distance from a value to its ends."""
        return max(self.high - value, value - self.low)


def of_result(result: Mapping[str, Any], path: str) -> Interval | None:
    """The interval of one figure of one run; `None` where the window was too small, or it has none."""
    found = result.get("intervals", {}).get("figures", {}).get(path)
    return None if found is None else Interval(found["low"], found["high"], found["degrees"])


def of_row(row: Mapping[str, Any], path: str) -> Interval | None:
    """The same from the row of a run in a study."""
    low, high, degrees = (row.get(f"{FIGURES}{path}.{end}") for end in ("low", "high", "degrees"))
    return None if low is None or high is None or degrees is None else Interval(low, high, degrees)


def columns(path: str, interval: Interval) -> dict[str, float]:
    """The same as the row of a run holds it."""
    ends = {"low": interval.low, "high": interval.high, "degrees": interval.degrees}
    return {f"{FIGURES}{path}.{end}": float(value) for end, value in ends.items()}


def over_seeds(values: Sequence[float]) -> Interval | None:
    """The interval of the mean of several runs; `None` for one."""
    if len(values) < 2:
        return None
    import statistics

    mean = statistics.fmean(values)
    half = student_t(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half, len(values) - 1)


def same(one: float, of_one: Interval | None, other: float, of_other: Interval | None) -> bool | None:
    """Whether two figures differ by no more than the 95% interval of their difference (B. L. Welch, "The
    Generalization of 'Student's' Problem when Several Different Population Variances are Involved",
    Biometrika 34, 1947, pp. 28-35); `None` where an interval is unknown.
    """
    half = half_of_difference(of_one, of_other)
    return None if half is None else abs(one - other) <= half


def half_of_difference(of_one: Interval | None, of_other: Interval | None) -> float | None:
    """Half the 95% interval of the difference of two figures, that of `same`; `None` where one is unknown."""
    if of_one is None or of_other is None:
        return None
    variances = (of_one.error**2, of_other.error**2)
    together = sum(variances)
    if together == 0:
        return 0.0
    parts = zip(variances, (of_one.degrees, of_other.degrees), strict=True)
    degrees = together**2 / sum(variance**2 / freedom for variance, freedom in parts)
    return student_t(degrees) * math.sqrt(together)
