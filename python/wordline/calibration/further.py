"""What else was measured of a drive, in tables beside that of its points of load: rates at other loads, and
what the writing threads themselves saw. What goes on the way to the steady state is `way_rows`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordline._core import WordlineError
from wordline.calibration import text_tables
from wordline.calibration.patterns import DEPTH, RATE_COLUMNS, Number, Row, load_of, rate_of, theta_of
from wordline.calibration.protocol import STATISTICS, WRITERS, Run
from wordline.calibration.rates import KINDS, Load
from wordline.calibration.way_rows import WRITTEN

RATES_COLUMNS = ("load", "bytes", "depth", "mib_per_s or requests_per_s", "fill or used_gib", "theta", "waf")

FILLS_COLUMN, WRITERS_COLUMN = "steady_writes_per_s", "writes_per_s_of_a_thread"
"""By which a table of rates by fill, and one of the writing threads, is known."""

COLUMNS = {
    "rates": ("drive", "load", "bytes", "depth", *RATE_COLUMNS, "fill", "used_gib", "theta", "waf"),
    "fills": ("drive", "used_gib", FILLS_COLUMN),
    "patterns": ("drive", "pattern", "details", FILLS_COLUMN),
    "ways": ("drive", "pattern", "details", WRITTEN, *RATE_COLUMNS, "start", "run"),
    "writers": (
        "drive",
        "offered_writes_per_s",
        WRITERS_COLUMN,
        *(f"write_{name}_us" for name in STATISTICS),
    ),
}
"""Columns that are read, by kind of table."""

NEAR = 0.001
"""Offered rates that differ by less are of the same run."""

GIB = 2**30


def read_rows(path: Path, name: str, drive: str | None) -> tuple[list[str], list[Row]]:
    """Columns and rows of a table, those of the drive of that name where it names drives; of one that names a
    single one also if no `drive` was chosen.
    """
    columns, found = text_tables.read(path)
    rows: list[Row] = [*found]
    names = list(dict.fromkeys(row["drive"] or "" for _, row in rows)) if "drive" in columns else []
    if names and not (drive is None and len(names) == 1):
        rows = [one for one in rows if one[1]["drive"] == name]
    if not rows:
        allowed = f" of {name}: it names {', '.join(names)}" if names else ""
        raise WordlineError(f"{path}: nothing measured{allowed}")
    return columns, rows


def kind_of(path: Path, columns: Sequence[str]) -> str:
    """`rates`, `fills`, `patterns`, `ways` or `writers`."""
    if WRITERS_COLUMN in columns and "offered_writes_per_s" in columns:
        return "writers"
    if {"used_gib", FILLS_COLUMN} <= set(columns):
        return "fills"
    if {"pattern", "details", FILLS_COLUMN} <= set(columns):
        return "patterns"
    if {"pattern", "details", WRITTEN} <= set(columns) and set(RATE_COLUMNS) & set(columns):
        return "ways"
    if {"load", "bytes", "depth"} <= set(columns) and set(RATE_COLUMNS) & set(columns):
        return "rates"
    known = (
        f"rates ({', '.join(RATES_COLUMNS)})",
        f"rates by fill (used_gib, {FILLS_COLUMN}) or pattern (pattern, details, {FILLS_COLUMN})",
        f"the way to the steady state (pattern, details, {WRITTEN}, {' or '.join(RATE_COLUMNS)}, start, run)",
        f"threads that write (offered_writes_per_s, {WRITERS_COLUMN}, write_mean_us, write_p50_us and so on)",
    )
    raise WordlineError(f"{path}: columns {', '.join(columns) or '(none)'}: allowed: {'; '.join(known)}")


def loads(
    kind: str, columns: Sequence[str], rows: Sequence[Row], user_bytes: int | None, number: Number
) -> list[tuple[Load, dict[str, float]]]:
    """A load and its figures for each row of rates."""
    made = []
    for where, row in rows:
        if kind == "fills":
            rate = number(where, FILLS_COLUMN, row.get(FILLS_COLUMN))
            load = Load("randwrite", 4096, DEPTH, _fill(where, columns, row, user_bytes, number))
            made.append((load, {"requests_per_s": rate}))
        elif kind == "patterns":
            if (known := load_of(where, row, number)) is not None:
                rate = number(where, FILLS_COLUMN, row.get(FILLS_COLUMN))
                made.append((known, {"requests_per_s": rate}))
        else:
            made.append(_rate(where, columns, row, user_bytes, number))
    return made


def _rate(
    where: str, columns: Sequence[str], row: Mapping[str, str | None], user_bytes: int | None, number: Number
) -> tuple[Load, dict[str, float]]:
    name = row["load"] or ""
    if name not in KINDS:
        raise WordlineError(f"{where}: load = {name!r}: allowed: {', '.join(KINDS)}")
    size, depth = (number(where, key, row[key]) for key in ("bytes", "depth"))
    for key, value, least in (("bytes", size, 512), ("depth", depth, 1)):
        if value != round(value) or value < least:
            raise WordlineError(f"{where}: {key} = {value:g}: allowed: a whole number from {least} on")
    load = Load(name, round(size), round(depth), _fill(where, columns, row, user_bytes, number))
    if name == "zipf":
        load = replace(load, theta=theta_of(where, "theta", row.get("theta"), number))
    if load.fill < 1.0 and name != "randwrite":
        raise WordlineError(
            f"{where}: {load.name}: allowed: a part of the drive in use beside randwrite only"
        )
    rate = rate_of(where, row, load.bytes, number)
    figures = {} if rate is None else {"requests_per_s": rate}
    if row.get("waf"):
        if name not in ("randwrite", "zipf"):
            raise WordlineError(
                f"{where}: waf: allowed beside randwrite and zipf, where it has a steady state"
            )
        figures["waf"] = number(where, "waf", row["waf"])
        if figures["waf"] < 0.9:
            raise WordlineError(
                f"{where}: waf = {figures['waf']:g}: allowed: 0.9 or more: media by host writes"
            )
    if not figures:
        raise WordlineError(f"{where}: allowed: a figure: mib_per_s, requests_per_s or waf")
    return load, figures


def _fill(
    where: str, columns: Sequence[str], row: Mapping[str, str | None], user_bytes: int | None, number: Number
) -> float:
    if "used_gib" in columns and row.get("used_gib"):
        if user_bytes is None:
            raise WordlineError(
                f"{where}: used_gib: allowed: `fill`, since the device has no capacity.user_bytes"
            )
        share = number(where, "used_gib", row["used_gib"]) * GIB / user_bytes
        # Testers print whole GiB.
        share = 1.0 if 1.0 < share <= 1.0 + GIB / user_bytes else share
    else:
        share = number(where, "fill", row["fill"]) if row.get("fill") else 1.0
    if not 0.05 <= share <= 1.0:
        raise WordlineError(f"{where}: {share:.4g} of the drive in use: allowed: a share from 0.05 to 1")
    return 1.0 if share > 0.999 else round(share, 4)


def with_writers(runs: Sequence[Run], path: Path, rows: Sequence[Row], number: Number) -> list[Run]:
    """The runs with what their writing threads saw, by offered rate; a row of none is refused."""
    offered = [
        (number(where, "offered_writes_per_s", row["offered_writes_per_s"]), where, row)
        for where, row in rows
    ]
    for rate, where, _ in offered:
        if all(abs(run.offered / rate - 1) > NEAR for run in runs):
            raise WordlineError(
                f"{where}: offered_writes_per_s = {rate:,.0f}: allowed: that of a point of load"
            )
    made = []
    for run in runs:
        gap, place = min(
            (abs(math.log(run.offered / rate)), place) for place, (rate, _, _) in enumerate(offered)
        )
        own: dict[str, float] = {}
        if gap <= NEAR:
            _, where, row = offered[place]
            own = {
                name: number(where, f"write_{statistic}_us", row[f"write_{statistic}_us"])
                for name, statistic in zip(WRITERS, STATISTICS, strict=True)
                if row.get(f"write_{statistic}_us")
            }
        made.append(replace(run, figures={**run.figures, **own}))
    if not any(set(WRITERS) & set(run.figures) for run in made):
        raise WordlineError(
            f"{path}: no figure of the threads: allowed: write_mean_us, write_p50_us and so on"
        )
    return made
