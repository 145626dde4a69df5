"""From the rows of a store to the table of an exhibit, and from that to its numbers."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline.repro.analyses import ANALYSES
from wordline.repro.columns import column
from wordline.repro.exhibit import WORKLOADS, Exhibit
from wordline.repro.verdict import Kind, Target, Verdict, judge, kind_of, parsed
from wordline.study.point import Point
from wordline.study.row import AXIS, DONE

Record = dict[str, Any]


@dataclass(frozen=True)
class Number:
    """A printed number with ours beside it."""

    paper: str
    exhibit: str
    workload: str
    metric: str
    against: str
    unit: str
    target: float | str
    ours: float | str | None
    verdict: Verdict
    workload_is: str
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if isinstance(self.target, str) or isinstance(self.ours, str) or self.ours is None:
            return None
        return self.ours - self.target


def records(
    exhibit: Exhibit, points: Sequence[Point], rows: Sequence[Mapping[str, Any] | None]
) -> list[Record]:
    """The lines of an exhibit's table: one for each point that has ended well."""
    made = []
    for point, row in zip(points, rows, strict=True):
        if row is None or row["status"] != DONE:
            continue
        config = json.loads(row["inputs"])
        axes = {AXIS + name: value for name, value in point.axes}
        whole = {**row, **axes}
        columns = exhibit.columns.items()
        made.append({name: column(exhibit, path, whole, config, point) for name, path in columns})
    return made


def write_csv(path: Path, lines: Sequence[Record], columns: Sequence[str]) -> None:
    """Writes the table. The file takes its name when it is whole."""
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    part.replace(path)


def numbers(exhibit: Exhibit, lines: Sequence[Record], printed: Sequence[Mapping[str, str]]) -> list[Number]:
    """Every printed number of an exhibit. `printed` are the lines of the targets that are about it."""
    found: list[Number] = []
    for number in exhibit.numbers:
        if "analysis" in number or "against" in number:
            found += _compared(exhibit, number, lines, printed)
        else:
            found += _of_lines(exhibit, number, lines)
    return found


def _of_lines(exhibit: Exhibit, number: Mapping[str, Any], lines: Sequence[Record]) -> list[Number]:
    """A number for each line of the table: a column beside another, or beside a fixed value."""
    found = []
    for line in lines:
        if any(line.get(name) != value for name, value in number.get("where", {}).items()):
            continue
        given = number["target"]
        target = line.get(given) if isinstance(given, str) and given in exhibit.columns else given
        if target is not None:
            words = {name: _short(value) for name, value in line.items()}
            found.append(_number(exhibit, number, target, line.get(number["value"]), words))
    return found


def _compared(
    exhibit: Exhibit, number: Mapping[str, Any], lines: Sequence[Record], printed: Sequence[Mapping[str, str]]
) -> list[Number]:
    """A number over several lines: the mean change against others, or the order of a column's values."""
    target = number.get("target")
    if "line" in number:
        target = _printed(number["line"], printed)
    if target is None:
        return []
    ours = ANALYSES[number.get("analysis", "mean")]({**number, "target": target}, lines)
    return [_number(exhibit, number, target, ours, {})]


def _printed(wanted: Mapping[str, str], printed: Sequence[Mapping[str, str]]) -> float | str | None:
    for line in printed:
        if all(line.get(key) == value for key, value in wanted.items()):
            return parsed(line["value"])
    return None


def _number(
    exhibit: Exhibit,
    number: Mapping[str, Any],
    target: float | str,
    ours: float | str | None,
    words: Mapping[str, str],
) -> Number:
    metric, unit = str(number["metric"]).format_map(words), str(number.get("unit", ""))
    kind: Kind = number.get("kind") or kind_of(metric, unit, target)
    verdict = judge(Target(target, unit, kind, number.get("within")), ours)
    return Number(
        paper=exhibit.paper,
        exhibit=exhibit.name,
        workload=str(number.get("line", {}).get("workload", "")),
        metric=metric,
        against=str(number.get("line", {}).get("against", "")),
        unit=unit,
        target=target,
        ours=ours,
        verdict=verdict,
        workload_is=WORKLOADS[exhibit.workload_is],
        note=str(number.get("note", "")) if verdict != "reproduced" else "",
    )


def _short(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return str(value)
