"""Workloads of several flows: their figures, their table, and slips in their descriptions."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SMALL_DRIVE, Wordline, sets

import wordline as package

HOST = """
name = "two"
start.occupancy = "{occupancy}"
[host]
max_inside = 4
"""

FLOWS = """
[[flow]]
name = "reader"
queue_depth = 2
at_end = "stop"
range = { share = 0.5 }
source = { kind = "synthetic", requests = 600, read_share = 1.0, sizes = 4096 }
[[flow]]
name = "writer"
stream = 3
at_end = "stop"
range = { start_share = 0.5 }
source = { kind = "synthetic", requests = 300, read_share = 0.0, sizes = 8192 }
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(HOST.format(occupancy="all") + FLOWS)
    return path


def test_figures_of_flows_add_up_to_those_of_the_run(two: Path) -> None:
    result = package.run("mqsim", workload=two, overrides=SMALL_DRIVE, checked=True)
    assert [flow.name for flow in result.flows] == ["reader", "writer"]
    assert [stream.stream for stream in result.streams] == [0, 3]
    assert (result.flows[0].read.requests, result.flows[0].write.requests) == (600, 0)
    assert (result.flows[1].read.requests, result.flows[1].write.requests) == (0, 300)
    assert result.read.requests == 600 and result.write.requests == 300
    assert result.flows[0].read.latency_ns.mean == result.read.latency_ns.mean
    assert result.config.workload.flow[1].source.requests == 300


def test_flows_on_a_drive_in_its_steady_state_settle_first(two: Path) -> None:
    steady = {**SMALL_DRIVE, "workload.start.layout": "steady"}
    result = package.run("mqsim", workload=two, overrides=steady, checked=True)
    settling = result.engine.settling_requests
    # Writes that fill eight superblocks of each domain, and the reads beside them.
    assert settling > 1000 and 0 <= settling - result.window.warmup_requests <= 18
    # What follows is what the flows have, whichever of them was faster.
    assert result.read.requests == 600 and result.write.requests == 300
    few = package.run("mqsim", workload=two, overrides={**steady, "workload.start.settle_requests": 90})
    assert 90 <= few.engine.settling_requests <= 108 and few.write.requests == 300
    none = package.run("mqsim", workload=two, overrides={**steady, "workload.start.settle_requests": 0})
    assert none.engine.settling_requests == 0 and none.read.requests == 600


def kinds(result: package.Result) -> list[str]:
    return [note.kind for note in result.notes]


def test_a_flow_that_is_done_goes_on_unless_it_is_told_to_stop(two: Path) -> None:
    stopped = package.run("mqsim", workload=two, overrides=SMALL_DRIVE)
    assert "ended_flow" in kinds(stopped) and "idle_flow" not in kinds(stopped)
    (first, second) = sorted(stopped.flows, key=lambda flow: flow.window.end_ns)
    assert first.window.end_ns < second.window.end_ns == stopped.window.end_ns
    for flow in stopped.flows:
        seconds = (flow.window.end_ns - flow.window.start_ns) / 1e9
        done = flow.read.requests + flow.write.requests
        assert flow.read.iops + flow.write.iops == pytest.approx(done / seconds)
    two.write_text(two.read_text().replace('at_end = "stop"\n', ""))
    together = package.run("mqsim", workload=two, overrides=SMALL_DRIVE)
    assert "ended_flow" not in kinds(together)
    counts = {"reader": together.read.requests, "writer": together.write.requests}
    assert counts[second.name] == {"reader": 600, "writer": 300}[second.name]
    assert counts[first.name] > {"reader": 600, "writer": 300}[first.name]
    assert {flow.window.end_ns for flow in together.flows} == {together.window.end_ns}


def test_a_flow_that_the_warm_up_uses_up_is_noted(two: Path) -> None:
    two.write_text(two.read_text() + "[window]\nwarmup_requests = 800\n")
    result = package.run("mqsim", workload=two, overrides=SMALL_DRIVE)
    assert [note.found for note in result.notes if note.kind == "idle_flow"] in (
        ["flow reader has no request in the window"],
        ["flow writer has no request in the window"],
    )


JOBS = """[global]
filename=/dev/nvme0n1
rw=randread
bs=4k
time_based
iodepth=2
ioengine=libaio
[short]
runtime=20ms
[long]
runtime=50ms
{more}"""


def test_each_job_of_fio_has_its_rate_by_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text(JOBS.format(more=""))
    result = package.run("mqsim", workload=path, overrides=SMALL_DRIVE)
    for flow, runtime in zip(result.flows, (0.02, 0.05), strict=True):
        seconds = (flow.window.end_ns - flow.window.start_ns) / 1e9
        assert seconds == pytest.approx(runtime, rel=0.02)
        assert flow.read.iops == pytest.approx(flow.read.requests / seconds)
    assert [note.found for note in result.notes if note.kind == "ended_flow"] == [
        "flow short ended after 40% of the window"
    ]


def test_a_job_of_fio_that_the_drive_has_no_room_for_is_told_by_its_line(
    wordline: Wordline, tmp_path: Path
) -> None:
    path = tmp_path / "job.fio"
    jobs = JOBS.replace("iodepth=2\nioengine=libaio\n", "direct=1\n")
    path.write_text(jobs.format(more="offset=50%\nsize=1m\n"))
    package.run("mqsim", workload=path, overrides=SMALL_DRIVE)
    path.write_text(jobs.format(more="offset=50%\nsize=1t\n"))
    error = wordline("run", "--device", "mqsim", "--workload", path, *sets(SMALL_DRIVE)).error()
    assert f"{path}:12: size = 1t: allowed: at most " in error


def test_one_flow_has_no_figures_of_its_own(wordline: Wordline) -> None:
    few = sets({**SMALL_DRIVE, "workload.source.requests": 100})
    result = wordline("run", "--device", "mqsim", *few, "--json").json()
    assert "flows" not in result and "streams" not in result
    bounded = wordline(
        "run", "--device", "mqsim", *few, "--set", "workload.host.max_inside=2", "--json"
    ).json()
    assert "flows" not in bounded
    assert bounded["read"]["blame"]["mean"]["total_ns"]["admission"] > 0


def test_run_prints_a_line_for_each_flow(wordline: Wordline, two: Path) -> None:
    out = wordline("run", "--device", "mqsim", "--workload", two, *sets(SMALL_DRIVE)).out
    for text in ("reader reads", "writer writes", "Flow", "Stream", "at the host"):
        assert text in out, text
    assert "reader writes" not in out


def test_the_preset_of_two_flows_is_shown(wordline: Wordline) -> None:
    shown = wordline("show", "workload", "reader-beside-writer", "--json").json()
    assert [flow["name"] for flow in shown["flow"]] == ["reader", "writer"]


def test_the_footprint_is_that_of_all_flows(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(HOST.format(occupancy="footprint") + FLOWS)
    result = package.run("mqsim", workload=path, overrides=SMALL_DRIVE, checked=True)
    assert 500 < result.drive.mapped_units <= 900


def test_a_slip_in_a_flow_names_its_line(wordline: Wordline, two: Path) -> None:
    two.write_text(two.read_text().replace("queue_depth = 2", "queue_depth = 70000"))
    error = wordline("run", "--device", "mqsim", "--workload", two).error()
    assert error.endswith("two.toml:9: workload.flow[0].queue_depth = 70000: allowed: 1 to 65536")


def test_a_scheduler_needs_a_bound(wordline: Wordline) -> None:
    error = wordline("run", "--device", "mqsim", "--set", "workload.host.scheduler.kind=paq").error()
    assert "workload.host.max_inside = 0: allowed: 1 to 1048576 with a scheduler" in error


@pytest.mark.parametrize("scheduler", ["none", "piq", "fios", "paq"])
def test_every_scheduler_runs(two: Path, scheduler: str) -> None:
    overrides = {**SMALL_DRIVE, "workload.host.scheduler.kind": scheduler}
    result = package.run("mqsim", workload=two, overrides=overrides, checked=True)
    assert result.read.requests + result.write.requests == 900


def test_a_flow_is_overridden_by_its_name(wordline: Wordline, two: Path) -> None:
    own = {"workload.flow.reader.queue_depth": 7, "workload.flow.writer.source.sizes": 4096}
    flows = wordline("show", "workload", two, *sets(own), "--json").json()["flow"]
    assert [flow.get("queue_depth") for flow in flows] == [7, None]
    result = wordline(
        "run", "--device", "mqsim", "--workload", two, *sets(SMALL_DRIVE | own), "--json"
    ).json()
    assert result["config"]["workload"]["flow"][0]["queue_depth"] == 7
    assert result["write"]["bytes"] == 300 * 4096
    # The later one holds, and the rest of the flow stays.
    twice = package.Scenario("mqsim", workload=two, overrides=own).changed(
        overrides={"workload.flow.reader.queue_depth": 3}
    )
    config = package.run(twice, overrides=SMALL_DRIVE).config.workload.flow
    assert (config[0].queue_depth, config[0].source.requests, config[0].name) == (3, 600, "reader")


def test_a_flow_is_an_axis_of_a_sweep(two: Path) -> None:
    axes = {"workload.flow.reader.queue_depth": [1, 4]}
    described = {"device": "mqsim", "workload": str(two), "set": SMALL_DRIVE, "axes": axes}
    rows = package.sweep(described, two.parent / "out").to_pylist()
    assert [row["axis.workload.flow.reader.queue_depth"] for row in rows] == [1, 4]
    assert rows[0]["read.iops"] < rows[1]["read.iops"]


def test_a_flow_that_is_not_there_is_named_with_those_that_are(wordline: Wordline, two: Path) -> None:
    run = ("run", "--device", "mqsim", *sets(SMALL_DRIVE))
    told = wordline(*run, "--workload", two, "--set", "workload.flow.raeder.queue_depth=7").error()
    assert "no flow of this workload: allowed: workload.flow.reader.KEY, workload.flow.writer.KEY" in told
    told = wordline(*run, "--set", "workload.flow.reader.queue_depth=7").error()
    assert "allowed: a workload with [[flow]]" in told
    told = wordline(*run, "--workload", two, "--set", "workload.source.requests=7").error()
    both = "workload.flow.reader.source.requests, workload.flow.writer.source.requests"
    assert (
        f"--set workload.source.requests=7: each flow of this workload has its own: allowed: {both}" in told
    )
    told = wordline(*run, "--workload", two, "--set", "workload.flow.reader.queue_dept=7").error()
    assert "workload.flow[0]" in told and "queue_depth" in told
