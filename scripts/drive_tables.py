"""Writes the tables of docs/drives.md anew from the exhibits of `wordline repro drives`.

Usage: scripts/drive_tables.py FOLDER, where `wordline repro drives --measured DIR --out FOLDER` made FOLDER.
Pictures are copied, too. Which rows of a table there are, and what was fitted to, stays as the page has it.
Prints what the text says of all figures together, to be compared with it.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "drives.md"
EXHIBITS = {
    *("datasheets", "datasheets-client", "datasheets-slc"),
    *("load-reads", "load-writes", "over-time", "skew", "zn540"),
}
PERCENTILES = ("mean", "p50", "p99", "p99_9", "p99_99")


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


def table(folder: Path, exhibit: str, *keys: str) -> dict[tuple[str, ...], Row]:
    """The rows of an exhibit's own table by some of its columns."""
    with (folder / "drives" / f"{exhibit}.csv").open(newline="") as file:
        return {tuple(row[key] for key in keys): row for row in csv.DictReader(file)}


def cells(line: str) -> list[str]:
    """Of a line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def line(row: list[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(row)} |"


def rewritten(text: str, heading: str, change: Callable[[list[str]], list[str] | None]) -> str:
    """The page with the lines of the tables below a heading changed, as far as `change` changes them."""
    before, mark, rest = text.partition(f"\n## {heading}\n")
    if not mark:
        sys.exit(f"{PAGE}: no heading {heading!r}")
    section, end, after = rest.partition("\n## ")
    lines = []
    for old in section.split("\n"):
        new = change(cells(old)) if old.startswith("|") else None
        lines.append(old if new is None else line(new))
    return before + mark + "\n".join(lines) + end + after


def sheets(text: str, rows: list[Row], folder: Path) -> str:
    """What data sheets print: simulated, and in parentheses the printed figure."""
    printed = numbers(rows, "datasheets", "datasheets-client", "datasheets-slc")
    ours: dict[tuple[str, ...], Row] = {}
    for exhibit in ("datasheets", "datasheets-client", "datasheets-slc"):
        ours |= table(folder, exhibit, "device", "workload")
    columns = (
        ("seq-read", "mb_per_s"),
        ("seq-write", "mb_per_s"),
        ("rand-read", "iops"),
        ("rand-write", "iops"),
        ("one-read", "mean_us"),
        ("one-write", "mean_us"),
    )

    def figure(metric: str, value: float) -> str:
        if metric == "mb_per_s":
            return f"{value:,.0f}"
        return f"{value / 1000:.0f}k" if metric == "iops" else f"{value:.1f}"

    def cell(device: str, load: str, metric: str) -> str:
        # Of data that lies in the SLC cache, where that is what is printed; of an empty client drive.
        for name in (f"recent-{load}", f"fresh-{load}", f"client-{load}", load):
            if (device, name) in ours and (name.startswith("recent") or name in used(device)):
                own = figure(metric, float(ours[device, name][metric]))
                told = printed.get(f"{device}, {name}: {metric}")
                if told is None:
                    return own
                return f"{own} ({figure(metric, told.target).removesuffix('.0')})"
        return ""

    def used(device: str) -> set[str]:
        return {name for of, name in ours if of == device}

    def change(row: list[str]) -> list[str] | None:
        device = row[0].strip("`")
        if not any(of == device for of, _ in ours):
            return None
        new = [cell(device, *column) for column in columns]
        # An empty cell stays: the drive isn't asked for that.
        new = [now if was else "" for was, now in zip(row[1:7], new, strict=True)]
        waf = ours.get((device, "rand-write"))
        return [row[0], *new, f"{float(waf['waf']):.1f}" if waf and row[7] else ""]

    return rewritten(text, "Data sheets", change)


def under_load(text: str, rows: list[Row]) -> str:
    """Response times and rates under load, and how many lie within the bounds."""
    known = numbers(rows, "load-reads", "load-writes")
    met: Counter[tuple[str, bool]] = Counter()
    told: Counter[tuple[str, bool]] = Counter()
    of_drive: Counter[tuple[str, bool]] = Counter()
    fitted: dict[tuple[str, str], str] = {}

    def change(row: list[str]) -> list[str] | None:
        if len(row) != 8 or not any(metric.startswith(f"{row[0]}, ") for metric in known):
            return None
        load = row[1] if row[1] == "saturated" else f"{row[1]}/s"
        of = {metric: known[f"{row[0]}, {load}: {metric}"] for metric in METRICS}
        fitted[row[0], load] = row[2]
        rate = of["writes_per_s"]
        lists = []
        for kind in ("read", "write"):
            of_kind = [of[f"{kind}_{percentile}_us"] for percentile in PERCENTILES]
            lists.append(", ".join(f"{number.target:,.0f}" for number in of_kind))
            lists.append(", ".join(f"{number.ours:,.0f}" for number in of_kind))
        return [*row[:3], f"{rate.target:,.0f} ({rate.ours:,.0f})", *lists]

    text = rewritten(text, "Under load", change)
    for metric, number in known.items():
        device, load, what = re.fullmatch(r"(\S+), (\S+): (\w+)", metric).groups()  # type: ignore[union-attr]
        kind = "writes" if what.startswith("write_") else "reads and rates"
        to = kind[0] in fitted.get((device, load), "")
        met[kind, to] += number.met
        told[kind, to] += 1
        of_drive[device, number.met] += kind == "reads and rates"

    def counts(row: list[str]) -> list[str] | None:
        if row[0] not in ("reads and rates", "writes"):
            return None
        pairs = [(met[row[0], to], told[row[0], to]) for to in (True, False)]
        pairs.append((sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)))
        return [row[0], *(f"{good} of {all_}" for good, all_ in pairs)]

    for device in sorted({device for device, _ in of_drive}):
        good = of_drive[device, True]
        print(f"reads and rates of {device}: {good} of {good + of_drive[device, False]}")
    return rewritten(text, "Under load", counts)


METRICS = ("writes_per_s", *(f"{kind}_{p}_us" for kind in ("read", "write") for p in PERCENTILES))


def orders(rows: list[Row]) -> None:
    """How many orders of the drives, and pairs of them, are the measured ones."""
    chosen = [row for row in rows if row["exhibit"].startswith("load-") and row["metric"].endswith("order")]
    right = pairs = 0
    for row in chosen:
        measured, ours = (row[side].split(" < ") for side in ("target", "ours"))
        both = list(combinations(measured, 2))
        pairs += len(both)
        right += sum(ours.index(first) < ours.index(second) for first, second in both)
    whole = sum(row["verdict"] == "reproduced" for row in chosen)
    print(f"orders of the drives: {whole} of {len(chosen)}; pairs: {right} of {pairs}")


def over_time(text: str, rows: list[Row], folder: Path) -> str:
    """The way to the steady state, and the steady rates by skew."""
    known = numbers(rows, "over-time")
    skewed = table(folder, "skew", "workload")
    columns: list[str] = []

    def change(row: list[str]) -> list[str] | None:
        if row[0].startswith("MiB a second"):
            columns[:] = row[1:]
        named = re.fullmatch(r"(Zipf [\d.]+), (measured|simulated)", row[0])
        if named and columns:
            load = named[1].lower()
            new = []
            for at, was in zip(columns, row[1:], strict=True):
                times = [float(time) for time in at.split("–")]
                within = [
                    number
                    for metric, number in known.items()
                    if metric.startswith(f"{load}, ")
                    and inside(float(metric.split(", ")[1].split(":")[0]), times)
                ]
                values = [number.target if named[2] == "measured" else number.ours for number in within]
                new.append(f"{sum(values) / len(values):,.0f}" if values else was)
            return [row[0], *new]
        chosen = ["zipf 0.4", "zipf 0.6", "zipf 0.8", "zipf 1", "zones 95/5"]
        if row[0] in ("measured", "simulated") and len(row) == 6:
            key = "measured_relative" if row[0] == "measured" else "relative"
            return [row[0], *(f"{float(skewed[load,][key]):.3f}" for load in chosen)]
        if row[0].startswith("WAF, simulated"):
            first = f"WAF, simulated (Zipf 0.2: {float(skewed['zipf 0.2',]['waf']):.2f})"
            return [first, *(f"{float(skewed[load,]['waf']):.2f}" for load in chosen)]
        return None

    for loads in (("zipf 0.2", "zipf 0.6", "zipf 1"), ("",)):
        all_ = [number for metric, number in known.items() if metric.startswith(tuple(loads))]
        print(f"twentieths of {', '.join(loads) or 'all'}: {sum(n.met for n in all_)} of {len(all_)}")
    return rewritten(text, "On the way to the steady state", change)


def inside(time: float, bounds: list[float]) -> bool:
    """Whether a twentieth belongs to a column: of one time, or from one to before another."""
    return abs(time - bounds[0]) < 1e-6 if len(bounds) == 1 else bounds[0] <= time < bounds[1] - 1e-6


def depths(text: str, rows: list[Row], folder: Path) -> str:
    """Reads of the ZN540 by queue depth."""
    known = numbers(rows, "zn540")
    ours = table(folder, "zn540", "queue_depth")

    def change(row: list[str]) -> list[str] | None:
        if (row[0],) not in ours:
            return None
        metrics = [known[f"{row[0]}: {metric}"] for metric in ("iops", "p50_us", "p99_us")]
        return [row[0], *(f"{value:,.0f}" for number in metrics for value in (number.target, number.ours))]

    return rewritten(text, "Reads of the ZN540", change)


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
    text = PAGE.read_text()
    text = sheets(text, rows, folder)
    text = under_load(text, rows)
    text = over_time(text, rows, folder)
    text = depths(text, rows, folder)
    orders(rows)
    PAGE.write_text(text)
    for kind in ("reads", "writes"):
        shutil.copy(folder / "drives" / f"load-{kind}.svg", DOCS / "img" / f"drives-{kind}.svg")


if __name__ == "__main__":
    main()
