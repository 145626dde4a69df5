"""Rates at loads other than the protocol's: in order and at random, by how much of the drive is in use, and
write amplification as media counters say it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.presets import Description

KINDS = {
    "read": ("sequential", 1.0),
    "write": ("sequential", 0.0),
    "randread": ("uniform", 1.0),
    "randwrite": ("uniform", 0.0),
    "zipf": ("zipf", 0.0),
}
"""Name, as fio has it → pattern and share of reads."""

PATTERNS = {**KINDS, "hot_cold": ("hot_cold", 0.0)}
"""Of all loads, those too that only a tester's own words name."""

SKEWED = ("zipf", "hot_cold")

FIGURES = ("requests_per_s", "waf")

FEWEST = 2_000
"""Requests of a run: of large ones a buffer's worth and more."""

USER_BYTES = "device.capacity.user_bytes"

Look = Callable[[str], Any]
"""Path → what the drive has there, fitted values in their places; `None` where it has nothing."""


@dataclass(frozen=True)
class Load:
    """Requests one after another, as many outstanding as there are places, of a drive in its steady state."""

    kind: str
    """Of `PATTERNS`."""
    bytes: int
    """Of each request."""
    depth: int
    """Requests outstanding, those of all threads."""
    fill: float = 1.0
    """Share of the drive that is in use; the rest holds nothing."""
    theta: float | None = None
    """Exponent of `zipf`, ranks scattered over the drive."""
    hot: tuple[float, float] | None = None
    """Of `hot_cold`: share of the pages that are hot, scattered over the drive, and of the writes to them."""

    @property
    def judges(self) -> bool:
        """Whether it only judges: no formula has its steady state, and a drive is overwritten for minutes."""
        return self.kind in SKEWED

    @property
    def name(self) -> str:
        """What tables call it."""
        used = "" if self.fill == 1.0 else f", {self.fill:.0%} in use"
        kind = self.kind if self.theta is None else f"{self.kind} {self.theta:g}"
        if self.hot is not None:
            kind = f"{kind} {self.hot[1]:.0%} to {self.hot[0]:.0%}"
        return f"{kind} of {self.bytes:,} bytes, depth {self.depth}{used}"

    @property
    def source(self) -> str:
        """The lines of its requests, but for their number."""
        pattern, reads = PATTERNS[self.kind]
        own = "" if self.theta is None else f", theta = {self.theta!r}"
        if self.hot is not None:
            own = f", hot_share_of_space = {self.hot[0]!r}, hot_share_of_requests = {self.hot[1]!r}"
        return f'read_share = {reads!r}\nsizes = {self.bytes}\npattern = {{ kind = "{pattern}"{own} }}'

    def requests(self, probes: int) -> int:
        """Of a run beside runs with so many requests of the probe: as many bytes."""
        return max(probes * 4096 // self.bytes, FEWEST)

    def workload(self, probes: int, look: Look) -> Description:  # noqa: ARG002 -- alike on all drives
        """The load as a workload, a quarter of it as a warm-up."""
        requests = self.requests(probes)
        # What is written in order lies in order, and reads don't ask where.
        layout = "steady" if self.kind in ("randwrite", *SKEWED) else "in_order"
        lines = [
            f'name = "{self.name}"',
            f'[source]\nkind = "synthetic"\nrequests = {requests}\n{self.source}',
            f'[host]\narrivals = "closed"\nqueue_depth = {self.depth}',
            f'[start]\noccupancy = "all"\nlayout = "{layout}"',
            f"[window]\nwarmup_requests = {requests // 4}",
        ]
        return Description(self.name, "\n".join(lines) + "\n", Path.cwd())

    def overrides(self, look: Look) -> tuple[tuple[str, str], ...]:
        """What the drive is beside that. Uniform writes of a part of a drive, the rest of which holds
        nothing, are those of a whole drive of that size with the same flash.
        """
        if self.fill == 1.0:
            return ()
        user_bytes = look(USER_BYTES)
        if user_bytes is None:
            raise WordlineError(
                f"{self.name}: allowed: a device with {USER_BYTES}, of which a share is in use"
            )
        return ((USER_BYTES, str(round(user_bytes * self.fill) // self.bytes * self.bytes)),)

    def simulated(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of a run of it."""
        return simulated(row["result"])

    def written_per_s(self, figures: Mapping[str, float]) -> float:
        """Bytes a second that it wrote; 0 of reads, and where no rate is known."""
        return figures.get("requests_per_s", 0.0) * self.bytes if PATTERNS[self.kind][1] == 0.0 else 0.0


def simulated(result: str | Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a run of such a load."""
    data: Mapping[str, Any] = json.loads(result) if isinstance(result, str) else result
    rate = data["read"]["iops"] + data["write"]["iops"]
    if not rate:
        raise WordlineError("no request was answered within the simulated time")
    return {"requests_per_s": rate, "waf": data["waf"]}
