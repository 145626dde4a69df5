"""Which is kept: the fitted values, or the description that the fit began with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wordline.calibration.objective import deviations, objective, residuals
from wordline.calibration.problem import Problem


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

    @property
    def kept(self) -> Literal["fitted", "described"]:
        """The nearer one."""
        return "described" if self.described is not None and self.described < self.fitted else "fitted"

    def text(self, device: str) -> str:
        """One line."""
        where = "at the points held out" if self.held_out else "at the points of the fit (none was held out)"
        said = f"{where} the mean square of the errors is"
        fitted, own = f"{self.fitted:.3g}", f"{device} as it is described"
        if self.described is None:
            return f"the fitted values: {said} {fitted}; {own} can't be run"
        described = f"{self.described:.3g}"
        if self.kept == "fitted":
            return f"the fitted values: {said} {fitted}, and {described} of {own}"
        begin = ", ".join(self.outside)
        why = f". The fit could not begin there: outside of --free in {device}: {begin}" if begin else ""
        return f"{own}, not the fitted values: {said} {described}, and {fitted} of the fitted ones{why}"


def judge(
    problem: Problem,
    fitted: Sequence[Mapping[str, Any]],
    described: Sequence[Mapping[str, Any]] | None,
    requests: int,
) -> Verdict:
    """The figures of both at all points of load, simulated with so many requests of the probe."""
    held_out = not all(problem.fitted)
    judges = [not seen if held_out else True for seen in problem.fitted]
    share = problem.measured.protocol.probe_read_share
    points = problem.measured.points
    sigmas = deviations(points, requests * min(share, 1 - share))

    def distance(found: Sequence[Mapping[str, Any]]) -> float:
        own = [
            (point, sigma, one)
            for point, sigma, one, counts in zip(points, sigmas, found, judges, strict=True)
            if counts
        ]
        return objective(residuals(*zip(*own, strict=True)))

    return Verdict(
        distance(fitted),
        None if described is None else distance(described),
        held_out,
        tuple(one.path for one in problem.free if one.begins_outside),
    )
