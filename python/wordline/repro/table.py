"""From the rows of a store to the table of an exhibit."""

from __future__ import annotations

import csv
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.calibration.over_time import parts
from wordline.files import written
from wordline.intervals import student_t
from wordline.repro import measured, real_drives
from wordline.repro.analyses import SEED
from wordline.repro.columns import column
from wordline.repro.exhibit import Exhibit
from wordline.study.point import Point
from wordline.study.row import AXIS, DONE

Record = dict[str, Any]

SPREAD = " ±"
"""What follows a column's name where a line has half the width of its interval."""

RELATIVE = "relative:"
"""`relative:A@B=TEXT`: the column A by that of the line whose column B has this value."""

MEASURED = "measured."
"""A column of what was measured, for pictures; behind the columns that say which line it is."""


def records(
    exhibit: Exhibit,
    points: Sequence[Point],
    rows: Sequence[Mapping[str, Any] | None],
    drives: Path | None = None,
) -> list[Record]:
    """The lines of an exhibit's table: one for each point that has ended well, or for each part of its run.

    With `drives`, the folder of measurements of real drives, each knows what was measured.
    """
    made = []
    known = measured.read(exhibit, drives)
    for point, row in zip(points, rows, strict=True):
        if row is None or row["status"] != DONE:
            continue
        config = json.loads(row["inputs"])
        axes = {AXIS + name: value for name, value in point.axes}
        whole = {**row, **axes}
        for part in _parts(exhibit, whole):
            line: Record = {}
            for name, path in exhibit.columns.items():
                if path.startswith(RELATIVE):
                    line[name] = None
                elif path.startswith(MEASURED):
                    figure = path.removeprefix(MEASURED)
                    own = (one.value for one in known if one.figure == figure and one.is_about(line))
                    line[name] = next(own, None)
                else:
                    line[name] = column(exhibit, path, whole | part, config, point)
            called = exhibit.data.get("called", {})
            named = {name: called.get(value, value) for name, value in line.items()} if called else line
            made.append({**named, SEED: point.scenario.seed})
    return [{**line, **_relative(exhibit, line, made)} for line in made]


def _relative(exhibit: Exhibit, line: Record, lines: Sequence[Record]) -> Record:
    """Columns that are another by that of the line of the same seed in which a column has a value."""
    found: Record = {}
    for name, path in exhibit.columns.items():
        if path.startswith(RELATIVE):
            value, _, base = path.removeprefix(RELATIVE).partition("@")
            key, _, wanted = base.partition("=")
            bases = (one[value] for one in lines if one[SEED] == line[SEED] and str(one[key]) == wanted)
            by = next(bases, None)
            found[name] = line[value] / by if by and line[value] is not None else None
    return found


def _parts(exhibit: Exhibit, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a row has beside itself, for each line that it stands for."""
    if "parts" in exhibit.data:
        found = parts(row, exhibit.data["parts"]["share"])
        return [{f"part.{name}": value for name, value in part.items()} for part in found]
    if "load" in exhibit.data:
        return [{f"probe.{name}": value for name, value in real_drives.of_probe(row["result"]).items()}]
    return [{}]


def means(
    points: Sequence[Point], rows: Sequence[Mapping[str, Any] | None], lines: Sequence[Record]
) -> list[Record]:
    """The same lines, those of several seeds as one with the means of their figures.

    Half the width of the 95% interval of each stands under its name and `SPREAD`.
    """
    done = [
        point for point, row in zip(points, rows, strict=True) if row is not None and row["status"] == DONE
    ]
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for point, line in zip(done, lines, strict=True):
        key = tuple((name, str(value)) for name, value in point.axes if name != SEED)
        groups.setdefault(key, []).append(line)
    return [_mean(group) for group in groups.values()]


def _mean(group: Sequence[Record]) -> Record:
    found: Record = {}
    for name, first in group[0].items():
        values = [line[name] for line in group]
        figures = [
            value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        if len(figures) < len(values) or all(value == first for value in values):
            found[name] = first
        else:
            found |= {name: statistics.fmean(figures), name + SPREAD: half_width(figures)}
    return found


def half_width(values: Sequence[float]) -> float:
    """Half the width of the 95% interval of a mean of two values or more."""
    return student_t(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def write_csv(path: Path, lines: Sequence[Record], columns: Sequence[str]) -> None:
    """Writes the table. The file takes its name when it is whole."""
    several = len({line[SEED] for line in lines}) > 1
    with written(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        names = [*columns, *([SEED] if several else [])]
        writer = csv.DictWriter(file, names, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
