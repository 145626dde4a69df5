"""Response times of flushes and TRIMs, wherever reads and writes have them: a database log lives off them."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest
from conftest import SMALL_DRIVE, Wordline

import wordline as package
from wordline.sweeps import sweep

# A write-ahead log: each entry is flushed. And another job that reads beside it.
JOB = """[log]
rw=write
bs=4k
size=8m
io_size=8m
fsync=1
iodepth=1
"""

LOG_AND_READERS = JOB + "[readers]\nrw=randread\nbs=4k\nsize=64m\nio_size=4m\niodepth=4\nioengine=libaio\n"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("job") / "log.fio"
    path.write_text(JOB)
    return path


@pytest.fixture(scope="module")
def logged(job: Path) -> package.Result:
    log = job.with_suffix(".parquet")
    return package.run(
        "mqsim", scheme="write-buffer", workload=str(job), overrides=SMALL_DRIVE, request_log=log
    )


def test_a_job_of_fio_with_fsync_has_percentiles_of_its_flushes(logged: package.Result, job: Path) -> None:
    flush, write = logged.flush, logged.write
    assert flush.requests == write.requests == 2048 and flush.bytes == 0
    latency = flush.latency_ns
    # Each flush programs the page of its write: tPROG is part of it, while a write ends in DRAM.
    program = min(logged.config.device.cell.program_ns)
    assert latency.min > program > write.latency_ns.max
    ordered = ("min", "p50", "p90", "p95", "p97", "p98", "p99", "p99_5", "p99_9", "p99_99", "max")
    values = [latency[name] for name in ordered]
    assert values == sorted(values)
    mean = flush.blame.mean
    assert sum(mean.total_ns.values()) == mean.response_total_ns
    assert mean.mean_ns["write_back"] / latency.mean > 0.97
    window = logged.window.end_ns - logged.window.start_ns
    assert mean.response_total_ns / window > 0.9
    assert flush.iops == pytest.approx(2048 / (window / 1e9))
    interval = logged.interval("flush.latency_ns.p99")
    assert interval is not None and interval.low <= latency.p99 <= interval.high
    bins, counts = logged.histogram("flush")
    assert counts.sum() == 2048 and bins[-1] >= latency.max
    table = logged.table("histogram").to_pylist()
    assert sum(row["requests"] for row in table if row["direction"] == "flush") == 2048
    rows = pyarrow.parquet.read_table(job.with_suffix(".parquet")).to_pylist()
    times = [row["end_ns"] - row["arrival_ns"] for row in rows if row["op"] == "F"]
    assert sum(times) == mean.response_total_ns and max(times) == latency.max


def test_it_shows_in_the_terminal_and_on_the_page(wordline: Wordline, job: Path, tmp_path: Path) -> None:
    small = [f"--set={key}={value}" for key, value in SMALL_DRIVE.items()]
    out = wordline(
        "run",
        "--device",
        "mqsim",
        "--scheme",
        "write-buffer",
        "--workload",
        job,
        *small,
        "--out",
        tmp_path / "run",
    ).out
    lines = [line.split() for line in out.splitlines()]
    counts = next(line for line in lines if line[:2] == ["flush", "2,048"])
    # Count and rate with its interval; a flush has no bytes.
    assert len(counts) == 4
    assert sum(line[:1] == ["flush"] for line in lines) == 2
    assert "Where a flush's time went" in out and "trim" not in out
    page = (tmp_path / "run" / "report.html").read_text()
    assert "flush p99.9" in page and "flushes: where the time went, mean of all" in page
    assert "trim p99.9" not in page and "trims: where" not in page


def test_it_is_compared_swept_and_averaged(wordline: Wordline, job: Path, tmp_path: Path) -> None:
    small = [f"--set={key}={value}" for key, value in SMALL_DRIVE.items()]
    compared = wordline(
        "compare",
        "--device",
        "mqsim",
        "--workload",
        job,
        "--schemes",
        "write-buffer,baseline",
        *small,
        "--json",
    ).json()
    first, second = compared["workloads"][0]["schemes"]
    flush, write = (f"{kind}.latency_ns.mean" for kind in ("flush", "write"))
    # With the buffer the flush takes the program's time, without it the write does.
    assert first["figures"][flush]["value"] > 10 * first["figures"][write]["value"]
    assert second["figures"][write]["value"] > 10 * second["figures"][flush]["value"]
    assert first["blame_ns"]["flush"]["mean"]["write_back"] > 0
    assert not any(name.startswith("trim") for name in first["figures"])
    results = package.run_seeds(
        "mqsim", scheme="write-buffer", workload=str(job), overrides=SMALL_DRIVE, seeds=2
    )
    summary = results.summary()
    assert summary["flush.latency_ns.p99"].mean > summary["write.latency_ns.p99"].mean
    assert not any(name.startswith(("trim", "flush.bandwidth")) for name in summary)
    described = {
        "device": "mqsim",
        "workload": str(job),
        "scheme": "write-buffer",
        "set": {"device.geometry.blocks": 256},
        "axes": {"device.geometry.pages": [64, 128]},
    }
    swept = sweep(described, tmp_path).to_pylist()
    assert [row["flush.requests"] for row in swept] == [2048, 2048]
    assert all(row["flush.latency_ns.p99"] > row["write.latency_ns.p99"] for row in swept)
    assert all("trim.latency_ns.p99" not in row for row in swept)


def test_each_flow_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "two.fio").write_text(LOG_AND_READERS)
    result = package.run(
        "mqsim", scheme="write-buffer", workload=str(tmp_path / "two.fio"), overrides=SMALL_DRIVE
    )
    log, readers = result.flows
    assert (log["flush"]["requests"], readers["flush"]["requests"]) == (result.flush.requests, 0)
    assert log["flush"]["latency_ns"]["p99_9"] == result.flush.latency_ns.p99_9
    mean = log["flush"]["blame"]["mean"]
    assert sum(mean["total_ns"].values()) == mean["response_total_ns"]


def test_trims_have_a_rate_and_response_times() -> None:
    source = {
        "workload.source.requests": 2_000,
        "workload.source.read_share": 0.0,
        "workload.source.trim_share": 0.5,
    }
    result = package.run("mqsim", workload="randwrite-4k-qd16", overrides={**SMALL_DRIVE, **source})
    assert result.trim.requests + result.write.requests == 2_000
    assert 0 < result.trim.latency_ns.mean < result.write.latency_ns.mean
    assert result.trim.bandwidth_bytes_per_s == pytest.approx(result.trim.iops * 4096)


def test_requests_that_take_no_time_have_no_rate(tmp_path: Path, wordline: Wordline) -> None:
    job = tmp_path / "trims.fio"
    job.write_text("[trims]\nrw=randtrim\nbs=4k\nsize=8m\nio_size=1m\n")
    done = wordline("run", "--device", "enterprise-tlc", "--workload", str(job))
    line = next(line for line in done.out.splitlines() if line.startswith("trim"))
    assert line.split() == ["trim", "256", "–", "–"]
