"""A run of a job file beside what fio measured with it: job by job, and nothing matched by guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_DRIVE, Wordline, sets
from logs_of_tools import fio, way

JOBS = """[global]
ioengine=libaio
direct=1
bs=4k
size=16m
io_size=4m
[r]
rw=randread
iodepth=4
numjobs=2
[w]
rw=randwrite
rate_iops=5000
"""

PERCENTILES = {"50.000000": 80_000, "99.000000": 200_000, "99.900000": 300_000, "75.000000": 90_000}


def reader(iops: float = 1000.0, name: str = "r") -> dict[str, Any]:
    return {"jobname": name, "options": {"rw": "randread"}, "read": way(iops, 4096, 90_000.0, PERCENTILES)}


WRITER = {
    "jobname": "w",
    "options": {"rw": "randwrite"},
    "write": way(5000.0, 4096, 20_000.0, {"50.0": 19_000}),
}


@pytest.fixture
def ran(wordline: Wordline, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "jobs.fio").write_text(JOBS)
    out = ("--out", tmp_path / "run")
    assert wordline("run", "-d", "mqsim", "-w", tmp_path / "jobs.fio", *out, *sets(SMALL_DRIVE)).code == 0
    result: dict[str, Any] = json.loads((tmp_path / "run" / "result.json").read_text())
    return result


def told(
    wordline: Wordline, folder: Path, jobs: list[dict[str, Any]]
) -> dict[tuple[str, str], dict[str, Any]]:
    (folder / "fio.json").write_text(fio({}, jobs))
    found = wordline("diff", folder / "run", folder / "fio.json", "--json").json()
    return {(part["job"], part["direction"]): part for part in found["jobs"]}


def test_each_thread_stands_beside_its_flow(wordline: Wordline, tmp_path: Path, ran: dict[str, Any]) -> None:
    parts = told(wordline, tmp_path, [reader(1000.0), reader(2000.0), WRITER])
    assert list(parts) == [("r.0", "read"), ("r.1", "read"), ("w", "write")]
    ours = {flow["name"]: flow for flow in ran["flows"]}
    for name, iops in {"r.0": 1000.0, "r.1": 2000.0}.items():
        figures, flow = parts[name, "read"]["figures"], ours[name]["read"]
        assert figures["iops"] == {"run": flow["iops"], "fio": iops, "change": flow["iops"] / iops - 1}
        assert figures["bandwidth_bytes_per_s"]["fio"] == iops * 4096
        assert figures["latency_ns.mean"]["fio"] == 90_000.0
        for share, key in {"p50": "50.000000", "p99": "99.000000", "p99_9": "99.900000"}.items():
            pair = figures[f"latency_ns.{share}"]
            assert (pair["run"], pair["fio"]) == (flow["latency_ns"][share], PERCENTILES[key])
        assert "latency_ns.p90" not in figures
        left = " ".join(parts[name, "read"]["left_out"])
        assert "only fio has p75" in left and "only the run has p90, p95, p97, p98, p99.5, p99.99" in left


def test_a_group_stands_beside_the_sum_of_its_flows(
    wordline: Wordline, tmp_path: Path, ran: dict[str, Any]
) -> None:
    part = told(wordline, tmp_path, [reader(3000.0), WRITER])["r", "read"]
    ours = [flow["read"] for flow in ran["flows"] if flow["name"].startswith("r.")]
    assert part["flows"] == ["r.0", "r.1"]
    assert part["figures"]["iops"]["run"] == sum(flow["iops"] for flow in ours)
    # Nothing else reads: percentiles of the group are those of all reads.
    assert part["figures"]["latency_ns.p99"]["run"] == ran["read"]["latency_ns"]["p99"]
    assert part["figures"]["latency_ns.mean"]["run"] == pytest.approx(ran["read"]["latency_ns"]["mean"])


def test_a_group_of_several_jobs_has_figures_of_its_own_as_fio_prints_them(
    wordline: Wordline, tmp_path: Path
) -> None:
    reads = "[other]\nrw=randread\n[last]\nnew_group\nrw=randread\n"
    (tmp_path / "jobs.fio").write_text(
        JOBS.replace("[r]", "group_reporting\n[r]").replace("[w]", f"{reads}[w]")
    )
    out = ("--out", tmp_path / "run", *sets(SMALL_DRIVE))
    text = wordline("run", "-d", "mqsim", "-w", tmp_path / "jobs.fio", *out).out
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    flows = {flow["name"]: flow for flow in result["flows"]}
    group, last = result["groups"]
    assert (group["name"], last["name"]) == ("r", "last")
    assert [name for name, flow in flows.items() if flow.get("group") == "r"] == ["r.0", "r.1", "other"]
    own = [flows[name]["read"] for name in ("r.0", "r.1", "other")]
    assert group["read"]["requests"] == sum(flow["requests"] for flow in own)
    assert group["read"]["latency_ns"]["max"] == max(flow["latency_ns"]["max"] for flow in own)
    assert "Group" in text and "\nr.1" not in text and "group_reporting" not in text
    parts = told(wordline, tmp_path, [reader(4000.0), {**reader(1000.0, "last"), "write": WRITER["write"]}])
    assert list(parts) == [("r", "read"), ("last", "read"), ("last", "write")]
    found = parts["r", "read"]["figures"]
    assert found["iops"]["run"] == group["read"]["iops"]
    assert found["latency_ns.p99"]["run"] == group["read"]["latency_ns"]["p99"]


@pytest.mark.usefixtures("ran")
def test_percentiles_of_a_part_of_the_reads_are_left_out(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "run" / "result.json"
    result = json.loads(path.read_text())
    # As if another flow had read, too.
    result["read"]["requests"] += 1
    path.write_text(json.dumps(result))
    part = told(wordline, tmp_path, [reader(), WRITER])["r", "read"]
    assert not [key for key in part["figures"] if key.startswith("latency_ns.p")]
    assert any("can't be added" in what for what in part["left_out"])


@pytest.mark.usefixtures("ran")
def test_the_table_says_differences_and_what_was_compared(wordline: Wordline, tmp_path: Path) -> None:
    (tmp_path / "fio.json").write_text(fio({}, [reader(), reader(), WRITER]))
    out = wordline("diff", tmp_path / "run", tmp_path / "fio.json").out
    for words in ("run by fio", "r.0", "left out: r.1: reads: only fio has p75", "its clat_ns", "was due"):
        assert words in " ".join(out.split()), words


@pytest.mark.usefixtures("ran")
@pytest.mark.parametrize(
    "jobs", [[reader()], [reader(), WRITER, reader(name="other")], [reader()] * 3 + [WRITER]]
)
def test_what_has_no_counterpart_is_refused_with_the_names_of_both(
    wordline: Wordline, tmp_path: Path, jobs: list[dict[str, Any]]
) -> None:
    (tmp_path / "fio.json").write_text(fio({}, jobs))
    message = wordline("diff", tmp_path / "run", tmp_path / "fio.json").error()
    assert f"jobs {', '.join(job['jobname'] for job in jobs)};" in message
    assert "flows r.0, r.1, w:" in message


@pytest.mark.usefixtures("ran")
def test_what_is_no_result_of_fio_is_refused(wordline: Wordline, tmp_path: Path) -> None:
    for text, message in {
        "": "not a result of fio",
        '{"jobs": [1]}': "not as fio writes",
        fio({}, [reader(), WRITER]).replace("90000.0", '"many"'): "not as fio writes",
        fio({}, [reader(), {**WRITER, "error": 5}]): "job w ended with error 5",
    }.items():
        (tmp_path / "fio.json").write_text(text)
        assert message in wordline("diff", tmp_path / "run", tmp_path / "fio.json").error()
    (tmp_path / "fio.json").write_text(fio({}, [reader(), WRITER]))
    assert "--all" in wordline("diff", tmp_path / "run", tmp_path / "fio.json", "--all").error()
