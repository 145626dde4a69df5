"""Parts of a trace that are replayed, each a point of load whose response times the trace holds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordline.calibration import protocol
from wordline.calibration.protocol import DIRECTIONS, WARM_UP
from wordline.calibration.rates import Look
from wordline.calibration.trace_settings import SOURCE, Settings
from wordline.presets import Description, replay, toml_value

TRANSFORM = f"{SOURCE}transform"

FEWEST = 100
"""Requests of a direction in a part from which on its response times are compared; assumed."""


@dataclass(frozen=True)
class Replay:
    """Requests of a trace at their own times, and a quarter as many before them, which aren't measured."""

    path: str
    settings: Settings
    """How the trace is read and replayed."""
    label: str
    """The trace among several; else empty."""
    number: int
    """Of the part, from 1 on."""
    of: int
    """Parts of the trace."""
    behind: int
    """Requests of the trace up to the end of the part."""
    count: int
    """Requests that are measured: the last ones of the part."""
    by_direction: Mapping[str, int]
    """Of these reads and writes."""
    moved: Mapping[str, int]
    """Bytes that they read and write."""
    fastest_us: Mapping[str, float]
    """The shortest response time by direction, as far as there are any."""
    seconds: float
    """In which they arrive."""

    @property
    def judges(self) -> bool:
        """A fit may see it."""
        return False

    @property
    def name(self) -> str:
        """What tables call it."""
        part = f"part {self.number} of {self.of}"
        return f"{self.label}, {part}" if self.label else part

    @property
    def warm_up(self) -> int:
        """Requests before those that are measured, in which buffers and queues settle."""
        return min(warm_up(self.count), self.behind - self.count)

    @property
    def compared(self) -> list[str]:
        """Directions of which there are enough."""
        return [name for name in DIRECTIONS if self.by_direction[name] >= FEWEST]

    def workload(self, probes: int, look: Look) -> Description:  # noqa: ARG002 -- the trace has its requests
        """The part as a workload."""
        kept = self.warm_up + self.count
        own = dict(self.settings)
        # Steps that move requests may cut some in two.
        own[TRANSFORM] = toml_value([last_of(self.behind, kept), *_steps(own)])
        own["workload.window.warmup_requests"] = str(self.warm_up)
        return replay(self.path, list(own.items()))

    def overrides(self, look: Look) -> tuple[tuple[str, str], ...]:  # noqa: ARG002 -- alike at all points
        """The drive is as it is described."""
        return ()

    def simulated(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of a run of it."""
        return protocol.of_requests(json.loads(row["result"]))

    def written_per_s(self, figures: Mapping[str, float]) -> float:  # noqa: ARG002 -- rates are the trace's
        """Bytes a second that the drive took."""
        return self.moved["write"] / self.seconds


def last_of(behind: int, count: int) -> dict[str, Any]:
    """The step that keeps so many requests, the last of the first `behind`."""
    return {"kind": "slice_count", "skip": behind - count, "count": count}


def warm_up(count: int) -> int:
    """Requests before so many that are measured."""
    return round(count * WARM_UP)


def _steps(settings: Mapping[str, str]) -> list[Any]:
    """The steps that a trace takes on its way to the drive, as they were given."""
    found: list[Any] = tomllib.loads(f"steps = {settings.get(TRANSFORM, '[]')}")["steps"]
    return found
