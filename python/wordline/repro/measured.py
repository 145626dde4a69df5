"""Figures that were measured on real drives or are printed on data sheets: a CSV file beside an exhibit."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.repro import real_drives
from wordline.repro.exhibit import EXHIBITS, Exhibit

KEYS = ("file", "by", "within")

TABLE_KEYS = ("table", "within", "bounds")
"""Where the figures are a table of the folder of measurements."""

COLUMNS = ("figure", "value", "unit", "note")
"""Beside the columns that say which line of the table a figure belongs to."""


@dataclass(frozen=True)
class Measured:
    """A figure, and the line of the exhibit's table that it belongs to."""

    line: dict[str, str]
    figure: str
    """A column of the exhibit's table."""
    value: float
    unit: str
    note: str
    within: float
    """Relative bound of its verdict."""
    factor: float | None = None
    """In place of `within`: so many times as large, or so many times as small."""

    def is_about(self, line: Mapping[str, Any]) -> bool:
        """Whether this line of the table is meant. Numbers are compared as numbers."""
        return all(_same(line.get(name), text) for name, text in self.line.items())


def _same(value: Any, text: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(text) == float(value)
        except ValueError:
            return False
    return str(value) == text


def read(exhibit: Exhibit, drives: Path | None = None) -> list[Measured]:
    """The figures beside an exhibit, in the order of their file; none without `[measured]`.

    `drives` is the folder of measurements of real drives.
    """
    described = exhibit.data.get("measured")
    if described is None:
        return []
    where = f"exhibit {exhibit.paper}/{exhibit.name}: measured"
    if "table" in described:
        if not set(described) <= set(TABLE_KEYS):
            raise WordlineError(f"{where}: allowed: the keys {', '.join(TABLE_KEYS)}")
        return [] if drives is None else _of_table(exhibit, described, drives)
    if set(described) != set(KEYS):
        raise WordlineError(f"{where}: allowed: the keys {', '.join(KEYS)}")
    by: list[str] = described["by"]
    path = EXHIBITS / exhibit.paper / described["file"]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = []
    for row in rows:
        if set(row) != {*by, *COLUMNS} or row["figure"] not in exhibit.columns:
            raise WordlineError(
                f"{where}: {path.name}: allowed: the columns {', '.join([*by, *COLUMNS])}, figures among "
                f"{', '.join(exhibit.columns)}"
            )
        found.append(
            Measured(
                line={name: row[name] for name in by},
                figure=row["figure"],
                value=float(row["value"]),
                unit=row["unit"],
                note=row["note"],
                within=float(described["within"]),
            )
        )
    return found


def _of_table(exhibit: Exhibit, described: Mapping[str, Any], drives: Path) -> list[Measured]:
    """The figures of a table that the exhibit has columns for."""
    return [
        Measured(
            line,
            figure,
            value,
            _unit(figure),
            notes.get(figure, ""),
            **_bound(described.get("bounds", {}).get(figure, described["within"]), value),
        )
        for line, figures, notes in real_drives.lines(drives, described["table"])
        for figure, value in figures.items()
        if figure in exhibit.columns
    ]


def _unit(figure: str) -> str:
    endings = {"_us": "µs", "_per_s": "/s"}
    return next((unit for ending, unit in endings.items() if figure.endswith(ending)), "")


def _bound(given: Any, value: float) -> dict[str, float]:
    """A relative bound: a number, `{ off = 2.0 }` in the figure's own unit, `{ factor = 1.5 }`."""
    if isinstance(given, Mapping) and "factor" in given:
        return {"within": 0.0, "factor": float(given["factor"])}
    return {"within": float(given["off"]) / value if isinstance(given, Mapping) else float(given)}
