"""Twins of papers/001: the classes of pages that its table 2 tells of."""

from __future__ import annotations

from profiles.shape import PAGE, RATE, PageClass, Published, bursts, extents

FLASH_PAGE, PLANES = 8192, 4  # table 1

# How unevenly the planes of a chip are read isn't printed. The skew of a source with which
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

VDI = {
    "lun0": "additional-01-2016021616-LUN2",
    "lun1": "2016021619-LUN2",
    "lun2": "2016021619-LUN3",
    "lun3": "2016021620-LUN2",
    "lun4": "2016021620-LUN3",
    "lun5": "2016021716-LUN0",
}
ALIBABA = {"ali0": "alibaba_112", "ali1": "alibaba_121"}


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
