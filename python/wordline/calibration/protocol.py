"""How a drive is measured: full and overwritten at random, under writers at an offered rate, beside a probe
that counts; and what one measurement is.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.presets import Description

WARM_UP = 0.25
"""Share of the measured time that goes before it, in which buffers and queues settle; the layout is steady
from the start.
"""

NS_PER_S = 1_000_000_000

DIRECTIONS = ("read", "write")

STATISTICS = ("mean", "p50", "p99", "p99_9", "p99_99")
"""Of the response times of each direction, what a fit compares."""

WRITERS = tuple(f"writer_{name}_us" for name in STATISTICS)
"""The same of writes that the writing threads saw, each by itself; their median over the threads."""


@dataclass(frozen=True)
class Protocol:
    """Threads that submit by the clock, with exponential gaps, each with so many requests outstanding at
    most: what comes when that many are under way is submitted late, and its response time counts from then.
    """

    writers: int = 6
    depth: int = 64
    """Most requests outstanding of each thread."""
    writer_read_share: float = 0.01
    probe_per_s: float = 10_000.0
    """Requests a second of the thread whose response times count."""
    probe_read_share: float = 0.5
    bytes: int = 4096
    """Of each request, aligned, anywhere on the drive."""

    @property
    def threads(self) -> int:
        """Writers and the probe."""
        return self.writers + 1

    def seconds(self, requests: int) -> float:
        """Simulated time in which the probe submits so many requests."""
        return requests / self.probe_per_s

    def workload(self, offered: float, requests: int) -> Description:
        """A point of load, as a workload: `offered` writes a second, of which the probe's are a part, and so
        many requests of the probe in the window.
        """
        measured = self.seconds(requests)
        whole = measured * (1 + WARM_UP)
        rest = offered - self.probe_per_s * (1 - self.probe_read_share)
        lines = [
            f'name = "{offered:.0f} writes a second"',
            # The warm-up settles it.
            '[start]\noccupancy = "all"\nlayout = "steady"\nsettle_requests = 0',
            f"[window]\nwarmup_ns = {round(measured * WARM_UP * NS_PER_S)}",
            f'[host]\narrivals = "held"\nmax_outstanding = {self.depth}\nstop_ns = {round(whole * NS_PER_S)}',
            self._flow("probe", self.probe_per_s, self.probe_read_share, whole),
        ]
        if rest > 0:
            each = rest / self.writers
            lines += [
                self._flow(f"writer{number}", each, self.writer_read_share, whole)
                for number in range(self.writers)
            ]
        return Description(f"{offered:.0f} writes a second", "\n".join(lines) + "\n", Path.cwd())

    def _flow(self, name: str, per_s: float, read_share: float, seconds: float) -> str:
        mean = per_s * seconds
        # More than will come by eight standard deviations: the time ends the flow.
        enough = math.ceil(mean + 8 * math.sqrt(mean) + 8)
        return (
            f'[[flow]]\nname = "{name}"\n[flow.source]\nkind = "synthetic"\nrequests = {enough}\n'
            f"read_share = {read_share!r}\nsizes = {self.bytes}\n"
            f'interarrival = {{ kind = "poisson", iops = {per_s!r} }}'
        )


SATURATED = 0.98
"""A point that got less of its offered rate was saturated: there the offered rate doesn't matter."""


@dataclass(frozen=True)
class Run:
    """One measurement at one offered rate."""

    offered: float
    """Writes offered a second by all threads, the probe's included; reads of the writers count among them."""
    figures: Mapping[str, float]
    """The `FIGURES`: requests a second of all threads, response times of the probe in µs. As far as they were
    measured also `WRITERS`, and `waf` by media counters.
    """
    where: str
    """Its line or file, for errors."""
    curve: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    """Direction → (share of requests, µs), as far as it was measured."""
    probe_per_s: Mapping[str, float] | None = None
    """Direction → what the probe alone got, where that was measured."""

    @property
    def is_saturated(self) -> bool:
        """Whether it got less than was offered."""
        return self.figures["writes_per_s"] < SATURATED * self.offered


def simulated(result: str | Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a simulated point as those of a measured one, the percentiles of the probe (`curve`),
    and the parts of its mean response times and of those from p99 on, in ns (`blame`).
    """
    data: Mapping[str, Any] = json.loads(result) if isinstance(result, str) else result
    flows = data.get("flows")
    # Without writers the probe is all there is.
    probe = flows[0] if flows else data
    for direction in DIRECTIONS:
        if not probe[direction]["requests"]:
            raise WordlineError(f"no {direction} of the probe was answered within the simulated time")
    return {
        "writes_per_s": data["write"]["iops"],
        "reads_per_s": data["read"]["iops"],
        **of_requests(probe),
        **_of_writers(flows[1:] if flows else []),
        "waf": data["waf"],
    }


def of_requests(result: Mapping[str, Any]) -> dict[str, Any]:
    """Response times of a result, or of one flow in it, by direction as far as there were requests: figures
    in µs, percentiles, and the parts of the mean and of those from p99 on.
    """
    figures: dict[str, Any] = {}
    curve: dict[str, list[tuple[float, float]]] = {}
    blame: dict[str, dict[str, Mapping[str, float]]] = {}
    for direction in DIRECTIONS:
        own = result[direction]
        if not own["requests"]:
            continue
        latency = own["latency_ns"]
        for name in STATISTICS:
            # A drive without a link answers writes in no time.
            figures[f"{direction}_{name}_us"] = max(latency[name], 1) / 1e3
        curve[direction] = percentiles(latency)
        blame[direction] = {part: one["mean_ns"] for part, one in own.get("blame", {}).items()}
    return {**figures, "curve": curve, "blame": blame}


def percentiles(latency_ns: Mapping[str, float]) -> list[tuple[float, float]]:
    """Share of requests and µs, of the percentiles of a result."""
    return sorted(
        (float(name[1:].replace("_", ".")) / 100, value / 1e3)
        for name, value in latency_ns.items()
        if name[0] == "p"
    )


def _of_writers(flows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the writing threads saw, medians over them."""
    seen = [one["write"]["latency_ns"] for one in flows if one["write"]["requests"]]
    return {
        name: max(statistics.median(one[statistic] for one in seen), 1) / 1e3
        for name, statistic in zip(WRITERS, STATISTICS, strict=True)
        if seen
    }
