"""Points of a sweep and their rows, where several points are the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL

from wordline.sweeps.api import open_sweep

SAME = {"x": "baseline", "y": "baseline", "z": "baseline+scheduler.policy=fifo"}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return {
        "device": "mqsim",
        "scheme": SAME,
        "workload": "mixed-70-30-8k-qd16",
        "seeds": 2,
        "set": {**SMALL, "workload.source.requests": 500},
    }


def test_points_that_are_the_same_run_have_a_row_each(described: dict[str, Any], tmp_path: Path) -> None:
    ran = open_sweep(described, tmp_path)
    outcome = ran.run()
    assert outcome.done == 4
    table = ran.table()
    assert table["axis.scheme"].to_pylist() == ["x", "x", "y", "y", "z", "z"]
    keys = table["key"].to_pylist()
    assert keys[:2] == keys[2:4] and len(set(keys)) == 4
    averages = ran.averages()
    assert averages["axis.scheme"].to_pylist() == ["x", "y", "z"]
    assert averages["seeds"].to_pylist() == [2, 2, 2]
    means, halves = (averages[f"read.latency_ns.mean{end}"].to_pylist() for end in ("", ".ci95"))
    assert means[0] == means[1] != means[2]
    assert halves[0] == halves[1] > 0.0


def test_a_label_that_is_changed_names_the_rows_that_are_there(
    described: dict[str, Any], tmp_path: Path
) -> None:
    open_sweep(described, tmp_path).run()
    renamed = open_sweep(described | {"scheme": {"new": "baseline", "y": "baseline"}}, tmp_path)
    assert renamed.run().done == 0
    assert renamed.table()["axis.scheme"].to_pylist() == ["new", "new", "y", "y"]
