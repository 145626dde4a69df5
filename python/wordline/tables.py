"""The tables of a run: which there are, and which a run has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

TableName = Literal["dies", "channels", "histogram", "series", "samples", "blocks"]

TABLES: tuple[TableName, ...] = ("dies", "channels", "histogram")
"""Tables of every run."""

MEASURED: dict[TableName, str] = {
    "series": "interval_ns",
    "samples": "sample_table",
    "blocks": "block_table",
}
"""Tables that a run has if this key of `workload.measure` asks for it."""


def tables_of(data: Mapping[str, Any]) -> tuple[TableName, ...]:
    """Names of the tables of the run with this `result.json`."""
    measure = data["config"]["workload"].get("measure", {})
    return (*TABLES, *(name for name, key in MEASURED.items() if measure.get(key)))
