"""Time series, samples, blocks and energy in Python; several seeds and their confidence intervals."""

from __future__ import annotations

import importlib
import json
import math
import re
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from conftest import SMALL, Wordline, sets

import wordline as package
from wordline.intervals import student_t
from wordline.seeds import Metric

MEASURED: dict[str, object] = {
    "workload.measure.interval_ns": 1_000_000,
    "workload.measure.sample_ns": 10_000,
    "workload.measure.sample_table": True,
    "workload.measure.block_table": True,
    "device.energy.read_nj": [2000],
    "device.energy.program_nj": [30000],
    "device.energy.channel_pj_per_byte": 20,
}

MIXED: dict[str, Any] = {"device": "mqsim", "workload": "mixed-70-30-8k-qd16", "overrides": SMALL}


def measured(**more: object) -> package.Result:
    return package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides={**SMALL, **MEASURED, **more})


def test_the_time_series_adds_up() -> None:
    result = measured()
    series = result.table("series")
    assert series.num_rows == result.series.rows > 5
    assert sum(series["read_requests"].to_pylist()) == result.read.requests
    assert sum(series["write_bytes"].to_pylist()) == result.write.bytes
    assert sum(series["energy_pj"].to_pylist()) == result.energy.total_pj
    for row in series.to_pylist():
        assert (row["read_latency_p99_ns"] is None) == (row["read_requests"] == 0)
        assert (row["waf"] is None) == (row["write_bytes"] == 0)


def test_samples_and_their_rows_agree() -> None:
    result = measured()
    samples, rows = result.samples, result.table("samples")
    assert sum(rows["samples"].to_pylist()) == samples.samples == math.ceil(result.window.end_ns / 10_000)
    dies = len(result.dies)
    assert sum(samples.outstanding_by_die.values()) == samples.samples * dies
    busy = sum(row["samples"] for row in rows.to_pylist() if row["busy_dies"] == 3)
    assert busy == samples.busy_dies.get("3", 0)
    assert {len(row) for row in rows["outstanding"].to_pylist()} == {dies}
    spread = sum(
        row["samples"] for row in rows.to_pylist() if max(row["outstanding"]) - min(row["outstanding"]) == 2
    )
    assert spread == samples.imbalance.get("2", 0)


def test_blocks_and_erases() -> None:
    result = measured()
    blocks = result.table("blocks")
    assert {"superblock", "domain", "block", "state", "valid_units", "erases"} == set(blocks.column_names)
    assert "full" in blocks["state"].to_pylist()
    dies = result.table("dies")
    assert dies["erases_total"].to_pylist() == [die.erases.total for die in result.dies]
    assert sum(result.table("channels")["erases_total"].to_pylist()) == sum(dies["erases_total"].to_pylist())


def test_what_was_not_measured_says_how_to() -> None:
    result = package.run(**MIXED)
    assert result.series is None and result.samples is None and result.energy is None
    for name, key in (("series", "interval_ns"), ("samples", "sample_table"), ("blocks", "block_table")):
        with pytest.raises(ValueError, match=f"workload.measure.{key}"):
            result.table(name)  # type: ignore[arg-type]


def test_a_folder_holds_what_was_measured(wordline: Wordline, tmp_path: Path) -> None:
    overrides = {path: str(value).lower() for path, value in {**SMALL, **MEASURED}.items()}
    run = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(dict(overrides)))
    outcome = wordline(*run, "--out", tmp_path)
    assert "Energy" in outcome.out and "Samples" in outcome.out
    for name in ("series", "samples", "blocks"):
        assert pyarrow.parquet.read_table(tmp_path / f"{name}.parquet").num_rows > 0


def test_a_series_that_was_merged_is_noted() -> None:
    result = measured(**{"workload.measure.max_rows": 4})
    assert result.series.rows <= 4
    assert any("max_rows" in note.reason for note in result.notes)


def test_students_t() -> None:
    # Tables print these: two-sided 95%.
    for degrees, t in ((1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (30, 2.0423)):
        assert student_t(degrees) == pytest.approx(t, abs=5e-5)


def test_a_confidence_interval_by_hand() -> None:
    metric = Metric.of("waf", "", [1.0, 2.0, 3.0, 4.0, 5.0])
    assert (metric.mean, metric.min, metric.max, metric.seeds) == (3, 1, 5, 5)
    assert metric.std == pytest.approx(math.sqrt(2.5))
    assert metric.ci95 == pytest.approx(2.7764451 * math.sqrt(2.5) / math.sqrt(5))
    single = Metric.of("waf", "", [2.0])
    assert (single.mean, single.std, single.ci95) == (2, None, None)
    assert Metric.of("waf", "", [0.1] * 3).ci95 == 0


def test_seeds_give_each_what_a_run_gives() -> None:
    results = package.run_seeds(**MIXED, seeds=[3, 5, 8], jobs=2)
    assert list(results) == [3, 5, 8]
    means = [package.run(**MIXED, seed=seed).read.latency_ns.mean for seed in (3, 5, 8)]
    assert [result.read.latency_ns.mean for result in results.values()] == means
    metric = results.summary()["read.latency_ns.mean"]
    assert metric.mean == statistics.fmean(means)
    assert metric.ci95 == pytest.approx(student_t(2) * statistics.stdev(means) / math.sqrt(3))
    assert results.summary() == package.run_seeds(**MIXED, seeds=[3, 5, 8], jobs=1).summary()


def test_figures_that_no_run_has_are_left_out() -> None:
    results = package.run_seeds("mqsim", workload="randread-4k-qd16", overrides=SMALL, seeds=2)
    assert list(results) == [1, 2]
    summary = results.summary()
    assert "read.iops" in summary
    assert not {"write.iops", "write.latency_ns.p99", "waf", "energy.total_pj"} & set(summary)


def test_seeds_on_the_command_line(wordline: Wordline, tmp_path: Path) -> None:
    run = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL))
    outcome = wordline(*run, "--seeds", "3", "--seed", "5", "--jobs", "2", "--out", tmp_path)
    assert outcome.code == 0, outcome
    assert "seeds 5, 6, 7" in outcome.out and "read latency p99" in outcome.out
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["seeds"] == [5, 6, 7]
    table = pyarrow.parquet.read_table(tmp_path / "summary.parquet").to_pylist()
    assert {row["metric"]: row for row in table} == summary["summary"]
    for seed in (5, 6, 7):
        result = json.loads((tmp_path / f"seed-{seed}" / "result.json").read_text())
        assert result["seed"] == seed
    assert wordline(*run, "--seeds", "5,6,7", "--json").json() == summary
    assert wordline(*run, "--seeds", "6,", "--json").json()["seeds"] == [6]


def test_small_figures_of_seeds_have_three_digits(wordline: Wordline) -> None:
    days: dict[str, object] = {"device.rated.drive_writes_per_day": 0.5, "device.rated.years": 1}
    run = ("run", "--device", "mqsim", "-w", "mixed-70-30-8k-qd16", *sets(SMALL | days), "--seeds", "3")
    row = next(line for line in wordline(*run).out.splitlines() if "promised_years" in line)
    years = wordline(*run, "--json").json()["summary"]["lifetime.promised_years"]
    assert 0 < years["mean"] < 0.01
    mean, half, _, least, most = row.split()[-5:]
    for text, value in ((mean, years["mean"]), (least, years["min"]), (most, years["max"])):
        assert float(text) == pytest.approx(value, rel=0.005)
        assert len(text.lstrip("0.")) == 3
    # With the decimals of its figure.
    assert len(half) == len(mean) and float(half) == pytest.approx(years["ci95"], rel=0.5)


@pytest.mark.parametrize("seeds", ["0", "x", "1,,2", "3,3", "-1"])
def test_impossible_seeds(wordline: Wordline, seeds: str) -> None:
    assert "seeds" in wordline("run", "--device", "mqsim", *sets(SMALL), f"--seeds={seeds}").error()


def test_a_mistake_in_a_run_of_several_is_one_line(wordline: Wordline) -> None:
    outcome = wordline(
        "run", "--device", "mqsim", *sets({**SMALL, "device.geometry.channels": 0}), "--seeds", "4"
    )
    assert "device.geometry.channels" in outcome.error()


def keys(value: Any) -> Iterator[str]:
    """Every key of a result, without those of tables keyed by a name or a number."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            if not (key.isdecimal() or "." in key):
                yield key
            yield from keys(below)
    elif isinstance(value, list):
        for item in value[:1]:
            yield from keys(item)


def test_the_reference_has_every_field_of_a_result_and_every_column() -> None:
    docs = Path(__file__).parent.parent / "docs"
    sys.path.insert(0, str(docs))
    text: str = importlib.import_module("described").results()
    words = set(re.findall(r"[a-z][a-z0-9_]*", " ".join(re.findall(r"`([^`\n]+)`", text))))
    data = measured(**{"workload.window.warmup_requests": 10}).to_dict()
    del data["config"]
    assert sorted(set(keys(data)) - words) == []
    result = measured()
    columns = [name for table in result.tables() for name in result.table(table).column_names]
    plain = {column.replace("write_", "read_") for column in columns if not column.startswith("busy_")}
    flattened = {f"erases_{key}" for key in result.dies[0].erases}
    by_class = {f"{name}_operations".replace("write_", "read_") for name in data["flash"]["by_class"]}
    assert sorted(plain - words - by_class - flattened - {"die"}) == []
