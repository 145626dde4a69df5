"""Profiles of the papers' workloads whose traces nobody may pass on, from published figures alone.

    python scripts/published.py TARGETS

TARGETS is a folder with `workloads.csv` and `msr_volumes.csv`. Writes `presets/profiles/NAME.toml` and
`presets/workloads/NAME.toml`. What the figures don't say is assumed, alike for all, and
written down in docs/generators.md. Bursts and loads of the twins of papers/000 and papers/004 are read from
`scripts/fitted-*.toml`, which scripts/fit_baselines.py finds; no result of a scheme goes into a profile.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

PRESETS = Path(__file__).resolve().parent.parent / "presets"
PAGE = 4096
EXTENT = 1 << 20
FLASH_PAGE, PLANES = 8192, 4  # papers/001, table 1
WEEK_NS = 7 * 24 * 3600 * 10**9

# Assumed where nothing is published.
SIZE = 8192
BURST = 8.0
BURST_GAP_NS = 100_000.0
SKEW = 0.8
RATE = 2000.0

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

# papers/001: how unevenly the planes of a chip are read isn't printed. The skew of a source with which
# g, the mean of (reads of the most read block by the mean of its superblock - 1) at Baseline's
# reclaims, is 0.35: scripts/skew.py.
UNEVENNESS: dict[str, float] = {
    "ali0": 1.22,  # g = 0.350
    "ali1": 1.26,  # g = 0.349
    "lun0": 1.29,  # g = 0.358
    "lun1": 1.0,  # g = 0.347
    "lun2": 1.74,  # g = 0.354
    "lun3": 1.59,  # g = 0.359
    "lun4": 1.45,  # g = 0.344
    "lun5": 2.19,  # g = 0.346
    "gen0": 1.0,  # g = 0.348
    "gen1": 1.23,  # g = 0.356
}

# papers/000, figure 4 and §II-C: share of the pairs that makes up a share of collisions, the most frequent
# first.
CURVES = {"hm_1": [(0.05, 0.8)], "usr_1": [(0.018, 0.5), (0.05, 0.8)], "web_2": [(0.05, 0.8)]}
# Assumed where papers/000 prints nothing: the time from a request of a burst to the next, and how many
# sequences of pages are in use at a time.
MEETING_GAP_NS = 3500.0
# Financial1, its first 50,000 requests (26,191 reads): reads of a page that is read. Assumed: how many of the
# latest reads there are to which some come back.
REREADS, REREADS_OF = 2.84, 26_191
LATEST = 4096
# Assumed: in a burst of papers/004's workloads requests come faster than its drive programs.
ROW_GAP_NS = 20_000.0
STRIPE = 16 * 16384  # a flash page on each of the 16 dies of its table 4, dealt out in turn (§II-C)
IN_USE = 8

VDI = {
    "lun0": "additional-01-2016021616-LUN2",
    "lun1": "2016021619-LUN2",
    "lun2": "2016021619-LUN3",
    "lun3": "2016021620-LUN2",
    "lun4": "2016021620-LUN3",
    "lun5": "2016021716-LUN0",
}
ALIBABA = {"ali0": "alibaba_112", "ali1": "alibaba_121"}


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


def of_pages(row: dict[str, str], description: str, source: str, files: list[str]) -> Published:
    """Classes with the read share, mean read size, hot ratio and footprint of papers/001, table 2."""
    requests, read_share = int(row["requests"]), float(row["read_ratio"])
    size = float(row["mean_read_kb"]) * 1024
    pages = float(row["footprint_gb"]) * 2**30 / PAGE
    hot = float(row["hot_ratio"]) * pages
    visits = requests * read_share * size / PAGE
    # Hot pages are read at least twice; of the others the share of reads is read once, the rest only written.
    once = max(min((pages - hot) * read_share, visits - 2.02 * hot), 0.01 * pages)
    written = pages - hot - once
    # Few visits for each hot page: in turns, so that each gets its two. Many: skewed.
    few = (visits - once) / hot < 8
    return Published(
        name=row["workload"],
        description=description,
        fit_for="published_characteristics",
        source=source,
        requests=requests,
        read_share=read_share,
        read_bytes=size,
        write_bytes=size,
        idle_gap_ns=bursts(RATE),
        classes=[
            PageClass(
                "hot", extents(hot), 1 - once / visits, 0.0, "once" if few else "zipf", None if few else 0.5
            ),
            PageClass("read once", extents(once), once / visits, 0.0, "once"),
            PageClass("written", extents(written), 0.0, 1.0, "once"),
        ],
        skewed=True,
        trace_files=files,
    )


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


def of_dominance(counts: Published, name: str, description: str, read_share: float) -> Published:
    """The same counts with classes as papers/002 has them: pages read, pages written, and mixed ones."""
    mixed = min(MIXED, 1 - read_share, read_share)
    dominant = 1 - mixed
    # Reads: those of read pages, the odd ones of written pages, half of the requests to mixed ones.
    read = (read_share - mixed / 2 - dominant * ODD) / (1 - 2 * ODD)
    written = dominant - read
    both = mixed / 2
    pages = sum(page_class.bytes for page_class in counts.classes) / PAGE
    # A turn of so many requests to mixed pages has a run on each page of a half.
    turns = round(2 * RUN * (MIXED_BYTES / 2 / PAGE) / (SIZE / PAGE))

    def shares(reads: float, writes: float) -> tuple[float, float]:
        return reads / read_share, writes / (1 - read_share)

    return Published(
        name=name,
        description=description,
        fit_for="published_characteristics",
        source=f"{counts.source}; classes of pages: papers/002, figures 3 and 6",
        requests=counts.requests,
        read_share=read_share,
        read_bytes=counts.read_bytes,
        write_bytes=counts.write_bytes,
        idle_gap_ns=counts.idle_gap_ns,
        classes=[
            PageClass(
                "read",
                extents(pages * read),
                *shares(read * (1 - ODD), read * ODD),
                "zipf",
                SKEW,
            ),
            PageClass(
                "written",
                extents(pages * written),
                *shares(written * ODD, written * (1 - ODD)),
                "zipf",
                SKEW,
            ),
            PageClass("mixed", MIXED_BYTES, *shares(both, both), "uniform", turns=turns),
        ],
        trace_files=counts.trace_files,
    )


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
    """Mean repetition of a pair (table 2); the median of the printed ones where it isn't."""


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
    found = []
    for name, row in pairs.items():
        volume = name.lower().replace("-", "_") if "-" in name else f"{name[:-1].lower()}_{name[-1]}"
        requests, read_share = int(counts[volume]["requests"]), float(counts[volume]["read_ratio"])
        original = int(row["imbalanced_collision_pairs_original"])
        drive = drives.get(name)
        if drive is None:
            for_each = original / max(requests * read_share, 1)
            found.append(Volume(volume, requests, read_share, SIZE, None, for_each, median(printed)))
            continue
        operations, read_share = int(drive["die_operations"]), float(drive["read_proportion"])
        # A request that begins anywhere in a flash page of 16 KiB has a page for each 16 KiB beyond 4.
        length = PAGE + 4 * PAGE * (operations / requests - 1)
        for_each = original / (operations * read_share)
        occ, repetition = float(drive["average_occ"]), float(drive["mean_repetition"])
        found.append(Volume(volume, requests, read_share, length, occ, for_each, repetition))
    return found


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
            "OCC and repetition aren't printed: length and place of the bursts, and repetition, are medians",
            f"of the volumes that are ({volume.repetition:.2f} times); longer where too few would meet.",
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
        idle_gap_ns=WEEK_NS / (volume.requests * turns),
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


def text_of(profile: Published) -> str:
    """The profile as TOML."""

    def listed(mean: float) -> str:
        each = profile.lengths or sizes(mean)
        return ", ".join(f"{{ bytes = {size}, weight = {weight} }}" for size, weight in each)

    space = sum(page_class.bytes for page_class in profile.classes)
    lines = [
        "# Written by scripts/published.py from published figures; docs/generators.md says what is assumed.",
        *(f"# {line}" for line in profile.comments),
        "form = 1",
        f'name = "{profile.name}"',
        f'fit_for = "{profile.fit_for}"',
        f'source = "{profile.source}"',
        f"trace_files = [{', '.join(chr(34) + name + chr(34) for name in profile.trace_files)}]",
        f"space_bytes = {space}",
        "",
        "[summary]",
        f"requests = {profile.requests}",
        f"read_share = {profile.read_share}",
        f"mean_read_bytes = {profile.read_bytes:.1f}",
        f"mean_write_bytes = {profile.write_bytes:.1f}",
        "",
        "[model]",
        f"read_share = {profile.read_share}",
        f"read_sizes = [{listed(profile.read_bytes)}]",
        f"write_sizes = [{listed(profile.write_bytes)}]",
        f"burst_requests = {profile.burst_requests}",
        f"burst_gap_ns = {profile.burst_gap_ns:.1f}",
        f"idle_gap_ns = {profile.idle_gap_ns:.1f}",
    ]
    for page_class in profile.classes:
        lines += [
            "",
            "[[model.class]]",
            f'name = "{page_class.name}"',
            f"bytes = {page_class.bytes}",
            f"reads = {page_class.reads:.6f}",
            f"writes = {page_class.writes:.6f}",
            f'walk = "{page_class.walk}"',
        ]
        if page_class.theta is not None:
            lines.append(f"theta = {page_class.theta}")
        if page_class.turns is not None:
            lines.append(f"turns = {page_class.turns}")
        if page_class.soon > 0.0:
            lines.append(f"recent = {{ share = {page_class.soon}, reads = {LATEST} }}")
    for burst in profile.bursts:
        lines += [
            "",
            "[[model.burst]]",
            f'name = "{burst.name}"',
            f'op = "{burst.op}"',
            f'class = "{burst.page_class}"',
            f"share = {burst.share:.6f}",
            f"requests = {burst.requests}",
            f"gap_ns = {burst.gap_ns}",
        ]
        if burst.aligned > 0.0:
            lines.append(f"aligned = {{ bytes = {STRIPE}, share = {burst.aligned:.4f} }}")
        if burst.again is not None:
            again = burst.again
            skew = f", theta = {again.theta}" if again.theta else ""
            lines.append(f"again = {{ sequences = {again.sequences}, times = {again.times:g}{skew} }}")
    if profile.skewed:
        lines += ["", "[model.skew]", f"bytes = {FLASH_PAGE}", f"of = {PLANES}", "excess = 0.0"]
    return "\n".join(lines) + "\n"


def workload_of(profile: Published) -> str:
    """The workload that plays it, as TOML."""
    skew = UNEVENNESS.get(profile.name)
    more = "" if skew is None else f"\nskew = {skew} # scripts/skew.py: g of Baseline is 0.35"
    # Pages that a skewed twin doesn't come to are part of the printed footprint, and have their places.
    occupancy = "span" if profile.skewed else "footprint"
    return f"""# Written by scripts/published.py. The profile says what it is fit for and where it comes from.
name = "{profile.name}"
description = "{profile.description}"

[source]
kind = "twin"
path = "../profiles/{profile.name}.toml"{more}

[host]
arrivals = "open"

[start]
occupancy = "{occupancy}"
"""


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


def fitted(paper: str) -> list[dict[str, Any]]:
    """What scripts/fit_baselines.py found."""
    path = Path(__file__).parent / f"fitted-{paper}.toml"
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["fit"]
    return found


def all_profiles(targets: Path) -> list[Published]:
    """Every profile that the tables of this folder give."""
    with (targets / "workloads.csv").open(encoding="utf-8") as file:
        rows = {row["workload"]: row for row in csv.DictReader(file)}
    with (targets / "msr_volumes.csv").open(encoding="utf-8") as file:
        volumes = list(csv.DictReader(file))
    out = []
    for name, row in rows.items():
        if row["system"] == "shuffler":
            files = [VDI[name]] if name in VDI else [ALIBABA[name]] if name in ALIBABA else []
            kind = "synthetic of papers/001" if not files else "stands for " + files[0]
            out.append(
                of_pages(row, f"Twin of {name}, papers/001 table 2 ({kind})", "papers/001, table 2", files)
            )
    loads = {fit["workload"]: fit for fit in fitted("hotr")}
    out += [of_interference(counts, loads[counts.name]) for counts in interference_counts(targets)]
    for row in volumes:
        volume, requests = row["volume"], int(row["requests"])
        out.append(
            of_counts(
                f"msr-{volume}",
                f"MSR Cambridge {volume}: {requests:,} requests, "
                f"{float(row['read_ratio']):.1%} reads; counts only",
                row["source"],
                requests,
                float(row["read_ratio"]),
                SIZE,
                requests / (WEEK_NS / 1e9),
                [volume, f"msr_{volume}", f"msr-{volume}"],
            )
        )
    counts = {profile.name: profile for profile in out}
    for name, row in rows.items():
        if row["system"] == "pacp":
            share = float(row["read_ratio"])
            found = counts[f"msr-{name}"]
            out.append(
                of_dominance(
                    found,
                    f"pacp-{name}",
                    f"Twin of MSR Cambridge {name} as papers/002 has it: {found.requests:,} requests, "
                    f"{share:.1%} reads, pages by dominance",
                    share,
                )
            )
    fits = {fit["volume"]: fit for fit in fitted("collision")}
    out += [of_collisions(volume, fits[volume.name]) for volume in collision_volumes(targets)]
    return out


def main() -> None:
    """Writes all profiles and workloads."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for profile in all_profiles(Path(sys.argv[1])):
        (PRESETS / "profiles" / f"{profile.name}.toml").write_text(text_of(profile), encoding="utf-8")
        (PRESETS / "workloads" / f"{profile.name}.toml").write_text(workload_of(profile), encoding="utf-8")


if __name__ == "__main__":
    main()
