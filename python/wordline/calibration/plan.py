"""A calibration before its first run: what is fitted to what, and whatever can be refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration import measured, reach, shorter, space, trace_settings, traces, units, waits
from wordline.calibration.extent import CORES, LEAST, extent, fitting
from wordline.calibration.fit import fewest
from wordline.calibration.measured import Measured, MeasuredPoint
from wordline.calibration.problem import Problem
from wordline.calibration.protocol import Protocol
from wordline.calibration.rates import USER_BYTES
from wordline.calibration.space import Free
from wordline.calibration.ways import SCATTERED, Way
from wordline.presets import stem
from wordline.scenario import Scenario
from wordline.study.point import Inputs, Point
from wordline.study.runs import validate
from wordline.wording import argument, setting

BUDGET = 100

MINUTES = 5.0
"""A fit takes no longer than this unless it is told."""

HOLD_OUT = 0.5

PATHS = ("device.", "scheme.")


def describe(
    scenario: Scenario,
    measurement: str | os.PathLike[str],
    *,
    free: Sequence[str],
    also: Sequence[str | os.PathLike[str]] = (),
    drive: str | None = None,
    hold_out: float = HOLD_OUT,
    budget: int = BUDGET,
    requests: int | None = None,
    minutes: float = MINUTES,
    protocol: Protocol | None = None,
) -> Problem:
    """The fit, checked: whatever can be refused before the first run is."""
    if not 0.0 <= hold_out < 1.0:
        raise WordlineError(f"{argument('hold_out', f'{hold_out:g}')}: allowed: a share from 0 on, below 1")
    if requests is not None and requests < 1000:
        raise WordlineError(f"{argument('requests', requests)}: allowed: 1,000 or more")
    if not minutes > 0.0:
        raise WordlineError(f"{argument('minutes', f'{minutes:g}')}: allowed: a number above 0")
    path, tables, own = Path(measurement), [Path(one) for one in also], protocol or Protocol()
    traced = traces.is_trace(path, scenario.overrides)
    _check_overrides(scenario, traced)
    scenario, settings = _apart(scenario)
    # The drive itself, whatever it is measured by.
    (inputs,) = validate([Point(scenario.changed(workload=own.workload(own.probe_per_s, 1000)), ())])
    begun = _Begun(scenario, inputs.config, free, hold_out, requests, budget, 60 * minutes)
    if traced:
        if drive is not None:
            raise WordlineError(f"{argument('drive', drive)}: allowed beside a table of several drives only")
        problem = begun.by_trace(path, settings, tables)
    else:
        problem = begun.by_loads(path, drive, own, tables)
    rates = problem.measured.rates
    least = fewest(problem.free) * (2 if rates else 1)
    if budget < least:
        beside = " and rates beside the points of load" if rates else ""
        raise WordlineError(
            f"{argument('budget', budget)}: allowed: {least} or more "
            f"with {len(problem.free)} free values{beside}"
        )
    _check_paths(problem)
    reach.check(problem)
    return _timed(_walkable(problem), budget, minutes)


@dataclass(frozen=True)
class _Begun:
    """A drive and what may change of it, not yet measured."""

    scenario: Scenario
    config: Mapping[str, Any]
    free: Sequence[str]
    hold_out: float
    requests: int | None
    budget: int
    seconds: float

    def by_loads(self, path: Path, drive: str | None, protocol: Protocol, also: Sequence[Path]) -> Problem:
        """Measured at points of load, by the protocol."""
        found = measured.read(path, drive, protocol, also, self._user_bytes)
        units.check(self._at_rest(found.protocol), found.runs, self.scenario.device.label)
        problem = self._problem(found, self.requests or LEAST)
        if self.requests is not None:
            return problem
        return replace(problem, requests=fitting(problem, self.budget, self.seconds))

    def by_trace(self, path: Path, settings: trace_settings.Settings, also: Sequence[Path]) -> Problem:
        """Measured while a trace was recorded."""
        recorded = traces.Traces.of(path, settings, self._user_bytes)

        def cut(requests: int | None) -> Problem:
            found = recorded.measured(requests, also)
            return self._problem(found, max(part.count for part in found.replays))

        problem = cut(self.requests)
        needed = extent(problem, self.budget, problem.requests).seconds(CORES, judging=False)
        if self.requests is None and needed > self.seconds:
            # Shorter parts, as at points of load.
            fitting_in = int(problem.requests * self.seconds / needed) // 100 * 100
            problem = cut(max(fitting_in, traces.LEAST))
        at_rest, device = self._at_rest(problem.measured.protocol), self.scenario.device.label
        waits.check(path, problem.measured.loads, at_rest, device)
        return _noted(problem, waits.doubts(problem.measured.loads, at_rest, device))

    @property
    def _user_bytes(self) -> int | None:
        return space.at(self.config, USER_BYTES)  # type: ignore[no-any-return]

    def _at_rest(self, protocol: Protocol) -> dict[str, float]:
        return units.at_rest(self.scenario, protocol)

    def _problem(self, found: Measured, requests: int) -> Problem:
        free = space.parse(self.free, self.config)
        found = replace(found, points=[_shorter(point, self.config, free) for point in found.points])
        seen = _seen(found, self.hold_out)
        return Problem(self.scenario, found, seen, free, requests, self.config)


def name_of(path: Path, overrides: Sequence[tuple[str, str]] = ()) -> str:
    """What a measurement is called that names no drive itself."""
    if traces.is_trace(path, overrides):
        return stem(path.resolve())
    return path.resolve().name if path.is_dir() else path.stem


def _check_overrides(scenario: Scenario, traced: bool) -> None:
    """Refuses what would change a measurement's protocol; how a trace is replayed is its user's to say."""
    allowed = (*PATHS, *trace_settings.ALLOWED) if traced else PATHS
    named = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
    for path, value in scenario.overrides:
        if not path.startswith(allowed):
            raise WordlineError(f"{setting(path, value)}: allowed: paths that begin with {named}")


def _apart(scenario: Scenario) -> tuple[Scenario, trace_settings.Settings]:
    """The scenario with what is set of the drive, and what is set of the trace."""
    own = tuple(pair for pair in scenario.overrides if pair[0].startswith(PATHS))
    rest = tuple(pair for pair in scenario.overrides if pair not in own)
    drive = Scenario(
        scenario.device, scenario.scheme, overrides=own, seed=scenario.seed, checked=scenario.checked
    )
    return drive, rest


def _seen(found: Measured, hold_out: float) -> list[bool]:
    """Which points a fit sees: rates, and of points of load and of ways those that aren't held out."""
    loads, ways = iter(found.held_out(hold_out)), iter(measured.held_out(found.ways, hold_out))
    return [
        not next(loads) if point.timed else not next(ways) if isinstance(point.load, Way) else point.rate
        for point in found.points
    ]


def _shorter(point: MeasuredPoint, config: Mapping[str, Any], free: Sequence[Free]) -> MeasuredPoint:
    """The point, a way of the drive with the shortest blocks that do."""
    if not isinstance(point.load, Way):
        return point
    return replace(point, load=replace(point.load, pages=shorter.pages(config, free, point.load)))


def _walkable(problem: Problem) -> Problem:
    """Refuses ways that can't be run on the drive as it is described, and notes what a run can't tell
    apart.
    """
    ways = problem.measured.ways
    validate(problem.points({}, ways))
    if problem.look("scheme.mapping.policy") == "page":
        return problem
    notes = [
        f"{point.name}: simulated as filled in order, though the map isn't kept in DRAM alone"
        for point in ways
        if isinstance(point.load, Way) and point.load.start == SCATTERED
    ]
    return _noted(problem, notes)


def _timed(problem: Problem, budget: int, minutes: float) -> Problem:
    """Notes ways for which there won't be time: their runs are as long as they are measured."""
    seconds = extent(problem, budget, problem.requests).seconds(CORES, judging=False)
    if not problem.measured.ways or seconds <= 60 * minutes:
        return problem
    return _noted(
        problem,
        [
            f"with its ways to the steady state the fit takes about {seconds / 60:,.0f} minutes on {CORES} "
            f"cores (an estimate), and {argument('minutes', f'{minutes:g}')} ends it before"
        ],
    )


def _noted(problem: Problem, notes: Sequence[str]) -> Problem:
    found = problem.measured
    return replace(problem, measured=replace(found, doubts=(*found.doubts, *notes)))


def _check_paths(problem: Problem) -> None:
    """Refuses a path that no description has, with the engine's own words, which name the nearest."""
    for one in problem.free:
        errors = []
        for value in one.choices or (one.value(0.0), one.value(1.0)):
            try:
                (point,) = problem.points({one.path: value}, problem.measured.points[:1])
                Inputs.of(point.scenario, whole_drive=False)
            except WordlineError as error:
                errors.append(str(error))
        if len(errors) == len(one.choices or (0, 1)):
            raise WordlineError(f"{argument('free', one.path)}: {errors[0]}")
