"""What never happened in a run has no entry in its result: it is 0 in means over seeds, and in searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from wordline import WordlineError
from wordline.comparison.figures import Comparison
from wordline.study import sparse
from wordline.sweeps.averages import Averaged
from wordline.tuning import tune

SCHEMA = Path(__file__).parents[1] / "python" / "wordline" / "schemas" / "result.json"

CAUSE = "waf_by_cause.read_reclaim"
PART = "read.blame.tail.mean_ns.channel_wait.gc_read"

ROWS: list[Mapping[str, Any]] = [
    {"status": "done", "seed": 1, "waf": 1.0, "read.latency_ns.mean": 50.0},
    {"status": "done", "seed": 2, "waf": 1.2, "read.latency_ns.mean": 60.0, CAUSE: 0.2, PART: 24.0},
]


@pytest.mark.parametrize(("figure", "mean"), [(CAUSE, 0.1), (PART, 12.0)])
def test_a_cause_or_part_that_a_seed_does_not_name_is_nothing_there(figure: str, mean: float) -> None:
    averaged = Averaged({}, ROWS, []).figure(figure)
    assert averaged is not None and averaged.value == pytest.approx(mean)
    assert averaged.interval is not None
    compared = Comparison("d", ["w"], ["s"], {("w", "s"): ROWS}).cell("w", "s", figure)
    assert compared is not None and compared.value == pytest.approx(mean)
    assert compared.ci95 == pytest.approx(averaged.half)


def test_a_run_without_the_map_has_no_entry_either() -> None:
    idle = {"status": "done", "seed": 3, "waf": None, "read.requests": 0.0}
    assert sparse.value(idle, CAUSE) is None and sparse.value(idle, PART) is None
    assert sparse.value(ROWS[0], "read.latency_ns.p99") is None
    averaged = Averaged({}, [*ROWS, idle], []).figure(CAUSE)
    assert averaged is not None and averaged.value == pytest.approx(0.1)


def test_a_figure_that_no_run_has_is_no_figure_of_a_comparison() -> None:
    rows = {("w", "s"): ROWS}
    assert Comparison("d", ["w"], ["s"], rows).has(CAUSE)
    assert not Comparison("d", ["w"], ["s"], rows).has("waf_by_cause.reed_reclaim")


def test_every_map_of_numbers_by_what_happened_is_known() -> None:
    """Maps of the schema whose entries are numbers, but for those in which nothing isn't 0."""
    whole = json.loads(SCHEMA.read_text())
    found: set[str] = set()

    def walk(node: dict[str, Any], path: str) -> None:
        node = whole["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
        for option in node.get("anyOf", [node]):
            if option is not node:
                walk(option, path)
            elif isinstance(option.get("additionalProperties"), dict):
                found.add(path)
            for name, below in option.get("properties", {}).items():
                walk(below, f"{path}.{name}" if path else name)

    walk(whole, "")
    others = {
        "changed",
        "intervals.figures",
        "erase_counts.distribution",  # by number
        "systems",  # by what the scheme has
        "dram.bytes_by_user",
        "cpu.by_cost",
    }
    by_number = ("samples.", "collisions.")
    maps = {path for path in found if not path.startswith(by_number)} - others
    unknown = {path for path in maps if not sparse.is_entry(f"{path}.x")}
    assert not unknown, unknown


SEARCH: dict[str, Any] = {
    "device": "mqsim",
    "workload": "randread-4k-qd16",
    "trials": 2,
    "set": {"workload.source.requests": 200, "device.geometry.blocks": 256},
    "search": {"workload.host.queue_depth": [1, 2]},
}


def test_a_search_goes_on_where_nothing_happened_and_says_so_where_nothing_ever_does(tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match=r"objectives.flash.by_class.gc_read.operations: no run has it"):
        tune(SEARCH | {"objectives": {"flash.by_class.gc_read.operations": "minimize"}}, tmp_path)
    assert (tmp_path / "trials.parquet").exists() or any(tmp_path.iterdir())
    found = tune(
        SEARCH | {"objectives": {"flash.by_class.host_read.operations": "minimize"}}, tmp_path / "other"
    )
    assert all(trial.objectives is not None for trial in found.trials)
