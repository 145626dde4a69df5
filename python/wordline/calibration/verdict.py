"""Which is kept: the fitted values, or the description that the fit began with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wordline.calibration.objective import deviations, objective, residuals
from wordline.calibration.problem import Problem
from wordline.wording import argument

MARGIN = 0.1
"""Share by which the error must differ to be called better or worse; assumed."""


@dataclass(frozen=True)
class Verdict:
    """How far both are from the measurement, at points of load that the fit didn't see."""

    fitted: float
    """Mean of squares of the errors in standard deviations, as the fit's objective."""
    described: float | None
    """The same of the description, nothing fitted; `None` where that can't be run."""
    held_out: bool
    """Whether points were held out to judge by; else those of the fit do."""
    outside: tuple[str, ...]
    """Paths whose value in the description lies outside of what the fit might choose."""
    rates: tuple[float, float | None] | None = None
    """The same of the rates at other loads, which the fit saw, of the fitted and of the described; `None`
    without any.
    """

    @property
    def outcome(self) -> Literal["better", "no better", "worse", "not comparable"]:
        """What the fitted values are beside the description."""
        if self.described is None:
            return "not comparable"
        if self.fitted <= self.described * (1 - MARGIN):
            return "better"
        return "worse" if self.fitted * (1 - MARGIN) > self.described else "no better"

    @property
    def kept(self) -> Literal["fitted", "described"]:
        """The fitted values if they are better, or nothing else can be run."""
        return "fitted" if self.outcome in ("better", "not comparable") else "described"

    def sentence(self, device: str) -> str:
        """The verdict: whether the fitted values are better, what is kept, and by what."""
        said = f"{self.outcome}; kept: {self.text(device)}"
        if self.rates is None or self.rates[1] is None or self.rates[0] <= self.rates[1] * (1 + MARGIN):
            return said
        return f"{said}. Rates are further off than before: {self.rates[0]:.3g}, {self.rates[1]:.3g} before"

    def text(self, device: str) -> str:
        """What is kept, and by what."""
        where = "at the points held out" if self.held_out else "at the points of the fit (none was held out)"
        said = f"{where} the mean square of the errors is"
        fitted, own = f"{self.fitted:.3g}", f"{device} as it is described"
        if self.described is None:
            return f"the fitted values: {said} {fitted}; {own} can't be run"
        described = f"{self.described:.3g}"
        if self.kept == "fitted":
            return f"the fitted values: {said} {fitted}, and {described} of {own}"
        begin = ", ".join(self.outside)
        why = (
            f". The fit could not begin there: outside of {argument('free')} in {device}: {begin}"
            if begin
            else ""
        )
        return f"{own}, not the fitted values: {said} {described}, and {fitted} of the fitted ones{why}"


def judge(
    problem: Problem,
    fitted: Sequence[Mapping[str, Any]],
    described: Sequence[Mapping[str, Any]] | None,
    requests: int,
) -> Verdict:
    """The figures of both at all points of load, simulated with so many requests of the probe."""
    held_out = not all(problem.fitted)
    points = problem.measured.points
    judges = [not seen if held_out else True for seen in problem.fitted]
    rates = [point.rate and seen for point, seen in zip(points, problem.fitted, strict=True)]
    share = problem.measured.protocol.probe_read_share
    sigmas = deviations(points, requests * min(share, 1 - share))

    def distance(found: Sequence[Mapping[str, Any]] | None, counted: Sequence[bool]) -> float | None:
        if found is None:
            return None
        own = [
            (point, sigma, one)
            for point, sigma, one, counts in zip(points, sigmas, found, counted, strict=True)
            if counts
        ]
        return objective(residuals(*zip(*own, strict=True)))

    own, of_rates = distance(fitted, judges), distance(fitted, rates) if any(rates) else None
    assert own is not None  # noqa: S101 -- the fitted drive was run
    return Verdict(
        own,
        distance(described, judges),
        held_out,
        tuple(one.path for one in problem.free if one.begins_outside),
        None if of_rates is None else (of_rates, distance(described, rates)),
    )
