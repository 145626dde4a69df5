"""Draws how the cost of a flash operation grows: `make scaling`.

Usage: scripts/scaling.py CSV PNG, with matplotlib installed.
"""

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt

TITLES = {
    "GiB, 56 GiB used": "size of the drive, GiB\n(56 GiB of it used)",
    "GiB, all used": "size of the drive, GiB\n(all of it used)",
    "dies": "dies\n(128 GiB, queue depth 256)",
    "queue depth": "queue depth\n(64 GiB, 128 dies)",
}

KINDS = {
    "ns_per_flash_operation": "ns for a flash operation",
    "instructions_per_flash_operation": "instructions for it",
}


def main() -> None:
    """One column for each axis, one line for each load: time above, instructions below."""
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kinds = {kind: label for kind, label in KINDS.items() if any(row[kind] for row in rows)}
    axes_of = list(dict.fromkeys(row["axis"] for row in rows))
    figure, grid = plt.subplots(
        len(kinds),
        len(axes_of),
        figsize=(3 * len(axes_of), 2.6 * len(kinds)),
        sharey="row",
        sharex="col",
        squeeze=False,
        layout="constrained",
    )
    for axes, (kind, label) in zip(grid, kinds.items(), strict=True):
        for axis, name in zip(axes, axes_of, strict=True):
            for load in dict.fromkeys(row["load"] for row in rows):
                points = [
                    (float(row["value"]), float(row[kind]))
                    for row in rows
                    if row["axis"] == name and row["load"] == load and row[kind]
                ]
                axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=load)
            axis.set_xscale("log", base=2)
            axis.grid(alpha=0.3)
        axes[0].set_ylabel(label)
        # They share their scale: only now is the highest point of all known.
        axes[0].set_ylim(bottom=0)
    for axis, name in zip(grid[-1], axes_of, strict=True):
        axis.set_xlabel(TITLES[name])
    grid[0][0].legend()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
