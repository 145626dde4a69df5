"""The blocks of each guide run as they stand, in order, in one folder, and show what the guide says."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pyarrow.parquet
import pytest
from blocks import blocks, run

METRICS = ("waf", "read.latency_ns.mean", "read.latency_ns.p99")

GUIDES = sorted((Path(__file__).parents[1] / "docs" / "guides").glob("*.md"))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def fewer_writes_and_longer_reads(folder: Path) -> None:
    """In a closed loop reads take longer for a lower WAF; at one rate only their tail does."""
    closed, opened = (_ratios(folder / name / "rows") for name in ("closed", "open"))
    assert closed["waf"] < 0.9 and closed["read.latency_ns.mean"] > 1.05
    assert abs(opened["read.latency_ns.mean"] - 1) < 0.05 and opened["read.latency_ns.p99"] > 1.2


def _ratios(folder: Path) -> dict[str, float]:
    """Figures of the second scheme by those of the first, means over seeds."""
    table = pyarrow.parquet.read_table(folder).to_pylist()
    means = {
        scheme: {metric: fmean(row[metric] for row in table if row["scheme"] == scheme) for metric in METRICS}
        for scheme in ("baseline", "cost-benefit")
    }
    return {metric: means["cost-benefit"][metric] / means["baseline"][metric] for metric in METRICS}


def waf_falls_with_spare_space(folder: Path) -> None:
    table = pyarrow.parquet.read_table(folder / "size" / "sweep.parquet").to_pylist()
    by_size = [row["waf"] for row in sorted(table, key=lambda row: -row["axis.device.capacity.user_bytes"])]
    assert len(by_size) == 3 and by_size[0] > by_size[1] > by_size[2] > 1


def both_numbers_are_judged(folder: Path) -> None:
    judged = [row for row in rows(folder / "repro" / "numbers.csv") if not row["uncounted"]]
    assert len(judged) == 2 and all(row["verdict"] == "reproduced" for row in judged)


def true_values_lie_in_their_intervals(folder: Path) -> None:
    found = {row["path"]: row for row in rows(folder / "fitted" / "values.csv")}
    for path, true in {"device.cell.program_ns": 900_000, "device.link.completion_ns": 9_000}.items():
        assert float(found[path]["interval_low"]) < true < float(found[path]["interval_high"])


def every_drive_is_in_the_table_and_the_log_keeps_its_rates(folder: Path) -> None:
    table = pyarrow.parquet.read_table(folder / "drives" / "sweep.parquet").to_pylist()
    assert len({row["read.latency_ns.p99"] for row in table}) == 5
    load = (folder / "iostat.toml").read_text()
    assert "iops = 9000.0" in load and "iops = 1000.0" in load


SHOWN: dict[str, Callable[[Path], None]] = {
    "choose-a-drive": every_drive_is_in_the_table_and_the_log_keeps_its_rates,
    "evaluate-a-policy": fewer_writes_and_longer_reads,
    "size-a-drive": waf_falls_with_spare_space,
    "reproduce-a-paper": both_numbers_are_judged,
    "calibrate-a-drive": true_values_lie_in_their_intervals,
}


def test_there_are_six() -> None:
    assert len(GUIDES) == 6 and SHOWN.keys() <= {guide.stem for guide in GUIDES}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_runs(guide: Path, tmp_path: Path) -> None:
    found = blocks(guide)
    assert len(found) >= 3
    for language, code in found:
        run(tmp_path, language, code)
    if guide.stem in SHOWN:
        SHOWN[guide.stem](tmp_path)
