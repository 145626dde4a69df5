"""Twins of papers/000: bursts of reads that meet on their dies as often as its tables print."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from profiles.dominance import ODD
from profiles.shape import PAGE, SIZE, SKEW, WEEK_NS, Again, Burst, PageClass, Published, extents

# papers/000, figure 4 and §II-C: share of the pairs that makes up a share of collisions, the most frequent
# first.
CURVES = {"hm_1": [(0.05, 0.8)], "usr_1": [(0.018, 0.5), (0.05, 0.8)], "web_2": [(0.05, 0.8)]}
# Assumed where papers/000 prints nothing: the time from a request of a burst to the next.
MEETING_GAP_NS = 3500.0
STRIPE = 16 * 16384  # a flash page on each of the 16 dies of its table 4, dealt out in turn (§II-C)
# Sequences of pages in use at a time: what `wordline trace fit` finds in web_3, the one volume that is there
# whole, in the mean of its reads in bursts.
IN_USE = 205
# How often a pair comes in the recordings that are there of volumes without a printed repetition, on the
# baseline: web_3 whole, 7,016 requests of hm_0.
RECORDED = {"web_3": 1.18, "hm_0": 7.28}


@dataclass
class Volume:
    """A volume of papers/000: what is printed of it and of the drive without a scheme."""

    name: str
    requests: int
    read_share: float
    bytes: float
    """Mean length, of the die operations for each request where they are printed."""
    occ: float | None
    """Average OCC (table 2)."""
    pairs_for_each: float
    """Imbalanced pairs (table 5, original) by flash page reads (table 2), or else by reads."""
    repetition: float
    """Mean repetition of a pair: of table 2, or of a recording; where there is neither their median."""
    span_ns: float = WEEK_NS


def collision_volumes(targets: Path) -> list[Volume]:
    """The 34 volumes of table 5."""

    def rows(name: str) -> dict[str, dict[str, str]]:
        with (targets / name).open(encoding="utf-8") as file:
            return {row.get("workload", row.get("volume", "")): row for row in csv.DictReader(file)}

    counts, drives, pairs = (
        rows("msr_volumes.csv"),
        rows("collision_table2.csv"),
        rows("collision_table5.csv"),
    )
    printed = [float(row["mean_repetition"]) for name, row in drives.items() if name != "RR8"]
    usual = median([*printed, *RECORDED.values()])
    found = []
    for name, row in pairs.items():
        volume = name.lower().replace("-", "_") if "-" in name else f"{name[:-1].lower()}_{name[-1]}"
        requests, read_share = int(counts[volume]["requests"]), float(counts[volume]["read_ratio"])
        original = int(row["imbalanced_collision_pairs_original"])
        drive = drives.get(name)
        if drive is None:
            for_each = original / max(requests * read_share, 1)
            repetition = RECORDED.get(volume, usual)
            found.append(Volume(volume, requests, read_share, SIZE, None, for_each, repetition))
            continue
        operations, read_share = int(drive["die_operations"]), float(drive["read_proportion"])
        # A request that begins anywhere in a flash page of 16 KiB has a page for each 16 KiB beyond 4.
        length = PAGE + 4 * PAGE * (operations / requests - 1)
        for_each = original / (operations * read_share)
        occ, repetition = float(drive["average_occ"]), float(drive["mean_repetition"])
        found.append(Volume(volume, requests, read_share, length, occ, for_each, repetition))
    return found


def of_recording(row: dict[str, Any]) -> Published:
    """The twin of a recording, made as those of the volumes are: to what the baseline makes of it."""
    volume = Volume(
        row["volume"],
        row["of_requests"],
        row["of_read_share"],
        row["of_bytes"],
        row["of_occ"],
        row["of_pairs"],
        row["of_repetition"],
        row["of_span_ns"],
    )
    twin = of_collisions(volume, row)
    twin.name = f"recorded-{volume.name}"
    twin.description = f"Twin of the recording {volume.name}, made as the twins of papers/000's volumes are"
    twin.source = f"its {volume.requests:,} requests on the baseline"
    twin.comments = [
        "Fitted by scripts/fit_baselines.py to a recording, as other twins to tables 2 and 5 of papers/000:",
        f"{volume.pairs_for_each:.3f} imbalanced pairs for each flash page read, an average OCC of",
        f"{volume.occ}, pairs that come {volume.repetition} times.",
        f"It has {row['pairs']}, {row['occ']} and {row['repetition']}.",
    ]
    return twin


def between(mean: float) -> list[tuple[int, float]]:
    """The powers of two below and above, in the shares that have this mean."""
    low = PAGE
    while 2 * low <= mean:
        low *= 2
    share = (mean - low) / low
    return [(low, round(1 - share, 6)), (2 * low, round(share, 6))] if share > 0 else [(low, 1.0)]


def often(repetition: float, curve: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Shares of the bursts, and how often their sequences come, with this mean and this curve."""
    parts, pairs, collisions = [], 0.0, 0.0
    for up_to, makes_up in [*curve, (1.0, 1.0)]:
        parts.append((makes_up - collisions, repetition * (makes_up - collisions) / (up_to - pairs)))
        pairs, collisions = up_to, makes_up
    return parts


def of_collisions(volume: Volume, fit: dict[str, Any]) -> Published:
    """A volume of papers/000 with bursts that were fitted to tables 2 and 5 without the scheme."""
    name, count, share = volume.name, int(fit["requests"]), float(fit["share"])
    pages = min(max(volume.requests * volume.bytes / PAGE / 4, 16384), 4 * 2**20)
    read = pages * max(volume.read_share, 0.05)
    writes = 1 - ODD
    bursts = [
        Burst(
            f"patterns {number}",
            "read",
            "together",
            share * part,
            count,
            MEETING_GAP_NS,
            aligned=float(fit["aligned"]),
            again=Again(IN_USE, max(times * float(fit["stretch"]), 1.0)),
        )
        for number, (part, times) in enumerate(often(volume.repetition, CURVES.get(name, [])), start=1)
    ]
    bursts.append(Burst("writes", "write", "written", writes, count, MEETING_GAP_NS))
    turns = volume.read_share * (1 - share + share / count) + (1 - volume.read_share) * (ODD + writes / count)
    printed = "papers/000, table 2" if volume.occ is not None else "papers/000, table 5"
    of_what = "flash page read (tables 2 and 5)" if volume.occ is not None else "read (table 5, original)"
    comments = [
        "Fitted by scripts/fit_baselines.py to the baseline that papers/000 prints: bursts of",
        f"{count} reads with {share:.1%} of the reads, {float(fit['aligned']):.0%} on the dies of the first,",
        f"to {volume.pairs_for_each:.3f} imbalanced pairs for each {of_what}",
    ]
    if volume.occ is not None:
        comments += [
            f"and an average OCC of {volume.occ}; pairs that come {volume.repetition} times (table 2).",
            f"It has {fit.get('pairs')}, {fit.get('occ')} and {fit.get('repetition')}.",
        ]
    else:
        comments += [
            "OCC and repetition aren't printed: length and place of bursts are medians of volumes whose are,",
            f"longer where too few would meet; pairs come {volume.repetition:.2f} times, "
            + ("as in its recording." if name in RECORDED else "the median of those of which it is known."),
        ]
    return Published(
        name=f"collision-{name}",
        description=f"Twin of MSR Cambridge {name} as papers/000 has it: {volume.requests:,} requests, "
        f"{volume.read_share:.1%} reads, bursts by its baseline",
        fit_for="published_characteristics",
        source=f"{printed}; requests as msr-{name}",
        requests=volume.requests,
        read_share=volume.read_share,
        read_bytes=volume.bytes,
        write_bytes=volume.bytes,
        idle_gap_ns=volume.span_ns / (volume.requests * turns),
        classes=[
            PageClass("together", extents(read * max(share, 0.05)), 0.0, share, "uniform"),
            PageClass("read", extents(read * max(1 - share, 0.05)), writes, 1 - share, "zipf", SKEW),
            PageClass("written", extents(pages * max(1 - volume.read_share, 0.05)), ODD, 0.0, "zipf", SKEW),
        ],
        trace_files=[name, f"msr_{name}", f"msr-{name}"],
        bursts=bursts,
        burst_requests=1.0,
        comments=comments,
        lengths=between(volume.bytes),
    )
