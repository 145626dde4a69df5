"""Figures that follow from a result without being in it: capacity, life, power."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wordline import intervals, lifetime, power
from wordline.figures import at
from wordline.intervals import Interval
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


WRITTEN = (f"{lifetime.NAME}.terabytes_written", f"{lifetime.NAME}.rated_drive_writes_per_day")
"""Those that are as uncertain as what the host can write in all."""

PER_DAY = (f"{lifetime.NAME}.terabytes_per_day", f"{lifetime.NAME}.drive_writes_per_day")
"""Those that are as uncertain as the rate of writes."""

YEARS = f"{lifetime.NAME}.years"
"""As uncertain as both."""

PROMISED_YEARS = f"{lifetime.NAME}.promised_years"
"""The longer the slower writes are."""

NAMES = (*lifetime.FIGURES, power.WATTS, power.PJ_PER_BIT)
"""Of all that may be known."""


def figures(result: Mapping[str, Any]) -> dict[str, float]:
    """All that are known, by their names in the rows of studies."""
    found = (lifetime.of(result), power.of(result))
    return {name: value for part in found if part is not None for name, value in part.figures()}


def intervals_of(result: Mapping[str, Any]) -> dict[str, Interval]:
    """The 95% intervals of those that follow from figures of one run that have one."""
    life = lifetime.of(result)
    if life is None:
        return {}
    rate = _relative(result, "write.bandwidth_bytes_per_s")
    waf, written = intervals.of_result(result, "waf"), None
    if life.host_bytes is not None and waf is not None:
        value, low, high = life.host_bytes
        written = Interval(low / value, high / value, waf.degrees)
    time = _inverse(rate)
    relative = {
        **dict.fromkeys(WRITTEN, written),
        **dict.fromkeys(PER_DAY, rate),
        YEARS: _product(written, time),
        PROMISED_YEARS: time,
    }
    return {
        name: Interval(value * own.low, value * own.high, own.degrees)
        for name, value in life.figures()
        if (own := relative.get(name)) is not None and math.isfinite(own.high)
    }


def _relative(result: Mapping[str, Any], path: str) -> Interval | None:
    """The interval of a figure as a multiple of the figure."""
    value, found = at(result, path), intervals.of_result(result, path)
    return (
        None if found is None or not value else Interval(found.low / value, found.high / value, found.degrees)
    )


def _inverse(of: Interval | None) -> Interval | None:
    """The interval of what a figure divides; `None` where that may be of any size."""
    return None if of is None or of.low <= 0 else Interval(1 / of.high, 1 / of.low, of.degrees)


def _product(one: Interval | None, other: Interval | None) -> Interval | None:
    """The interval of a product of two as multiples of it. Their logarithms are taken as independent: a drive
    that programs more writes slower, so the interval is rather too wide.
    """
    if one is None or other is None or not math.isfinite(one.high):
        return None
    low, high = (math.hypot(*map(math.log, ends)) for ends in ((one.low, other.low), (one.high, other.high)))
    return Interval(math.exp(-low), math.exp(high), min(one.degrees, other.degrees))


def not_known(rows: Sequence[Mapping[str, Any]], wanted: Iterable[str]) -> list[Note]:
    """Why none of some runs' rows has a figure of life that is asked for."""
    told: list[Note] = []
    for name in wanted:
        if name in (*WRITTEN, YEARS) and rows and all(row.get(name) is None for row in rows):
            lives = (lifetime.of(json.loads(row["result"])) for row in rows if row.get("result"))
            reasons = dict.fromkeys(life.missing for life in lives if life is not None and life.missing)
            if reasons:
                found = f"{name} is not known"
                told.append({"kind": "not_known", "found": found, "reason": "; ".join(reasons), "remedy": ""})
    return told


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
