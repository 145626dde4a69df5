"""Results are objects: out of a folder, to another process and back, copied, shown."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL

import wordline as package
from wordline import Comparison, Result, Seeds, Sweep, WordlineError
from wordline.comparison import compare

WORKLOAD = "mixed-70-30-8k-qd16"

MEASURED = SMALL | {"workload.measure.interval_ns": 1_000_000, "workload.measure.block_table": True}

AXES = {"axes": {"workload.host.queue_depth": [1, 8]}, "device": "mqsim", "set": SMALL}

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda found: pickle.loads(pickle.dumps(found)),  # noqa: S301
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(scope="module")
def run() -> Result:
    return package.run("mqsim", workload=WORKLOAD, overrides=MEASURED)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare("mqsim", ["baseline", "fifo"], [WORKLOAD], overrides=SMALL, seeds=2)


def same_runs(one: Result, other: Result) -> None:
    assert other.json() == one.json() and other.to_dict() == one.to_dict()
    assert repr(other) == repr(one) and other._repr_html_() == one._repr_html_()
    for name in one.tables():
        assert other.table(name).to_pydict() == one.table(name).to_pydict()
    for direction in ("read", "flush"):
        for own, its in zip(one.histogram(direction), other.histogram(direction), strict=True):
            assert own.tolist() == its.tolist() and own.dtype == its.dtype
    assert other.interval("waf") == one.interval("waf")


@pytest.mark.parametrize("way", WAYS)
def test_a_result_is_copied_whole(run: Result, way: str) -> None:
    same_runs(run, WAYS[way](run))
    assert WAYS[way](run.read) == run.read


def test_a_result_comes_out_of_its_folder(run: Result, tmp_path: Path) -> None:
    run.save(tmp_path / "out")
    found = package.load(tmp_path / "out")
    assert isinstance(found, Result)
    same_runs(run, found)
    for way in WAYS.values():
        same_runs(run, way(found))
    with pytest.raises(ValueError, match="no table `samples` in this run"):
        found.table("samples")
    # What was read out of it is written again.
    found.save(tmp_path / "again")
    same_runs(run, package.load(tmp_path / "again"))  # type: ignore[arg-type]


def test_a_folder_that_holds_another_run_by_now_gives_none_of_its_tables(run: Result, tmp_path: Path) -> None:
    run.save(tmp_path)
    found = package.load(tmp_path)
    assert isinstance(found, Result)
    package.run("mqsim", workload=WORKLOAD, overrides=MEASURED, seed=2).save(tmp_path)
    with pytest.raises(WordlineError, match="holds another run than when it was loaded"):
        found.table("series")


def test_seeds_come_out_of_their_folder_in_their_order(tmp_path: Path) -> None:
    found = package.run_seeds("mqsim", workload=WORKLOAD, overrides=SMALL, seeds=[7, 3])
    found.save(tmp_path)
    loaded = package.load(tmp_path)
    assert isinstance(loaded, Seeds) and list(loaded) == [7, 3]
    assert loaded.to_dict() == found.to_dict()
    assert repr(loaded) == repr(found) and "Seeds(7, 3: Result(mqsim, geometry.blocks=" in repr(found)
    assert WAYS["pickle"](found).to_dict() == found.to_dict()


@pytest.mark.parametrize("way", WAYS)
def test_a_comparison_is_copied_whole(comparison: Comparison, way: str) -> None:
    again = WAYS[way](comparison)
    assert again.to_dict() == comparison.to_dict() and again._repr_html_() == comparison._repr_html_()
    assert repr(again) == f"Comparison(mqsim: baseline, fifo; under {WORKLOAD}; seeds 1, 2)"


def test_a_comparison_comes_out_of_its_folder(tmp_path: Path) -> None:
    found = compare("mqsim", ["baseline", "fifo"], [WORKLOAD], overrides=SMALL, folder=tmp_path)
    found.save(tmp_path)
    loaded = package.load(tmp_path)
    assert isinstance(loaded, Comparison) and loaded.to_dict() == found.to_dict()


@pytest.mark.parametrize("way", WAYS)
def test_a_sweep_is_copied_and_comes_out_of_its_folder(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = package.open_sweep(AXES, "out")
    found.run()
    again = WAYS[way](found)
    loaded = package.load("out")
    assert isinstance(loaded, Sweep)
    assert again.table().to_pylist() == found.table().to_pylist() == loaded.table().to_pylist()
    assert loaded.averages().to_pylist() == found.averages().to_pylist()
    assert "2 rows, 2 done over workload.host.queue_depth" in repr(again) and "2 rows" in repr(loaded)
    assert "2 of 2 runs" in again._repr_html_() and "2 runs" in loaded._repr_html_()
    # Wherever the other process is.
    sent, rows = pickle.dumps([found, loaded]), found.table().to_pylist()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for each in pickle.loads(sent):  # noqa: S301
        assert each.table().to_pylist() == rows
    assert list(Path().iterdir()) == []


def test_what_is_no_result_is_named(run: Result, tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match=r"result\.json nor summary\.json, comparison\.json or sweep"):
        package.load(tmp_path)
    with pytest.raises(WordlineError, match="nor"):
        package.load(tmp_path / "nosuch")
    run.save(tmp_path / "run")
    (tmp_path / "run" / ".moving").mkdir()
    with pytest.raises(WordlineError, match="its files are being replaced"):
        package.load(tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / ".moving")
    for text in ("[]", "{}", "{", json.dumps({"config": 1})):
        (tmp_path / "run" / "result.json").write_text(text)
        with pytest.raises(WordlineError, match=r"result\.json: not the result of a run"):
            package.load(tmp_path / "run")


def test_a_figure_that_nothing_has_is_never_dropped(comparison: Comparison, run: Result) -> None:
    for call in (comparison.table, comparison.to_pandas, comparison.to_dict, comparison.metrics):
        with pytest.raises(WordlineError, match=r"figure read.latency.p99: no run has it: did you mean"):
            call(["waf", "read.latency.p99"])
    # What is shown where none are named is left out where it doesn't occur.
    assert "trim.latency_ns.p99" not in comparison.table()["metric"].to_pylist()
    with pytest.raises(WordlineError, match=r"trim.latency_ns.p99: no run has it"):
        comparison.table(["trim.latency_ns.p99"])
    with pytest.raises(
        WordlineError, match=r"figure read.latency.p99: no `latency` there: allowed: requests"
    ):
        run.interval("read.latency.p99")
    assert run.interval("trim.latency_ns.p99") is None
