"""Tables of a Markdown document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def escaped(text: str) -> str:
    """A text that ends no cell."""
    return text.replace("|", "\\|")


def table(head: Sequence[str], lines: Iterable[Sequence[str]], is_number: Callable[[int], bool]) -> list[str]:
    """Its lines, an empty one behind them. Columns of numbers, by their place, stand to the right."""
    rule = "|".join("---:" if is_number(place) else "---" for place in range(len(head)))
    return [_line(head), f"|{rule}|", *map(_line, lines), ""]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
