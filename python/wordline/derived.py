"""Figures that follow from a result without being in it: capacity, life, power."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wordline import lifetime, power

UNITS: dict[str, str] = {
    "lifetime.terabytes_written": "TB",
    "lifetime.rated_drive_writes_per_day": "drive writes/day",
    "lifetime.years": "years",
    "lifetime.promised_years": "years",
    "energy.watts": "W",
    "energy.pj_per_bit": "pJ/bit",
}
"""Those that differ from seed to seed and matter, and their units."""


NAMES = (*lifetime.FIGURES, power.WATTS, power.PJ_PER_BIT)
"""Of all that may be known."""


def figures(result: Mapping[str, Any]) -> dict[str, float]:
    """All that are known, by their names in the rows of studies."""
    found = (lifetime.of(result), power.of(result))
    return {name: value for part in found if part is not None for name, value in part.figures()}
