"""Ways to the steady state from tables: a row for each step, of several patterns, starts and runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline._core import WordlineError
from wordline.calibration.patterns import RATE_COLUMNS, Number, Row, load_of, rate_of
from wordline.calibration.rates import Load
from wordline.calibration.ways import STARTS, Way, parts_of

WRITTEN = "written_share"
"""Capacities that were written before a step began."""

STEPS = (0.01, 0.5)
"""Capacities from one step to the next: finer ones are noise, of coarser ones little is seen."""

NEAR = 1e-4


@dataclass(frozen=True)
class Walked:
    """A way with what was measured of it."""

    way: Way
    figures: dict[str, float]
    """Of each part, geometric means over the runs."""
    spread: dict[str, float]
    """Standard deviation of their logarithms over the runs; without repeats empty."""
    runs: int
    curve: list[tuple[float, float]]


@dataclass(frozen=True)
class _Step:
    where: str
    written: float
    rate: float


def ways(rows: Sequence[Row], number: Number) -> list[Walked]:
    """The ways of some tables, in their order. Raises `WordlineError` for steps that don't follow one
    another.
    """
    found: dict[tuple[Load, str], dict[tuple[str, str, str], list[_Step]]] = {}
    for where, row in rows:
        load = load_of(where, row, number)
        if load is None:
            continue
        # Lines of another table are another run.
        run = (where.rpartition(":")[0], row.get("test") or "", row.get("run") or "")
        runs = found.setdefault((load, _start(where, row)), {})
        runs.setdefault(run, []).append(_step(where, row, load, number))
    return [_walked(load, start, list(runs.values())) for (load, start), runs in found.items()]


def _start(where: str, row: Mapping[str, str | None]) -> str:
    start = row.get("start") or "seq"
    if start not in STARTS:
        raise WordlineError(f"{where}: start = {start!r}: allowed: {', '.join(STARTS)}")
    return start


def _step(where: str, row: Mapping[str, str | None], load: Load, number: Number) -> _Step:
    rate = rate_of(where, row, load.bytes, number)
    if rate is None:
        raise WordlineError(f"{where}: allowed: a figure: {' or '.join(RATE_COLUMNS)}")
    text = row[WRITTEN] or ""
    try:
        written = float(text)
    except ValueError:
        written = math.nan
    if not 0 <= written < math.inf:
        raise WordlineError(f"{where}: {WRITTEN} = {text!r}: allowed: a number from 0 on")
    return _Step(where, written, rate)


def _walked(load: Load, start: str, runs: Sequence[Sequence[_Step]]) -> Walked:
    step = _size(runs[0])
    for run in runs:
        _check(run, step)
    # Further than all runs go there are no repeats.
    count = min(len(run) for run in runs)
    rates = [[one.rate for one in run[:count]] for run in runs]
    steps = [statistics.geometric_mean(each) for each in zip(*rates, strict=True)]
    way = Way(load, start, step, parts_of(steps, step), max(steps))
    logs = [{name: math.log(rate) for name, rate in way.figures(run).items()} for run in rates]
    by_figure = {name: [one[name] for one in logs] for name in logs[0]}
    return Walked(
        way,
        {name: math.exp(statistics.fmean(values)) for name, values in by_figure.items()},
        {name: statistics.stdev(values) for name, values in by_figure.items() if len(values) > 1},
        len(runs),
        way.curve(steps),
    )


def _size(run: Sequence[_Step]) -> float:
    if len(run) < 2:
        raise WordlineError(f"{run[0].where}: one step of its way: allowed: two or more")
    size = round(run[1].written - run[0].written, 6)
    if not STEPS[0] <= size <= STEPS[1]:
        raise WordlineError(
            f"{run[1].where}: {WRITTEN} = {run[1].written:g} behind {run[0].written:g}: allowed: steps of "
            f"{STEPS[0]:g} to {STEPS[1]:g} of the capacity"
        )
    return size


def _check(run: Sequence[_Step], size: float) -> None:
    for place, one in enumerate(run):
        if abs(one.written - place * size) > NEAR:
            raise WordlineError(
                f"{one.where}: {WRITTEN} = {one.written:g}: allowed: {place * size:g}, since its way goes "
                f"from 0 on by steps of {size:g}; of several runs each has a name in a column `run`"
            )
