"""Profiles of the papers' workloads whose traces nobody may pass on, from published figures alone.

    python scripts/published.py TARGETS

TARGETS is a folder with `workloads.csv` and `msr_volumes.csv`. Writes `presets/profiles/NAME.toml` and
`presets/workloads/NAME.toml`. What the figures don't say is assumed, alike for all, and
written down in docs/generators.md. No result of a simulation goes into a profile.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass, field
from pathlib import Path

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
    "ali1": 1.27,  # g = 0.351
    "gen0": 1.02,  # g = 0.349
    "gen1": 1.28,
}

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


def text_of(profile: Published) -> str:
    """The profile as TOML."""

    def listed(mean: float) -> str:
        return ", ".join(f"{{ bytes = {size}, weight = {weight} }}" for size, weight in sizes(mean))

    space = sum(page_class.bytes for page_class in profile.classes)
    lines = [
        "# Written by scripts/published.py from published figures; docs/generators.md says what is assumed.",
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
        f"burst_requests = {BURST}",
        f"burst_gap_ns = {BURST_GAP_NS}",
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
    if profile.skewed:
        lines += ["", "[model.skew]", f"bytes = {FLASH_PAGE}", f"of = {PLANES}", "excess = 0.0"]
    return "\n".join(lines) + "\n"


def workload_of(profile: Published) -> str:
    """The workload that plays it, as TOML."""
    skew = UNEVENNESS.get(profile.name)
    more = "" if skew is None else f"\nskew = {skew} # scripts/skew.py: g of Baseline is 0.35"
    return f"""# Written by scripts/published.py. The profile says what it is fit for and where it comes from.
name = "{profile.name}"
description = "{profile.description}"

[source]
kind = "twin"
path = "../profiles/{profile.name}.toml"{more}

[host]
arrivals = "open"

[start]
occupancy = "footprint"
"""


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
    for name, preset, files in (
        ("Fin2", "financial2", ["Financial2", "fin2"]),
        ("MSR_hm", "msr-hm", []),
        ("HPC_46", "hpc-46", []),
        ("HPC_28", "hpc-28", []),
    ):
        row = rows[name]
        kb = float(row["mean_request_kb"])
        out.append(
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
