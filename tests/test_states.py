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


def test_the_rest_of_a_run_is_refused_where_it_would_pass_for_all_of_it(
    wordline: Wordline, tmp_path: Path
) -> None:
    run = ("run", "--device", "mqsim", *sets(SMALL))
    drive, state = tmp_path / "drive", tmp_path / "state"
    wordline("prepare", "mqsim", *sets(SMALL), "--out", drive)
    wordline(*run, "--stop-after", "100", "--save-state", state)
    for option, name in (("--request-log", "log.parquet"), ("--timeline", "t.pftrace")):
        assert "not from the state of a run" in wordline(*run, "--load-state", state, option, name).error()
        assert wordline(*run, "--load-state", drive, option, tmp_path / name).code == 0
    again = ("--load-state", state, "--save-state", tmp_path / "next", "--stop-after")
    assert "a stop after 60 requests: allowed: 101 or more" in wordline(*run, *again, "60").error()
    assert wordline(*run, *again, "101").code == 0


def test_the_speed_of_a_run_that_goes_on_is_of_what_it_did_since(tmp_path: Path) -> None:
    state = tmp_path / "state"
    package.run_part("mqsim", workload=WORKLOAD, overrides=SMALL, save_state=state, stop_after=1999)
    rest = package.run_part("mqsim", workload=WORKLOAD, overrides=SMALL, load_state=state)
    assert rest is not None
    engine = rest.engine
    assert 0 < engine.flash_operations_per_s * engine.wall_s < engine.flash_operations / 10


def test_files_of_a_workload_are_found_from_its_folder_however_a_drive_is_prepared(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    rows = "time_ns,op,offset_bytes,length_bytes\n0,W,0,4096\n900000,R,0,4096\n"
    for name in ("t.csv", "before.csv"):
        (folder / name).write_text(rows)
    load = folder / "w.toml"
    load.write_text(
        'source.kind = "trace"\nsource.path = "t.csv"\nsource.before = "before.csv"\nhost.arrivals = "open"\n'
        "start.overwrite = 0.01\n"
    )
    monkeypatch.chdir(tmp_path)
    given = ("--workload", "sub/w.toml", *sets({"device.geometry.blocks": 256, "device.geometry.pages": 64}))
    run = ("run", "--device", "mqsim", *given)
    whole = wordline(*run, "--json", "--no-keep").json()
    assert {**wordline(*run, "--json").json(), "engine": 0} == {**whole, "engine": 0}
    assert wordline("prepare", "mqsim", *given, "--out", "drive").code == 0
    assert wordline(*run, "--load-state", "drive").code == 0
    (folder / "s.toml").write_text(
        'device = "mqsim"\nworkload = "w.toml"\n'
        '[set]\n"device.geometry.blocks" = 256\n"device.geometry.pages" = 64\n'
        '[axes]\n"workload.host.time_scale" = [1.0, 2.0]\n'
    )
    assert wordline("sweep", "sub/s.toml", "--json").json()["done"] == 2


def test_a_dry_run_prepares_what_can_be_prepared(wordline: Wordline, tmp_path: Path) -> None:
    prepare = ("prepare", "mqsim", *sets(SMALL), "--out", tmp_path / "drive")
    for call in ((*prepare, "--dry-run"), prepare):
        assert "scheme.array: allowed for a drive" in wordline(*call, "--scheme", "mirror").error()


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
    assert (
        "beside --save-state"
        in wordline("run", "--device", "mqsim", *sets(SMALL), "--stop-after", "5").error()
    )


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


def test_a_map_cache_without_a_formula_begins_as_the_requests_of_the_load_leave_it() -> None:
    def hits(cache: str) -> float:
        tpftl = {"scheme.mapping.policy": "tpftl", "scheme.mapping.cache_bytes": 65_536}
        start = {"workload.start.map_cache": cache, "workload.source.requests": 2_000}
        result = package.run("mqsim", workload=WORKLOAD, overrides={**SMALL, **tpftl, **start})
        assert (result.start.map_accesses > 0) == (cache == "used")
        assert "empty_map_cache" not in [note["kind"] for note in result.to_dict()["notes"]]
        return float(result.mapping.hit_ratio)

    # 2,000 requests are too few to fill it.
    assert hits("used") > 1.5 * hits("empty")


def test_a_sweep_over_loads_prepares_a_drive_for_each(wordline: Wordline, tmp_path: Path) -> None:
    lines = "\n".join(f'"{key}" = {value}' for key, value in SMALL.items() if "layout" not in key)
    study = tmp_path / "skew.toml"
    study.write_text(
        f'device = "mqsim"\nworkload = "{WORKLOAD}"\n'
        f'[set]\n"workload.source.pattern.kind" = "zipf"\n{lines}\n'
        '[axes]\n"workload.source.pattern.theta" = [0.5, 0.9]\n"workload.host.queue_depth" = [1, 4]\n'
    )
    assert wordline("sweep", study, "--json").json()["done"] == 4


REGION = "{ share = 0.01 }"
SOURCE = (
    'kind = "synthetic"\nrequests = 4000\nread_share = 0.0\nsizes = 8192\npattern = { kind = "uniform" }\n'
)
HEAD = '[host]\narrivals = "closed"\nqueue_depth = 32\n[start]\nlayout = "steady"\n'


@pytest.mark.parametrize("part", [False, True], ids=["whole drive", "a hundredth"])
def test_one_load_has_one_start_however_it_is_written(part: bool, tmp_path: Path) -> None:
    region = f"region = {REGION}\n" if part else ""
    ways = {
        "source.toml": f"{HEAD}[source]\n{SOURCE}{region}",
        "flow.toml": f'{HEAD}[[flow]]\nname = "job"\n[flow.source]\n{SOURCE}{region}',
        "job.fio": "[job]\nfilename=/dev/x\nrw=randwrite\nbs=8k\n"
        f"norandommap=1\nioengine=libaio\niodepth=32\nnumber_ios=4000\n{'size=1%' if part else ''}\n",
    }
    drive: dict[str, object] = {
        "device.geometry.blocks": 64,
        "device.geometry.pages": 32,
        "scheme.gc.trigger": 0.03,
    }
    results = []
    for name, text in ways.items():
        path = tmp_path / name
        path.write_text(text)
        overrides = {**drive, **({"workload.start.layout": "steady"} if name == "job.fio" else {})}
        results.append(package.run("mqsim", workload=path, overrides=overrides))
    starts = [result.start for result in results]
    assert all(start.formula and start.agrees for start in starts)
    windows = [start.waf_of_windows for start in starts]
    assert all(bool(found) == part for found in windows)
    if not part:
        assert starts[1] == starts[0] and starts[2] == starts[0]
    if part:
        # Of a small drive a window has few erases.
        last = [sum(found[-6:]) / len(found[-6:]) for found in windows]
        assert max(last) < 1.1 * min(last)
    # Different draws, and few victims.
    assert max(result.waf for result in results) < 1.15 * min(result.waf for result in results)


class SamePlanes:
    """Places as the static placement does."""

    def place(self, program: Any, planes: Any) -> int:
        position: int = program.page % len(planes.room)
        channel, way = position % 8, position // 8 % 4
        die, plane = position // 32 % 2, position // 64 % 2
        return ((channel * 4 + way) * 2 + die) * 2 + plane


def test_a_placement_that_changes_nothing_gives_what_the_built_in_one_gives() -> None:
    overrides = {
        "device.geometry.blocks": 64,
        "device.geometry.pages": 32,
        "scheme.gc.trigger": 0.03,
        "workload.source.requests": 20_000,
        "workload.source.sizes": 32_768,
    }
    built_in = package.run("mqsim", workload=WORKLOAD, overrides=overrides)
    own = package.run("mqsim", workload=WORKLOAD, overrides=overrides, policies={"placement": SamePlanes})
    assert not built_in.start.waf_of_windows and own.start.waf_of_windows
    assert own.start.units_together == built_in.start.units_together == 4
    for figure in ("read", "write"):
        mean = getattr(built_in, figure).latency_ns.mean
        assert abs(getattr(own, figure).latency_ns.mean / mean - 1) < 0.05
    assert abs(own.waf / built_in.waf - 1) < 0.05
