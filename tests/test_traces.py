"""`wordline trace`: forms by option, transformations, pages and files in other forms."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import SMALL_DRIVE, Wordline, sets, start

SPC = "".join(f"{index % 2},{index * 8},4096,{'rw'[index % 2]},{index * 0.001:.6f}\n" for index in range(400))


@pytest.fixture
def spc(tmp_path: Path) -> Path:
    path = tmp_path / "trace.spc"
    path.write_text(SPC)
    return path


def test_the_page_is_one_file_without_links(wordline: Wordline, spc: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    outcome = wordline("trace", "info", spc, "--html", page)
    assert outcome.code == 0, outcome.err
    assert f"Written to {page}" in outcome.out
    whole = page.read_text(encoding="utf-8")
    assert whole.count('<figure class="chart') >= 4
    # Without the code that draws, which has nothing to fetch.
    text = re.sub(r'<script type="text/plain" id="vega">.*?</script>', "", whole, flags=re.S)
    for word in ("src=", "@import", '<link rel="stylesheet', 'href="http', "url(http"):
        assert word not in text, word
    for word in ("trace.spc", "400 requests, 50.0% reads", "Hot pages", "read-intensive"):
        assert word in text, word
    again = tmp_path / "again.html"
    wordline("trace", "info", spc, "--html", again)
    assert again.read_text(encoding="utf-8") == whole


def test_a_name_that_is_html_stays_text(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "<b>.csv"
    path.write_text("0,R,0,512\n9,W,512,512\n")
    wordline("trace", "info", path, "--html", tmp_path / "page.html")
    assert "<b>.csv" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_text_names_every_figure(wordline: Wordline, spc: Path) -> None:
    out = wordline("trace", "info", spc, "--format", "spc").out
    for word in ("Touched", "Hot pages", "Sequential", "Arrivals", "Succession", "Reuse", "mixed", "flows"):
        assert word in out, word


def test_transformations_in_their_order(wordline: Wordline, spc: Path) -> None:
    info = ("trace", "info", "--json", spc)
    steps = ("-t", "filter ops=read devices=0", "-t", "slice_count count=100", "-t", "target_iops iops=50")
    found = wordline(*info, *steps).json()
    assert (found["requests"], found["read_share"]) == (100, 1.0)
    assert found["arrivals"]["iops"] == pytest.approx(50)
    again = wordline(
        "run", "--device", "mqsim", "--trace", spc, "-t", "slice_count count=5", *sets(SMALL_DRIVE), "--json"
    ).json()
    assert again["read"]["requests"] + again["write"]["requests"] == 5
    for step, part in (
        ("shrink", "allowed: slice_time, slice_count"),
        ("repeat", "transform[0].times"),
        ("repeat times", "allowed: a kind, then KEY=VALUE"),
    ):
        assert part in wordline(*info, "-t", step).error(), step


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.trace.gz", "a.iolog"])
def test_written_forms_are_read_again(wordline: Wordline, spc: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    notes = wordline("trace", "convert", spc, target, "--json").json()["notes"]
    assert not [note for note in notes if "left out" in note]
    figures = ("requests", "read_share", "span_ns", "end_bytes", "hot_share")
    before, after = (wordline("trace", "info", path, "--json").json() for path in (spc, target))
    assert {key: after[key] for key in figures} == {key: before[key] for key in figures}


def test_losses_are_told(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,R,0,512\n5,T,0,4096\n6,F,0,0\n")
    outcome = wordline("trace", "convert", path, tmp_path / "out.txt", "--to", "mqsim")
    assert "1 requests written" in outcome.out
    assert "2 trims and flushes left out" in outcome.out
    assert "allowed: wordline, parquet, mqsim" in wordline("trace", "convert", path, "x", "--to", "y").error()


def test_units_that_were_taken_are_told(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "replayed.trace"
    path.write_text("".join(f"{index}.250 0 {index * 40960} 4096 {index % 2}\n" for index in range(50)))
    info = wordline("trace", "info", path, "--json").json()
    assert (info["requests"], info["writes"]["size_bytes"]["max"], info["span_ns"]) == (50, 4096, 49_000_000)
    assert "taken for a replayer's trace, with times in ms, offsets and lengths in bytes" in info["notes"][0]
    assert "`length_unit_bytes`" in wordline("trace", "info", path).out
    run = wordline("run", "--device", "mqsim", "--trace", path, *sets(SMALL_DRIVE), "--json").json()
    assert any("taken for a replayer's trace" in note["found"] for note in run["notes"])


def test_columns_of_parquet_by_name(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {"when": [0.5, 0.75], "what": ["read", "write"], "lba": [0, 8], "size": [512, 4096]}
    pq.write_table(pa.table(columns), path)
    named = ("-o", "columns.time=when", "-o", "columns.op=what", "-o", "time_unit=s")
    found = wordline("trace", "info", path, "--json", *named).json()
    assert (found["requests"], found["span_ns"], found["end_bytes"]) == (2, 250_000_000, 8192)
    assert "columns.time names one" in wordline("trace", "info", path).error()


@pytest.mark.parametrize(
    "how",
    [
        {"version": "1.0"},
        {"use_dictionary": False, "compression": "gzip"},
        {"data_page_version": "2.0", "compression": "zstd"},
        {"use_deprecated_int96_timestamps": True, "row_group_size": 7},
    ],
    ids=str,
)
def test_parquet_gives_the_same_rows_however_its_columns_are_stored(
    wordline: Wordline, tmp_path: Path, how: dict[str, Any]
) -> None:
    count = 50
    times = pa.array([number * 1_000_000 for number in range(count)], pa.uint64())
    words = ["RW"[number % 3 == 0] for number in range(count)]
    offsets = [number * 4096 for number in range(count)]
    ways = {
        "plain": (times, pa.array(words), pa.array(offsets, pa.uint64()), pa.array([4096] * count)),
        "stamps": (
            times.cast(pa.int64()).cast(pa.timestamp("ns")),
            pa.array(words).dictionary_encode(),
            pa.array(offsets, pa.int64()),
            pa.array([4096] * count, pa.uint16()),
        ),
        "large": (
            times.cast(pa.int64()).cast(pa.timestamp("ns")).cast(pa.timestamp("ms")),
            pa.array(words, pa.large_string()),
            pa.array(offsets, pa.uint32()),
            pa.array([4096] * count, pa.int16()),
        ),
    }
    found = {}
    for name, columns in ways.items():
        path = tmp_path / f"{name}.parquet"
        names = ("time_ns" if name == "plain" else "timestamp", "op", "offset_bytes", "length_bytes")
        pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path, **how)
        found[name] = wordline("trace", "convert", path, "-").out
    assert found["plain"].count("\n") == count + 1
    assert found["stamps"] == found["large"] == found["plain"]


def test_a_column_that_holds_nothing_a_trace_has_is_refused_and_nulls_by_their_row(
    wordline: Wordline, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    columns: dict[str, list[Any]] = {
        "time_ns": [1, 2],
        "op": ["R", None],
        "offset_bytes": [0, 4096],
        "length_bytes": [512, 512],
    }
    pq.write_table(pa.table(columns), path)
    assert "row 2: expected an operation, not null" in wordline("trace", "info", path).error()
    pq.write_table(pa.table({**columns, "offset_bytes": [[0], [1, 2]]}), path)
    assert "of numbers or words, not of lists or tables" in wordline("trace", "info", path).error()


def test_damaged_parquet_is_one_line_wherever_the_damage_is(wordline: Wordline, tmp_path: Path) -> None:
    text, whole, damaged = tmp_path / "t.csv", tmp_path / "t.parquet", tmp_path / "d.parquet"
    text.write_text("time_ns,op,offset_bytes,length_bytes\n0,W,0,16384\n50000,R,4096,4096\n")
    assert wordline("trace", "convert", text, whole).code == 0
    data = whole.read_bytes()
    bare = 0
    for place in range(600, 800):
        damaged.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        outcome = wordline("trace", "info", damaged)
        if outcome.code:
            bare += outcome.error().endswith("the Parquet data is damaged")
    # Where its library gives up with a panic there is no more to say.
    assert bare > 0


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("shrink by=2", '[0].kind = "shrink": allowed: slice_time, slice_count'),
        ("repeat by=2", "[0].by = 2: allowed: a known key: times"),
        ("compact by=2", "[0].by = 2: allowed: "),
        ("repeat iops=2", "[0].iops = 2: allowed: "),
    ],
)
def test_of_an_unknown_transformation_the_kind_is_told(
    wordline: Wordline, spc: Path, step: str, message: str
) -> None:
    error = wordline("trace", "info", spc, "--transform", step).error()
    assert f"workload.source.transform{message}" in error, error


SHIFTED = "".join(f"{index * 3};{index * 8};W;4096\n" for index in range(50))
"""Microseconds, sectors, operation, bytes: nothing but the options tells which."""

READ_SO = (
    *("--format", "columns", "--option", "columns.time=1", "-o", "columns.offset=2", "-o", "columns.op=3"),
    *("-o", "columns.length=4", "-o", "time_unit=us", "-o", "offset_unit_bytes=512"),
)


def test_every_command_with_a_trace_reads_it_as_its_options_say(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(SHIFTED)
    small = ("--device", "mqsim", *sets(SMALL_DRIVE))
    told = wordline("trace", "info", path, *READ_SO, "--json").json()
    assert (told["writes"]["requests"], told["span_ns"], told["end_bytes"]) == (50, 147_000, 50 * 4096)
    run = wordline("run", *small, "--trace", path, *READ_SO, "--json").json()
    source = run["config"]["workload"]["source"]
    assert (run["write"]["requests"], source["time_unit"], source["format"]) == (50, "us", "columns")
    compared = wordline("compare", *small, "-s", "baseline", "--trace", path, *READ_SO, "--json").json()
    (scheme,) = compared["workloads"][0]["schemes"]
    assert (compared["workloads"][0]["workload"], scheme["error"]) == ("odd.txt", None)
    assert scheme["figures"]["write.iops"]["value"] == pytest.approx(run["write"]["iops"])
    profile = wordline("trace", "fit", path, *READ_SO, "--json").json()
    assert profile["summary"]["requests"] == 50


@pytest.mark.parametrize("command", [("run",), ("compare", "-s", "baseline")])
def test_options_of_a_trace_without_one_are_refused(wordline: Wordline, command: tuple[str, ...]) -> None:
    for option in (("--format", "spc"), ("--option", "time_unit=us")):
        assert f"{option[0]}: allowed: beside --trace FILE" in wordline(*command, *option).error()


def test_an_option_without_a_value_is_named(wordline: Wordline, spc: Path) -> None:
    assert (
        "--option time_unit: allowed: KEY=VALUE" in wordline("trace", "info", spc, "-o", "time_unit").error()
    )


MEASURED = "Timestamp,Response,IOType,LUN,Offset,Size\n" + "".join(
    f"{1456135200 + index / 100:.6f},{0.0001 * (index + 1):.6f},{'RW'[index % 2]},0,{index * 4096},4096\n"
    for index in range(40)
)


def test_start_and_measured_response_times_stand_beside_the_simulated(
    wordline: Wordline, tmp_path: Path
) -> None:
    path = tmp_path / "lun.csv"
    path.write_text(MEASURED)
    small = ("run", "--device", "mqsim", *sets(SMALL_DRIVE), "--trace", path)
    result = wordline(*small, "--json").json()
    (trace,) = result["traces"]
    assert (trace["start"], trace["keeps_pace"]) == ("2016-02-22T10:00:00Z", True)
    read = trace["measured"]["read"]
    assert read["requests"] == result["read"]["requests"] == 20
    assert (read["latency_ns"]["mean"], read["latency_ns"]["max"]) == (2_000_000, 3_900_000)
    assert not [note for note in result["notes"] if note["kind"] == "measured_latencies"]
    text = wordline(*small).out
    assert "lun.csv begins 2016-02-22T10:00:00Z" in text
    lines = [line.split() for line in text.splitlines() if line.strip().startswith("measured")]
    assert [(line[1], line[-1]) for line in lines] == [("2,000", "3,900"), ("2,100", "4,000")]
    told = wordline("trace", "info", path)
    assert "2016-02-22T10:00:00Z" in told.out and "as measured" in told.out


def test_a_page_has_the_measured_response_times_beside_the_simulated(
    wordline: Wordline, tmp_path: Path
) -> None:
    path = tmp_path / "lun.csv"
    path.write_text(MEASURED)
    run = ("run", "--device", "mqsim", *sets(SMALL_DRIVE), "--trace", path)
    assert wordline(*run, "--out", tmp_path / "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    rows = {
        row[0]: row[1] for row in re.findall(r"<tr><t[dh][^>]*>([^<]*)</t[dh]><td[^>]*>([^<]*)</td>", page)
    }
    assert (rows["read mean, measured"], rows["write max, measured"]) == ("2 ms", "4 ms")
    assert "read mean" in rows and "write p99.9, measured" in rows and "read IOPS, measured" not in rows


def test_response_times_of_other_requests_are_noted(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "lun.csv"
    path.write_text(MEASURED)
    run = ("run", "--device", "mqsim", *sets(SMALL_DRIVE), "--trace", path, "--json")
    slices = wordline(*run, "-t", "slice_time from_ns=100000000").json()
    assert slices["traces"][0]["start"] == "2016-02-22T10:00:00.100Z"
    # What is cut off isn't among them.
    assert not [note for note in slices["notes"] if note["kind"] == "measured_latencies"]
    assert slices["traces"][0]["measured"]["read"]["requests"] == 15
    warm = wordline(*run, *sets({"workload.window.warmup_requests": 10})).json()
    (note,) = [note for note in warm["notes"] if note["kind"] == "measured_latencies"]
    assert "20 reads of the trace, " in note["found"]
    scaled = wordline(*run, "-t", "target_iops iops=500").json()
    assert not scaled["traces"][0]["keeps_pace"]
    closed = wordline(*run, *sets({"workload.host.arrivals": "closed"})).json()
    assert not closed["traces"][0]["keeps_pace"]


def test_a_generated_workload_has_no_traces(wordline: Wordline) -> None:
    few = sets({**SMALL_DRIVE, "workload.source.requests": 50})
    assert "traces" not in wordline("run", "--device", "mqsim", *few, "--json").json()


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_a_trace_is_converted_to_standard_output(spc: Path, out: str) -> None:
    whole = spc.with_name("whole.csv")
    start("trace", "convert", str(spc), str(whole)).communicate(timeout=60)
    process = start("trace", "convert", str(spc), out)
    told, said = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, whole.read_text())
    assert "400 requests written to standard output" in said


def test_a_twin_is_written_to_standard_output(tmp_path: Path) -> None:
    def made(out: str, *more: str) -> subprocess.Popen[str]:
        return start("trace", "gen", "ali0", out, "--requests", "300", *more, cwd=tmp_path)

    made("whole.csv").communicate(timeout=60)
    told, said = made("-").communicate(timeout=60)
    assert told == (tmp_path / "whole.csv").read_text() and told.startswith("time_ns,")
    assert "300 requests written to standard output" in said
    assert "--json: allowed" in made("-", "--json").communicate(timeout=60)[1]
    assert [path.name for path in tmp_path.iterdir()] == ["whole.csv"]


def test_whoever_reads_the_converted_trace_may_close(tmp_path: Path) -> None:
    long = tmp_path / "long.spc"
    long.write_text("".join(f"0,{index * 8},4096,r,{index * 0.001:.6f}\n" for index in range(30_000)))
    process = start("trace", "convert", str(long), "-")
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith("time_ns,")
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == ""
    process.stderr.close()


def test_a_trace_that_is_none_and_json_are_refused_before_standard_output(
    wordline: Wordline, tmp_path: Path
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("nonsense\n")
    assert "expected a trace" in wordline("trace", "convert", path, "-").error()
    assert "--json: allowed" in wordline("trace", "convert", path, "-", "--json").error()
    assert not Path("-").exists()
