"""Draws the picture of README.md from the results of `make demo`.

Usage: scripts/picture.py FOLDER FILE, with `wordline` installed. FOLDER is wordline-out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy
import pyarrow.compute
import pyarrow.parquet

from wordline.charts.axis import Axis
from wordline.charts.images import save
from wordline.charts.lines import curves
from wordline.charts.specs import Point

LABELS = {"fifo": "FIFO", "baseline": "as sold: reads first, with suspend"}
COLORS = {"fifo": "#b5651d", "baseline": "#1f77b4"}

SHORTEST_NS = 30_000.0
"""The few reads that the buffer of writes answers take about 1 µs."""


def slower(run: Path) -> list[Point]:
    """The share of a run's reads that take longer than each time, ns."""
    table = pyarrow.parquet.read_table(run / "histogram.parquet")
    reads = table.filter(pyarrow.compute.field("direction") == "read")
    counts = reads["requests"].to_numpy()
    # The last bin has none above it.
    shares = 1 - numpy.cumsum(counts)[:-1] / counts.sum()
    return list(zip(reads["latency_ns"].to_numpy()[:-1].tolist(), shares.tolist(), strict=True))


def main(folder: Path, picture: Path) -> None:
    """The share of reads that take longer than a given time, one line for each run."""
    series = {label: slower(folder / name) for name, label in LABELS.items()}
    longest = max(latency for points in series.values() for latency, share in points if share > 0)
    chart = curves(
        "Reads that take longer than a given time",
        series,
        Axis("response time", "time", log=True, limits=(SHORTEST_NS, longest)),
        Axis("share of reads that take longer", "share", log=True, limits=(1e-5, 1.0)),
        tones={label: COLORS[name] for name, label in LABELS.items()},
        steps=True,
    )
    chart.spec["encoding"]["y"]["axis"]["values"] = [10.0**-power for power in range(6)]
    picture.parent.mkdir(parents=True, exist_ok=True)
    save(chart, picture, width=560)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
