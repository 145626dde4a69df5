"""Figures that follow from a result without being in it: capacity, life, power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordline import lifetime, power
from wordline.notes import Note

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


def withheld(known: Sequence[Mapping[str, Any]]) -> list[Note]:
    """Notes on figures that some of several seeds' runs have and others don't, as where WAF is unsure: each
    mapping has those of a run, `None` for what it lacks.
    """
    told: list[Note] = []
    for name in UNITS:
        having = sum(run.get(name) is not None for run in known)
        if 0 < having < len(known):
            told.append(
                {
                    "kind": "partly_known",
                    "found": f"{name} is known of {having} of {len(known)} seeds",
                    "reason": "its mean is of those alone, which may not be like the others",
                    "remedy": "longer runs",
                }
            )
    return told
