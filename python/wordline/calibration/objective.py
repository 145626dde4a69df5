"""How far a simulated drive is from the measured one: weighted logarithms of ratios.

The objective is the mean of ((ln simulated − ln measured) / σ)² at the points that are seen, over rates
and the figures of the table that are compared. Beyond 3 σ an error of a response time counts by its size
and not by its square (Huber's loss in its smooth form). What the model can't meet would else spoil all
the rest. So does that of a part of the way to the steady state: where the rate drops, a small shift is a
large error. Other rates keep their squares, since they say what the flash can do at all. σ² is the sum of

- the variance of the logarithm over the point's repeats (of one measured once: the median of the other
  points');
- a floor: 1% for rates, 5% for those of a part of the way to the steady state, 3% for write amplification,
  mean and p50, 5, 10 and 20% for the others (assumed);
- the chance of the simulation: 0.5 / √n with n of its requests behind a percentile from p99 on (assumed),
  of rates 1 / √n, none on the way, whose steps are tens of thousands of requests; behind fewer than 3 it
  isn't compared. In a part of a trace the measurement's chance is added, which is as large;
- the grain of a whole microsecond, 1/√12 µs.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wordline.calibration.measured import RATES, MeasuredPoint
from wordline.calibration.rates import Load
from wordline.calibration.replays import Replay
from wordline.calibration.ways import FIGURE, family

FLOORS = {
    "writes_per_s": 0.01,
    "reads_per_s": 0.01,
    "requests_per_s": 0.01,
    FIGURE: 0.05,
    "waf": 0.03,
    "mean": 0.03,
    "p50": 0.03,
    "p99": 0.05,
    "p99_9": 0.10,
    "p99_99": 0.20,
}
"""Least standard deviation of a figure's logarithm. Without it a figure that repeats to a tenth of a percent
would outweigh all others, though no model of a drive is as exact; assumed, in the order in which percentiles
are believed.
"""

GRAIN_US = 1 / math.sqrt(12)
"""Standard deviation that whole microseconds, as testers print percentiles, add."""


TAIL = 0.5
"""Standard deviation of the logarithm of a simulated percentile behind which lies one request; it falls with
the root of their number. Assumed: between an exponential tail (less) and Pareto's with index 2.
"""

KNEE = 3.0
"""Standard deviations from which on an error counts by its size and not by its square; assumed."""

FEWEST = 3.0
"""Percentiles with fewer simulated requests behind them aren't compared."""


def deviations(points: Sequence[MeasuredPoint], requests: float) -> list[dict[str, float]]:
    """Standard deviation of the logarithm of each figure by point, of its repeats (without them the median
    over the other points), the floor, the grain of a microsecond, and the chance of so many simulated
    requests of each direction; infinite for a percentile that rests on too few of them.
    """
    usual = {name: _usual(name, points) for name in _families(points)}
    return [
        {
            name: _deviation(name, point, point.spread.get(name, usual[family(name)]), requests)
            for name in point.figures
        }
        for point in points
    ]


def _families(points: Sequence[MeasuredPoint]) -> Iterable[str]:
    return dict.fromkeys(family(name) for point in points for name in point.figures)


def _usual(name: str, points: Sequence[MeasuredPoint]) -> float:
    spreads = [own for point in points for other, own in point.spread.items() if family(other) == name]
    return statistics.median(spreads or [0.0])


def _deviation(name: str, point: MeasuredPoint, spread: float, requests: float) -> float:
    if isinstance(point.load, Load):
        requests = point.load.requests(round(requests))
    if isinstance(point.load, Replay):
        # Chance is in both, the measured and the simulated, and each has as many.
        requests = point.load.by_direction[name.split("_")[0]] / 2
    kind = family(name).partition("_")[2].removesuffix("_us")
    floor = FLOORS.get(family(name)) or FLOORS[kind]
    grain = GRAIN_US / point.figures[name] if name.endswith("_us") else 0.0
    # Arrivals are Poisson's.
    chance = 1 / math.sqrt(requests) if kind == "per_s" and family(name) != FIGURE else 0.0
    if kind.startswith("p99"):
        behind = requests * (1 - float(kind[1:].replace("_", ".")) / 100)
        chance = TAIL / math.sqrt(behind) if behind >= FEWEST else math.inf
    return math.sqrt(spread**2 + floor**2 + grain**2 + chance**2)


def residuals(
    points: Sequence[MeasuredPoint], sigmas: Sequence[Mapping[str, float]], found: Sequence[Mapping[str, Any]]
) -> list[float]:
    """For each figure that is compared the logarithm of simulated by measured, in standard deviations; of
    response times bounded. A rate says what the flash can do at all, so it isn't given up for others.
    """
    return [
        _residual(name, math.log(one[name] / point.figures[name]) / sigma[name])
        for point, sigma, one in zip(points, sigmas, found, strict=True)
        for name in point.figures
        if math.isfinite(sigma[name])
    ]


def _residual(name: str, deviation: float) -> float:
    return deviation if name in RATES else bounded(deviation)


def bounded(value: float) -> float:
    """The number whose square is Huber's loss in its smooth form: `value` while that is small, and growing
    with its root beyond `KNEE`, so that what the model can't meet doesn't spoil the rest.
    """
    return math.copysign(KNEE * math.sqrt(2 * (math.hypot(1, value / KNEE) - 1)), value)


def groups(sigmas: Sequence[Mapping[str, float]]) -> list[int]:
    """For each of the residuals the number of its group: the figures of one direction at one point, whose
    errors may be one and the same. A rate is a group of its own, a way to the steady state one in all.
    """
    names = [
        (place, name if name in RATES else name.split("_")[0])
        for place, sigma in enumerate(sigmas)
        for name in sigma
        if math.isfinite(sigma[name])
    ]
    known = list(dict.fromkeys(names))
    return [known.index(name) for name in names]


def objective(values: Sequence[float]) -> float:
    """The mean of the squares of what is bounded: about 1 where the model is as far off as the deviations
    say.
    """
    return sum(value**2 for value in values) / len(values)
