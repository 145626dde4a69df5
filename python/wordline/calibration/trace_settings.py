"""How a trace may be replayed whose response times are compared: all of its requests, at their own times."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.presets import replay
from wordline.wording import argument

Settings = tuple[tuple[str, str], ...]
"""Paths from `workload.` on and their TOML values."""

SOURCE = "workload.source."

READ_BY = (
    "format", "columns", "event", "read_is", "time_unit", "latency_unit", "sector_bytes", "offset_unit_bytes",
    "length_unit_bytes", "sort_window",
)  # fmt: skip
"""Keys of a source that say how its file is read."""

PLACED_BY = ("transform", "out_of_range")
"""Those that say where its requests go on the drive."""

ALLOWED = (*(SOURCE + key for key in (*READ_BY, *PLACED_BY)), "workload.start.", "workload.host.")
"""What may be set: beginnings of paths."""

STEPS = ("compact", "wrap")
"""Steps that only move requests."""

HOST: dict[str, tuple[Any, ...]] = {"arrivals": ("open", "held"), "time_scale": (1.0,)}
"""Key of the host → values with which requests come at their own times, the usual one first."""


def reading(settings: Settings) -> Settings:
    """Of the settings those that say how the file is read."""
    return tuple(pair for pair in settings if pair[0].removeprefix(SOURCE) not in PLACED_BY)


def check(path: Path, settings: Settings) -> None:
    """Raises `WordlineError` where requests would be replayed at other times than those at which they were
    measured, or others than those.
    """
    workload: dict[str, Any] = tomllib.loads(replay(path, settings).text)
    for key, own in HOST.items():
        value = workload["host"].get(key, own[0])
        if value not in own:
            allowed = ", ".join(str(one) for one in own)
            raise WordlineError(
                f"{path}: workload.host.{key} = {value}: allowed: {allowed}: what was measured holds at the "
                "trace's own times"
            )
    for step in workload["source"].get("transform", []):
        if step["kind"] not in STEPS:
            raise WordlineError(
                f"{path}: {argument('transform', step['kind'])}: allowed: {', '.join(STEPS)}: what was "
                "measured holds for all requests at the trace's own times"
            )


def in_place(settings: Settings) -> bool:
    """Whether requests go to their own addresses."""
    return len(reading(settings)) == len(settings)
