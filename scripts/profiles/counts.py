"""Twins of which only counts are published."""

from __future__ import annotations

from profiles.shape import PAGE, SKEW, PageClass, Published, bursts, extents


def of_counts(
    name: str,
    description: str,
    source: str,
    requests: int,
    read_share: float,
    size: float,
    rate: float,
    files: list[str],
) -> Published:
    """Requests, share of reads and perhaps a mean size; all else assumed."""
    pages = min(max(requests * size / PAGE / 4, 16384), 4 * 2**20)
    return Published(
        name=name,
        description=description,
        fit_for="counts_only",
        source=source,
        requests=requests,
        read_share=read_share,
        read_bytes=size,
        write_bytes=size,
        idle_gap_ns=bursts(rate),
        classes=[
            PageClass("read", extents(pages * max(read_share, 0.05)), 0.9, 0.1, "zipf", SKEW),
            PageClass("written", extents(pages * max(1 - read_share, 0.05)), 0.1, 0.9, "zipf", SKEW),
        ],
        trace_files=files,
    )
