"""One measurement of a drive, whatever it was read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

DIRECTIONS = ("read", "write")

STATISTICS = ("mean", "p50", "p99", "p99_9", "p99_99")
"""Of the response times of each direction, what a fit compares."""


@dataclass(frozen=True)
class Run:
    """One measurement at one offered rate."""

    offered: float
    """Writes offered a second by all threads, the probe's included; reads of the writers count among them."""
    figures: Mapping[str, float]
    """The `FIGURES`: requests a second of all threads, response times of the probe in µs."""
    where: str
    """Its line or file, for errors."""
    curve: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    """Direction → (share of requests, µs), as far as it was measured."""
