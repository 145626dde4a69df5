"""How much a calibration simulates, and how long that takes: known before anything is run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wordline.calibration.measured import MeasuredPoint
from wordline.calibration.problem import Problem
from wordline.calibration.protocol import WARM_UP
from wordline.calibration.replays import Replay
from wordline.calibration.settle import budget_of
from wordline.calibration.ways import Way

PER_S = 250_000
"""Requests of 4 KiB that a core simulates a second; assumed, at the slower end of the presets of drives."""

CORES = 2
"""For which the default is meant; more are faster."""

LONGER = 4
"""The fitted drive and the description are run so many times as long as a trial: their percentiles are those
of the tables.
"""

MOST, LEAST = 100_000, 4_000
"""Requests of the probe at a point, where nobody says how many: ten seconds of the measurement's, and as many
as a p99.9 takes.
"""

OVERWRITTEN = 0.125
"""Requests that take as long as overwriting a page until a skewed load is settled, without simulated time;
assumed.
"""

SETTLING = 60_000
"""Requests with which a run in the steady state begins; assumed."""


@dataclass(frozen=True)
class Extent:
    """What a calibration runs at most."""

    budget: int
    requests: int
    """Of the probe, at each point of a choice."""
    runs: int
    simulated: float
    """Requests in all."""
    judging: float
    """Of these for loads that only judge, which take their time beside that of the fit."""

    def seconds(self, cores: int, *, judging: bool = True) -> float:
        """An estimate, of the fit alone or with what only judges it."""
        left = self.simulated if judging else self.simulated - self.judging
        return left / PER_S / max(min(cores, self.runs), 1)


def extent(problem: Problem, budget: int, requests: int) -> Extent:
    """Of a fit with so many choices of values and requests of the probe."""
    points, seen = problem.measured.points, problem.seen()
    behind = [point for point in seen if not isinstance(point.load, Way)]
    first = budget_of(problem, budget)
    each = ((first, [point for point in seen if point.rate]), (budget - first, behind))
    simulated = sum(count * _requests(problem, own, requests) for count, own in each)
    simulated += 2 * _requests(problem, points, LONGER * requests)
    judging = 2 * _requests(problem, (one for one in points if one.load and one.load.judges), requests)
    runs = sum(count * len(own) for count, own in each) + 2 * len(points)
    return Extent(budget, requests, runs, simulated, judging)


def fitting(problem: Problem, budget: int, seconds: float) -> int:
    """Requests of the probe with which a fit takes no longer than that, between `LEAST` and `MOST`. They
    depend on the measurement only, so a result is the same on any machine.
    """
    least, most = LEAST, MOST
    while most - least > 100:
        middle = (least + most) // 2
        if extent(problem, budget, middle).seconds(CORES, judging=False) <= seconds:
            least = middle
        else:
            most = middle
    return least // 100 * 100 if least < MOST - 100 else MOST


def _requests(problem: Problem, points: Iterable[MeasuredPoint], probes: int) -> float:
    return sum(requests_of(problem, point, probes) for point in points)


def requests_of(problem: Problem, point: MeasuredPoint, probes: int) -> float:
    """That a run of a point simulates."""
    if isinstance(point.load, Way):
        return point.load.requests(problem.look)
    if isinstance(point.load, Replay):
        return point.load.warm_up + point.load.count + sum(point.load.moved.values()) / 4096 / 8
    if point.load is not None and point.load.judges:
        return (problem.user_bytes or 0) / 4096 * OVERWRITTEN
    if point.load is not None:
        # Large requests take as long as the pages that they hold.
        size = max(point.load.bytes // 4096, 1)
        return point.load.requests(probes) * size / 8 + SETTLING
    rate = point.figures["writes_per_s"] + point.figures["reads_per_s"]
    return problem.measured.protocol.seconds(probes) * (1 + WARM_UP) * rate
