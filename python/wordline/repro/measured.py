"""Figures that were measured on real drives or are printed on data sheets: a CSV file beside an exhibit."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordline._core import WordlineError
from wordline.repro.exhibit import EXHIBITS, Exhibit

KEYS = ("file", "by", "within")

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


def read(exhibit: Exhibit) -> list[Measured]:
    """The figures beside an exhibit, in the order of their file; none without `[measured]`."""
    described = exhibit.data.get("measured")
    if described is None:
        return []
    where = f"exhibit {exhibit.paper}/{exhibit.name}: measured"
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
