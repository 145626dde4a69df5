"""Draws how the cost of a flash operation grows: `make scaling`.

Usage: scripts/scaling.py CSV PNG, with `wordline` installed.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from wordline.charts import colors
from wordline.charts.images import save
from wordline.charts.specs import SCHEMA, Chart

AXES = {
    "GiB, 56 GiB used": "size of the drive, GiB (56 GiB of it used)",
    "GiB, all used": "size of the drive, GiB (all of it used)",
    "dies": "dies (128 GiB, queue depth 256)",
    "queue depth": "queue depth (64 GiB, 128 dies)",
}

KINDS = {
    "ns_per_flash_operation": "ns for a flash operation",
    "instructions_per_flash_operation": "instructions for it",
}

WIDTH, HEIGHT = 230, 190


def reach(rows: list[dict[str, str]], axis: str) -> list[float]:
    """The least and the largest value on an axis."""
    values = [float(row["value"]) for row in rows if row["axis"] == axis]
    return [min(values), max(values)]


def panel(
    rows: list[dict[str, str]], axis: str, kind: str, loads: list[str], *, first: bool
) -> dict[str, Any]:
    """The cost over one axis, a line for each load."""
    values = [
        {"x": float(row["value"]), "y": float(row[kind]), "s": row["load"]}
        for row in rows
        if row["axis"] == axis and row[kind]
    ]
    across = {
        "field": "x",
        "type": "quantitative",
        "title": AXES[axis],
        # The same of both kinds, though instructions aren't counted everywhere.
        "scale": {"type": "log", "base": 2, "domain": reach(rows, axis), "nice": False},
        "axis": {"tickCount": 5, "format": ",~r", "labelOverlap": "greedy"},
    }
    tones = [colors.of_series(place) for place in range(len(loads))]
    color = {
        "field": "s",
        "type": "nominal",
        "title": None,
        "scale": {"domain": loads, "range": tones},
        "legend": {"orient": "bottom"},
    }
    up = {
        "field": "y",
        "type": "quantitative",
        "title": KINDS[kind] if first else None,
        "scale": {"zero": True},
        "axis": {"minExtent": 40, "maxExtent": 40},
    }
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": values},
        "mark": {"type": "line", "point": {"size": 20}},
        "encoding": {"x": across, "y": up, "color": color},
    }


def main(table: Path, picture: Path) -> None:
    """One column for each axis, one line for each load: time above, instructions below."""
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    axes = list(dict.fromkeys(row["axis"] for row in rows))
    loads = list(dict.fromkeys(row["load"] for row in rows))
    lines = [
        {
            "hconcat": [panel(rows, axis, kind, loads, first=axis == axes[0]) for axis in axes],
            "resolve": {"scale": {"y": "shared"}},
        }
        for kind in KINDS
        if any(row[kind] for row in rows)
    ]
    save(Chart("Cost of a flash operation", {"$schema": SCHEMA, "vconcat": lines}), picture)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
