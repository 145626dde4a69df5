"""What rates settle before response times are looked at: what they determine isn't free for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wordline.calibration.fit import Fit, Limit, Value, Watch, fewest, fit
from wordline.calibration.problem import Problem, Runner
from wordline.calibration.ways import Way
from wordline.study.runs import Study

SHARE = 0.25
"""Of the budget; runs of rates are short."""

SETTLED = ("determined", "roughly")
"""States of values that are settled: their intervals lie inside their ranges."""


def budget_of(problem: Problem, budget: int) -> int:
    """Choices of values for the rates; 0 where none were measured."""
    return max(fewest(problem.free), round(budget * SHARE)) if problem.measured.rates else 0


def staged(
    problem: Problem, study: Study, budget: int, sampler: str, batch: int, watch: Watch | None, limit: Limit
) -> tuple[Problem, Fit, list[Value]]:
    """A fit to the rates alone, ways to the steady state among them, then one to all figures but those of
    ways, in which what the first has settled stays. The problem of the last fit, that fit, and the settled
    values.
    """
    first = budget_of(problem, budget)
    if not first:
        return problem, fit(problem, Runner(problem, study), budget, sampler, batch, watch, limit), []
    of_rates = replace(problem, fitted=problem.rates_seen)
    told = None if watch is None else lambda done, _: watch(done, budget)
    rates = fit(of_rates, Runner(of_rates, study), first, sampler, batch, told, limit)
    settled = [replace(one, by_rates=True) for one in rates.values if one.state in SETTLED]
    rest = without(replace(problem, fitted=behind_ways(problem)), settled)
    if not rest.free:
        return rest, replace(rates, values=[]), settled
    told = None if watch is None else lambda done, _: watch(first + done, budget)
    found = fit(rest, Runner(rest, study), budget - first, sampler, batch, told, limit)
    return rest, replace(found, on_rates=rates.count), settled


def behind_ways(problem: Problem) -> list[bool]:
    """Which points are seen when rates have settled what they do. Runs of ways are the longest, and what they
    left open they don't tell.
    """
    return [
        seen and not isinstance(point.load, Way)
        for point, seen in zip(problem.measured.points, problem.fitted, strict=True)
    ]


def without(problem: Problem, settled: Sequence[Value]) -> Problem:
    """The problem in which these values are no more free."""
    paths = [one.free.path for one in settled]
    return replace(
        problem,
        free=[one for one in problem.free if one.path not in paths],
        settled=tuple((one.free, one.value) for one in settled),
    )
