"""Measured and simulated figures beside each other, and how far they are apart."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline.calibration.measured import MeasuredPoint
from wordline.calibration.ways import family

HEADERS = (
    "load",
    "offered_writes_per_s",
    "seen",
    "figure",
    "measured",
    "simulated",
    "before",
    "error",
    "repeats",
    "runs",
)


@dataclass(frozen=True)
class Line:
    """A figure of a point of load."""

    point: MeasuredPoint
    fitted: bool
    """Whether the fit saw the point."""
    figure: str
    simulated: float
    before: float | None
    """As the description has the drive, nothing fitted; `None` where that can't be run."""

    @property
    def measured(self) -> float:
        """The geometric mean over the runs."""
        return self.point.figures[self.figure]

    @property
    def error(self) -> float:
        """Simulated by measured, minus 1."""
        return self.simulated / self.measured - 1

    def as_before(self) -> Line:
        """The same figure of the description that nothing was fitted of."""
        return self if self.before is None else replace(self, simulated=self.before)

    @property
    def repeats(self) -> float | None:
        """The measurement's own spread: standard deviation over its runs, as a share."""
        spread = self.point.spread.get(self.figure)
        return None if spread is None else math.expm1(spread)


@dataclass(frozen=True)
class Summary:
    """A figure over the points that the fit saw, or over those held out."""

    figure: str
    fitted: bool
    median: float
    """Of the factor by which simulated and measured differ, as a share above 1."""
    largest: float
    before: float | None
    """The median of the drive as it is described, nothing fitted."""
    repeats: float | None
    points: int


def lines(
    points: Sequence[MeasuredPoint],
    fitted: Sequence[bool],
    found: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]] | None,
) -> list[Line]:
    """A line for each figure of each point; `before` are the figures of the drive with nothing fitted."""
    earlier = before or [{}] * len(points)
    return [
        Line(point, seen, name, one[name], was.get(name))
        for point, seen, one, was in zip(points, fitted, found, earlier, strict=True)
        for name in point.figures
    ]


def summaries(made: Sequence[Line]) -> list[Summary]:
    """Errors by figure, of fitted points and of those held out."""
    found = []
    for fitted in (True, False):
        for name in dict.fromkeys(family(line.figure) for line in made):
            own = [line for line in made if line.fitted is fitted and family(line.figure) == name]
            if not own:
                continue
            factors = [abs(math.log(line.simulated / line.measured)) for line in own]
            earlier = [abs(math.log(line.before / line.measured)) for line in own if line.before is not None]
            repeats = [line.repeats for line in own if line.repeats is not None]
            found.append(
                Summary(
                    name,
                    fitted,
                    math.expm1(statistics.median(factors)),
                    math.expm1(max(factors)),
                    math.expm1(statistics.median(earlier)) if earlier else None,
                    statistics.median(repeats) if repeats else None,
                    len(own),
                )
            )
    return found


def table_text(made: Iterable[Line]) -> str:
    """The lines as CSV: rates a second, times in µs, errors and spreads as shares."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADERS)
    for line in made:
        writer.writerow([
            line.point.name,
            f"{line.point.offered:g}",
            "fitted" if line.fitted else "held_out",
            line.figure,
            f"{line.measured:.6g}",
            f"{line.simulated:.6g}",
            "" if line.before is None else f"{line.before:.6g}",
            f"{line.error:.4f}",
            "" if line.repeats is None else f"{line.repeats:.4f}",
            line.point.runs,
        ])  # fmt: skip
    return out.getvalue()
