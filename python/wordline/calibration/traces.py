"""Traces with measured response times as a measurement: each is cut in parts, by time the points of load."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration import text_tables, trace_settings
from wordline.calibration.measured import FIGURES, OFFERED, Measured, MeasuredPoint, beside
from wordline.calibration.protocol import DIRECTIONS, STATISTICS, WARM_UP, Protocol, percentiles
from wordline.calibration.replays import FEWEST, TRANSFORM, Replay, last_of, warm_up
from wordline.calibration.trace_settings import SOURCE, Settings
from wordline.presets import replay, stem, toml_value
from wordline.simulation import describe_trace

PARTS = 8
"""Of one trace; of several each has its share, two or more."""

MOST, LEAST = 100_000, 1_000
"""Requests that are measured of a part: as many as a probe has, and as a p99 takes."""

UNMEASURED = (
    "no measured response times: allowed: a trace that holds them, such as msr, systor, replayed or one with "
    "a column of them (docs/trace-formats.md)"
)


def is_trace(path: Path, settings: Sequence[tuple[str, str]] = ()) -> bool:
    """Whether it is a trace or a folder of traces, neither a table of measurements nor results of fio.
    Settings of how a trace is read say so.
    """
    if path.is_dir():
        return not any(path.glob("*.json")) and bool(_files(path))
    if not path.is_file() or path.suffix == ".json":
        return False
    if any(key.startswith(SOURCE) for key, _ in settings):
        return True
    with path.open("rb") as file:
        head = file.readline(65_536)
    return bool(head) and not text_tables.names_one_of(head, (OFFERED, *FIGURES))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))


@dataclass(frozen=True)
class Traces:
    """A trace, or those of a folder, read once."""

    path: Path
    each: tuple[_Trace, ...]
    user_bytes: int | None

    @classmethod
    def of(cls, path: Path, settings: Settings, user_bytes: int | None = None) -> Traces:
        """To be replayed on a drive of so many bytes. Raises `WordlineError` for a trace whose response times
        can't be compared.
        """
        files = _files(path)
        trace_settings.check(path, settings)
        named = zip(files, _labels(files), strict=True)
        return cls(
            path, tuple(_Trace.of(file, settings, label, user_bytes) for file, label in named), user_bytes
        )

    def measured(self, requests: int | None, also: Sequence[Path] = ()) -> Measured:
        """The measurement that they are, and further tables beside it. Of each part the last `requests` are
        measured, or as many as there are.
        """
        parts = max(PARTS // len(self.each), 2)
        points = [point for trace in self.each for point in trace.points(parts, requests)]
        few = [point.name for point in points if not point.figures]
        if few:
            raise WordlineError(
                f"{self.path}: {few[0]}: fewer than {FEWEST} reads and writes: allowed: more of either"
            )
        _, further, notes = beside(also, stem(self.path), None, [], self.user_bytes)
        source = ", ".join(one.name for one in (self.path, *also))
        return Measured(stem(self.path), source, [*points, *further], Protocol(), tuple(notes))


def _labels(files: Sequence[Path]) -> list[str]:
    """What tells traces apart in their names; of a single one nothing."""
    names = [stem(file) for file in files]
    if len(names) == 1:
        return [""]
    columns = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    shared = re.sub(r"[^._-]*$", "", "".join(letters[0] for letters in columns))
    return [name.removeprefix(shared) or name for name in names]


@dataclass(frozen=True)
class _Trace:
    """A file of which all requests have a response time."""

    path: Path
    settings: Settings
    label: str
    requests: int

    @classmethod
    def of(cls, path: Path, settings: Settings, label: str, user_bytes: int | None) -> _Trace:
        """Reads it once, on its way to a drive of so many bytes."""
        try:
            info = _info(path, settings)
        except WordlineError as error:
            # Whoever says how it is read knows that it is a trace.
            raise error if settings else WordlineError(f"{error}; {text_tables.ALLOWED}") from None
        trace: dict[str, Any] = next(iter(info["traces"]), {})
        if not trace.get("measured"):
            raise WordlineError(f"{path}: {UNMEASURED}")
        held = sum(one["requests"] for one in trace["measured"].values())
        if held != info["requests"]:
            raise WordlineError(
                f"{path}: {held:,} of {info['requests']:,} requests have a response time: allowed: all"
            )
        if trace_settings.in_place(settings) and user_bytes is not None and info["end_bytes"] > user_bytes:
            raise WordlineError(
                f"{path}: addresses up to {info['end_bytes']:,}: allowed: up to the {user_bytes:,} bytes of "
                "the drive, or workload.source.out_of_range as `compact` or `wrap`"
            )
        return cls(path, settings, label, held)

    def points(self, parts: int, requests: int | None) -> list[MeasuredPoint]:
        """Its parts, as many at most, each with so many requests at most."""
        while parts > 2 and self._length(parts, None) < LEAST:
            parts -= 1
        count = self._length(parts, requests)
        if count < LEAST:
            raise WordlineError(
                f"{self.path}: {self.requests:,} requests: allowed: {2 * (LEAST + warm_up(LEAST)):,} or more"
            )
        ends = [self.requests * (number + 1) // parts for number in range(parts)]
        return [
            self._point(_info(self.path, self.settings, last_of(end, count)), number, parts, end)
            for number, end in enumerate(ends, 1)
        ]

    def _length(self, parts: int, requests: int | None) -> int:
        """Requests of a part that are measured: those before them are its own, too."""
        return min(int(self.requests // parts / (1 + WARM_UP)), requests or MOST, MOST)

    def _point(self, info: Mapping[str, Any], number: int, parts: int, end: int) -> MeasuredPoint:
        measured = info["traces"][0]["measured"]
        counts = {name: measured[name]["requests"] for name in DIRECTIONS}
        latencies = {name: measured[name]["latency_ns"] for name in DIRECTIONS if counts[name]}
        load = Replay(
            path=str(self.path),
            settings=self.settings,
            label=self.label,
            number=number,
            of=parts,
            behind=end,
            count=sum(one["requests"] for one in measured.values()),
            by_direction=counts,
            moved={name: info[f"{name}s"]["bytes"] for name in DIRECTIONS},
            fastest_us={name: found["min"] / 1e3 for name, found in latencies.items()},
            seconds=max(info["span_ns"], 1) / 1e9,
        )
        figures = {
            f"{name}_{statistic}_us": max(latencies[name][statistic], 1) / 1e3
            for name in load.compared
            for statistic in STATISTICS
        }
        curve = {name: percentiles(latencies[name]) for name in load.compared}
        offered = counts["write"] / load.seconds
        return MeasuredPoint(offered, figures, {}, 1, saturated=False, curve=curve, load=load)


def _info(path: Path, settings: Settings, *steps: dict[str, Any]) -> dict[str, Any]:
    """What a trace tells, or what these steps keep of it."""
    read_by = [*trace_settings.reading(settings), (TRANSFORM, toml_value(list(steps)))]
    return describe_trace(replay(path), read_by).to_dict()
