"""What `wordline calibrate --dry-run` prints: what would be run, what is free, and how long it takes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordline.calibration.measured import MeasuredPoint
    from wordline.calibration.problem import Problem
    from wordline.calibration.space import Free


def say_plan(problem: Problem, budget: int, jobs: int | None, as_json: bool) -> None:
    """Points, loads and requests, the free keys with their ranges, and an estimate of the time."""
    from wordline.calibration.extent import extent
    from wordline.calibration.tables import number

    planned, cores = extent(problem, budget, problem.requests), jobs or os.cpu_count() or 1
    seconds = planned.seconds(cores)
    if as_json:
        print(json.dumps(_facts(problem, budget) | {"runs": planned.runs, "estimate_s": round(seconds, 1)}))
        return
    measured = problem.measured
    print(f"{measured.name}: {len(measured.points)} points of {measured.source}, {budget} choices of values")
    for point, seen in zip(measured.points, problem.fitted, strict=True):
        use = "held out" if not seen else "fitted first" if not point.timed else "fitted"
        print(f"  {point.name}: {use}; {_extra(problem, point)}")
    for one in problem.free:
        outside = ", outside of it to begin with" if one.begins_outside else ""
        described = "nothing" if one.base is None else number(one.base)
        print(f"  free: {one.path} = {_range(one)}, described as {described}{outside}")
    print(
        f"{planned.runs:,} runs at most, {problem.extent} at a point, "
        f"{planned.simulated:,.0f} requests in all: about {seconds:,.0f} s on {cores} cores (an estimate)"
    )


def _extra(problem: Problem, point: MeasuredPoint) -> str:
    """What isn't measured at every point of load; of a way to the steady state what is run."""
    from wordline.calibration.measured import FIGURES
    from wordline.calibration.replays import Replay
    from wordline.calibration.ways import Way

    if isinstance(point.load, Replay):
        part = point.load
        counts = " and ".join(f"{count:,} {name}s" for name, count in part.by_direction.items())
        return f"{counts} in {part.seconds:,.4g} s, behind {part.warm_up:,} requests"
    if isinstance(point.load, Way):
        way, requests = point.load, point.load.requests(problem.look)
        blocks = "" if way.pages is None else f" with blocks of {way.pages:,} pages"
        return f"{len(way.parts)} parts; {requests:,} requests a run, {way.capacities:g} × the drive{blocks}"
    return ", ".join(name for name in point.figures if name not in FIGURES) or "response times and rates"


def _facts(problem: Problem, budget: int) -> dict[str, Any]:
    return {
        "drive": problem.measured.name,
        "points": [
            {"load": point.name, "fitted": seen, "figures": list(point.figures)}
            for point, seen in zip(problem.measured.points, problem.fitted, strict=True)
        ],
        "free": {one.path: _range(one) for one in problem.free},
        "choices": budget,
        "requests": problem.requests,
    }


def _range(one: Free) -> str:
    from wordline.calibration.tables import number

    return ", ".join(map(str, one.choices)) if one.choices else f"{number(one.low)} to {number(one.high)}"
