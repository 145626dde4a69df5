"""A fit, described: what is measured, what is free, and how a choice of values is run."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration import over_time
from wordline.calibration.measured import Measured, MeasuredPoint
from wordline.calibration.objective import deviations, groups, objective, residuals
from wordline.calibration.rates import USER_BYTES
from wordline.calibration.space import Free, at
from wordline.presets import toml_value
from wordline.scenario import Scenario
from wordline.study.point import Point
from wordline.study.row import Row
from wordline.study.runs import Study
from wordline.tuning.file import TuneFile

Values = dict[str, Any]
"""Path → what the sampler chose."""

OBJECTIVE = "objective"

COLUMNS = ("result", *over_time.COLUMNS)
"""Of a row."""


@dataclass(frozen=True)
class Problem:
    """What is fitted to what."""

    scenario: Scenario
    """What every run is, but for its load and the free values."""
    measured: Measured
    fitted: list[bool]
    """Which points of load the fit sees."""
    free: list[Free]
    requests: int
    """Of the probe, at each point."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Of the drive as it is described, every default filled in."""
    settled: tuple[tuple[Free, Any], ...] = ()
    """What rates have settled, with its value: no more free."""

    @functools.cached_property
    def sigmas(self) -> list[dict[str, float]]:
        """Standard deviations of all points."""
        return self.sigmas_of(self.requests)

    def sigmas_of(self, requests: int) -> list[dict[str, float]]:
        """The same with so many requests of the probe."""
        # Those of the rarer direction.
        share = self.measured.protocol.probe_read_share
        return deviations(self.measured.points, requests * min(share, 1 - share))

    @property
    def settled_values(self) -> Values:
        """What rates have settled, by path."""
        return {free.path: value for free, value in self.settled}

    @property
    def user_bytes(self) -> int | None:
        """Of the drive as it is described."""
        return at(self.config, USER_BYTES)  # type: ignore[no-any-return]

    @property
    def extent(self) -> str:
        """What is run at each point."""
        return f"{self.requests:,} requests of the {'trace' if self.measured.replays else 'probe'}"

    def look(self, path: str) -> Any:
        """What the description has at a path."""
        return at(self.config, path)

    def seen(self) -> list[MeasuredPoint]:
        """The points of the fit."""
        return [point for point, seen in zip(self.measured.points, self.fitted, strict=True) if seen]

    @property
    def rates_seen(self) -> list[bool]:
        """Which points are rates that the fit sees, and is fitted to first."""
        return [point.rate and seen for point, seen in zip(self.measured.points, self.fitted, strict=True)]

    def points(
        self, values: Mapping[str, Any], points: Sequence[MeasuredPoint], requests: int | None = None
    ) -> list[Point]:
        """Runs of these values, one for each point of load."""
        # What rates settled is no part of the description.
        settled = [(free.path, free.setting(value)) for free, value in self.settled] if values else []
        own = [(one.path, one.setting(values[one.path])) for one in self.free if one.path in values]
        set_ = tuple((path, toml_value(value)) for path, value in (*settled, *own))
        chosen = dict((*settled, *own))

        def look(path: str) -> Any:
            return chosen[path] if path in chosen else self.look(path)

        return [
            Point(
                self.scenario.changed(
                    workload=point.workload(self.measured.protocol, requests or self.requests, look),
                    overrides=(*set_, *point.overrides(look)),
                ),
                (*values.items(), ("load", point.name)),
            )
            for point in points
        ]

    def residuals(self, found: Sequence[Mapping[str, Any]]) -> list[float]:
        """Of the points of the fit."""
        return residuals(self.seen(), self._seen_sigmas(), found)

    @property
    def groups(self) -> list[int]:
        """For each residual the number of its group."""
        return groups(self._seen_sigmas())

    def _seen_sigmas(self) -> list[dict[str, float]]:
        return [sigma for sigma, seen in zip(self.sigmas, self.fitted, strict=True) if seen]


@dataclass(frozen=True)
class Tried:
    """A choice of values that was run."""

    values: Values
    figures: list[dict[str, Any]]
    """Simulated, by point of the fit."""
    residuals: list[float]

    @property
    def objective(self) -> float:
        """Mean of squares."""
        return objective(self.residuals)


@dataclass(frozen=True)
class Search(TuneFile):
    """The fit as a search of one objective over the points that it sees."""

    problem: Problem

    @classmethod
    def of(cls, problem: Problem, trials: int, sampler: str, batch: int) -> Search:
        """A search with so many trials, the description's own values first."""
        return cls(
            name=problem.measured.name,
            data={},
            folder=Path.cwd(),
            search={one.path: one.space() for one in problem.free},
            objectives={OBJECTIVE: "minimize"},
            trials=trials,
            batch=batch,
            sampler=sampler,
            seed=problem.scenario.seed,
            base=problem.scenario,
            problem=problem,
        )

    def points(self, values: Mapping[str, Any]) -> list[Point]:
        """A run for each point of load."""
        return self.problem.points(values, self.problem.seen())

    def figures(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """The distance from the measurement."""
        found = _simulated(rows, self.problem.seen())
        # A drive so slow that it answers nothing is as far away as can be.
        return {OBJECTIVE: math.inf if found is None else objective(self.problem.residuals(found))}

    def halves(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:  # noqa: ARG002
        """The distance is of many figures and has none."""
        return {OBJECTIVE: None}

    def lacking(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Every trial that was run has a distance."""

    def columns(self) -> Sequence[str]:
        """The results as they are."""
        return COLUMNS

    def first(self) -> Sequence[Mapping[str, Any]]:
        """What the description says, where that lies within the ranges."""
        values = {one.path: one.base if one.choices else one.start() for one in self.problem.free}
        inside = all(
            values[one.path] in one.choices if one.choices else values[one.path] is not None
            for one in self.problem.free
        )
        return (values,) if inside else ()


@dataclass
class Runner:
    """Runs choices of values where the points of the study run, and keeps their rows."""

    problem: Problem
    study: Study

    def run(self, choices: Sequence[Values]) -> list[Tried | None]:
        """Each choice, run at the points of the fit; `None` for one that can't be run."""
        seen = self.problem.seen()
        groups = [functools.partial(self.problem.points, values, seen) for values in choices]
        found = [_simulated(rows, seen) for rows in self.study.run_groups(groups, COLUMNS)]
        return [
            None if figures is None else Tried(values, figures, self.problem.residuals(figures))
            for values, figures in zip(choices, found, strict=True)
        ]

    def figures(self, values: Values, requests: int) -> list[dict[str, Any]]:
        """The figures of all points of load, held-out ones included. Raises `WordlineError` if one can't be
        run.
        """
        (rows,) = self._at_all_points(values, requests)
        if isinstance(rows, WordlineError):
            raise rows
        found = _simulated(rows, self.problem.measured.points)
        if found is None:
            why = next((f": {row['error']}" for row in rows if row.get("error")), "")
            raise WordlineError(f"the drive with {values} can't be run at every point of load{why}")
        return found

    def described(self, requests: int) -> list[dict[str, Any]] | None:
        """The figures of the drive as it is described, nothing fitted; `None` if it can't be run."""
        (rows,) = self._at_all_points({}, requests)
        return _simulated(rows, self.problem.measured.points)

    def _at_all_points(self, values: Values, requests: int) -> list[list[Row] | WordlineError]:
        points = functools.partial(self.problem.points, values, self.problem.measured.points, requests)
        return self.study.run_groups([points], COLUMNS)


def _simulated(
    rows: Sequence[Mapping[str, Any]] | WordlineError, points: Sequence[MeasuredPoint]
) -> list[dict[str, Any]] | None:
    if isinstance(rows, WordlineError) or any("error" in row for row in rows):
        return None
    try:
        return [point.simulated(row) for point, row in zip(points, rows, strict=True)]
    except WordlineError:
        return None
