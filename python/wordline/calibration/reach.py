"""Rates that no choice of values reaches, known before anything is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordline._core import WordlineError
from wordline.calibration.measured import Measured, MeasuredPoint
from wordline.calibration.problem import Problem
from wordline.calibration.space import at
from wordline.study.point import Inputs, Point


def most_writes_per_s(device: Mapping[str, Any], request_bytes: int) -> tuple[float, str]:
    """The most writes a second that the link brings and all planes program together, nothing ever collected,
    and which of the two it is.
    """
    geometry, cell = device["geometry"], device["cell"]
    planes = geometry["channels"] * geometry["ways"] * geometry["dies"] * geometry["planes"]
    program_ns = cell["program_ns"]
    # Program times by page or of a cell mode: the shortest bounds them all.
    fastest = min([*(program_ns if isinstance(program_ns, list) else [program_ns]), *_slc(device)])
    unit = geometry["page_bytes"] * (at(geometry, "pages_per_program") or 1)
    rates = {
        "programs of all planes": planes * unit / fastest * 1e9 / request_bytes,
        "the link": at(device, "link.bytes_per_s") / request_bytes
        if at(device, "link.bytes_per_s")
        else float("inf"),
    }
    name = min(rates, key=lambda key: rates[key])
    return rates[name], name


def _slc(device: Mapping[str, Any]) -> list[float]:
    """The program time of blocks in SLC mode, where there are any."""
    found = at(device, "slc_mode.program_ns")
    return found if isinstance(found, list) else [] if found is None else [found]


def check(problem: Problem) -> None:
    """Refuses a measurement whose highest rate lies beyond the drive, free values at their faster ends."""
    measured: Measured = problem.measured
    size = measured.protocol.bytes
    point = max(measured.points, key=lambda one: _written(one, size))
    wanted = _written(point, size)
    values: dict[str, Any] = {}
    for one in problem.free:
        ends = one.choices or (one.value(0.0), one.value(1.0))
        values[one.path] = ends[0]
        if one.path.startswith("device."):
            values[one.path] = max(ends, key=lambda end: _rate({**values, one.path: end}, problem)[0])
    rate, bound = _rate(values, problem)
    if rate < wanted:
        raise WordlineError(
            f"{measured.source}: {wanted:,.0f} writes a second at {point.name}: allowed: up to {rate:,.0f}: "
            f"{bound} of {problem.scenario.device.label} can do no more with every free value at its best"
        )


def _written(point: MeasuredPoint, size: int) -> float:
    """Writes of that size a second that it took."""
    if point.load is None:
        return point.figures["writes_per_s"]
    return point.load.written_per_s(point.figures) / size


def _rate(values: Mapping[str, Any], problem: Problem) -> tuple[float, str]:
    points: Sequence[Point] = problem.points(values, problem.measured.points[:1])
    (config,) = (Inputs.of(point.scenario, whole_drive=False).config for point in points)
    return most_writes_per_s(config["device"], problem.measured.protocol.bytes)
