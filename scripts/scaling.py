"""Draws how the cost of a flash operation grows: `make scaling`.

Usage: scripts/scaling.py CSV PNG, with matplotlib installed.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt

TITLES = {
    "GiB, 60 GiB used": "size of the drive, GiB\n(60 GiB of it used)",
    "GiB, all used": "size of the drive, GiB\n(all of it used)",
    "dies": "dies\n(64 GiB, queue depth 256)",
    "queue depth": "queue depth\n(64 GiB, 128 dies)",
}


def main() -> None:
    """One panel for each axis, one line for each load."""
    table: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = (float(row["value"]), float(row["ns_per_flash_operation"]))
            table[row["axis"]][row["load"]].append(point)
    figure, axes = plt.subplots(1, len(table), figsize=(3 * len(table), 3), sharey=True, layout="constrained")
    for axis, (name, loads) in zip(axes, table.items(), strict=True):
        for load, points in loads.items():
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=load)
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_xlabel(TITLES[name])
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("ns for a flash operation")
    axes[0].legend()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
