"""Reports of `iostat -x`, as text or JSON, in the columns of sysstat 9 to 12."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wordline._core import WordlineError
from wordline.wording import argument

WAYS = {"read": "r", "write": "w", "trim": "d"}
"""Directions of requests, and the letter that begins their columns."""

UNITS = {"kB/s": 1024, "MB/s": 1 << 20, "sec/s": 512}

NEEDED = ("r/s", "w/s")

PLAIN = "allowed: iostat -x without -h and -s, with LC_ALL=C"


@dataclass(frozen=True)
class Way:
    """What one direction did during a report."""

    per_s: float
    bytes_per_s: float
    wait_s: float | None
    """Mean response time in s; `None` where the log has none."""


@dataclass(frozen=True)
class Report:
    """One interval of one disk."""

    place: str
    """The file, and the line or the number of the report."""
    ways: Mapping[str, Way]
    queue: float | None
    """Mean number of requests under way."""
    flushes_per_s: float

    @property
    def per_s(self) -> float:
        """Requests a second, without flushes."""
        return sum(way.per_s for way in self.ways.values())


def is_text(text: str) -> bool:
    """Whether a text begins as iostat's."""
    return re.search(r"^Device:?\s", text[:20_000], re.MULTILINE) is not None


def read(path: str, text: str, disk: str | None) -> tuple[str, list[Report]]:
    """The disk's name and its reports, the first included. In one without the disk it was idle (`-z`).

    Raises `WordlineError` for a line that isn't as iostat writes it, and where `disk` isn't one of the log's
    or is missing though there are several.
    """
    reports = list(_of_json(path, text) if text.lstrip().startswith("{") else _of_text(path, text))
    names = sorted({name for report in reports for name in report})
    if not names:
        raise WordlineError(f"{path}: no report of a device: {PLAIN}")
    if disk is None and len(names) > 1:
        raise WordlineError(
            f"{path}: {len(names)} devices: allowed: {argument('disk')} with one of {', '.join(names)}"
        )
    chosen = disk or names[0]
    if chosen not in names:
        raise WordlineError(f"{argument('disk', chosen)}: not in {path}: allowed: {', '.join(names)}")
    return chosen, [
        report.get(chosen, Report(f"{path}: report {number}", {}, 0.0, 0.0))
        for number, report in enumerate(reports, 1)
    ]


def _of_text(path: str, text: str) -> Iterator[dict[str, Report]]:
    """The reports, each by the names of its devices."""
    columns: list[str] | None = None
    found: dict[str, Report] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        place, fields = f"{path}:{number}", line.split()
        if not fields:
            columns = None
        elif fields[0] in ("Device", "Device:"):
            if found is not None:
                yield found
            columns, found = fields[1:], {}
            _check_columns(place, columns)
        elif columns is not None and found is not None:
            if len(fields) != len(columns) + 1:
                counts = f"{len(fields)} fields under a header of {len(columns) + 1}"
                raise WordlineError(f"{place}: {counts}: {PLAIN}")
            values = zip(columns, fields[1:], strict=True)
            found[fields[0]] = _report(place, {key: _number(place, key, value) for key, value in values})
    if found is not None:
        yield found


def _of_json(path: str, text: str) -> Iterator[dict[str, Report]]:
    try:
        hosts = json.loads(text)["sysstat"]["hosts"]
        reports = [report for host in hosts for report in host["statistics"]]
        named = [{str(disk["disk_device"]): dict(disk) for disk in report["disk"]} for report in reports]
    except json.JSONDecodeError as error:
        raise WordlineError(
            f"{path}:{error.lineno}: {error.msg}: allowed: all of what iostat wrote"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WordlineError(f"{path}: not as iostat -x -o JSON writes it: {error!r}") from None
    for number, disks in enumerate(named, 1):
        found = {}
        for name, disk in disks.items():
            place = f"{path}: report {number}, {name}"
            del disk["disk_device"]
            _check_columns(place, list(disk))
            found[name] = _report(place, {key: _number(place, key, value) for key, value in disk.items()})
        yield found


def _check_columns(place: str, columns: list[str]) -> None:
    missing = [key for key in NEEDED if key not in columns]
    missing += [
        f"{letter}kB/s" for letter in ("r", "w") if not any(f"{letter}{unit}" in columns for unit in UNITS)
    ]
    if missing:
        raise WordlineError(f"{place}: no column {', '.join(missing)}: {PLAIN}")


def _number(place: str, column: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise WordlineError(f"{place}: {column} {value}: allowed: a number from 0 on, with a decimal point")
    return number


def _report(place: str, values: Mapping[str, float]) -> Report:
    ways = {}
    for way, letter in WAYS.items():
        if f"{letter}/s" not in values:
            continue
        per_s = values[f"{letter}/s"]
        amount = next(
            (values[f"{letter}{unit}"] * size for unit, size in UNITS.items() if f"{letter}{unit}" in values),
            0.0,
        )
        # Before sysstat 10 there is one mean of both directions.
        wait = values.get(f"{letter}_await", values.get("await"))
        ways[way] = Way(per_s, amount, None if wait is None else wait / 1e3)
    return Report(place, ways, values.get("aqu-sz", values.get("avgqu-sz")), values.get("f/s", 0.0))
