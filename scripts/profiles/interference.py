"""Twins of papers/004: counts, and bursts that block as many reads as it prints."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from profiles.counts import of_counts
from profiles.dominance import MIXED, ODD
from profiles.shape import PAGE, RATE, SKEW, PageClass, Published, extents

# Financial1, its first 50,000 requests (26,191 reads): reads of a page that is read. Assumed: how many of the
# latest reads there are to which some come back.
REREADS, REREADS_OF = 2.84, 26_191
LATEST = 4096
# Assumed: in a burst of papers/004's workloads requests come faster than its drive programs.
ROW_GAP_NS = 20_000.0


def interference_counts(targets: Path) -> list[Published]:
    """The workloads of papers/004, table III: counts alone."""
    with (targets / "workloads.csv").open(encoding="utf-8") as file:
        rows = {row["workload"]: row for row in csv.DictReader(file)}
    found = []
    for name, preset, files in (
        ("Fin2", "financial2", ["Financial2", "fin2"]),
        ("MSR_hm", "msr-hm", []),
        ("HPC_46", "hpc-46", []),
        ("HPC_28", "hpc-28", []),
    ):
        row = rows[name]
        kb = float(row["mean_request_kb"])
        found.append(
            of_counts(
                preset,
                f"{name} of papers/004 table III: {int(row['requests']):,} requests, "
                f"{float(row['read_ratio']):.1%} reads, {kb} KB; counts only",
                "papers/004, table III",
                int(row["requests"]),
                float(row["read_ratio"]),
                kb * 1024,
                RATE,
                files,
            )
        )
    return found


def of_interference(counts: Published, fit: dict[str, Any]) -> Published:
    """A workload of papers/004: counts, pages in classes, and bursts that block as many reads as printed.

    Reads of written pages, writes of read ones, and requests to mixed pages are in the shares of papers/002.
    """
    read_share = counts.read_share
    burst, mixed_share, soon = float(fit["burst"]), float(fit["mixed_share"]), float(fit["soon"])
    mixed = min(MIXED, 1 - read_share, read_share)
    dominant = 1 - mixed
    read = (read_share - mixed / 2 - dominant * ODD) / (1 - 2 * ODD)
    written = dominant - read
    pages = sum(page_class.bytes for page_class in counts.classes) / PAGE

    def shares(reads: float, writes: float) -> tuple[float, float]:
        return reads / read_share, writes / (1 - read_share)

    counts.fit_for = "published_characteristics"
    counts.source = "papers/004, table III and figures 1b and 1c"
    fitted_to = "; pages by class, bursts by its baseline"
    counts.description = counts.description.replace("; counts only", fitted_to)
    counts.burst_requests, counts.burst_gap_ns = burst, ROW_GAP_NS
    counts.idle_gap_ns = burst * 1e9 / RATE - (burst - 1) * ROW_GAP_NS
    counts.classes = [
        PageClass(
            "read", extents(pages * read), *shares(read * (1 - ODD), read * ODD), "zipf", SKEW, soon=soon
        ),
        PageClass(
            "written", extents(pages * written), *shares(written * ODD, written * (1 - ODD)), "zipf", SKEW
        ),
        PageClass("mixed", extents(pages * mixed_share), *shares(mixed / 2, mixed / 2), "uniform"),
    ]
    counts.comments = [
        "Fitted by scripts/fit_baselines.py to the baseline of papers/004 (figures 1b and 1c): bursts of",
        f"{burst:.1f} requests, so that programs block {float(fit.get('blocked', 0)):.1%} of the reads "
        "(printed are 33.0% in the",
        "mean of the four, and 55.9% at most, here MSR_hm's), and mixed pages of",
        f"{mixed_share:.1%} of the space, so that 9.6% of the pages are mixed in the mean of the four.",
        f"{soon:.1%} of the reads of read pages come back soon: Fin2's pages are read {REREADS} times, as",
        "those of Financial1, the one trace of the kind at hand, are in as many reads.",
    ]
    return counts
