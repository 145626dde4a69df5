"""What was measured on a drive: points of load with rates and response times, read from a table or from
results of fio.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration import fio, further, little, patterns, protocol, rates, text_tables, way_rows
from wordline.calibration.patterns import Row
from wordline.calibration.protocol import DIRECTIONS, STATISTICS, WRITERS, Protocol, Run
from wordline.calibration.rates import Load, Look
from wordline.calibration.replays import Replay
from wordline.calibration.way_rows import WRITTEN, Walked
from wordline.calibration.ways import Way
from wordline.presets import Description
from wordline.wording import argument, meant

RATES = ("writes_per_s", "reads_per_s", *rates.FIGURES)
"""What keeps its squares in a fit."""

OFFERED = "offered_writes_per_s"

LATENCIES = tuple(f"{direction}_{name}_us" for direction in DIRECTIONS for name in STATISTICS)

FIGURES = ("writes_per_s", "reads_per_s", *LATENCIES)
"""What every point of load has."""

OPTIONAL = (*WRITERS, "waf")
"""What it may have beside that."""

COLUMNS = ("drive", OFFERED, *FIGURES, *OPTIONAL)

MOST_APART = 500.0
"""What the last percentile may be of the one before."""

REPEATED = 0.001
"""Rates that differ by less are repeats of one point: testers tell repeats apart by a request more a second.
"""


@dataclass(frozen=True)
class MeasuredPoint:
    """All runs at one offered rate, or all saturated ones."""

    offered: float
    figures: dict[str, float]
    """Geometric means over the runs."""
    spread: dict[str, float]
    """Standard deviation of the logarithm over the runs; without repeats empty."""
    runs: int
    saturated: bool
    curve: Mapping[str, Sequence[tuple[float, float]]]
    """Of the first run."""
    load: Load | Way | Replay | None = None
    """In the place of the protocol's."""

    @property
    def name(self) -> str:
        """What tables call it."""
        if self.load is not None:
            return self.load.name
        return "saturated" if self.saturated else f"{self.offered:,.0f}/s"

    @property
    def timed(self) -> bool:
        """Whether response times are known of it: by the protocol, or of a part of a trace."""
        return self.load is None or isinstance(self.load, Replay)

    @property
    def rate(self) -> bool:
        """Whether it is a rate at another load that a fit may see."""
        return isinstance(self.load, Load | Way) and not self.load.judges

    def workload(self, own: Protocol, requests: int, look: Look) -> Description:
        """It as a workload, by the protocol of the measurement."""
        if self.load is None:
            return own.workload(self.offered, requests)
        return self.load.workload(requests, look)

    def overrides(self, look: Look) -> tuple[tuple[str, str], ...]:
        """What the drive is at this point."""
        return () if self.load is None else self.load.overrides(look)

    def simulated(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of a run of it; refuses one that lacks a figure that was measured."""
        found = protocol.simulated(row["result"]) if self.load is None else self.load.simulated(row)
        for name in self.figures:
            if not found.get(name):
                raise WordlineError(f"{self.name}: no {name} within the simulated time")
        return found


@dataclass(frozen=True)
class Measured:
    """A drive's measurement."""

    name: str
    source: str
    """The file or folder that it was read from."""
    points: list[MeasuredPoint]
    """By offered rate, the lowest first; then the rates at other loads."""
    protocol: Protocol
    doubts: tuple[str, ...] = ()
    """What looks wrong, though it may be right, and what was passed over."""
    runs: tuple[Run, ...] = ()
    """Those of the protocol, as they were read."""

    @property
    def loads(self) -> list[MeasuredPoint]:
        """The points of load whose response times are known."""
        return [point for point in self.points if point.timed]

    @property
    def replays(self) -> list[Replay]:
        """The parts of traces; without a trace none."""
        return [point.load for point in self.points if isinstance(point.load, Replay)]

    def held_out(self, share: float) -> list[bool]:
        """Which of the points of load a fit doesn't see."""
        return later(self.replays, share) if self.replays else held_out(self.loads, share)

    @property
    def ways(self) -> list[MeasuredPoint]:
        """Those on the way to the steady state."""
        return [point for point in self.points if isinstance(point.load, Way)]

    @property
    def rates(self) -> list[MeasuredPoint]:
        """Those at other loads that a fit may see."""
        return [point for point in self.points if point.rate]


def read(
    path: Path,
    drive: str | None,
    protocol: Protocol,
    also: Sequence[Path] = (),
    user_bytes: int | None = None,
) -> Measured:
    """The measurement of a CSV file, or of fio's results: a JSON file, or a folder of them; and of further
    tables beside it, of a drive with so many bytes. Raises `WordlineError` for what can't be a measurement,
    with its place.
    """
    notes: list[str] = []
    if path.is_dir() or path.suffix == ".json":
        name, runs, protocol = fio.read(path, protocol)
        if drive is not None and drive != name:
            raise WordlineError(f"{argument('drive', drive)}: allowed beside a table of several drives only")
    else:
        name, runs, notes = read_table(path, drive)
    runs, further_points, passed_over = beside(also, name, drive, runs, user_bytes)
    for run in runs:
        _check(run)
        _check_writers(run, protocol)
    points = join(runs)
    if len(points) < 2:
        raise WordlineError(
            f"{path}: one point of load ({points[0].name}): allowed: two or more, "
            "from light load to saturation"
        )
    doubts = [text for run in runs if (text := little.doubt(run, protocol)) is not None]
    source = ", ".join(one.name for one in (path, *also))
    notes = [*little.shortly(doubts), *notes, *passed_over]
    return Measured(name, source, [*points, *further_points], protocol, tuple(notes), tuple(runs))


def beside(
    also: Sequence[Path], name: str, drive: str | None, runs: list[Run], user_bytes: int | None
) -> tuple[list[Run], list[MeasuredPoint], list[str]]:
    """What further tables add: to the runs what their writing threads saw; points of their own; and what was
    passed over.
    """
    notes: list[str] = []
    others: list[tuple[Load, dict[str, float]]] = []
    walked: list[Row] = []
    for table in also:
        columns, rows = further.read_rows(table, name, drive)
        kind = further.kind_of(table, columns)
        notes += text_tables.slips(table, columns, further.COLUMNS[kind])
        if kind in ("patterns", "ways"):
            notes += [f"{table}: pattern {name}: passed over" for name in patterns.passed_over(rows)]
        if kind == "writers":
            runs = further.with_writers(runs, table, rows, _number)
        elif kind == "ways":
            walked += rows
        else:
            others += further.loads(kind, columns, rows, user_bytes, _number)
    return runs, [*join_rates(others), *(_on_the_way(one) for one in way_rows.ways(walked, _number))], notes


def read_table(path: Path, drive: str | None) -> tuple[str, list[Run], list[str]]:
    """The name of the drive, the runs of a CSV file, and what was passed over. `drive` chooses one of
    several.
    """
    columns, rows = text_tables.read(path)
    _check_columns(path, columns)
    if not rows:
        raise WordlineError(f"{path}: no measurement below the header")
    name = _choose(path, drive, list(dict.fromkeys(row.get("drive") or path.stem for _, row in rows)))
    own = [(where, row) for where, row in rows if (row.get("drive") or path.stem) == name]
    notes = text_tables.slips(path, [column for column in columns if not _is_percentile(column)], COLUMNS)
    return name, [_run(where, row, columns) for where, row in own], notes


def _choose(path: Path, wanted: str | None, names: list[str]) -> str:
    if wanted is None:
        if len(names) == 1:
            return names[0]
        raise WordlineError(f"{path}: several drives: {argument('drive')} with one of {', '.join(names)}")
    if wanted in names:
        return wanted
    hint = meant(wanted, names, f"allowed: {', '.join(names)}")
    raise WordlineError(f"{argument('drive', wanted)}: not in {path}: {hint}")


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    if not columns:
        raise WordlineError(
            f"{path}: empty: allowed: a table with the columns {OFFERED}, {', '.join(FIGURES)}"
        )
    missing = [name for name in (OFFERED, *FIGURES) if name not in columns]
    if not missing:
        return
    for name in missing:
        stem = name.removesuffix("_us")
        for unit, factor in (("ns", "divided by 1,000"), ("ms", "times 1,000"), ("s", "times 1,000,000")):
            if name.endswith("_us") and f"{stem}_{unit}" in columns:
                raise WordlineError(f"{path}: column {stem}_{unit}: allowed: {name}, in µs ({factor})")
    raise WordlineError(f"{path}: missing columns: {', '.join(missing)}")


def _run(where: str, row: Mapping[str, str | None], columns: Iterable[str]) -> Run:
    curve: dict[str, list[tuple[float, float]]] = {}
    for direction in DIRECTIONS:
        for column in columns:
            share = _share(column, direction)
            if share is not None:
                curve.setdefault(direction, []).append((share, _number(where, column, row.get(column))))
    figures = {name: _number(where, name, row.get(name)) for name in FIGURES}
    figures |= {name: _number(where, name, row[name]) for name in OPTIONAL if row.get(name)}
    return Run(_number(where, OFFERED, row.get(OFFERED)), figures, where, curve)


def _share(column: str, direction: str) -> float | None:
    """The share of requests that a column of percentiles stands for."""
    text = column.removeprefix(f"{direction}_p").removesuffix("_us")
    if column != f"{direction}_p{text}_us" or not text.replace("_", "").isdigit():
        return None
    return float(text.replace("_", ".")) / 100


def _is_percentile(column: str) -> bool:
    return any(_share(column, direction) is not None for direction in DIRECTIONS)


def _number(where: str, name: str, text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        raise WordlineError(f"{where}: {name} = {text!r}: allowed: a number") from None
    if not math.isfinite(value) or value <= 0:
        raise WordlineError(f"{where}: {name} = {text}: allowed: a number above 0")
    return value


def _check(run: Run) -> None:
    """Refuses figures that no drive can have together: units that were mixed up."""
    figures, where = run.figures, run.where
    for direction in DIRECTIONS:
        mean = figures[f"{direction}_mean_us"]
        last = 0.0
        for name, share in (("p50", 0.5), ("p99", 0.99), ("p99_9", 0.999), ("p99_99", 0.9999)):
            column = f"{direction}_{name}_us"
            value = figures[column]
            if value < last:
                raise WordlineError(
                    f"{where}: {column} = {value:g}: below the percentile before: units mixed up?"
                )
            # Of any distribution the mean is at least a percentile times the share above it (Markov).
            if mean < 0.9 * value * (1 - share):
                raise WordlineError(
                    f"{where}: {direction}_mean_us = {mean:g} beside {column} = {value:g}: units mixed up?"
                )
            last = value
        before, tail = (figures[f"{direction}_{name}_us"] for name in ("p99_9", "p99_99"))
        # The mean tells nothing of so few.
        if tail > MOST_APART * before:
            raise WordlineError(
                f"{where}: {direction}_p99_99_us = {tail:g} beside {direction}_p99_9_us = {before:g}: "
                "units mixed up?"
            )
        median = figures[f"{direction}_p50_us"]
        if median < 1.0:
            raise WordlineError(
                f"{where}: {direction}_p50_us = {median:g}: no drive answers within 1 µs: in ms or s?"
            )
    if figures["writes_per_s"] > 1.05 * run.offered:
        raise WordlineError(
            f"{where}: writes_per_s = {figures['writes_per_s']:,.0f}: allowed: at most {OFFERED}, "
            f"which is {run.offered:,.0f}"
        )


def _check_writers(run: Run, protocol: Protocol) -> None:
    """Refuses figures of writers where all that is offered is the probe's."""
    probes = protocol.probe_per_s * (1 - protocol.probe_read_share)
    if run.offered <= probes and set(WRITERS) & set(run.figures):
        raise WordlineError(
            f"{run.where}: {OFFERED} = {run.offered:,.0f}: allowed with figures of writers: above "
            f"{probes:,.0f}, which the probe writes"
        )


def join(runs: Sequence[Run]) -> list[MeasuredPoint]:
    """The points of load: runs at the same offered rate, and the saturated ones, are repeats."""
    ordered = sorted(runs, key=lambda run: run.offered)
    groups: list[list[Run]] = []
    full = [run for run in ordered if run.is_saturated]
    for run in ordered:
        if run in full:
            continue
        if groups and run.offered <= groups[-1][0].offered * (1 + REPEATED):
            groups[-1].append(run)
        else:
            groups.append([run])
    points = [_point(group, saturated=False) for group in groups]
    return points + ([_point(full, saturated=True)] if full else [])


def _point(runs: Sequence[Run], saturated: bool) -> MeasuredPoint:
    logs = _logs([run.figures for run in runs])
    return MeasuredPoint(
        # Any rate above what the drive can do will do: the highest is above what a fitted drive can do, too.
        offered=max(run.offered for run in runs) if saturated else runs[0].offered,
        figures={name: math.exp(statistics.fmean(values)) for name, values in logs.items()},
        spread={name: statistics.stdev(values) for name, values in logs.items() if len(values) > 1},
        runs=len(runs),
        saturated=saturated,
        curve=runs[0].curve,
    )


def _logs(figures: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    names = dict.fromkeys(name for one in figures for name in one)
    return {name: [math.log(one[name]) for one in figures if name in one] for name in names}


def join_rates(measured: Sequence[tuple[Load, Mapping[str, float]]]) -> list[MeasuredPoint]:
    """Rates at the same load are repeats."""
    made = []
    for load in dict.fromkeys(load for load, _ in measured):
        own = [figures for other, figures in measured if other == load]
        logs = _logs(own)
        made.append(
            MeasuredPoint(
                offered=0.0,
                figures={name: math.exp(statistics.fmean(values)) for name, values in logs.items()},
                spread={name: statistics.stdev(values) for name, values in logs.items() if len(values) > 1},
                runs=len(own),
                saturated=False,
                curve={},
                load=load,
            )
        )
    return made


def _on_the_way(walked: Walked) -> MeasuredPoint:
    return MeasuredPoint(
        offered=0.0,
        figures=walked.figures,
        spread=walked.spread,
        runs=walked.runs,
        saturated=False,
        curve={WRITTEN: walked.curve},
        load=walked.way,
    )


def later(parts: Sequence[Replay], share: float) -> list[bool]:
    """Which parts a fit doesn't see: of each trace the last ones, but never the first."""
    return [part.number > max(part.of - math.floor(part.of * share + 1e-9), 1) for part in parts]


def held_out(points: Sequence[MeasuredPoint], share: float) -> list[bool]:
    """Which points a fit doesn't see: evenly spread, counted from the highest load, which is seen."""
    count = len(points)
    held = [
        math.floor((place + 1) * share + 1e-9) > math.floor(place * share + 1e-9) for place in range(count)
    ]
    return held[::-1]
