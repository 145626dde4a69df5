"""Sweeps: points, their rows and files, dry runs."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import Wordline
from small_sweeps import AXES, SETTINGS, SWEEP, files, write

from wordline import WordlineError, _core, run
from wordline.figures import better
from wordline.report.study_facts import best
from wordline.study import Store
from wordline.study.estimate import MOST
from wordline.study.job import Job
from wordline.sweeps import sweep
from wordline.sweeps.averages import Averaged
from wordline.sweeps.axes import combinations, values


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


def test_a_seed_is_that_of_all_points(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml", axes={"workload.host.queue_depth": [1]})
    for given, seeds in ((("--seed", 9), [9]), (("--seed", 9, "--seeds", 2), [9, 10])):
        out = tmp_path / f"{len(given)}"
        wordline("sweep", file, "--out", out, "--json", *given).json()
        rows = [json.loads(row["result"]) for row in Store(out).table().to_pylist()]
        assert sorted(row["seed"] for row in rows) == seeds


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
    # It would fail again: it is not tried again unless asked for, and the sweep is no success meanwhile.
    again = wordline("sweep", file, "--json")
    assert again.code == 1
    told = json.loads(again.out)
    assert [told[key] for key in ("kept", "failed_before", "done", "failed")] == [1, 1, 0, 0]
    assert told["errors"] == summary["errors"]
    assert "1 failed before (--retry runs them again)" in wordline("sweep", file).out
    planned = wordline("sweep", file, "--dry-run")
    assert "0 are left" in planned.out and "failed before: 1, which only --retry runs again" in planned.err
    assert "1 is left" in wordline("sweep", file, "--dry-run", "--retry").out
    assert json.loads(wordline("sweep", file, "--json", "--retry").out)["failed"] == 1
    rows = {
        row["status"]: row for row in pyarrow.parquet.read_table(tmp_path / "s" / "sweep.parquet").to_pylist()
    }
    assert "nonsense" in rows["failed"]["error"] and rows["done"]["read.requests"] == 1
