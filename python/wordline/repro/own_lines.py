"""The table of an exhibit for which no number is printed: what its page has in the place of marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordline import markdown
from wordline.figures import short
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


def as_markdown(shown: Shown) -> list[str]:
    """For a page, with half the width of each 95% interval."""
    lines = of(shown)
    if not lines:
        return []
    names = [name for name in lines[0] if name != SEED and not name.endswith(SPREAD)]
    figure = shown.exhibit.figure or {}
    words = {name: figure.get("labels", {}) if _is_named(figure, name, lines) else {} for name in names}
    numbers = {name for name in names if all(isinstance(line[name], int | float | None) for line in lines)}
    body = ([_cell(line, name, words[name]) for name in names] for line in lines)
    return markdown.table(names, body, lambda place: names[place] in numbers)


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
    spread = f" ± {short(half)}" if isinstance(half, float) and half > 0 else ""
    return f"{words.get(f'{value:g}', short(value))}{spread}"
