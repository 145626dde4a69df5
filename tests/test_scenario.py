from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL

import wordline
from wordline import Scenario, WordlineError
from wordline.seeds import seed_list

MIXED = "mixed-70-30-8k-qd16"

SCENARIO = Scenario("mqsim", "fifo", MIXED, overrides=SMALL, seed=3, checked=True)


def measured(result: wordline.Result | None) -> dict[str, Any]:
    assert result is not None
    return {name: value for name, value in result.to_dict().items() if name != "engine"}


def expected() -> dict[str, Any]:
    return measured(wordline.run("mqsim", "fifo", MIXED, overrides=SMALL, seed=3, checked=True))


def test_a_run_of_a_scenario_is_that_of_its_parts() -> None:
    found = wordline.run(SCENARIO)
    assert measured(found) == expected()
    assert (found.config.scheme.name, found.seed, bool(found.checked)) == ("fifo", 3, True)


def test_other_arguments_change_it() -> None:
    result = wordline.run(SCENARIO, "baseline", seed=4, overrides={"workload.source.requests": 500})
    assert (result.config.scheme.name, result.seed) == ("baseline", 4)
    assert result.read.requests + result.write.requests == 500
    changed = SCENARIO.changed(scheme="baseline", seed=4, overrides={"workload.source.requests": 500})
    assert measured(wordline.run(changed)) == measured(result)
    more: dict[str, Any] = {"workload.source.requests": 500}
    by_keyword = wordline.run(SCENARIO, "baseline", seed=4, **more)
    assert measured(by_keyword) == measured(result)


def test_what_is_left_out_is_as_in_a_scenario_of_nothing() -> None:
    assert Scenario() == Scenario("enterprise-tlc", "baseline", "randread-4k-qd16", seed=1, checked=False)
    assert Scenario().overrides == ()


def test_it_is_plain_data() -> None:
    again = Scenario("mqsim", "fifo", MIXED, overrides=SMALL, seed=3, checked=True)
    assert again == SCENARIO and hash(again) == hash(SCENARIO)
    assert SCENARIO.changed(checked=False) != SCENARIO
    assert pickle.loads(pickle.dumps(SCENARIO)) == SCENARIO  # noqa: S301
    with pytest.raises(AttributeError):
        SCENARIO.seed = 5  # type: ignore[misc]


def test_drives_are_prepared_for_it(tmp_path: Path) -> None:
    drive = wordline.prepare(SCENARIO)
    drive.save(tmp_path / "drive")
    assert measured(wordline.run(SCENARIO, drive=drive)) == expected()
    loaded = wordline.load_drive(tmp_path / "drive", SCENARIO)
    assert measured(wordline.run(SCENARIO, drive=loaded)) == expected()
    wordline.run_part(SCENARIO, save_state=tmp_path / "half", stop_after=700)
    assert measured(wordline.run_part(SCENARIO, load_state=tmp_path / "half")) == expected()


def test_studies_begin_with_it(tmp_path: Path) -> None:
    assert measured(wordline.run_seeds(SCENARIO, seeds=[3])[3]) == expected()
    mean = expected()["read"]["latency_ns"]["mean"]
    alone = wordline.compare(SCENARIO)
    assert (alone.schemes, alone.workloads, alone.seeds) == (["fifo"], [MIXED], [3])
    assert alone.values(MIXED, "fifo", "read.latency_ns.mean") == [mean]
    both = wordline.compare(SCENARIO, ["baseline", "fifo"], seeds=2)
    assert (both.schemes, both.workloads, both.seeds) == (["baseline", "fifo"], [MIXED], [1, 2])
    axes = {"scheme": ["fifo", "baseline"], "axes": {"workload.host.queue_depth": [16, 4]}}
    table = wordline.sweep(axes, tmp_path, scenario=SCENARIO).to_pylist()
    assert [row["axis.workload.host.queue_depth"] for row in table] == [16, 4, 16, 4]
    assert {row["seed"] for row in table} == {3}
    assert table[0]["read.latency_ns.mean"] == mean


def test_a_description_of_a_sweep_names_what_is_not_as_in_its_scenario(tmp_path: Path) -> None:
    points = wordline.open_sweep({"axes": {}}, tmp_path, scenario=SCENARIO).points
    assert [point.scenario for point in points] == [SCENARIO]
    named = {"scheme": "baseline", "seeds": [7], "checked": False}
    points = wordline.open_sweep(named, tmp_path, scenario=SCENARIO).points
    assert [point.scenario for point in points] == [
        SCENARIO.changed(scheme="baseline", seed=7, checked=False)
    ]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"seed": -1}, "seed = -1: allowed: a whole number from 0"),
        ({"seed": True}, "seed = True: allowed"),
        ({"device": "mqsin"}, "did you mean `mqsim`"),
        ({"workload": 5}, "workload = 5: allowed"),
        ({"overrides": 5}, "overrides = 5: allowed: a mapping"),
        ({"overrides": [("device.geometry.blocks", 256)]}, "allowed: a mapping of dotted paths"),
    ],
)
def test_what_it_cannot_be_is_told(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(WordlineError, match=message):
        Scenario(**parts)


def test_whole_numbers_of_numpy_are_seeds_and_its_flags_are_flags() -> None:
    found = SCENARIO.changed(seed=np.int64(4), checked=np.bool_(False))  # type: ignore[arg-type]
    assert found == SCENARIO.changed(seed=4, checked=False) and type(found.seed) is int
    assert seed_list(np.arange(2)) == [0, 1]
    assert seed_list(np.int64(2)) == [1, 2]  # type: ignore[arg-type]


def test_a_study_begins_with_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match="scenario = 'mqsim': allowed: a"):
        wordline.sweep({"axes": {}}, tmp_path, scenario="mqsim")  # type: ignore[arg-type]


def test_a_folder_of_traces_is_for_a_workload_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match="allowed: beside a scenario with a workload"):
        wordline.run(SCENARIO, traces=tmp_path)
