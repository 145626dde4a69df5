"""Figures of the reclaims of a run, from the row that `measure.reclaims` keeps of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


def figure(name: str, records: Sequence[Record]) -> float | None:
    """`NAME` or `NAME@ROUND`: of the reclaims of that round only, so many before of the same data.

    `None` without any.
    """
    what, _, number = name.partition("@")
    chosen = [record for record in records if not number or record["round"] == int(number)]
    return FIGURES[what](chosen) if chosen else None


def spread(records: Sequence[Record]) -> float:
    """Mean distance between the most and the least read block of a superblock."""
    return float(sum(max(record["reads"]) - min(record["reads"]) for record in records) / len(records))


def quantile(share: float) -> Callable[[Sequence[Record]], float]:
    """A quantile of the reads of all blocks at their reclaim, the lower of two."""

    def found(records: Sequence[Record]) -> float:
        reads = sorted(count for record in records for count in record["reads"])
        return float(reads[int(share * (len(reads) - 1))])

    return found


def mean(records: Sequence[Record]) -> float:
    """Mean reads of all blocks at their reclaim."""
    reads = [count for record in records for count in record["reads"]]
    return float(sum(reads) / len(reads))


FIGURES: dict[str, Callable[[Sequence[Record]], float]] = {
    "reclaims": lambda records: float(len(records)),
    "spread": spread,
    "least": quantile(0.0),
    "p25": quantile(0.25),
    "p50": quantile(0.5),
    "p75": quantile(0.75),
    "most": quantile(1.0),
    "mean": mean,
}
