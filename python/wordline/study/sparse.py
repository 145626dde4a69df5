"""Figures by cause, class or part: what never happened has no entry in a result, and is 0, not unknown."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

MAPS = (
    (r"waf_by_cause\.\w+", "waf"),
    (r"(read|write|trim|flush)\.blame\.(?:mean|tail)\.(?:total|mean)_ns\..+", r"\1.latency_ns.mean"),
    (r"flash\.by_class\..+", "flash.operations"),
    (r"other_moves\..+", "flash.operations"),
    (r"energy\.by_(?:cause|operation)_pj\..+", "energy.total_pj"),
    (r"read_reclaim\.by_routine\..+", "read_reclaim.operations"),
    (r"errors\.uncorrectable_by_class\..+", "errors.codewords"),
)
"""Entries of a map, and a figure that a run has if and only if it has the map."""


@functools.cache
def _beside(figure: str) -> str | None:
    """The figure that a run has which has the map of this one; `None` for one of no map."""
    for entry, there in MAPS:
        found = re.fullmatch(entry, figure)
        if found is not None:
            return found.expand(there)
    return None


def is_entry(figure: str) -> bool:
    """Whether a figure is an entry of a map, if there is one of its name."""
    return _beside(figure) is not None


def value(row: Mapping[str, Any], figure: str) -> float | None:
    """A figure of a row; `None` where the run has none."""
    found = row.get(figure)
    if found is not None:
        return float(found)
    there = _beside(figure)
    return None if there is None or row.get(there) is None else 0.0


def values(rows: Iterable[Mapping[str, Any]], figure: str) -> list[float]:
    """The figure of each row that has it."""
    return [found for row in rows if (found := value(row, figure)) is not None]
