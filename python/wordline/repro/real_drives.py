"""Measurements of real drives: tables in a folder that `--measured` names, the runs that follow their
protocol, and what their figures are held against.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.calibration import measured as under_load
from wordline.calibration.measured import MeasuredPoint
from wordline.calibration.protocol import Protocol, simulated
from wordline.scenario import Scenario
from wordline.study.point import Point

Line = dict[str, str]
Figures = dict[str, float]

LOADS = "latency_under_load.csv"

QUICK_POINTS = 3
"""Of each drive, spread over its loads, the highest among them."""

Read = Callable[[Path], "list[tuple[Line, Figures, dict[str, str]]]"]


def points(loads: Mapping[str, Any], folder: Path, quick: bool, seeds: Sequence[int]) -> list[Point]:
    """Every point of load of the drives of an exhibit, each as a run by the measurement's own protocol."""
    made = []
    probes = loads["quick_probes"] if quick else loads["probes"]
    for drive in loads["drives"]:
        for point in _points_of(folder, drive, quick):
            for seed in seeds:
                axes: dict[str, Any] = {"device": drive, "load": point.name, "offered": _offered(point)}
                made.append(
                    Point(
                        Scenario(drive, workload=Protocol().workload(point.offered, probes), seed=seed),
                        tuple({**axes, "seed": seed}.items() if len(seeds) > 1 else axes.items()),
                    )
                )
    return made


def _points_of(folder: Path, drive: str, quick: bool) -> list[MeasuredPoint]:
    found = under_load.read(folder / LOADS, drive, Protocol()).points
    if not quick:
        return found
    last = len(found) - 1
    return [
        found[number]
        for number in sorted({round(last * k / (QUICK_POINTS - 1)) for k in range(QUICK_POINTS)})
    ]


def _offered(point: MeasuredPoint) -> float:
    """Writes a second at which the point is drawn: of a saturated one what the drive did."""
    return point.figures["writes_per_s"] if point.saturated else point.offered


def of_probe(result: str) -> dict[str, float]:
    """Figures of a run under load, by the names of the columns that were measured."""
    figures = simulated(result)
    return {name: value for name, value in figures.items() if isinstance(value, float)}


def lines(folder: Path, table: str) -> list[tuple[Line, Figures, dict[str, str]]]:
    """What a table has measured: which line of an exhibit, the figures, and a remark beside each."""
    return READERS[table](folder / table)


def _loads(path: Path) -> list[tuple[Line, Figures, dict[str, str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        drives = dict.fromkeys(row["drive"] for row in csv.DictReader(file))
    found = []
    for drive in drives:
        for point in under_load.read(path, drive, Protocol()).points:
            line = {"device": drive, "load": point.name}
            found.append((line, dict(point.figures), _repeats(point)))
    return found


def _repeats(point: MeasuredPoint) -> dict[str, str]:
    """How far the runs of a point lie apart."""
    return {
        name: f"{point.runs} runs, ± {100 * math.expm1(spread):.2g}%" for name, spread in point.spread.items()
    }


def _pattern(row: Mapping[str, str]) -> str:
    """The name of a workload of these exhibits, from the test's own words."""
    if row["pattern"] == "zipf-shuffle":
        return f"zipf {float(row['details']):g}"
    return "zones 95/5"


def _patterns(path: Path) -> list[tuple[Line, Figures, dict[str, str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    base = next(float(row["steady_writes_per_s"]) for row in rows if _pattern(row) == "zipf 0.2")
    return [
        (
            {"workload": _pattern(row)},
            {"relative": float(row["steady_writes_per_s"]) / base},
            {"relative": f"{row['steady_writes_per_s']} writes a second on the drive"},
        )
        for row in rows
    ]


def _over_time(path: Path) -> list[tuple[Line, Figures, dict[str, str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        (
            {"workload": _pattern(row), "written": f"{float(row['written_share']):g}"},
            {"mib_per_s": float(row["mib_per_s"])},
            {},
        )
        for row in rows
    ]


READERS: dict[str, Read] = {
    LOADS: _loads,
    "writes_by_pattern.csv": _patterns,
    "writes_over_time.csv": _over_time,
}


def orders(
    loads: Mapping[str, Any], found: Sequence[tuple[Line, Figures, Mapping[str, str]]]
) -> list[dict[str, Any]]:
    """The order of the drives by each response time at the loads that all were measured at."""
    drives = loads["drives"]
    by_load: dict[str, dict[str, Figures]] = {}
    for line, figures, _ in found:
        by_load.setdefault(line["load"], {})[line["device"]] = figures
    return [
        {
            "metric": f"{name}: {figure}: order",
            "analysis": "order",
            "value": figure,
            "where": {"by": "device", "load": name},
            "target": " < ".join(sorted(drives, key=lambda drive: of[drive][figure])),
            "kind": "order",
        }
        for name, of in by_load.items()
        if all(drive in of for drive in drives)
        for figure in loads["orders"]
    ]
