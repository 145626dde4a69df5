"""The way to the steady state: the rate of writes by how much was written since the drive was empty or
filled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration.over_time import parts
from wordline.calibration.rates import USER_BYTES, Load, Look
from wordline.presets import Description

FIGURE = "way_per_s"
"""Writes a second while a part of the way is written. Which part stands behind it: `way_per_s 0.2..0.25`, in
capacities.
"""

EMPTY, SCATTERED = "none", "seqshuffle"

STARTS = {
    EMPTY: "from an empty drive",
    "seq": "filled in order",
    SCATTERED: "filled in scattered order",
}
"""What the drive held, in a tester's word and in ours. Random writes don't tell the last two apart where the
map is in DRAM: a run is the same.
"""

PAGES, ERASE = "device.geometry.pages", "device.cell.erase_ns"

INTERVALS = 16
"""Of the time series, in each step at the highest rate that was measured."""

CHANGED = 0.15
"""Steps whose rates differ by less are one part of the way: what a part says, it says once."""

STEADY = 0.5
"""Capacities of the last part that are run and compared; behind them nothing changes."""


@dataclass(frozen=True)
class Way:
    """Writes as fast as the drive takes them, from a start that isn't the steady state."""

    load: Load
    start: str
    """Of `STARTS`."""
    step: float
    """Capacities written from one measured rate to the next."""
    parts: tuple[tuple[int, int], ...]
    """First step of each part of the way, and the step behind its last."""
    highest: float
    """Writes a second that were measured."""
    pages: int | None = None
    """Of each block of the drive that is run (`shorter`); `None`: all."""

    @property
    def judges(self) -> bool:
        """A fit may see it: nothing has to become steady before."""
        return False

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.load.name}, {STARTS[self.start]}"

    @property
    def steps(self) -> int:
        """That are run."""
        return self.parts[-1][1]

    @property
    def capacities(self) -> float:
        """That are written."""
        return round(self.steps * self.step, 6)

    def units(self, look: Look) -> int:
        """Requests that the drive that is run holds."""
        user_bytes = look(USER_BYTES)
        if user_bytes is None:
            raise WordlineError(f"{self.name}: allowed: a device with {USER_BYTES}")
        return int(user_bytes * self._share(look)) // self.load.bytes

    def _share(self, look: Look) -> float:
        """Of the pages of each block, and so of the drive."""
        return 1.0 if self.pages is None else float(self.pages / look(PAGES))

    def requests(self, look: Look) -> int:
        """Of a run: all steps, and a little more, so that the last one ends."""
        return math.ceil((self.steps + 0.02) * self.step * self.units(look))

    def workload(self, probes: int, look: Look) -> Description:  # noqa: ARG002 -- its length is measured
        """It as a workload, with a time series that tells the steps apart."""
        seconds = self.step * self.units(look) / self.highest
        occupancy = "none" if self.start == EMPTY else "all"
        lines = [
            f'name = "{self.name}"',
            f'[source]\nkind = "synthetic"\nrequests = {self.requests(look)}\n{self.load.source}',
            f'[host]\narrivals = "closed"\nqueue_depth = {self.load.depth}',
            f'[start]\noccupancy = "{occupancy}"\nlayout = "in_order"',
            f"[measure]\ninterval_ns = {max(round(seconds * 1e9 / INTERVALS), 1)}",
        ]
        return Description(self.name, "\n".join(lines) + "\n", Path.cwd())

    def overrides(self, look: Look) -> tuple[tuple[str, str], ...]:
        """The drive with shorter blocks, their erases shorter alike: each written byte costs what it does."""
        if self.pages is None:
            return ()
        return (
            (PAGES, str(self.pages)),
            (USER_BYTES, str(self.units(look) * self.load.bytes)),
            (ERASE, str(max(round(look(ERASE) * self._share(look)), 1))),
        )

    def figures(self, steps: Sequence[float]) -> dict[str, float]:
        """Writes a second of each part, from those of all steps."""
        return {
            f"{FIGURE} {first * self.step:g}..{behind * self.step:g}": mean(steps[first:behind])
            for first, behind in self.parts
        }

    def simulated(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of a run of it, and its steps as a `curve`."""
        steps = [one["mib_per_s"] * 2**20 / self.load.bytes for one in parts(row, self.step)]
        if len(steps) < self.steps:
            raise WordlineError(f"{self.name}: {len(steps)} of {self.steps} steps were written")
        return {**self.figures(steps), "curve": self.curve(steps)}

    def curve(self, steps: Sequence[float]) -> list[tuple[float, float]]:
        """Capacities written in the middle of each step, and its writes a second."""
        return [(round((place + 0.5) * self.step, 6), rate) for place, rate in enumerate(steps[: self.steps])]

    def written_per_s(self, figures: Mapping[str, float]) -> float:
        """The most bytes a second that it took."""
        return max(figures.values()) * self.load.bytes


def mean(rates: Sequence[float]) -> float:
    """Of steps of one size: what they wrote by the time that they took."""
    return len(rates) / sum(1 / rate for rate in rates)


def parts_of(steps: Sequence[float], step: float) -> tuple[tuple[int, int], ...]:
    """Neighbours whose rates are about the same, from the first step on. The last part ends early: it only
    goes on as it was.
    """
    made, first = [], 0
    for place in range(1, len(steps)):
        own = steps[first : place + 1]
        if max(own) > min(own) * (1 + CHANGED):
            made.append((first, place))
            first = place
    return (*made, (first, min(len(steps), first + max(round(STEADY / step), 1))))


def family(figure: str) -> str:
    """The name of a figure without the part of the way that it is of."""
    return figure.partition(" ")[0]


def part_of(figure: str) -> str:
    """The part of the way that a figure is of; empty if of none."""
    return figure.partition(" ")[2]
