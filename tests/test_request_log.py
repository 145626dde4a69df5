"""A log of each request: what it asked, when, and where its time went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from conftest import SMALL, Wordline, sets

import wordline as package

MIXED = "mixed-70-30-8k-qd16"


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[package.Result, list[dict[str, Any]]]:
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    result = package.run("mqsim", workload=MIXED, overrides=SMALL, request_log=path)
    return result, pyarrow.parquet.read_table(path).to_pylist()


def test_every_request_has_a_row_whose_parts_add_up(
    logged: tuple[package.Result, list[dict[str, Any]]],
) -> None:
    _, rows = logged
    assert len(rows) == 2000 and sorted(row["id"] for row in rows) == list(range(2000))
    for row in rows:
        parts = sum(value for name, value in row.items() if name.startswith("blame_ns."))
        assert parts == row["end_ns"] - row["arrival_ns"]
        assert row["arrival_ns"] <= row["start_ns"] <= row["end_ns"] and row["length_bytes"] == 8192


def test_its_means_are_those_of_the_result(logged: tuple[package.Result, list[dict[str, Any]]]) -> None:
    result, rows = logged
    for op, side in (("R", result.read), ("W", result.write)):
        own = [row for row in rows if row["op"] == op and row["measured"]]
        assert len(own) == side.requests
        mean = sum(row["end_ns"] - row["arrival_ns"] for row in own) / len(own)
        assert mean == pytest.approx(side.latency_ns.mean)
        for part, ns in side.blame.mean.mean_ns.items():
            assert sum(row[f"blame_ns.{part}"] for row in own) / len(own) == pytest.approx(ns, abs=0.01)


def test_a_log_changes_nothing_and_goes_beside_a_timeline(tmp_path: Path) -> None:
    plain = package.run("mqsim", workload=MIXED, overrides=SMALL).to_dict()
    both = package.run(
        "mqsim",
        workload=MIXED,
        overrides=SMALL,
        request_log=tmp_path / "l.parquet",
        timeline=tmp_path / "t.pftrace",
    ).to_dict()
    del plain["engine"], both["engine"]
    assert plain == both
    assert pyarrow.parquet.read_metadata(tmp_path / "l.parquet").num_rows == 2000
    assert (tmp_path / "t.pftrace").stat().st_size > 10_000


def test_row_groups_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    package.run("mqsim", overrides=SMALL | {"workload.source.requests": 70_000}, request_log=path)
    told = pyarrow.parquet.read_metadata(path)
    assert told.num_rows == 70_000
    assert max(told.row_group(place).num_rows for place in range(told.num_row_groups)) <= 1 << 15


def test_the_command_writes_it(wordline: Wordline, tmp_path: Path) -> None:
    assert (
        wordline("run", "--device", "mqsim", *sets(SMALL), "--request-log", tmp_path / "log.parquet").code
        == 0
    )
    assert pyarrow.parquet.read_metadata(tmp_path / "log.parquet").num_rows == 2000
    full = Path("/dev/full")
    if full.exists():
        assert (
            "No space left"
            in wordline("run", "--device", "mqsim", *sets(SMALL), "--request-log", full).error()
        )


def test_an_array_has_none(wordline: Wordline, tmp_path: Path) -> None:
    stripe = ("--scheme", "stripe", "--request-log", tmp_path / "log.parquet")
    assert "one drive" in wordline("run", "--device", "mqsim", *sets(SMALL), *stripe).error()
    assert list(tmp_path.iterdir()) == []
