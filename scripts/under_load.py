"""Four presets beside the response times under load that were measured on their drives, as Markdown.

Usage: scripts/under_load.py MEASURED.csv, a table as `wordline calibrate` reads it, with the presets' names
as its drives. Nothing is fitted here: each point of load is run once on the preset as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wordline.calibration.measured import MeasuredPoint, read
from wordline.calibration.protocol import Protocol, simulated
from wordline.presets import load
from wordline.simulation import simulate

DRIVES = ("pm9a3-960", "p5520-1920", "7450pro-960", "wd-sn640-class-960")

FIGURES = ("p50", "p99", "p99_9", "p99_99")

PROBES = 100_000
"""Requests of the probe at each point: ten seconds of the drive's time."""

POINTS = 4
"""Of each drive: so many that are spread over its loads, the saturated one among them."""


def main(path: Path) -> None:
    """Prints the table."""
    print("| drive | writes/s (simulated) | reads: p50, p99, p99.9, p99.99, µs | simulated", end="")
    print(" | writes: the same | simulated |")
    print("|---|--:|--:|--:|--:|--:|")
    for drive in DRIVES:
        points = read(path, drive, Protocol()).points
        for point in spread(points):
            workload = Protocol().workload(point.offered, PROBES)
            result = simulate(
                load("device", drive),
                load("scheme", "baseline"),
                workload,
                overrides=[],
                seed=1,
                checked=False,
                progress=None,
            )
            print(line(drive, point, simulated(result.to_dict())), flush=True)


def spread(points: list[MeasuredPoint]) -> list[MeasuredPoint]:
    """Some of the points, the first and the last among them."""
    ordered = sorted(points, key=lambda point: point.offered)
    last = len(ordered) - 1
    return [ordered[number] for number in sorted({round(last * k / (POINTS - 1)) for k in range(POINTS)})]


def line(drive: str, point: MeasuredPoint, found: dict[str, float]) -> str:
    """A row of the table."""
    rate = f"{point.figures['writes_per_s']:,.0f} ({found['writes_per_s']:,.0f})"
    cells = [drive, rate]
    for way in ("read", "write"):
        for figures in (point.figures, found):
            cells += [", ".join(f"{figures[f'{way}_{name}_us']:,.0f}" for name in FIGURES)]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
