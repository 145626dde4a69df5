"""Draws the picture of README.md from the results of `make demo`.

Usage: scripts/picture.py FOLDER FILE, with matplotlib installed. FOLDER is wordline-out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as pyplot
import numpy
import pyarrow.compute
import pyarrow.parquet

LABELS = {"fifo": "FIFO", "baseline": "as sold: reads first, with suspend"}
COLORS = {"fifo": "#b5651d", "baseline": "#1f77b4"}


def main(folder: Path, picture: Path) -> None:
    """The share of reads that take longer than a given time, one line for each run."""
    figure, axes = pyplot.subplots(figsize=(7.2, 3.4), layout="constrained")
    for name, label in LABELS.items():
        table = pyarrow.parquet.read_table(folder / name / "histogram.parquet")
        reads = table.filter(pyarrow.compute.field("direction") == "read")
        counts = reads["requests"].to_numpy()
        # Share of the requests above each bin; the last bin has none above it.
        slower = 1 - numpy.cumsum(counts)[:-1] / counts.sum()
        latency_us = reads["latency_ns"].to_numpy()[:-1] / 1000
        axes.plot(latency_us, slower, drawstyle="steps-post", color=COLORS[name], label=label, linewidth=1.8)
    axes.set(xscale="log", yscale="log", xlabel="response time, µs", ylabel="share of reads that take longer")
    axes.set_ylim(1e-5, 1)
    axes.set_xlim(left=30)  # The few reads that the buffer of writes answers take about 1 µs.
    axes.grid(which="major", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=160)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
