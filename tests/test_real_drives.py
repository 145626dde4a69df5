"""Exhibits of measured drives: their tables, their runs, what is judged and how."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pytest

import wordline
from wordline._core import WordlineError
from wordline.calibration.measured import FIGURES, OFFERED
from wordline.calibration.over_time import parts
from wordline.calibration.protocol import Protocol, simulated
from wordline.repro import exhibit, measured, real_drives
from wordline.repro.exhibit import Exhibit
from wordline.repro.numbers import numbers
from wordline.repro.run import reproduce
from wordline.repro.verdict import Target, judge

LATENCIES = {"mean": 80.0, "p50": 70.0, "p99": 240.0, "p99_9": 400.0, "p99_99": 500.0}


def exhibit_of(name: str) -> Exhibit:
    return exhibit.read(exhibit.EXHIBITS / "drives" / f"{name}.toml")


def table_of_loads(folder: Path, drives: list[str]) -> Path:
    """Two loads of each drive, the first measured twice; the second is more than the drive did."""
    lines = []
    for number, drive in enumerate(drives):
        for offered, done, factor in ((5000, 5000, 1.0), (5001, 5001, 1.1), (900_000, 60_000, 10.0)):
            line = {"drive": drive, OFFERED: offered, "writes_per_s": done, "reads_per_s": 5000}
            for way in ("read", "write"):
                line |= {f"{way}_{k}_us": v * factor * (1 + number / 10) for k, v in LATENCIES.items()}
            lines.append(line)
    folder.mkdir(exist_ok=True)
    path = folder / "latency_under_load.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["drive", OFFERED, *FIGURES])
        writer.writeheader()
        writer.writerows(lines)
    return path


def test_drives_under_load_are_run_as_they_were_measured_and_judged_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    table_of_loads(folder, ["pm9a3-960", "7450pro-960"])
    shown = exhibit_of("load-reads")
    loads = {**shown.data["load"], "drives": ["pm9a3-960", "7450pro-960"], "probes": 2000}
    small = dataclasses.replace(shown, data={**shown.data, "load": loads})
    points = small.points(False, None, (1,), folder)
    assert [dict(point.axes)["load"] for point in points] == ["5,000/s", "saturated"] * 2
    assert dict(points[1].axes)["offered"] == pytest.approx(60_000)
    # The probe's 5,000 writes are all there are; six more threads beside it.
    assert points[0].scenario.workload.text.count("[[flow]]") == 1
    assert points[1].scenario.workload.text.count("[[flow]]") == 7
    found = measured.read(small, folder)
    by = {(one.line["device"], one.line["load"], one.figure): one for one in found}
    first = by["pm9a3-960", "5,000/s", "read_p50_us"]
    assert first.value == pytest.approx(70 * 1.1**0.5)
    assert (first.within, first.unit) == (0.1, "µs")
    assert first.note == "2 runs, ± 7%"
    assert by["7450pro-960", "saturated", "read_p99_99_us"].factor == 1.5
    orders = real_drives.orders(loads, real_drives.lines(folder, "latency_under_load.csv"))
    assert {order["target"] for order in orders} == {"pm9a3-960 < 7450pro-960"}
    lines = [
        {"device": drive, "load": "5,000/s", "seed": 1, **dict.fromkeys(loads["orders"], value)}
        for drive, value in (("pm9a3-960", 75.0), ("7450pro-960", 60.0))
    ]
    judged = {number.metric: number.verdict for number in numbers(small, lines, [], folder)}
    assert judged["pm9a3-960, 5,000/s: read_p50_us"] == "reproduced"
    assert judged["7450pro-960, 5,000/s: read_p50_us"] == "not reproduced"
    assert judged["5,000/s: read_p50_us: order"] == "not reproduced"


def test_exhibits_of_measured_drives_are_skipped_without_the_measurement(tmp_path: Path) -> None:
    for name in ("load-reads", "load-writes", "skew", "over-time"):
        shown = exhibit_of(name)
        assert shown.missing(None) == f"needs measured_folder = DIR with {shown.table}"
        assert shown.missing(None, tmp_path) == f"{tmp_path} has no {shown.table}"
        assert measured.read(shown) == []
    found = reproduce("drives", tmp_path / "out", names=["skew"], quick=True)
    assert not found.numbers and found.shown[0].reason.startswith("needs measured_folder = DIR")


def test_a_key_that_a_table_of_measurements_has_not_got_is_refused() -> None:
    shown = exhibit_of("skew")
    wrong = dataclasses.replace(shown, data={**shown.data, "measured": {"table": "x.csv", "by": ["a"]}})
    with pytest.raises(WordlineError, match="allowed: the keys table, within, bounds"):
        measured.read(wrong)


def test_a_run_is_cut_into_parts_of_the_drive_written() -> None:
    series = {"write_bytes": [600, 600, 500], "duration_ns": [1e9, 3e9, 5e9], "waf": [1.0, 2.0, None]}
    row = {"series": json.dumps(series), "drive.logical_units": 4, "drive.mapping_unit_bytes": 250}
    first, *rest = parts(row, 0.8)
    # 600 bytes in 1 s and 200 of 600 in 3 s; then 400 of 600 and 400 of 500.
    assert first == {
        "written": 0.0,
        "mib_per_s": pytest.approx(800 / 2 / 2**20),
        "waf": pytest.approx((600 + 2 * 200) / 800),
    }
    assert [part["mib_per_s"] for part in rest] == [pytest.approx(800 / (2 + 4) / 2**20)]


def test_writes_by_skew_are_relative_to_the_least_skew(tmp_path: Path) -> None:
    header = "drive,test,pattern,details,run,capacity_gib,written_in_capacities,seconds,steady_writes_per_s\n"
    rows = "d,t,zipf-shuffle,0.200000,r,1,5,1,1000\nd,t,zones-shuffle,s0.95 f0.05,r,1,9,1,800\n"
    (tmp_path / "writes_by_pattern.csv").write_text(header + rows)
    found = real_drives.lines(tmp_path, "writes_by_pattern.csv")
    assert [(line["workload"], figures["relative"]) for line, figures, _ in found] == [
        ("zipf 0.2", 1.0),
        ("zones 95/5", 0.8),
    ]


MEASURED = {
    "pm9a3-960": (64, 76_521),
    "p5520-1920": (70, 120_692),
    "7450pro-960": (65, 67_937),
    "wd-sn640-class-960": (84, 46_211),
}
"""Median of reads at 10,000 writes a second, µs, and saturated writes a second (SSD-iq's raw data)."""


@pytest.mark.parametrize("drive", MEASURED)
def test_a_preset_of_a_measured_drive_reads_at_light_load_and_saturates_as_the_drive_does(drive: str) -> None:
    median, saturated = MEASURED[drive]

    def under(offered: float) -> dict[str, float]:
        workload = Protocol().workload(offered, 10_000)
        result = wordline.run(drive, workload=workload)
        return simulated(result.json())

    assert under(10_000)["read_p50_us"] == pytest.approx(median, rel=0.1)
    assert under(200_000)["writes_per_s"] == pytest.approx(saturated, rel=0.05)


def test_a_factor_bounds_both_sides_alike() -> None:
    target = Target(900.0, "µs", "level", 0.0, 1.5)
    verdicts = [judge(target, value) for value in (599.0, 600.0, 1350.0, 1351.0)]
    assert verdicts == ["not reproduced", "reproduced", "reproduced", "not reproduced"]


def test_documents_lead_with_what_was_not_fitted() -> None:
    root = Path(__file__).parent.parent
    tables = (root / "docs" / "results" / "drive-tables.md").read_text()
    rows = [
        line.split(" | ")
        for line in tables.splitlines()
        if line.startswith(("|  | fitted to", "| reads and", "| writes |"))
    ]
    names, *counted = rows
    unfitted, whole = ([row[names.index(name)] for row in counted] for name in ("not fitted to", "all"))
    assert len(unfitted) == 2
    for page in ("README.md", "docs/drives.md"):
        text = (root / page).read_text()
        for first, later in zip(unfitted, whole, strict=True):
            assert -1 < text.find(first) < text.find(later), (page, first, later)
