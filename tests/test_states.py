"""Prepared drives and runs in parts, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, Wordline, sets

import wordline as package
from wordline import Result, WordlineError

OVERWRITTEN = {**SMALL, "workload.start.overwrite": 0.01}
WORKLOAD = "mixed-70-30-8k-qd16"


def measured(result: Result | None) -> dict[str, Any]:
    """All but the figures of the wall clock."""
    assert result is not None
    data = result.to_dict()
    for key in ("prepare_s", "wall_s", "flash_operations_per_s"):
        del data["engine"][key]
    return data


def test_runs_on_a_prepared_drive_are_the_same_and_leave_it_alone(tmp_path: Path) -> None:
    expected = measured(package.run("mqsim", workload=WORKLOAD, overrides=OVERWRITTEN))
    drive = package.prepare("mqsim", workload=WORKLOAD, overrides=OVERWRITTEN)
    for one in (drive, drive, drive.fork()):
        assert measured(package.run("mqsim", workload=WORKLOAD, overrides=OVERWRITTEN, drive=one)) == expected
    path = tmp_path / "drive"
    drive.save(path)
    loaded = package.load_drive(path, "mqsim", workload=WORKLOAD, overrides=OVERWRITTEN)
    assert measured(package.run("mqsim", workload=WORKLOAD, overrides=OVERWRITTEN, drive=loaded)) == expected


def test_a_drive_of_another_configuration_is_refused_by_key() -> None:
    drive = package.prepare("mqsim", overrides=SMALL)
    with pytest.raises(WordlineError, match=r"`seed` is 1 there and 2 here"):
        package.run("mqsim", overrides=SMALL, seed=2, drive=drive)


def test_a_run_in_parts_has_the_result_of_one_that_never_stopped(tmp_path: Path) -> None:
    expected = measured(package.run("mqsim", workload=WORKLOAD, overrides=SMALL))
    first, second = tmp_path / "first", tmp_path / "second"
    assert (
        package.run_part("mqsim", workload=WORKLOAD, overrides=SMALL, save_state=first, stop_after=500)
        is None
    )
    again = package.run_part(
        "mqsim", workload=WORKLOAD, overrides=SMALL, load_state=first, save_state=second, stop_after=1500
    )
    assert again is None
    assert (
        measured(package.run_part("mqsim", workload=WORKLOAD, overrides=SMALL, load_state=second)) == expected
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_the_command_line_prepares_stops_and_goes_on(wordline: Wordline, tmp_path: Path) -> None:
    expected = wordline("run", "--device", "mqsim", *sets(SMALL), "--json").json()
    drive, state = tmp_path / "drive", tmp_path / "state"
    assert wordline("prepare", "mqsim", *sets(SMALL), "--out", drive, "--json").json()["bytes"] > 0
    stop = ("--stop-after", "100", "--save-state", state)
    assert (
        wordline("run", "--device", "mqsim", *sets(SMALL), "--load-state", drive, *stop, "--json").json()[
            "stopped_after"
        ]
        == 100
    )
    result = wordline("run", "--device", "mqsim", *sets(SMALL), "--load-state", state, "--json").json()
    assert {**result, "engine": None} == {**expected, "engine": None}


def test_a_damaged_or_foreign_state_is_one_line(wordline: Wordline, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    wordline("prepare", "mqsim", *sets(SMALL), "--out", drive)
    whole = drive.read_bytes()
    for data in (
        b"",
        b"text",
        whole[: len(whole) // 2],
        whole[:-1],
        whole[:40] + bytes([whole[40] ^ 1]) + whole[41:],
    ):
        drive.write_bytes(data)
        assert "drive" in wordline("run", "--device", "mqsim", *sets(SMALL), "--load-state", drive).error()
    assert "both" in wordline("run", "--device", "mqsim", *sets(SMALL), "--stop-after", "5").error()


SKEWED: dict[str, object] = {
    **SMALL,
    "workload.start.layout": "steady",
    "workload.source.pattern": {"kind": "zipf", "theta": 0.9},
}


def test_a_drive_in_the_steady_state_of_a_skewed_load_is_prepared_by_its_writes() -> None:
    result = package.run("mqsim", workload=WORKLOAD, overrides=SKEWED)
    windows = result.start.waf_of_windows
    assert len(windows) >= 3 and windows[-1] > 1
    assert result.engine.settling_requests > 0
    drive = package.prepare("mqsim", workload=WORKLOAD, overrides=SKEWED)
    more = {**SKEWED, "workload.host.queue_depth": 4}
    assert (
        package.run("mqsim", workload=WORKLOAD, overrides=more, drive=drive).start.waf_of_windows == windows
    )
    other = {**SKEWED, "workload.source.pattern": {"kind": "zipf", "theta": 0.5}}
    with pytest.raises(WordlineError, match="`pattern"):
        package.run("mqsim", workload=WORKLOAD, overrides=other, drive=drive)


def test_a_sweep_over_loads_prepares_a_drive_for_each(wordline: Wordline, tmp_path: Path) -> None:
    lines = "\n".join(f'"{key}" = {value}' for key, value in SMALL.items() if "layout" not in key)
    study = tmp_path / "skew.toml"
    study.write_text(
        f'device = "mqsim"\nworkload = "{WORKLOAD}"\n'
        f'[set]\n"workload.source.pattern.kind" = "zipf"\n{lines}\n'
        '[axes]\n"workload.source.pattern.theta" = [0.5, 0.9]\n"workload.host.queue_depth" = [1, 4]\n'
    )
    assert wordline("sweep", study, "--json").json()["done"] == 4
