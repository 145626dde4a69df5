"""Sweeps: points, rows, going on after a kill, other places to run."""

from __future__ import annotations

import json
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import SMALL, Wordline, start

from wordline import WordlineError, _core, run
from wordline.figures import better
from wordline.report.study_facts import best
from wordline.study import Store
from wordline.study.estimate import MOST
from wordline.study.job import Job
from wordline.sweeps import sweep
from wordline.sweeps.averages import Averaged
from wordline.sweeps.axes import combinations, values

SETTINGS = {**SMALL, "workload.source.requests": 500}
AXES = {"workload.host.queue_depth": [1, 8], "scheme.scheduler.policy": ["fifo", "read_first"]}
SWEEP: dict[str, Any] = {
    **{"device": "mqsim", "workload": "mixed-70-30-8k-qd16"},
    **{"seeds": 2, "set": SETTINGS, "axes": AXES},
}


def write(path: Path, **changes: Any) -> Path:
    """A sweep's file, in TOML."""
    data = SWEEP | changes
    tables = {key: value for key, value in data.items() if isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in data.items() if key not in tables]
    for table, entries in tables.items():
        lines += [f"[{table}]", *(f'"{key}" = {json.dumps(value)}' for key, value in entries.items())]
    path.write_text("\n".join(lines) + "\n")
    return path


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rows").glob("*.parquet")}


def test_a_dry_run_is_the_same_in_every_command(wordline: Wordline, tmp_path: Path) -> None:
    few = ["--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", "--seeds", "2"]
    few += [word for path, value in SETTINGS.items() for word in ("--set", f"{path}={value}")]
    out = tmp_path / "out"
    compare = ("compare", *few, "--scheme", "baseline,fifo", "--out", out)
    file = write(tmp_path / "s.toml")
    for command, points in ((("run", *few), 2), (compare, 4), (("sweep", file), 8)):
        facts = wordline(*command, "--dry-run", "--json").json()
        assert (facts["points"], facts["left"]) == (points, points) and facts["drives"]
        assert facts["tried"] == min(points, MOST) and facts["estimate_s"] >= 0
        assert f"{points} points are valid; {points} are left" in wordline(*command, "--dry-run").out
    one = wordline("run", *few[:4], *few[6:], "--dry-run").out
    assert "1 point is valid; 1 is left, on 1 drive\n" in one
    search = tmp_path / "t.toml"
    search.write_text(
        'device = "mqsim"\nworkload = "mixed-70-30-8k-qd16"\ntrials = 3\nseeds = [1, 2]\n'
        '[search]\n"scheme.gc.trigger" = { low = 0.01, high = 0.05 }\n[objectives]\nwaf = "minimize"\n'
    )
    tuned = wordline("tune", search, "--out", tmp_path / "t", "--dry-run", "--json").json()
    # A seed's run at each end of the only parameter.
    assert tuned.pop("estimate_s") >= 0
    assert tuned == {"trials": 3, "runs": 6, "kept": 0, "tried": 4}
    told = wordline("tune", search, "--dry-run").out
    assert "3 trials of 6 runs at most" in told and "an estimate by the first 0.4 s of 4 of them" in told
    wrong = ("--set", "device.geometry.blocks=0")
    assert "search." in wordline("tune", search, "--dry-run", *wrong).error()
    search.unlink()
    exhibits = ("repro", "validation", "--quick", "--out", tmp_path / "r", "--dry-run")
    listed = wordline(*exhibits, "--json").json()
    assert listed["exhibits"] and all(one["points"] == one["left"] for one in listed["exhibits"])
    # Exhibits may share points.
    assert 0 < listed["points"] <= sum(one["points"] for one in listed["exhibits"])
    assert listed["left"] == listed["points"] and listed["drives"]
    assert listed["tried"] == MOST and listed["estimate_s"] > 0
    *_, counted, estimated = wordline(*exhibits).out.splitlines()
    assert "points are valid" in counted and "an estimate by the first 0.4 s of" in estimated
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]
    assert wordline(*compare).code == 0
    rest = wordline(*compare, "--dry-run", "--json").json()
    assert rest == {"points": 4, "left": 0, "drives": 0, "estimate_s": 0.0, "tried": 0}
    assert "comparison.json" in {path.name for path in out.iterdir()}
    prepare = ("prepare", "mqsim", "--out", tmp_path / "drive", "--dry-run")
    assert wordline(*prepare, "--json").json() == {"points": 1, "left": 1, "drives": 1}
    assert not (tmp_path / "drive").exists()
    slip = ("--set", "workload.source.requests=-1", "--dry-run")
    assert "allowed: a whole number" in wordline("run", *few, *slip).error()


def test_a_command_line_goes_before_the_file(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml")
    more = ("--set", "workload.source.requests=300", "--set", "scheme.gc.policy=fifo", "--seeds", "4,9")
    assert wordline("sweep", file, *more, "--out", tmp_path / "out").code == 0
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "sweep.parquet").to_pylist()
    assert {row["seed"] for row in rows} == {4, 9} and len(rows) == 8
    config = json.loads(rows[0]["inputs"])
    assert config["workload"]["source"]["requests"] == 300 and config["scheme"]["gc"]["policy"] == "fifo"
    told = wordline("sweep", file, "--set", "workload.host.queue_depth=2").error()
    assert told == "--set workload.host.queue_depth=2: allowed: a path that is no axis of it"


def test_schemes_have_labels(tmp_path: Path) -> None:
    text = "baseline+" + "+".join(f"gc.trigger=0.0{digit}" for digit in "5") + "+scheduler.policy=fifo"
    labelled = {"plain": "baseline", "ours": text}
    described = {"device": "mqsim", "workload": "mixed-70-30-8k-qd16", "set": SETTINGS}
    rows = sweep({**described, "scheme": labelled}, tmp_path / "a").to_pylist()
    assert [row["axis.scheme"] for row in rows] == ["plain", "ours"]
    config = json.loads(rows[1]["inputs"])["scheme"]
    assert (config["scheduler"]["policy"], config["gc"]["trigger"]) == ("fifo", 0.05)
    # The same points by their texts.
    plain = sweep({**described, "scheme": list(labelled.values())}, tmp_path / "b").to_pylist()
    assert [row["key"] for row in plain] == [row["key"] for row in rows]
    for wrong in ({"ours": 1}, {"ours": ""}, {}):
        with pytest.raises(WordlineError, match=r"scheme.*allowed: labels, each with a name, path or text"):
            sweep({**described, "scheme": wrong}, tmp_path / "c")


def test_every_point_is_a_row_with_the_figures_of_a_single_run(tmp_path: Path) -> None:
    table = sweep(SWEEP, tmp_path)
    assert table.num_rows == 8
    row = table.to_pylist()[5]
    assert (row["axis.workload.host.queue_depth"], row["axis.scheme.scheduler.policy"], row["seed"]) == (
        8,
        "fifo",
        2,
    )
    alone = run(
        "mqsim",
        workload="mixed-70-30-8k-qd16",
        seed=2,
        overrides={**SETTINGS, "workload.host.queue_depth": 8, "scheme.scheduler.policy": "fifo"},
    )
    assert row["read.latency_ns.p99"] == alone.read.latency_ns.p99
    assert row["read.blame.mean.mean_ns.cell"] == alone.read.blame.mean.mean_ns.cell
    kept, now = json.loads(row["result"]), alone.to_dict()
    # A row is of what was run, whichever way it was set.
    del kept["engine"], now["engine"], now["changed"]
    assert kept == now


def test_the_table_is_read_without_copies_by_pandas_polars_and_numpy(tmp_path: Path) -> None:
    table = sweep(SWEEP | {"seeds": 1}, tmp_path)
    assert polars.from_arrow(table)["waf"].to_list() == table["waf"].to_pylist()  # type: ignore[index]
    assert pandas.read_parquet(tmp_path / "sweep.parquet")["waf"].tolist() == table["waf"].to_pylist()
    column = table["read.iops"].combine_chunks()
    assert numpy.shares_memory(column.to_numpy(zero_copy_only=True), column.to_numpy(zero_copy_only=True))


def test_a_finished_sweep_runs_nothing_and_a_changed_one_what_changed(
    wordline: Wordline, tmp_path: Path
) -> None:
    file, out = write(tmp_path / "s.toml"), tmp_path / "s"
    assert wordline("sweep", file, "--json").json()["done"] == 8
    before = files(out)
    again = wordline("sweep", file, "--json").json()
    assert (again["kept"], again["done"]) == (8, 0)
    assert files(out) == before
    write(file, axes=AXES | {"workload.host.queue_depth": [1, 4]})
    more = wordline("sweep", file, "--json").json()
    assert (more["kept"], more["done"]) == (4, 4)
    assert pyarrow.parquet.read_table(out / "sweep.parquet").num_rows == 8
    assert len(files(out)) == 12


def test_rows_of_an_older_build_are_kept_but_never_taken_for_results_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = SWEEP | {"seeds": 1, "axes": {"workload.host.queue_depth": [1, 8]}}
    with monkeypatch.context() as older:
        older.setattr(_core, "__build__", "0123456789abcdef")
        # The default of its last field, which was taken when the class was made.
        older.setattr(Job.__init__, "__defaults__", ("0123456789abcdef",))
        before = sweep(short, tmp_path).to_pylist()
    after = sweep(short, tmp_path).to_pylist()
    assert not {row["key"] for row in before} & {row["key"] for row in after}
    assert {row["build"] for row in before} == {"0123456789abcdef"}
    assert {row["build"] for row in after} == {_core.__build__}
    # Both builds' rows are there, and a table shows those of this build.
    assert len(Store(tmp_path).status()) == 4
    assert pyarrow.parquet.read_table(tmp_path / "sweep.parquet").num_rows == 2


def test_names_and_paths_are_no_inputs_but_contents_of_traces_are(tmp_path: Path) -> None:
    head = "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    described = {"device": "mqsim", "trace": "t.csv", "set": {}, "name": "one"}
    keys = []
    for folder, text in (("a", head), ("b", head), ("b", head + "9,R,4096,4096\n")):
        trace = tmp_path / folder / "t.csv"
        trace.write_text(text)
        keys.append(sweep(described | {"trace": str(trace)}, tmp_path / "out")["key"].to_pylist())
    assert keys[0] == keys[1] != keys[2]
    assert len(Store(tmp_path / "out").status()) == 2


def test_every_file_of_a_trace_is_an_input(tmp_path: Path) -> None:
    def event(time_ns: int) -> bytes:
        issued_read = (1 << 16) | 7
        return struct.pack("<IIQQ5I2H", 0x65617407, 1, time_ns, 8, 4096, issued_read, 1, 0x800010, 0, 0, 0)

    (tmp_path / "w.toml").write_text(
        'host.arrivals = "open"\n[source]\nkind = "trace"\npath = "one.csv"\n'
        'transform = [{ kind = "merge", paths = ["other.csv"] }]\n'
    )
    line = "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n"
    for name in ("one.csv", "other.csv"):
        (tmp_path / name).write_text(line)
    (tmp_path / "sdb.blktrace.0").write_bytes(event(0))
    of_two = {"device": "mqsim", "workload": str(tmp_path / "w.toml")}
    of_processors = {"device": "mqsim", "trace": str(tmp_path / "sdb")}

    def requests() -> list[int]:
        tables = [sweep(described, tmp_path / "out") for described in (of_two, of_processors)]
        return [table["read.requests"].to_pylist()[0] for table in tables]

    assert requests() == [2, 1]
    (tmp_path / "other.csv").write_text(line + "9,R,4096,4096\n")
    (tmp_path / "sdb.blktrace.1").write_bytes(event(9))
    assert requests() == [3, 2]


def test_the_table_is_printed(wordline: Wordline, tmp_path: Path) -> None:
    outcome = wordline("sweep", write(tmp_path / "s.toml"), "--metric", "read.latency_ns.p99,waf")
    assert (outcome.code, outcome.err) == (0, "")
    for text in ("8 points", "queue_depth", "policy", "read p99, µs", "WAF", "sweep.parquet"):
        assert text in outcome.out, text


def test_the_figures_that_are_asked_for_lead_the_page(wordline: Wordline, tmp_path: Path) -> None:
    def figures(*metrics: str) -> list[str]:
        assert wordline("sweep", write(tmp_path / "s.toml"), *metrics).code == 0
        page = (tmp_path / "s" / "report.html").read_text()
        charts = re.findall(r"<figcaption>(.*?)</figcaption>", page)
        (heads,) = re.findall(r"<h2>Points</h2>.*?<tr>(.*?)</tr>", page, re.DOTALL)
        return [charts[0], *re.findall(r"<th[^>]*>(.*?)</th>", heads)[2:4]]

    led = ["write IOPS over queue depth", "write IOPS", "WAF"]
    assert figures("--metric", "write.iops,waf") == led != figures()


def test_the_best_hit_ratio_is_the_highest() -> None:
    shares = {"4096": 0.1, "65536": 0.4}
    points = [
        Averaged({"scheme.mapping.cache_bytes": size}, [{"mapping.hit_ratio": share}], [])
        for size, share in shares.items()
    ]
    assert ">cache_bytes 65536<" in best(points, ["mapping.hit_ratio"])
    fewer = ("mapping.misses", "cache.stalls", "waf", "flows.a.read.latency_ns.p99", "gc.moved_units")
    assert {better(metric) for metric in fewer} == {"less"}
    more = ("read.iops", "cache.write_hits", "slc_cache.first_direct_ns")
    assert {better(metric) for metric in more} == {"more"}


def test_of_what_is_neither_good_nor_bad_no_point_is_the_best() -> None:
    neither = (
        "read.requests",
        "write.bytes",
        "gc.victims",
        "read.blame.mean.requests",
        "seed",
        "cache.merges",
    )
    assert {better(metric) for metric in neither} == {None}
    points = [
        Averaged({"workload.seconds": number}, [{"read.requests": number, "waf": number}], [])
        for number in (1, 2)
    ]
    assert "read requests" not in best(points, ["read.requests", "waf"])
    assert best(points, ["read.requests"]) == ""


def test_a_dry_run_validates_and_runs_nothing(wordline: Wordline, tmp_path: Path) -> None:
    facts = wordline("sweep", write(tmp_path / "s.toml"), "--dry-run", "--json").json()
    # Two seeds and two schemes: the queue depth is no part of the drive.
    assert (facts["points"], facts["left"], facts["drives"]) == (8, 8, 4)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"axes": AXES | {"device.geometry.ways": [4, 0]}}, "point 3 of 16 .*device.geometry.ways = 0"),
        ({"axes": {"scheme.gc.polcy": ["fifo"]}}, "did you mean .*policy"),
        ({"axes": {"scheme.gc.policy": []}}, "allowed: one value or more"),
        ({"axes": {"scheme.gc.policy": ["fifo", "fifo"]}}, "each value once"),
        ({"axs": {}}, "did you mean `axes`"),
        ({"scheme": ["fifo+suspend"]}, "slot `scheduler`"),
        ({"trace": "missing.csv", "workload": "x"}, "exclude each other"),
        ({"seeds": [1, 1]}, "seeds"),
        ({"checked": 1}, "checked = 1"),
        ({"together": [{"a": [1], "b": [1, 2]}]}, "same length"),
        ({"together": [{"a": [1, 1], "b": [2, 2]}]}, "each combination once"),
        ({"axes": {"scheme.gc.trigger": [1, 1.0]}}, "each value once"),
        ({"set": {"workload.host.queue_depth": 7}}, r"set\.workload\.host\.queue_depth = 7: .* is an axis"),
        ({"axes": {"device": ["astro"]}}, "device = 'mqsim': device is an axis"),
        ({"axes": {"trace": ["t.csv"]}}, "exclude each other"),
    ],
)
def test_a_slip_is_told_before_anything_runs(
    wordline: Wordline, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    data = SWEEP | changes
    if "together" in changes:
        with pytest.raises(WordlineError, match=message):
            sweep(data, tmp_path / "s")
    else:
        assert re.search(message, wordline("sweep", write(tmp_path / "s.toml", **changes)).error())
    assert not (tmp_path / "s").exists()


def test_ranges_and_axes_that_go_together() -> None:
    assert values("x", {"from": 1, "to": 1000, "steps": 4, "scale": "log"}) == [1, 10, 100, 1000]
    assert values("x", {"from": 0.0, "to": 0.3, "steps": 4}) == [0.0, 0.1, 0.2, 0.3]
    found = combinations({"a": [1, 2]}, [{"b": [3, 4], "c": [5, 6]}])
    assert found == [
        {"a": 1, "b": 3, "c": 5},
        {"a": 1, "b": 4, "c": 6},
        {"a": 2, "b": 3, "c": 5},
        {"a": 2, "b": 4, "c": 6},
    ]


def test_a_point_that_fails_is_a_row_and_the_others_go_on(wordline: Wordline, tmp_path: Path) -> None:
    trace = tmp_path / "bad.csv"
    trace.write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\nnonsense\n")
    file = tmp_path / "s.toml"
    file.write_text('trace = "bad.csv"\n[axes]\n"workload.source.skip_bad_lines" = [true, false]\n')
    outcome = wordline("sweep", file, "--json")
    assert outcome.code == 1
    summary = json.loads(outcome.out)
    assert (summary["done"], summary["failed"]) == (1, 1)
    assert "bad.csv:3" in summary["errors"][0]
    # It would fail again: it is not tried again unless asked for.
    assert wordline("sweep", file, "--json").json()["kept"] == 2
    assert json.loads(wordline("sweep", file, "--json", "--retry").out)["failed"] == 1
    rows = {
        row["status"]: row for row in pyarrow.parquet.read_table(tmp_path / "s" / "sweep.parquet").to_pylist()
    }
    assert "nonsense" in rows["failed"]["error"] and rows["done"]["read.requests"] == 1


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
