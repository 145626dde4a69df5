"""A figure of changes: of each scheme under each workload, against one scheme of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.charts import save
from wordline.charts.grids import changes

GRID = "grid"

FIGURE_KEYS = ("kind", "x", "y", "value", "base", "value_label")

WIDTH = 640

Line = Mapping[str, Any]


def cells(
    lines: Sequence[Line], x: str, y: str, value: str, base: Mapping[str, Any]
) -> list[tuple[str, str, float | None]]:
    """The change of each line's value against the line of the same column that `base` describes."""
    bases = {line[x]: line[value] for line in lines if all(line[key] == base[key] for key in base)}
    found = []
    for line in lines:
        ours, theirs = line[value], bases.get(line[x])
        change = ours / theirs - 1.0 if ours is not None and theirs else None
        found.append((str(line[x]), str(line[y]), change))
    return found


def draw_grid(figure: Mapping[str, Any], lines: Sequence[Line], title: str, path: Path) -> list[Path]:
    """Draws the figure as PNG and SVG beside each other; returns their paths."""
    unknown = [key for key in figure if key not in FIGURE_KEYS]
    if unknown:
        raise WordlineError(f"figure of {title}: {unknown[0]}: allowed: {', '.join(FIGURE_KEYS)}")
    found = cells(lines, figure["x"], figure["y"], figure["value"], figure["base"])
    chart = changes(title, found, figure["value_label"])
    return [save(chart, path.with_suffix(ending), WIDTH) for ending in (".png", ".svg")]
