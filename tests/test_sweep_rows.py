"""Rows of sweeps: merged, joined, damaged, kept when a sweep is killed; other places to run."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas
import pyarrow.parquet
import pytest
from conftest import Wordline, start
from small_sweeps import AXES, SETTINGS, SWEEP, files, write

from wordline import run
from wordline.study import Store
from wordline.sweeps import sweep


def test_sweeps_are_merged_and_each_point_is_there_once(wordline: Wordline, tmp_path: Path) -> None:
    halves = [tmp_path / "a", tmp_path / "b"]
    for folder, depths in zip(halves, ([1, 8], [8, 16]), strict=True):
        sweep(SWEEP | {"axes": AXES | {"workload.host.queue_depth": depths}}, folder)
    whole = tmp_path / "whole"
    assert wordline("merge", *halves, "--out", whole, "--json").json() == {"taken": 12, "rows": 12}
    assert wordline("merge", *halves, "--out", whole, "--json").json() == {"taken": 0, "rows": 12}
    file = write(tmp_path / "s.toml", axes=AXES | {"workload.host.queue_depth": [1, 8, 16]})
    assert wordline("sweep", file, "--out", whole, "--json").json()["kept"] == 12
    assert "not the folder of a sweep" in wordline("merge", tmp_path, "--out", whole).error()


def test_rows_are_joined_into_larger_files_and_none_is_lost(tmp_path: Path) -> None:
    store = Store(tmp_path)
    row: dict[str, Any] = {"seed": 1, "waf": 1.5}
    for number in range(150):
        store.append(row | {"key": f"{number:032x}", "status": "done" if number % 3 else "failed"})
    assert len(files(tmp_path)) < 30
    fresh = Store(tmp_path)
    assert len(fresh.status()) == fresh.table().num_rows == 150
    assert sum(status == "failed" for status in fresh.status().values()) == 50


@pytest.mark.parametrize("damage", ["half", "flipped", "noise", "foreign"])
def test_a_damaged_row_is_set_aside_and_run_again(wordline: Wordline, tmp_path: Path, damage: str) -> None:
    file, out = write(tmp_path / "s.toml", seeds=1), tmp_path / "s"
    assert wordline("sweep", file).code == 0
    before = pyarrow.parquet.read_table(out / "sweep.parquet")
    path = sorted((out / "rows").glob("*.parquet"))[0]
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(
        {
            "half": data[:middle],
            "flipped": data[:200] + bytes([data[200] ^ 0x55]) + data[201:],
            "noise": b"this is no table",
            "foreign": b"",
        }[damage]
    )
    if damage == "foreign":
        pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), path)
    again = wordline("sweep", file, "--json")
    assert again.code == 0 and again.json()["done"] == 1 and again.json()["kept"] == 3
    assert again.err == (
        f"wordline: note: {path}: damaged; set aside as {path.name}.damaged, and its points are run again\n"
    )
    assert path.with_name(path.name + ".damaged").exists()
    after = pyarrow.parquet.read_table(out / "sweep.parquet")
    assert after["read.latency_ns.p99"].equals(before["read.latency_ns.p99"])
    assert wordline("sweep", file, "--json").err == ""


def test_a_full_disk_is_an_error_and_what_was_written_stays(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: the second write fails in the middle."""
    code = (
        "import resource, signal, sys, wordline\n"
        "from wordline.study import Store\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store = Store(sys.argv[1])\n"
        "row = {'key': 'a', 'status': 'done', 'seed': 1, 'x': 1.0, 'result': ''}\n"
        "store.append(row)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "import os\n"
        "try:\n"
        "    store.append(row | {'key': 'b', 'result': os.urandom(5000).hex()})\n"
        "except wordline.WordlineError as error:\n"
        "    print(error)\n"
    )
    process = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert "the rows written before are kept" in process.stdout, process.stderr
    assert list(Store(tmp_path).status()) == ["a"]
    assert [path.suffix for path in (tmp_path / "rows").iterdir()] == [".parquet"]


LONG = {
    "seeds": 12,
    "set": {**SETTINGS, "workload.source.requests": 4000},
    "axes": {"workload.host.queue_depth": [1, 2, 4, 8]},
}


def wait_for_rows(folder: Path, least: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if len(list((folder / "rows").glob("*.parquet"))) >= least:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("no rows")


def test_a_killed_sweep_goes_on_where_it_was(wordline: Wordline, tmp_path: Path) -> None:
    file, out = write(tmp_path / "s.toml", **LONG), tmp_path / "s"
    process = start("sweep", str(file))
    wait_for_rows(out, 3, process)
    process.kill()
    process.communicate()
    before = files(out)
    (out / "rows" / "torn.part").write_bytes(b"half a file")
    summary = wordline("sweep", file, "--json").json()
    assert summary["kept"] >= 3 and summary["kept"] + summary["done"] == 48
    assert summary["done"] > 0
    assert before.items() <= files(out).items()
    assert not list((out / "rows").glob("*.part"))
    assert pyarrow.parquet.read_table(out / "sweep.parquet").num_rows == 48


def test_ctrl_c_ends_a_sweep_at_once_and_keeps_its_rows(tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml", **LONG | {"set": {**SETTINGS, "workload.source.requests": 3_000_000}})
    process = start("sweep", str(file), "--jobs", "2")
    time.sleep(2)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, (out, err)
    assert err == "wordline: interrupted\n"
    assert time.monotonic() - begin < 10


def test_two_sweeps_in_one_folder_are_refused(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml", **LONG | {"set": {**SETTINGS, "workload.source.requests": 3_000_000}})
    process = start("sweep", str(file))
    try:
        lock = tmp_path / "s" / ".lock"
        end = time.monotonic() + 30
        while not lock.exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
        assert "another run or study is writing there" in wordline("sweep", file).error()
    finally:
        process.kill()
        process.communicate()


def test_points_share_one_prepared_drive_and_one_trace(tmp_path: Path) -> None:
    """Each gives what it would have given on a drive of its own, with the trace read from its file."""
    trace = tmp_path / "t.csv"
    lines = (f"{n * 20_000},{'W' if n % 3 else 'R'},{n * 8192 % 9_000_000},8192\n" for n in range(800))
    trace.write_text("time_ns,op,offset_bytes,length_bytes\n" + "".join(lines))
    drive = {
        "device.geometry.blocks": 64,
        "device.geometry.pages": 16,
        "device.geometry.channels": 1,
        "device.capacity.overprovisioning": 0.2,
    }
    start_ = {"workload.start.overwrite": 0.3}
    described = {
        "device": "mqsim",
        "trace": str(trace),
        "set": {**drive, **start_},
        "axes": {"workload.host.time_scale": [0.5, 1.0, 2.0]},
    }
    rows = sweep(described, tmp_path / "s").to_pylist()
    for row in rows:
        overrides = {
            **drive,
            **start_,
            "workload.host.time_scale": row["axis.workload.host.time_scale"],
        }
        file = tmp_path / "w.toml"
        file.write_text(f'source = {{ kind = "trace", path = "{trace}" }}\nhost.arrivals = "open"\n')
        alone = run("mqsim", workload=file, overrides=overrides)
        assert row["write.latency_ns.mean"] == alone.write.latency_ns.mean
        assert row["waf"] == alone.waf


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A real Dask scheduler, a process of its own, without workers."""
    folder = tmp_path_factory.mktemp("dask")
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "dask",
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(folder / "scheduler.json"),
        ],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        end = time.monotonic() + 60
        while not (folder / "scheduler.json").exists():
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
        time.sleep(0.1)
        yield json.loads((folder / "scheduler.json").read_text())["address"], folder
        process.terminate()


def worker(address: str, folder: Path, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "dask",
            "worker",
            address,
            "--no-nanny",
            "--nthreads",
            "1",
            "--name",
            name,
            "--no-dashboard",
            "--local-directory",
            str(folder / name),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_a_killed_worker_of_a_cluster_loses_and_repeats_nothing(
    wordline: Wordline, tmp_path: Path, scheduler: tuple[str, Path]
) -> None:
    address, folder = scheduler
    workers = [worker(address, folder, name) for name in ("first", "second")]
    file, out = write(tmp_path / "s.toml", **LONG), tmp_path / "s"
    process = start("sweep", str(file), "--on", address, "--json")
    try:
        wait_for_rows(out, 6, process)
        workers[0].kill()
        before = files(out)
        text, err = process.communicate(timeout=120)
    finally:
        process.kill()
        for each in workers:
            each.kill()
            each.wait()
    assert process.returncode == 0, err
    summary = json.loads(text)
    assert (summary["points"], summary["done"], summary["failed"]) == (48, 48, 0)
    # What was finished when the worker died has been written once and not again.
    assert 6 <= len(before) < 48 and before.items() <= files(out).items()
    assert len(files(out)) == 48
    here = wordline("sweep", file, "--out", tmp_path / "here", "--json").json()
    assert here["done"] == 48
    there, locally = (
        pyarrow.parquet.read_table(path / "sweep.parquet").to_pandas().drop(columns="result")
        for path in (out, tmp_path / "here")
    )
    pandas.testing.assert_frame_equal(
        there.loc[:, ~there.columns.str.startswith("engine.")],
        locally.loc[:, ~locally.columns.str.startswith("engine.")],
    )


def test_jobs_of_slurm_as_processes_of_this_machine(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml", seeds=1, axes={"workload.host.queue_depth": [1, 8]})
    assert wordline("sweep", file, "--on", "local", "--json").json()["done"] == 2
    assert wordline("sweep", file, "--json").json()["kept"] == 2
    if shutil.which("sbatch"):
        return
    assert "--on slurm" in wordline("sweep", file, "--on", "slurm", "--out", tmp_path / "x").error()


def test_a_place_that_is_not_there_is_told(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml")
    assert "allowed: threads, tcp://" in wordline("sweep", file, "--on", "moon").error()
