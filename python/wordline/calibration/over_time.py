"""A run by what was written of the drive."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

COLUMNS = ("series", "drive.logical_units", "drive.mapping_unit_bytes")
"""Of a row, which `parts` reads."""


def parts(row: Mapping[str, Any], share: float) -> list[dict[str, float]]:
    """A run by parts of the drive written, each so large a share of it: MiB a second, write amplification.

    What an interval of the time series wrote across a border counts for both sides by its share; one in which
    nothing was written counts with its time.
    """
    series = json.loads(row["series"])
    size = share * row["drive.logical_units"] * row["drive.mapping_unit_bytes"]
    made: list[dict[str, float]] = []
    left, seconds, programmed = size, 0.0, 0.0
    for written, duration, waf in zip(
        series["write_bytes"], series["duration_ns"], series["waf"], strict=True
    ):
        if not written:
            seconds += duration / 1e9
        rest = float(written)
        while rest > 0:
            taken = min(rest, left)
            seconds += duration / 1e9 * taken / written
            programmed += taken * (waf or 0.0)
            rest, left = rest - taken, left - taken
            if left <= 0:
                rate = size / seconds / 2**20
                made.append(
                    {"written": round(len(made) * share, 6), "mib_per_s": rate, "waf": programmed / size}
                )
                left, seconds, programmed = size, 0.0, 0.0
    return made
