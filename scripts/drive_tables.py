"""Writes docs/results/drive-tables.md from the exhibits of `wordline repro drives`.

Usage: scripts/drive_tables.py FOLDER, where `wordline repro drives --measured DIR --out FOLDER` made FOLDER.
Pictures are copied, too. Prints what docs/drives.md says of all figures together, to be compared with it.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "results" / "drive-tables.md"
SHEETS = ("datasheets", "datasheets-client", "datasheets-slc")
EXHIBITS = {*SHEETS, "load-reads", "load-writes", "over-time", "skew", "zn540"}
PERCENTILES = ("mean", "p50", "p99", "p99_9", "p99_99")

IN_STEADY_STATE = ("pm9a3-960", "p5520-1920", "7450pro-960", "wd-sn640-class-960", "sz985-800")
"""Drives whose random writes are those of the full drive."""
WITHOUT_WRITES = ("zn540",)
"""Drives whose sheets have nothing that random writes to any place could stand beside."""

FITTED = {
    "pm9a3-960": ("10 20 40 50 60 70 saturated", "20 40 50 60 70 saturated"),
    "p5520-1920": ("10 30 50 60 70 90 110 saturated", "10 30 50 70 90 110 saturated"),
    "7450pro-960": ("10 20 30 40 50 60 saturated", "10 20 30 50 saturated"),
    "wd-sn640-class-960": ("10 20 30 40 saturated", "10 30 saturated"),
}
"""Loads, in thousand writes a second, whose reads and rates, and whose writes, each preset was fitted to."""

TIMES = ("0–0.2", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45", "0.5", "0.55", "0.6", "1", "2", "3")
"""Columns: a twentieth of the capacity, or all from one to before another."""
SHOWN = ("zipf 0.2", "zipf 0.6", "zipf 1")
SKEWS = ("zipf 0.4", "zipf 0.6", "zipf 0.8", "zipf 1", "zones 95/5")


class Number(NamedTuple):
    """A number beside the measured or printed one."""

    target: float
    ours: float
    met: bool


Row = Mapping[str, str]


def numbers(rows: list[Row], *exhibits: str) -> dict[str, Number]:
    """By metric, those of some exhibits that are no orders."""
    chosen = (row for row in rows if row["exhibit"] in exhibits and not row["metric"].endswith("order"))
    return {
        row["metric"]: Number(float(row["target"]), float(row["ours"]), row["verdict"] == "reproduced")
        for row in chosen
    }


def exhibit(folder: Path, name: str, *keys: str) -> dict[tuple[str, ...], Row]:
    """The rows of an exhibit's own table by some of its columns."""
    with (folder / "drives" / f"{name}.csv").open(newline="") as file:
        return {tuple(row[key] for key in keys): row for row in csv.DictReader(file)}


def table(header: Iterable[str], rows: Iterable[Iterable[str]], left: int = 1) -> str:
    """A table in Markdown whose first columns are set to the left and the others to the right."""
    names = list(header)
    rules = ["---" if at < left else "--:" for at in range(len(names))]
    lines = [f"| {' | '.join(row)} |" for row in (names, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def sheets(rows: list[Row], folder: Path) -> str:
    """What data sheets print: simulated, and in parentheses the printed figure."""
    printed = numbers(rows, *SHEETS)
    ours: dict[tuple[str, ...], Row] = {}
    for name in SHEETS:
        ours |= exhibit(folder, name, "device", "workload")
    columns = {
        "reads, MB/s": ("seq-read", "mb_per_s"),
        "writes, MB/s": ("seq-write", "mb_per_s"),
        "random reads/s": ("rand-read", "iops"),
        "random writes/s": ("rand-write", "iops"),
        "one read, µs": ("one-read", "mean_us"),
        "one write, µs": ("one-write", "mean_us"),
    }

    def figure(metric: str, value: float) -> str:
        if metric == "mb_per_s":
            return f"{value:,.0f}"
        return f"{value / 1000:.0f}k" if metric == "iops" else f"{value:.1f}"

    def cell(device: str, load: str, metric: str) -> str:
        if device in WITHOUT_WRITES and load.endswith("write"):
            return ""
        # Of data that lies in the SLC cache, where that is what is printed; of an empty client drive.
        for name in (f"recent-{load}", f"fresh-{load}", f"client-{load}", load):
            if (device, name) in ours:
                own = figure(metric, float(ours[device, name][metric]))
                told = printed.get(f"{device}, {name}: {metric}")
                return own if told is None else f"{own} ({figure(metric, told.target).removesuffix('.0')})"
        return ""

    lines = []
    for device in dict.fromkeys(device for device, _ in ours):
        steady = device in IN_STEADY_STATE
        waf = f"{float(ours[device, 'rand-write']['waf']):.1f}" if steady else ""
        lines.append([f"`{device}`", *(cell(device, *column) for column in columns.values()), waf])
    print(f"of data sheets: {sum(number.met for number in printed.values())} of {len(printed)}")
    return table(("preset", *columns, "WAF"), lines)


def fitted_to(device: str, load: str) -> str:
    """`r` where reads and rates were fitted to this load, `w` where writes were."""
    name = "saturated" if load == "saturated" else str(int(load.removesuffix("/s").replace(",", "")) // 1000)
    reads, writes = FITTED[device]
    return " ".join(mark for mark, loads in (("r", reads), ("w", writes)) if name in loads.split())


def under_load(rows: list[Row]) -> str:
    """Response times and rates under load."""
    known = numbers(rows, "load-reads", "load-writes")
    lines = []
    found = dict.fromkeys(tuple(metric.split(": ")[0].split(", ", 1)) for metric in known)
    for device, load in sorted(found, key=lambda one: list(FITTED).index(one[0])):
        of = {metric: known[f"{device}, {load}: {metric}"] for metric in METRICS}
        rate = of["writes_per_s"]
        lists = []
        for kind in ("read", "write"):
            of_kind = [of[f"{kind}_{percentile}_us"] for percentile in PERCENTILES]
            lists.append(", ".join(f"{number.target:,.0f}" for number in of_kind))
            lists.append(", ".join(f"{number.ours:,.0f}" for number in of_kind))
        offered = load.removesuffix("/s")
        done = f"{rate.target:,.0f} ({rate.ours:,.0f})"
        lines.append([device, offered, fitted_to(device, load), done, *lists])
    header = ("drive", "writes/s", "fitted to", "done (simulated)")
    return table((*header, "reads", "simulated", "writes", "simulated"), lines, left=8)


METRICS = ("writes_per_s", *(f"{kind}_{p}_us" for kind in ("read", "write") for p in PERCENTILES))


def within_bounds(rows: list[Row]) -> str:
    """How many figures under load lie within the bounds, by what was fitted to and by drive."""
    met: Counter[tuple[str, str]] = Counter()
    told: Counter[tuple[str, str]] = Counter()
    for metric, number in numbers(rows, "load-reads", "load-writes").items():
        device, load, what = re.fullmatch(r"(\S+), (\S+): (\w+)", metric).groups()  # type: ignore[union-attr]
        kind = "writes" if what.startswith("write_") else "reads and rates"
        to = "fitted to" if kind[0] in fitted_to(device, load) else "not fitted to"
        for group in (to, "all", device):
            met[kind, group] += number.met
            told[kind, group] += 1
    groups = ("fitted to", "not fitted to", "all", *FITTED)
    lines = [
        [kind, *(f"{met[kind, group]} of {told[kind, group]}" for group in groups)]
        for kind in ("reads and rates", "writes")
    ]
    return table(("", *groups), lines)


def orders(rows: list[Row]) -> str:
    """How many orders of the drives, and pairs of them, are the measured ones."""
    chosen = [row for row in rows if row["exhibit"].startswith("load-") and row["metric"].endswith("order")]
    right = pairs = 0
    for row in chosen:
        measured, ours = (row[side].split(" < ") for side in ("target", "ours"))
        both = list(combinations(measured, 2))
        pairs += len(both)
        right += sum(ours.index(first) < ours.index(second) for first, second in both)
    whole = sum(row["verdict"] == "reproduced" for row in chosen)
    said = f"Of {len(chosen)} orders of the four drives by a percentile at one load {whole} are the measured"
    return f"{said} ones, of their {pairs} pairs {right}."


def over_time(rows: list[Row]) -> str:
    """The way to the steady state."""
    known = numbers(rows, "over-time")
    lines = []
    for load in SHOWN:
        by_time = {
            float(metric.split(", ")[1].split(":")[0]): number
            for metric, number in known.items()
            if metric.startswith(f"{load}, ")
        }
        for side in ("measured", "simulated"):
            means = []
            for column in TIMES:
                bounds = [float(time) for time in column.split("–")]
                within = [number for time, number in by_time.items() if inside(time, bounds)]
                values = [number.target if side == "measured" else number.ours for number in within]
                means.append(f"{sum(values) / len(values):,.0f}")
            lines.append([f"{load.capitalize()}, {side}", *means])
    of_shown = [number for metric, number in known.items() if metric.startswith(SHOWN)]
    for name, chosen in (("these three", of_shown), ("all", list(known.values()))):
        print(f"twentieths of {name}: {sum(number.met for number in chosen)} of {len(chosen)}")
    return table(("MiB a second at … of the capacity written", *TIMES), lines)


def inside(time: float, bounds: list[float]) -> bool:
    """Whether a twentieth belongs to a column: of one time, or from one to before another."""
    return abs(time - bounds[0]) < 1e-6 if len(bounds) == 1 else bounds[0] <= time < bounds[1] - 1e-6


def skewed(folder: Path) -> str:
    """Steady rates by skew, relative to those of Zipf 0.2."""
    by_load = {load: row for (load,), row in exhibit(folder, "skew", "workload").items()}
    sides = {"measured": "measured_relative", "simulated": "relative"}
    lines = [[side, *(f"{float(by_load[load][key]):.3f}" for load in SKEWS)] for side, key in sides.items()]
    first = f"WAF, simulated (Zipf 0.2: {float(by_load['zipf 0.2']['waf']):.2f})"
    lines.append([first, *(f"{float(by_load[load]['waf']):.2f}" for load in SKEWS)])
    return table(("", "Zipf 0.4", "0.6", "0.8", "1", "95% to 5%"), lines)


def depths(rows: list[Row]) -> str:
    """Reads of the ZN540 by queue depth."""
    known = numbers(rows, "zn540")
    lines = []
    for depth in dict.fromkeys(metric.split(": ")[0] for metric in known):
        of = [known[f"{depth}: {metric}"] for metric in ("iops", "p50_us", "p99_us")]
        lines.append([depth, *(f"{value:,.0f}" for number in of for value in (number.target, number.ours))])
    print(f"of the ZN540: {sum(number.met for number in known.values())} of {len(known)}")
    header = ("queue depth", *("reads/s, measured", "simulated"), *("p50, µs, measured", "simulated"))
    return table((*header, "p99, µs, measured", "simulated"), lines)


def page(rows: list[Row], folder: Path) -> str:
    """The whole page."""
    return f"""# Tables of presets beside real drives

Written by `scripts/drive_tables.py`; not edited by hand.
What was measured, how, and what it shows: [presets beside real drives](../drives.md).

## Data sheets

Simulated, and in parentheses what the sheet or the press prints.

{sheets(rows, folder)}

## Under load

Mean, p50, p99, p99.9 and p99.99 in µs, as measured and simulated.
`r` marks the rows whose reads or rates were fitted to, `w` those whose writes were.

{under_load(rows)}

Within the bounds of the exhibit lie
(rates 5%, mean and p50 10%, p99 20%, beyond that a factor of 1.5; writes' mean 15%, p50 2 µs):

{within_bounds(rows)}

{orders(rows)}

## On the way to the steady state

{over_time(rows)}

## By skew

Writes a second relative to those of Zipf 0.2.

{skewed(folder)}

## Reads of the ZN540

{depths(rows)}
"""


def main() -> None:
    """Runs the command line."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    if not (folder / "numbers.csv").is_file():
        sys.exit(f"{folder}: allowed: a folder that `wordline repro drives --out` wrote")
    with (folder / "numbers.csv").open(newline="") as file:
        rows: list[Row] = [row for row in csv.DictReader(file) if row["paper"] == "drives"]
    if missing := EXHIBITS - {row["exhibit"] for row in rows if row["scale"] == "full"}:
        names = ", ".join(sorted(missing))
        sys.exit(f"{folder}: allowed: whole runs of all exhibits, with --measured; lacking: {names}")
    PAGE.write_text(page(rows, folder), encoding="utf-8")
    for kind in ("reads", "writes"):
        shutil.copy(folder / "drives" / f"load-{kind}.svg", DOCS / "img" / f"drives-{kind}.svg")


if __name__ == "__main__":
    main()
