"""From the rows of a store to the table of an exhibit, and from that to its numbers."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.repro.exhibit import WORKLOADS, Exhibit
from wordline.repro.formulas import FORMULAS
from wordline.repro.verdict import Kind, Target, Verdict, judge, kind_of, parsed
from wordline.study.point import Point
from wordline.study.row import AXIS, DONE

FORMULA = "formula:"
RATIO = "ratio:"
PRODUCT = "product:"
MEAN_RESPONSE = "response.mean_ns"
"""Mean response time of reads and writes together."""

LOGICAL_BYTES = "drive.logical_bytes"

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
        made.append(
            {name: _column(exhibit, path, {**row, **axes}, config) for name, path in exhibit.columns.items()}
        )
    return made


def _column(exhibit: Exhibit, path: str, row: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
    if path.startswith(FORMULA):
        name = path.removeprefix(FORMULA)
        if name not in FORMULAS:
            raise WordlineError(f"exhibit {exhibit.paper}/{exhibit.name}: no formula `{name}`")
        return FORMULAS[name](config)
    if path.startswith(PRODUCT):
        factors = [_column(exhibit, part, row, config) for part in path.removeprefix(PRODUCT).split("*")]
        return None if None in factors else math.prod(factors)
    if path.startswith(RATIO):
        above, below = (_figure(row, name) for name in path.removeprefix(RATIO).split("/"))
        return above / below if above is not None and below else None
    if path.startswith("config."):
        value: Any = config
        for key in path.split(".")[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value
    return _figure(row, path)


def _figure(row: Mapping[str, Any], path: str) -> Any:
    if path == LOGICAL_BYTES:
        return row["drive.logical_units"] * row["drive.mapping_unit_bytes"]
    if path == MEAN_RESPONSE:
        requests = [row[f"{kind}.requests"] or 0.0 for kind in ("read", "write")]
        means = [row.get(f"{kind}.latency_ns.mean") or 0.0 for kind in ("read", "write")]
        total = sum(requests)
        return sum(map(math.prod, zip(requests, means, strict=True))) / total if total else None
    # Parts of a response time that a run doesn't name took no time in it.
    return row.get(path, 0.0 if ".blame." in path or path.startswith("waf_by_cause.") else None)


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
    ours = ANALYSES[number.get("analysis", "mean")](number, lines)
    target = number.get("target")
    if "line" in number:
        target = _printed(number["line"], printed)
        if target is None:
            return []
    return [] if target is None else [_number(exhibit, number, target, ours, {})]


def _printed(wanted: Mapping[str, str], printed: Sequence[Mapping[str, str]]) -> float | str | None:
    for line in printed:
        if all(line.get(key) == value for key, value in wanted.items()):
            return parsed(line["value"])
    return None


def _order(number: Mapping[str, Any], lines: Sequence[Record]) -> str | None:
    """Names of a column (`where.by`) in the order of the mean of another (`value`), joined by `<`."""
    by, names = number["where"]["by"], [part.strip() for part in str(number["target"]).split("<")]
    means = {}
    for name in names:
        values = [line[number["value"]] for line in lines if str(line[by]) == name]
        if not values:
            return None
        means[name] = sum(values) / len(values)
    return " < ".join(sorted(names, key=lambda name: means[name]))


def _mean_change(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    """Mean over the other columns of `value` where `where` holds, by that where `against` holds, less one."""
    changes = _changes(number, lines)
    return sum(changes) / len(changes) if changes else None


def _least_change(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    """The same, the smallest: of a decrease the largest."""
    return min(_changes(number, lines), default=None)


def _largest_change(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    """The same, the largest."""
    return max(_changes(number, lines), default=None)


def _count_of_changes(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    """The same, how many are at most `limit`."""
    changes = _changes(number, lines)
    return float(sum(change <= number["limit"] for change in changes)) if changes else None


def _changes(number: Mapping[str, Any], lines: Sequence[Record]) -> list[float]:
    pick, base = number["where"], number["against"]
    over = number.get("over") or _others(lines, {*pick, *base, number["value"]})
    bases = {tuple(line.get(name) for name in over): line for line in lines if _fits(line, base)}
    changes = []
    for line in lines:
        other = bases.get(tuple(line.get(name) for name in over))
        if _fits(line, pick) and other is not None and other.get(number["value"]):
            changes.append(line[number["value"]] / other[number["value"]] - 1)
    return changes


def _values(number: Mapping[str, Any], lines: Sequence[Record]) -> list[float]:
    """`value` of the lines where `where` holds."""
    fitting = [line[number["value"]] for line in lines if _fits(line, number["where"])]
    return [value for value in fitting if value is not None]


def _average(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    values = _values(number, lines)
    return sum(values) / len(values) if values else None


def _highest(number: Mapping[str, Any], lines: Sequence[Record]) -> float | None:
    return max(_values(number, lines), default=None)


def _order_of_gains(number: Mapping[str, Any], lines: Sequence[Record]) -> str | None:
    """Names of a column (`by`) in the order of the mean decrease of `value` by `where` against `against`."""
    by, names = number["by"], [part.strip() for part in str(number["target"]).split("<")]
    means = {}
    for name in names:
        changes = _changes(number, [line for line in lines if str(line[by]) == name])
        if not changes:
            return None
        means[name] = sum(changes) / len(changes)
    return " < ".join(sorted(names, key=lambda name: -means[name]))


ANALYSES: dict[str, Callable[[Mapping[str, Any], Sequence[Record]], float | str | None]] = {
    "mean": _mean_change,
    "least": _least_change,
    "largest": _largest_change,
    "count": _count_of_changes,
    "order": _order,
    "average": _average,
    "highest": _highest,
    "order_of_gains": _order_of_gains,
}


def _others(lines: Sequence[Record], known: set[str]) -> list[str]:
    """Columns of words and whole numbers: what tells lines apart."""
    first = lines[0] if lines else {}
    return [name for name, value in first.items() if name not in known and isinstance(value, str | int)]


def _fits(line: Record, wanted: Mapping[str, Any]) -> bool:
    return all(line.get(name) == value for name, value in wanted.items())


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
