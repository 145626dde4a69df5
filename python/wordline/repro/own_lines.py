"""The table of an exhibit for which no number is printed: what its page has in the place of marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordline import markdown
from wordline.figures import heading, legends, short_interval
from wordline.repro.analyses import SEED
from wordline.repro.draw import columns_of
from wordline.repro.table import SPREAD

if TYPE_CHECKING:
    from wordline.repro.reproduction import Shown
    from wordline.repro.table import Record

MOST = 80
"""Lines of a table on a page: what is longer is for its picture and for the CSV beside a run."""


def of(shown: Shown) -> list[Record]:
    """Its lines, those of several seeds as one; none where it has numbers, or too many lines."""
    return shown.means if not shown.numbers and len(shown.means) <= MOST else []


@dataclass(frozen=True)
class Table:
    """A table in words: units in its head, half the width of 95% intervals beside figures."""

    head: list[str]
    body: list[list[str]]
    of_numbers: list[bool]
    """Whether a column holds numbers alone."""


def table_of(shown: Shown) -> Table | None:
    """The table for a page; `None` where it has none."""
    lines = of(shown)
    if not lines:
        return None
    names = [name for name in lines[0] if name != SEED and not name.endswith(SPREAD)]
    figure = shown.exhibit.figure or {}
    words = {name: figure.get("labels", {}) if _is_named(figure, name, lines) else {} for name in names}
    body = [[_cell(line, name, words[name]) for name in names] for line in lines]
    of_numbers = [all(isinstance(line[name], int | float | None) for line in lines) for name in names]
    return Table([heading(name) for name in names], body, of_numbers)


def as_markdown(shown: Shown) -> list[str]:
    """For a page."""
    table = table_of(shown)
    if table is None:
        return []
    written = markdown.table(table.head, table.body, table.of_numbers.__getitem__)
    return [*written, *(f"{legend}.\n" for legend in legends(table.body))]


def _is_named(figure: Mapping[str, Any], name: str, lines: Sequence[Record]) -> bool:
    """Whether the picture's words are of the values of this column, too: 1 may be a kind, and a count."""
    roles = ("series", "panel", "x") if figure.get("kind") == "bar" else ("series", "panel")
    told = columns_of(figure, *roles)
    return name in told or any(isinstance(line[name], str) for line in lines)


def _cell(line: Record, name: str, words: dict[str, str]) -> str:
    value = line[name]
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(words.get(str(value), value))
    half = line.get(name + SPREAD)
    known = half if isinstance(half, float) and half > 0 else None
    return words.get(f"{value:g}", short_interval(name, value, known))
