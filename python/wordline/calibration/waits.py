"""Response times of a trace that aren't the drive's alone: they may hold waits of a host or a network."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline._core import WordlineError
from wordline.calibration.measured import MeasuredPoint
from wordline.calibration.protocol import DIRECTIONS
from wordline.calibration.replays import Replay
from wordline.calibration.units import FAR, LEAST_US
from wordline.figures import number

SLOW = 3.0
"""Times the described drive's median at rest: if the fastest request of all took longer, something else than
the drive may have its share; assumed.
"""

QUEUED = 10.0
"""Times that median from which on half of the requests mostly waited; assumed."""

SHORTEST_US = 1.0
"""No drive answers half of its requests sooner."""


def check(path: Path, points: Sequence[MeasuredPoint], at_rest: Mapping[str, float], device: str) -> None:
    """Raises `WordlineError` for medians that no drive has, or that are far from the described one's."""
    for column in (f"{direction}_p50_us" for direction in DIRECTIONS):
        medians = [(point.figures[column], point.name) for point in points if column in point.figures]
        if not medians:
            continue
        (least, where), own = min(medians), max(at_rest[column], LEAST_US)
        if not SHORTEST_US <= least <= FAR * own:
            raise WordlineError(
                f"{path}: {where}: {column} = {least:g}: allowed: from {SHORTEST_US:g} to {FAR * own:,.0f}, "
                f"as a drive like {device} has them; workload.source.latency_unit says the unit"
            )


def doubts(points: Sequence[MeasuredPoint], at_rest: Mapping[str, float], device: str) -> list[str]:
    """A note for each direction whose requests waited for something that may not be the drive."""
    made = []
    for direction in DIRECTIONS:
        column = f"{direction}_p50_us"
        medians = [point.figures[column] for point in points if column in point.figures]
        fastest = [part.fastest_us[direction] for part in _parts(points) if direction in part.fastest_us]
        if medians:
            own = at_rest[column]
            said = _doubt(f"{direction}s", min(fastest), statistics.median(medians), own, device)
            made += [said] if said else []
    return made


def _parts(points: Sequence[MeasuredPoint]) -> list[Replay]:
    return [point.load for point in points if isinstance(point.load, Replay)]


def _doubt(requests: str, fastest: float, median: float, own: float, device: str) -> str | None:
    """Of requests whose shortest and median response time is so many µs, and the described drive's `own`."""
    takes, least = f"{device} at rest takes {number(own)} µs", max(own, LEAST_US)
    if fastest > SLOW * least:
        return (
            f"even the fastest of the {requests} took {number(fastest)} µs, and {takes}: measured response "
            "times may hold waits of a host or a network, which no value of a drive stands for"
        )
    if median > QUEUED * least:
        return (
            f"{requests} took {number(median)} µs (median), and {takes}: they waited, or the drive is of "
            "another kind; a host's bound on what is outstanding is workload.host.max_outstanding beside "
            "arrivals = held"
        )
    return None
