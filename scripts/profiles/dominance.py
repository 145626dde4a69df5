"""Pages read, pages written, and mixed ones, as papers/002 has them."""

from __future__ import annotations

import csv
from pathlib import Path

from profiles.shape import (
    BURST_GAP_NS,
    EXTENT,
    PAGE,
    SIZE,
    SKEW,
    WEEK_NS,
    Burst,
    PageClass,
    Published,
    extents,
)

# papers/002. Figure 3: 91.6% of the requests are to pages of which more than 90% of the requests are of
# one kind. Figure 6: 96.4% of the requests are of the kind of the last request to their page, 96.9% of the
# kind of most of the last three. A request of the other kind on a dominant page (share p of its requests) is
# two errors with one and one with three; the end of a run of requests of one kind on a mixed page (1/L of its
# requests) one with one and two with three:
#     2 p 0.916 + 0.084 / L = 0.036        p 0.916 + 2 0.084 / L = 0.031
ODD = 0.015
RUN = 9.7
# Share of requests to mixed pages, so that the mean of the seven is 8.4%: at most as many as there are
# writes.
MIXED = 0.0952
# Assumed: pages that get both are few and hot, the least that there may be.
MIXED_BYTES = 2 * EXTENT
# Bursts aren't printed. Of the 10,000 requests of hm_0 that are there (msr_hm_0_cut105), if those of a burst
# are less than 10 ms apart, 14% are in one of 1,390, 594 us from one to the next, the others in bursts of 7:
# 8 in the mean, and a request sees one of 222. So here, the long ones of one kind; the mean of the others is
# fitted.
LONG = 1390
LONG_SHARE = 0.14
LONG_GAP_NS = 594_000.0


def pacp_shares(targets: Path) -> dict[str, float]:
    """The volumes of papers/002 and their shares of reads."""
    with (targets / "workloads.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["system"] == "pacp"]
    return {row["workload"]: float(row["read_ratio"]) for row in rows}


def of_dominance(
    counts: Published,
    name: str,
    description: str,
    read_share: float,
    burst: float,
    long_share: float = LONG_SHARE,
) -> Published:
    """The same counts with classes as papers/002 has them: pages read, pages written, and mixed ones.

    `burst` is the mean length of the bursts that aren't long, `long_share` the share of requests in those
    that are.
    """
    mixed = min(MIXED, 1 - read_share, read_share)
    dominant = 1 - mixed
    # Reads: those of read pages, the odd ones of written pages, half of the requests to mixed ones.
    read = (read_share - mixed / 2 - dominant * ODD) / (1 - 2 * ODD)
    written = dominant - read
    both = mixed / 2
    pages = sum(page_class.bytes for page_class in counts.classes) / PAGE
    # A turn of so many requests to mixed pages has a run on each page of a half.
    turns = round(2 * RUN * (MIXED_BYTES / 2 / PAGE) / (SIZE / PAGE))

    def shares(reads: float, writes: float, long_reads: float, long_writes: float) -> tuple[float, float]:
        """Of the requests that aren't in long bursts, so that with these all are as wanted."""
        alone = 1 - long_share
        return (reads / read_share - long_reads) / alone, (writes / (1 - read_share) - long_writes) / alone

    # As many a second as counted: a burst is a row of requests, of which some stand for a long burst.
    rate = counts.requests / (WEEK_NS / 1e9) * (1 - long_share + long_share / LONG)

    long_bursts = [
        Burst("long reads", "read", "read", long_share, LONG, LONG_GAP_NS),
        Burst("long writes", "write", "written", long_share, LONG, LONG_GAP_NS),
    ]
    comments = [
        "Bursts: the long ones as in a recorded piece of hm_0; the mean length of the others, alike for all",
        f"seven volumes, is fitted to the 16.0% that papers/002 prints for hm_1's interference: {burst}.",
    ]
    if long_share == 0.0:
        long_bursts, comments = [], [f"Bursts of {burst:.0f} in the mean, none of them long."]
    return Published(
        name=name,
        description=description,
        fit_for="published_characteristics",
        source=f"{counts.source}; classes of pages: papers/002, figures 3 and 6",
        requests=counts.requests,
        read_share=read_share,
        read_bytes=counts.read_bytes,
        write_bytes=counts.write_bytes,
        idle_gap_ns=burst * 1e9 / rate - (burst - 1) * BURST_GAP_NS,
        burst_requests=burst,
        classes=[
            PageClass(
                "read",
                extents(pages * read),
                *shares(read * (1 - ODD), read * ODD, long_share, 0.0),
                "zipf",
                SKEW,
            ),
            PageClass(
                "written",
                extents(pages * written),
                *shares(written * ODD, written * (1 - ODD), 0.0, long_share),
                "zipf",
                SKEW,
            ),
            PageClass("mixed", MIXED_BYTES, *shares(both, both, 0.0, 0.0), "uniform", turns=turns),
        ],
        trace_files=counts.trace_files,
        bursts=long_bursts,
        comments=comments,
    )
