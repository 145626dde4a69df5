"""Patterns of writes by the words of a tester's tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from wordline._core import WordlineError
from wordline.calibration.rates import Load

Row = tuple[str, Mapping[str, str | None]]
"""Its place, for errors, and its cells."""

Number = Callable[[str, str, str | None], float]

PATTERNS = {
    "zipf": "zipf",
    "zipf-shuffle": "zipf",
    "zones-shuffle": "hot_cold",
    "uniform": "randwrite",
    "uni": "randwrite",
}
"""Pattern → load; others are passed over."""

DEPTH = 512
"""Four threads with 128 requests outstanding each, as such rates are measured."""

RATE_COLUMNS = ("mib_per_s", "requests_per_s")
"""Of which one has a rate."""

ZONES = re.compile(r"s([\d.]+) f([\d.]+) s([\d.]+) f([\d.]+)")
"""Share of the pages and of the writes of each of two zones."""


def load_of(where: str, row: Mapping[str, str | None], number: Number) -> Load | None:
    """Writes of 4 KiB by the pattern of a row; `None` for one that is passed over."""
    kind = PATTERNS.get(row["pattern"] or "")
    if kind == "zipf":
        return Load(kind, 4096, DEPTH, theta=theta_of(where, "details", row["details"], number))
    if kind == "hot_cold":
        return Load(kind, 4096, DEPTH, hot=_hot(where, row["details"]))
    return None if kind is None else Load(kind, 4096, DEPTH)


def rate_of(where: str, row: Mapping[str, str | None], size: int, number: Number) -> float | None:
    """Requests of that size a second, in whichever column they are."""
    if row.get("requests_per_s"):
        return number(where, "requests_per_s", row["requests_per_s"])
    if row.get("mib_per_s"):
        return number(where, "mib_per_s", row["mib_per_s"]) * 2**20 / size
    return None


def passed_over(rows: Sequence[Row]) -> list[str]:
    """Patterns of a table that aren't simulated."""
    names = dict.fromkeys(row["pattern"] or "" for _, row in rows)
    return [name for name in names if name not in PATTERNS]


def theta_of(where: str, name: str, text: str | None, number: Number) -> float:
    """The exponent of a Zipf distribution."""
    theta = number(where, name, text)
    if theta > 10:
        raise WordlineError(f"{where}: {name} = {theta:g}: allowed: an exponent up to 10")
    return theta


def _hot(where: str, text: str | None) -> tuple[float, float]:
    """Share of the pages and of the writes of the hotter of two zones."""
    found = ZONES.fullmatch((text or "").strip())
    try:
        numbers = [float(part) for part in found.groups()] if found else []
    except ValueError:
        numbers = []
    zones = list(zip(numbers[::2], numbers[1::2], strict=True))
    whole = all(abs(sum(column) - 1) < 1e-6 for column in zip(*zones, strict=True))
    if not zones or not whole or not all(0 < share < 1 for share in numbers):
        raise WordlineError(
            f"{where}: details = {text!r}: allowed: two zones with their shares of pages (s) and writes (f), "
            "each of which are 1 together, such as s0.95 f0.05 s0.05 f0.95"
        )
    return max(zones, key=lambda zone: zone[1] / zone[0])
