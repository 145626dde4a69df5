"""A calibration before its first run: what is fitted to what, and whatever can be refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration import measured, reach, shorter, space, units
from wordline.calibration.extent import CORES, LEAST, extent, fitting
from wordline.calibration.fit import fewest
from wordline.calibration.measured import Measured, MeasuredPoint
from wordline.calibration.problem import Problem
from wordline.calibration.protocol import Protocol
from wordline.calibration.rates import USER_BYTES
from wordline.calibration.space import Free
from wordline.calibration.ways import SCATTERED, Way
from wordline.scenario import Scenario
from wordline.study.point import Inputs, Point
from wordline.study.runs import validate
from wordline.wording import argument, setting

BUDGET = 100

MINUTES = 5.0
"""A fit takes no longer than this unless it is told."""

HOLD_OUT = 0.5

PATHS = ("device", "scheme")


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
    for path, value in scenario.overrides:
        if path.split(".")[0] not in PATHS:
            raise WordlineError(f"{setting(path, value)}: allowed: paths that begin with device. or scheme.")
    own = protocol or Protocol()
    # The drive itself, whatever it is measured by.
    (inputs,) = validate([Point(scenario.changed(workload=own.workload(own.probe_per_s, 1000)), ())])
    user_bytes = space.at(inputs.config, USER_BYTES)
    found = measured.read(Path(measurement), drive, own, [Path(one) for one in also], user_bytes)
    units.check(found.runs, scenario, found.protocol)
    opened = space.parse(free, inputs.config)
    found = replace(found, points=[_shorter(point, inputs.config, opened) for point in found.points])
    problem = Problem(
        scenario=scenario,
        measured=found,
        fitted=_seen(found, hold_out),
        free=opened,
        requests=requests or LEAST,
        config=inputs.config,
    )
    if requests is None:
        problem = replace(problem, requests=fitting(problem, budget, 60 * minutes))
    least = fewest(problem.free) * (2 if found.rates else 1)
    if budget < least:
        beside = " and rates beside the points of load" if found.rates else ""
        raise WordlineError(
            f"{argument('budget', budget)}: allowed: {least} or more "
            f"with {len(problem.free)} free values{beside}"
        )
    _check_paths(problem)
    reach.check(problem)
    return _timed(_walkable(problem), budget, minutes)


def _seen(found: Measured, hold_out: float) -> list[bool]:
    """Which points a fit sees: rates, and of points of load and of ways those that aren't held out."""
    loads, ways = (iter(measured.held_out(own, hold_out)) for own in (found.loads, found.ways))
    return [
        not next(loads)
        if point.load is None
        else not next(ways)
        if isinstance(point.load, Way)
        else point.rate
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
