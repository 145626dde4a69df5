"""The skew of each twin of papers/001 with which blocks of reclaimed superblocks are read so unevenly.

    python scripts/skew.py [G] [NAME …]

g is the mean over Baseline's reclaims of (reads of the most read block by the mean of its superblock's
− 1), on the paper's drive with its cache. How unevenly the blocks were read isn't printed, and with one
skew for all, twins with long reads or reads in sequence would have hardly any. So each has the skew
with which g is G (0.35), found by halving the interval: a property of workload and Baseline, for which
no other scheme is run. Two passes and a threshold of 4,000. The table in
`scripts/profiles/shuffler.py` holds what this prints.
"""

from __future__ import annotations

import sys

import wordline

NAMES = ("ali0", "ali1", "lun0", "lun1", "lun2", "lun3", "lun4", "lun5", "gen0", "gen1")
NEAR = 0.01
LARGEST = 3.0
"""All reads begin in the first of four pieces."""


def g_of(name: str, skew: float) -> float:
    """The g of Baseline on this twin; 0 where nothing is reclaimed."""
    settings = {
        "device.dram.bytes": 93_952_408,  # the map, and the data cache of Table 1: 64 MB
        "scheme.cache.policy": "lru",
        "scheme.placement.order": "PCWD",
        "scheme.reclaim.threshold": 4_000,
        "workload.source.repeat": 2,
        "workload.source.skew": skew,
    }
    result = wordline.run("shuffler", "superblock-reclaim", name, overrides=settings)
    return float(result.to_dict()["read_reclaim"].get("mean_excess", 0.0))


def skew_of(name: str, wanted: float) -> tuple[float, float]:
    """The skew with which g is near `wanted`, in hundredths, and g; the largest where none is enough."""
    low, high = 0.0, LARGEST
    skew, found = min(wanted / 0.35, high), 0.0
    while True:
        found = g_of(name, skew)
        if abs(found - wanted) <= NEAR or high - low < 0.02:
            return skew, found
        low, high = (skew, high) if found < wanted else (low, skew)
        # g grows about as the skew does: halving is for where it doesn't.
        guess = skew * wanted / max(found, 0.01)
        inside = low + 0.1 * (high - low) <= guess <= high - 0.1 * (high - low)
        skew = round(guess if inside else (low + high) / 2, 2)


def main() -> None:
    """Prints the table."""
    wanted = float(sys.argv[1]) if len(sys.argv) > 1 else 0.35
    for name in sys.argv[2:] or NAMES:
        skew, found = skew_of(name, wanted)
        print(f'    "{name}": {skew},  # g = {found:.3f}', flush=True)


if __name__ == "__main__":
    main()
