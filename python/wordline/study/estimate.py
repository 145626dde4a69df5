"""How long runs will take, by the first slice of some of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline import simulation
from wordline._core import WordlineError
from wordline.scenario import Scenario
from wordline.study.point import Inputs, Point

SLICE_S = 0.4
"""Of a run, behind its preparation: three looks at it or four."""

PATIENCE_S = 2.0
"""In which a run must have begun to answer."""

MOST = 6
"""Runs that are tried, spread evenly over all."""

READ_FIRST = 5_000_000
"""Requests that are read in a second or two where a run must know all of them before it begins."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Mark:
    """A look at a run."""

    time: float
    """s."""
    done: int
    """Requests that were answered, those too that come for the drive to settle."""
    total: int | None


@dataclass(frozen=True)
class Taken:
    """How long a run takes, s: known of one that ended, extrapolated of one that was stopped."""

    preparing: float
    running: float
    fails: str = ""
    """Why the run fails by itself, where it did within what was tried."""


@dataclass(frozen=True)
class Estimate:
    """Of several runs."""

    seconds: float | None
    """On so many cores as they have; `None` where it isn't known."""
    tried: int
    """Runs that were begun for it."""
    lacks: str = ""
    """Why it isn't known."""
    failing: tuple[str, ...] = ()
    """Why runs that were tried fail."""


class _StopError(Exception):
    """Stops a run that was tried."""


def extrapolated(marks: Sequence[Mark], begun: float, ended: float | None) -> Taken | str:
    """What a run takes that began and, unless it was stopped, ended then; in the place of it why that isn't
    known.
    """
    answered = [mark for mark in marks if mark.done > 0]
    if ended is not None:
        preparing = max((mark.time - begun for mark in marks if mark.done == 0), default=0.0)
        return Taken(preparing, ended - begun - preparing)
    if len(answered) < 2:
        return f"its preparation takes more than {PATIENCE_S:g} s"
    first = answered[0]
    # Behind the last answer a run may go on until the drive is idle.
    last = next(mark for mark in answered if mark.done == answered[-1].done)
    if last.total is None:
        return "the number of its requests isn't known before"
    if last is first:
        return "its requests are answered before its speed is seen"
    per_request = (last.time - first.time) / (last.done - first.done)
    # Between two looks the run began to answer.
    preparing = max(first.time - begun - first.done * per_request, 0.0)
    return Taken(preparing, last.total * per_request)


def tried(
    scenario: Scenario,
    clock: Clock = time.monotonic,
    measure: Callable[..., Any] = simulation.measure,
) -> Taken | str:
    """A run's first slice. The clock tells s."""
    marks: list[Mark] = []
    begun, ended = clock(), None
    fails = ""

    def progress(done: int, total: int | None, _simulated_ns: int) -> None:
        marks.append(Mark(clock(), done, total))
        first = next((mark for mark in marks if mark.done > 0), None)
        now = marks[-1].time
        if (first is not None and first is not marks[-1] and now - first.time >= SLICE_S) or (
            first is None and now - begun >= PATIENCE_S
        ):
            raise _StopError

    try:
        measure(scenario, progress=progress)
        ended = clock()
    except _StopError:
        pass
    except WordlineError as error:
        # So it will when it is run.
        ended, fails = clock(), str(error)
    taken = extrapolated(marks, begun, ended)
    return taken if isinstance(taken, str) else replace(taken, fails=fails)


def estimate(
    runs: Sequence[tuple[Point, Inputs]],
    width: int,
    attempt: Callable[[Scenario], Taken | str] | None = None,
) -> Estimate:
    """Of these runs, so many side by side. What wasn't tried takes as long for a request as what was; a drive
    that several begin on is prepared once. `attempt` goes in the place of `tried`.
    """
    once = list({found.key: (point, found) for point, found in runs}.values())
    if not once:
        return Estimate(0.0, 0)
    if lacks := next((lack for _, found in once if (lack := _unseen(found))), ""):
        return Estimate(None, 0, lacks)
    takes = {place: (attempt or tried)(once[place][0].scenario) for place in _spread(len(once))}
    known = {place: taken for place, taken in takes.items() if isinstance(taken, Taken)}
    failing = tuple(dict.fromkeys(taken.fails for taken in known.values() if taken.fails))
    unseen = next((taken for taken in takes.values() if isinstance(taken, str)), None)
    if unseen is not None:
        return Estimate(None, len(takes), unseen, failing)
    return Estimate(_wall([found for _, found in once], known, width), len(known), "", failing)


def _spread(count: int) -> list[int]:
    """Places of those that are tried."""
    if count <= MOST:
        return list(range(count))
    return [round(place * (count - 1) / (MOST - 1)) for place in range(MOST)]


def _unseen(found: Inputs) -> str:
    """Why a run can't be tried shortly; empty if it can."""
    reads_first = found.config["workload"]["start"]["occupancy"] in ("footprint", "span")
    if reads_first and (found.requests is None or found.requests > READ_FIRST):
        return "what the drive holds follows from all requests"
    return ""


def _wall(inputs: Sequence[Inputs], known: Mapping[int, Taken], width: int) -> float:
    """S from the first run to the end of the last."""
    requests = sum(inputs[place].requests or 0 for place in known)
    per_request = sum(taken.running for taken in known.values()) / max(requests, 1)
    preparing = sum(taken.preparing for taken in known.values()) / len(known)
    running = [
        known[place].running if place in known else per_request * (found.requests or 0)
        for place, found in enumerate(inputs)
    ]
    drives: dict[str, float] = {}
    for place, found in enumerate(inputs):
        own = known[place].preparing if place in known else preparing
        drives.setdefault(found.drive_key or found.key, own)
    return max((sum(running) + sum(drives.values())) / width, max(running) + min(drives.values()))
