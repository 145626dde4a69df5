"""What the schemes of a comparison came to on one drive: gains, costs, and the waits that gains go with."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Row = Mapping[str, float | str | None]

WAITS = {
    "behind_reads_ns": "reads of the host",
    "behind_writes_ns": "writes",
    "behind_collection_ns": "garbage collection",
    "behind_reclaim_ns": "read reclaim",
    "behind_copies_ns": "copies and migrations",
    "for_the_map_ns": "pages of the map",
}
"""Columns of the parts of a mean read that wait, and what for."""

FIGURES = {
    "read_mean_ns": "reads, mean",
    "read_p99_ns": "reads, p99",
    "read_p99_9_ns": "reads, p99.9",
    "write_mean_ns": "writes, mean",
    "write_p99_ns": "writes, p99",
    "write_p99_9_ns": "writes, p99.9",
    "waf": "WAF",
    "flash_operations": "flash operations",
}
"""Columns that are compared, and their names."""

IDEAL = "ideal-"
"""What the names of schemes begin with that no drive can have: bounds."""

CHANCE = 0.05
"""A rank correlation is named where chance alone gives one as high less often than this."""


@dataclass(frozen=True)
class Standing:
    """A scheme on a drive, against the first one."""

    scheme: str
    means: dict[str, float | None]
    """By column: the geometric mean of the ratios over the workloads, less 1."""
    best: tuple[str, float] | None
    """The workload whose reads gain most, and the change of their mean."""
    worst: tuple[str, float] | None
    """The one whose reads lose most: a mean over workloads hides a drive that one of them drowns."""
    saves: tuple[str, float] | None
    """What reads wait for less, most in the mean over the workloads, and by how much, ns."""
    costs: tuple[str, float] | None
    """What they wait for more, likewise."""
    goes_with: tuple[str, float, float] | None
    """The wait with whose share of a read under the first scheme the gain goes best over the workloads;
    Spearman's correlation; how often chance alone gives as much, of all waits together.
    """
    dram_bytes: float | None
    """Of all that uses it, the most over the workloads; `None` where a run doesn't say."""
    capacity: float | None
    """Logical bytes, of those under the first scheme."""


def read(path: Path) -> list[dict[str, float | str | None]]:
    """The lines of an exhibit's table; of several seeds the means."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["workload"], row["scheme"]), []).append(row)
    return [_mean(group) for group in groups.values()]


def _mean(group: Sequence[Mapping[str, str]]) -> dict[str, float | str | None]:
    found: dict[str, float | str | None] = {}
    for name in group[0]:
        if name in ("workload", "scheme"):
            found[name] = group[0][name]
        elif name != "seed":
            values = [float(row[name]) for row in group if row[name] != ""]
            found[name] = sum(values) / len(values) if values else None
    return found


def standings(rows: Sequence[Row]) -> list[Standing]:
    """Every scheme in the order of the table, the first one included."""
    schemes = list(dict.fromkeys(str(row["scheme"]) for row in rows))
    table = {(str(row["scheme"]), str(row["workload"])): row for row in rows}
    workloads = list(dict.fromkeys(str(row["workload"]) for row in rows))
    base = {name: table[schemes[0], name] for name in workloads if (schemes[0], name) in table}

    def rows_of(scheme: str) -> dict[str, Row]:
        return {name: table[scheme, name] for name in base if (scheme, name) in table}

    return [_standing(scheme, rows_of(scheme), base) for scheme in schemes]


@dataclass(frozen=True)
class Load:
    """A workload on a drive under the first scheme: what its reads wait for, and who helps them."""

    workload: str
    read_mean_ns: float | None
    shares: dict[str, float]
    """By what is waited for: its share of a mean read."""
    reclaims: float | None
    """Blocks that were read too often; `None` where a run doesn't say."""
    helped: tuple[str, float] | None
    """The scheme whose mean read is shortest, ideals apart, and the change."""


def loads(rows: Sequence[Row]) -> list[Load]:
    """Every workload in the order of the table."""
    first = str(rows[0]["scheme"]) if rows else ""
    return [_load(row, rows) for row in rows if row["scheme"] == first]


def _load(base: Row, rows: Sequence[Row]) -> Load:
    changes = {
        str(row["scheme"]): change
        for row in rows
        if row["workload"] == base["workload"]
        and not str(row["scheme"]).startswith(IDEAL)
        and (change := _change(row, base, "read_mean_ns")) is not None
    }
    mean = _number(base, "read_mean_ns")
    waits = {words: _number(base, name) for name, words in WAITS.items()}
    return Load(
        workload=str(base["workload"]),
        read_mean_ns=mean,
        shares={words: wait / mean for words, wait in waits.items() if wait is not None and mean},
        reclaims=_number(base, "reclaims"),
        helped=min(changes.items(), key=lambda change: change[1], default=None),
    )


def _number(row: Row, name: str) -> float | None:
    value = row.get(name)
    return value if isinstance(value, float) else None


def _change(ours: Row, theirs: Row, name: str) -> float | None:
    here, there = _number(ours, name), _number(theirs, name)
    return here / there - 1.0 if here is not None and there else None


def _standing(scheme: str, ours: Mapping[str, Row], base: Mapping[str, Row]) -> Standing:
    def changes(name: str) -> dict[str, float]:
        found = {workload: _change(row, base[workload], name) for workload, row in ours.items()}
        return {workload: change for workload, change in found.items() if change is not None}

    def geometric(name: str) -> float | None:
        ratios = [math.log1p(change) for change in changes(name).values() if change > -1.0]
        return math.expm1(sum(ratios) / len(ratios)) if ratios else None

    reads = changes("read_mean_ns")
    dram = [_number(row, "dram_bytes") for row in ours.values()]
    waits = {words: _less(name, ours, base) for name, words in WAITS.items()}
    least, most = min(waits.items(), key=lambda wait: wait[1]), max(waits.items(), key=lambda wait: wait[1])
    capacity = {_change(row, base[workload], "logical_bytes") for workload, row in ours.items()} - {None}
    shares = [1.0 + value for value in capacity if value is not None]
    return Standing(
        scheme=scheme,
        means={name: geometric(name) for name in FIGURES},
        best=min(reads.items(), key=lambda change: change[1], default=None),
        worst=max(reads.items(), key=lambda change: change[1], default=None),
        saves=(least[0], -least[1]) if least[1] < 0.0 else None,
        costs=most if most[1] > 0.0 else None,
        goes_with=_goes_with(reads, base),
        dram_bytes=max((one for one in dram if one is not None), default=None),
        capacity=sum(shares) / len(shares) if shares else None,
    )


def _less(name: str, ours: Mapping[str, Row], base: Mapping[str, Row]) -> float:
    """Mean change of a wait over the workloads that have reads, ns."""
    found = [
        (_number(row, name) or 0.0) - (_number(base[workload], name) or 0.0)
        for workload, row in ours.items()
        if _number(base[workload], "read_mean_ns")
    ]
    return sum(found) / len(found) if found else 0.0


def _goes_with(reads: Mapping[str, float], base: Mapping[str, Row]) -> tuple[str, float, float] | None:
    from scipy.stats import spearmanr

    if len(reads) < 5 or len(set(reads.values())) < 2:
        return None
    gains = [-change for change in reads.values()]
    found = []
    for name, words in WAITS.items():
        shares = [(_number(base[w], name) or 0.0) / (_number(base[w], "read_mean_ns") or 1.0) for w in reads]
        if len(set(shares)) > 1:
            tested = spearmanr(shares, gains, alternative="greater")
            found.append((words, float(tested.statistic), float(tested.pvalue)))
    if not found:
        return None
    words, correlation, chance = max(found, key=lambda one: one[1])
    chance = 1.0 - (1.0 - chance) ** len(found)
    return (words, correlation, chance) if chance < CHANCE else None
