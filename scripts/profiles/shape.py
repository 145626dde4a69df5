"""What a profile holds, and what is assumed of it alike for all."""

from __future__ import annotations

from dataclasses import dataclass, field

PAGE = 4096
EXTENT = 1 << 20
WEEK_NS = 7 * 24 * 3600 * 10**9

# Assumed where nothing is published.
SIZE = 8192
BURST = 8.0
BURST_GAP_NS = 100_000.0
SKEW = 0.8
RATE = 2000.0


@dataclass
class PageClass:
    """Pages that are used alike, as the profile describes them."""

    name: str
    bytes: int
    reads: float
    writes: float
    walk: str
    theta: float | None = None
    turns: int | None = None
    soon: float = 0.0
    """Share of the reads that come back to one of the latest."""


@dataclass
class Again:
    """Sequences of pages that come again, as the profile describes them."""

    sequences: int
    times: float
    theta: float = 0.0


@dataclass
class Burst:
    """Requests that come together, as the profile describes them."""

    name: str
    op: str
    page_class: str
    share: float
    requests: int
    gap_ns: float
    aligned: float = 0.0
    """Share of its requests that begin on the dies of the first one."""
    again: Again | None = None


@dataclass
class Published:
    """What a profile and its workload say."""

    name: str
    description: str
    fit_for: str
    source: str
    requests: int
    read_share: float
    read_bytes: float
    write_bytes: float
    idle_gap_ns: float
    classes: list[PageClass]
    skewed: bool = False
    """Whether its reads can be made to fall unevenly on the planes of papers/001's drive."""
    trace_files: list[str] = field(default_factory=list)
    bursts: list[Burst] = field(default_factory=list)
    burst_requests: float = BURST
    burst_gap_ns: float = BURST_GAP_NS
    comments: list[str] = field(default_factory=list)
    """What was fitted to what, for whoever reads the profile."""
    lengths: list[tuple[int, float]] | None = None
    """Lengths of reads and writes; made of the means when left out."""


def sizes(mean: float) -> list[tuple[int, float]]:
    """Multiples of 4 KiB with this mean: 4 KiB, and the power of two of at least twice the mean."""
    if mean <= PAGE:
        return [(PAGE, 1.0)]
    large = PAGE
    while large < 2 * mean:
        large *= 2
    share = (mean - PAGE) / (large - PAGE)
    return [(PAGE, round(1 - share, 6)), (large, round(share, 6))]


def bursts(rate: float) -> float:
    """Mean gap between bursts with which requests come at this rate."""
    return max(BURST * 1e9 / rate - (BURST - 1) * BURST_GAP_NS, BURST_GAP_NS)


def extents(pages: float) -> int:
    """Bytes of so many pages, in whole extents."""
    return max(round(pages * PAGE / EXTENT), 1) * EXTENT
