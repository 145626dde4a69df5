"""Workloads from logs of real drives: what the log says is kept, what it doesn't say is named."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_DRIVE, Wordline, sets
from logs_of_tools import (
    BUSIER,
    BUSY,
    SINCE_BOOT,
    SYSSTAT_11,
    SYSSTAT_11_7,
    SYSSTAT_12,
    fio,
    iostat,
    iostat_json,
    way,
)

from wordline import WordlineError
from wordline.presets import fio_jobs

REPORTS = [{"sda": each} for each in (SINCE_BOOT, BUSY, BUSIER)]

MEGABYTES = [*SYSSTAT_12]
MEGABYTES[1], MEGABYTES[7] = "rMB/s", "wMB/s"
IN_MEGABYTES = [
    {"sda": {**each, "rMB/s": each["rkB/s"] / 1024, "wMB/s": each["wkB/s"] / 1024}}
    for each in (SINCE_BOOT, BUSY, BUSIER)
]

TEXTS = {
    "sysstat 11": iostat(SYSSTAT_11, REPORTS),
    "sysstat 11.7": iostat(SYSSTAT_11_7, REPORTS),
    "sysstat 12": iostat(SYSSTAT_12, REPORTS),
    "sysstat 12 in megabytes": iostat(MEGABYTES, IN_MEGABYTES),
    "JSON": iostat_json(REPORTS),
}


def flows(text: str) -> dict[str, Any]:
    return {flow["name"]: flow for flow in tomllib.loads(text)["flow"]}


@pytest.mark.parametrize("form", TEXTS)
def test_rates_and_sizes_are_those_of_the_log_whatever_its_columns(
    wordline: Wordline, tmp_path: Path, form: str
) -> None:
    (tmp_path / "log").write_text(TEXTS[form])
    done = wordline("workload", tmp_path / "log")
    found = flows(done.out)
    rates = {name: flow["source"]["interarrival"]["iops"] for name, flow in found.items()}
    assert rates == {"reads": 12_000.0, "writes": 2_000.0}
    assert {flow["arrivals"] for flow in found.values()} == {"open"}
    for name, mean in {"reads": 6144, "writes": 16384}.items():
        sizes = found[name]["source"]["sizes"]
        listed = [{"bytes": sizes, "weight": 1}] if isinstance(sizes, int) else sizes
        # Two digits behind the point are little of a megabyte.
        assert sum(size["bytes"] * size["weight"] for size in listed) == pytest.approx(mean, rel=2e-3), name
    assert "the first, since the system started, is left out" in done.out
    assert "Little's law (rate × response time): 3.40" in done.out and "(aqu-sz): 3.40" in done.out
    for assumed in ("addresses", "order", "sizes", "arrivals", "drive"):
        assert f"# Assumed: {assumed}: " in done.out and f"note: assumed: {assumed}: " in done.err


def test_a_load_of_iostat_runs_at_its_rates(wordline: Wordline, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(TEXTS["sysstat 12"])
    load = tmp_path / "load.toml"
    assert wordline("workload", tmp_path / "log", "--out", load, "--requests", "7000").code == 0
    result = wordline("run", "--device", "mqsim", "--workload", load, *sets(SMALL_DRIVE), "--json").json()
    assert result["read"]["iops"] == pytest.approx(12_000, rel=0.05)
    assert result["write"]["iops"] == pytest.approx(2_000, rel=0.1)
    assert result["read"]["bytes"] / result["read"]["requests"] == pytest.approx(6144, rel=0.03)


def test_a_closed_loop_has_the_depth_of_littles_law_and_keeps_the_mix(
    wordline: Wordline, tmp_path: Path
) -> None:
    (tmp_path / "log").write_text(TEXTS["sysstat 12"])
    load = tmp_path / "load.toml"
    options = ("--closed", "--peak", "--requests", "2000")
    wordline("workload", tmp_path / "log", "--out", load, *options)
    (flow,) = flows(load.read_text()).values()
    # 5.1 of 19,000/s are under way: six with pauses of 0.9 / 19,000 s have that rate.
    assert (flow["queue_depth"], flow["think_time_ns"]) == (6, 47_368)
    result = wordline("run", "--device", "mqsim", "--workload", load, *sets(SMALL_DRIVE), "--json").json()
    share = result["read"]["requests"] / (result["read"]["requests"] + result["write"]["requests"])
    assert share == pytest.approx(16 / 19, abs=0.03)
    assert result["write"]["bytes"] / result["write"]["requests"] == 16384


def test_trims_are_a_flow_and_flushes_are_said(wordline: Wordline, tmp_path: Path) -> None:
    disk = {**BUSY, "d/s": 10.0, "dkB/s": 40960.0, "d_await": 1.0, "f/s": 7.0}
    (tmp_path / "log").write_text(iostat(SYSSTAT_12, [{"sda": SINCE_BOOT}, {"sda": disk}]))
    done = wordline("workload", tmp_path / "log")
    trims = flows(done.out)["trims"]["source"]
    assert (trims["trim_share"], trims["interarrival"]["iops"], trims["sizes"]) == (1.0, 10.0, 4 << 20)
    assert "flushes: left out (7.0 a second in the log)" in done.err
    assert "--closed" in wordline("workload", tmp_path / "log", "--closed").error()


def test_depths_that_contradict_are_said(wordline: Wordline, tmp_path: Path) -> None:
    text = TEXTS["sysstat 12"].replace("5.10", "9.90")
    assert text != TEXTS["sysstat 12"]
    (tmp_path / "log").write_text(text)
    assert "differ by more than a tenth" in wordline("workload", tmp_path / "log").out


@pytest.mark.parametrize("make", [lambda reports: iostat(SYSSTAT_12, reports), iostat_json])
def test_a_disk_that_a_report_leaves_out_was_idle(
    wordline: Wordline, tmp_path: Path, make: Callable[[Any], str]
) -> None:
    other = {"sdb": BUSY}
    (tmp_path / "log").write_text(make([{**other}, {**other, "sda": BUSY}, {**other}]))
    out = wordline("workload", tmp_path / "log", "--disk", "sda").out
    rates = {name: flow["source"]["interarrival"]["iops"] for name, flow in flows(out).items()}
    assert rates == {"reads": 4000.0, "writes": 500.0}
    assert "2 reports of sda" in out and "it is missing in 1, which count as idle (-z)" in out


BAD = {
    "several devices": (
        iostat(SYSSTAT_12, [{"sda": BUSY, "sdb": BUSY}] * 2), [], "--disk with one of sda, sdb"
    ),
    "a disk that isn't there": (TEXTS["sysstat 12"], ["--disk", "sdx"], "--disk sdx: not in"),
    "the first report alone": (iostat(SYSSTAT_12, REPORTS[:1]), [], "--first-report"),
    "an idle disk": (iostat(SYSSTAT_12, [{"sda": {**dict.fromkeys(BUSY, 0.0)}}] * 2), [], "had no request"),
    "a line that was cut": (TEXTS["sysstat 12"].rstrip()[:-30], [], "log:19: "),
    "a decimal comma": (TEXTS["sysstat 12"].replace("8000.00", "8000,00"), [], "log:13: r/s 8000,00"),
    "a negative rate": (TEXTS["sysstat 12"].replace("8000.00", "-800.00"), [], "log:13: r/s -800.00"),
    "no number": (TEXTS["sysstat 12"].replace("8000.00", "nan"), [], "log:13: r/s nan: allowed"),
    "iostat without -x": (
        "Device             tps    kB_read/s    kB_wrtn/s\nsda  1.00 4.00 4.00\n", [], "log:1: no column r/s"
    ),
    "JSON that was cut": (TEXTS["JSON"][:-40], [], "allowed: all of what iostat wrote"),
    "JSON without disks": ('{"sysstat": {"hosts": [{"statistics": [{}]}]}}', [], "not as iostat"),
    "an option of traces": (TEXTS["sysstat 12"], ["--closed", "--format", "spc"], "--closed: "),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_log_is_named_by_file_and_line(
    wordline: Wordline, tmp_path: Path, case: str
) -> None:
    text, options, message = BAD[case]
    (tmp_path / "log").write_text(text)
    assert message in wordline("workload", tmp_path / "log", *options).error()


def test_a_result_of_fio_gives_the_jobs_that_were_run(wordline: Wordline, tmp_path: Path) -> None:
    shared = {"bs": "4k", "ioengine": "libaio", "direct": "1", "size": "16m", "filename": "/dev/nvme0n1"}
    reader = {"rw": "randread", "iodepth": "4", "numjobs": "2"}
    jobs = [
        *[{"jobname": "r", "options": reader, "read": way(900.0, 4096, 9e4, {})}] * 2,
        {
            "jobname": "w",
            "options": {"rw": "write", "rate_iops": "1000"},
            "write": way(1000.0, 4096, 9e3, {}),
        },
    ]
    log = tmp_path / "fio.json"
    log.write_text("fio: a warning\n" + fio(shared, jobs))
    load = tmp_path / "load.toml"
    assert wordline("workload", log, "--out", load).code == 0
    found = flows(load.read_text())
    depths = {name: flow.get("queue_depth", flow.get("max_outstanding")) for name, flow in found.items()}
    assert depths == {"r.0": 4, "r.1": 4, "w": 1}
    assert found["w"]["source"]["fio"]["write"]["iops"] == 1000
    assert "# w: writes 1,000.0/s measured." in load.read_text()
    result = wordline("run", "--device", "mqsim", "--workload", load, *sets(SMALL_DRIVE), "--json").json()
    assert [flow["name"] for flow in result["flows"]] == ["r.0", "r.1", "w"]
    log.write_text(fio(shared, [{"jobname": "r", "options": {**reader, "numjobs": "x"}}]))
    assert "numjobs=x: allowed" in wordline("workload", log).error()
    log.write_text(
        fio({}, [{"jobname": "r", "options": {**reader, "group_reporting": ""}}]).replace("}", "", 1)
    )
    assert "not a result of fio" in wordline("workload", log).error()


def test_a_trace_becomes_a_workload_beside_it(wordline: Wordline, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    wordline("trace", "gen", "financial2", trace, "--requests", "500")
    load = tmp_path / "loads" / "t.toml"
    wordline("workload", trace, "--out", load, "--transform", "filter ops=read")
    told = wordline("run", "--device", "mqsim", "--workload", load, "--json").json()
    read = wordline("trace", "info", trace, "--json").json()["reads"]["requests"]
    assert (told["read"]["requests"], told["write"]["requests"]) == (read, 0)
    assert "Assumed: arrivals: at the recorded times" in load.read_text()


def test_a_workload_is_written_over_none_but_its_like(wordline: Wordline, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(TEXTS["sysstat 12"])
    (tmp_path / "mine.toml").write_text("name = 'mine'\n")
    assert "is there" in wordline("workload", tmp_path / "log", "--out", tmp_path / "mine.toml").error()
    for _ in range(2):
        assert wordline("workload", tmp_path / "log", "--out", tmp_path / "own.toml").code == 0


def test_what_is_wrong_with_several_jobs_alike_is_one_line(wordline: Wordline, tmp_path: Path) -> None:
    file = tmp_path / "job.fio"
    file.write_text("[a]\nrw=randread\n[b]\nrw=randwrite\n")
    message = wordline("run", "--workload", file).error()
    assert message.startswith(f"{file}: lines 1, 3: jobs a, b: no size: in fio it is the file's")
    assert message.endswith("allowed: a size= or a filesize=, or --fio size=1g")
    assert wordline("run", "--workload", file, "--fio", "size=1g", "--dry-run").code == 0
    with pytest.raises(WordlineError, match=r'fio_jobs\(…, settings=\["size=1g"\]\)'):
        fio_jobs(file)
    assert "bytes = 1073741824" in fio_jobs(file, settings=["size=1g"]).text
    file.write_text("[a]\nrw=sideways\nsize=1m\n[b]\nrw=randread\n")
    first, second = wordline("run", "--workload", file).err.splitlines()
    assert "sideways" in first and "line 4: job b: no size" in second


def test_files_that_a_trace_s_workload_names_are_found_from_its_folder(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("time_ns,op,offset_bytes,length_bytes\n0,W,0,4096\n900000,R,0,4096\n")
    merged = ("workload", "a.csv", "--transform", "merge paths=b.csv", "--out", "sub/w.toml")
    assert wordline(*merged).code == 0
    source = tomllib.loads((tmp_path / "sub" / "w.toml").read_text())["source"]
    assert (source["path"], source["transform"][0]["paths"]) == ("../a.csv", ["../b.csv"])
    run = ("run", "--device", "mqsim", "--workload", "sub/w.toml", *sets(SMALL_DRIVE), "--json")
    assert wordline(*run).json()["read"]["requests"] == 2
