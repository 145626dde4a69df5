"""`wordline calibrate` against a trace with measured response times."""

from __future__ import annotations

import csv
import gzip
import json
import math
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ONE_CHANNEL, Wordline, sets

import wordline as package
from wordline import WordlineError
from wordline.calibration import calibrate, describe, traces
from wordline.calibration.objective import deviations
from wordline.calibration.problem import Problem
from wordline.calibration.replays import Replay
from wordline.presets import replay, toml_value
from wordline.scenario import scenario_of

# A small drive without a cache: a write takes as long as its program.
DRIVE: dict[str, object] = {**ONE_CHANNEL, "scheme.cache.policy": "none"}

TRUE = 900_000
"""Of `device.cell.program_ns`."""

FREE = "device.cell.program_ns=400_000..1_600_000"

COLUMNS = ("time_ns", "op", "offset_bytes", "length_bytes", "latency_ns")

COUNT = 5_000

Row = tuple[int, str, int, int, int]


SETTINGS = [(path, toml_value(value)) for path, value in DRIVE.items()]

AS_MEASURED = [*SETTINGS, ("device.cell.program_ns", f"[{TRUE}]")]


def write(path: Path, rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> Path:
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(row[: len(columns)] for row in rows)
    return path


def recorded(folder: Path, seed: int) -> list[Row]:
    """Requests with the response times that they have on the drive with the true values."""
    random = np.random.default_rng(seed)
    times = np.cumsum(random.exponential(600_000, COUNT)).astype(int)
    plain: list[Row] = [
        (int(time), "RW"[int(write)], int(page) * 4096, 4096, 0)
        for time, write, page in zip(
            times, random.random(COUNT) < 0.5, random.integers(0, 10_000, COUNT), strict=True
        )
    ]
    path = write(folder / "plain.csv", plain, COLUMNS[:4])
    log = folder / "log.parquet"
    package.run("enterprise-tlc", workload=replay(path), overrides=AS_MEASURED, request_log=log)
    took = {row["id"]: row["end_ns"] - row["arrival_ns"] for row in pq.read_table(log).to_pylist()}
    return [(*row[:4], took[place]) for place, row in enumerate(plain)]


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return recorded(tmp_path_factory.mktemp("recorded"), 5)


@pytest.fixture
def trace(rows: list[Row], tmp_path: Path) -> Path:
    return write(tmp_path / "recorded.csv", rows)


def problem(path: Path, *more: tuple[str, str], **options: Any) -> Problem:
    scenario = scenario_of("enterprise-tlc", overrides=[*SETTINGS, *more])
    return describe(scenario, path, free=[FREE], **options)


def test_known_values_are_found_again_and_judged_at_later_parts(trace: Path, tmp_path: Path) -> None:
    made = calibrate("enterprise-tlc", trace, tmp_path / "out", free=[FREE], overrides=SETTINGS, budget=16)
    (one,) = made.values
    assert one.value == pytest.approx(TRUE, rel=0.02), one
    assert one.low is not None and one.high is not None and one.low <= TRUE <= one.high
    assert made.verdict.outcome == "better" and made.verdict.held_out
    assert made.verdict.described is not None and made.verdict.fitted < made.verdict.described / 100
    parts = made.problem.measured.replays
    seen = [part.number for part, own in zip(parts, made.problem.fitted, strict=True) if own]
    assert seen == list(range(1, len(parts) // 2 + 1)) and len(parts) > 2
    text = made.preset.read_text()
    assert tomllib.loads(text)["cell"]["program_ns"] == [made.values[0].value]
    assert "held out: part 3 of 4, part 4 of 4" in text and "1,000 requests of the trace each" in text
    page = (tmp_path / "out" / "calibration.html").read_text()
    assert "reads by part of the trace" in page and "part 4 of 4, held out" in page


def test_of_each_part_measured_and_simulated_requests_are_the_same(rows: list[Row], trace: Path) -> None:
    found = problem(trace)
    for point in found.measured.points:
        part = point.load
        assert isinstance(part, Replay) and part.count == 1_000 and part.warm_up == 250
        own = rows[part.behind - part.count : part.behind]
        reads = [row[4] / 1e3 for row in own if row[1] == "R"]
        assert point.figures["read_mean_us"] == pytest.approx(np.mean(reads))
        assert (part.by_direction["read"], part.fastest_us["read"]) == (len(reads), min(reads))
        (run,) = found.points({}, [point])
        result = package.run(run.scenario.changed(overrides=AS_MEASURED)).to_dict()
        assert result["read"]["requests"] == len(reads)
        # The true drive, but for what was under way when the lead began.
        simulated = part.simulated({"result": json.dumps(result)})
        assert simulated["read_mean_us"] == pytest.approx(point.figures["read_mean_us"], rel=0.01)


def test_forms_compressions_and_parquet_give_the_same_parts(
    rows: list[Row], trace: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "recorded.csv.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    remarked = tmp_path / "remarked.csv.zst"
    with pa.CompressedOutputStream(str(remarked), "zstd") as out:
        out.write(trace.read_bytes().replace(b"\r\n", b"\r\n# a remark\r\n"))
    table = tmp_path / "recorded.parquet"
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip(COLUMNS, map(list, columns), strict=True))), table)
    # Of 100 ns since 1601, as MSR Cambridge has them.
    msr = tmp_path / "msr.csv"
    msr.write_text(
        "".join(
            f"{128166372000000000 + time // 100},host,0,{'Read' if op == 'R' else 'Write'},"
            f"{offset},{length},{took // 100}\n"
            for time, op, offset, length, took in rows
        )
    )
    first = problem(trace).measured
    for path in (packed, remarked, table, msr):
        other = problem(path).measured
        for one, two in zip(first.points, other.points, strict=True):
            assert two.figures == pytest.approx(one.figures, rel=0.01), path
    assert problem(packed).measured.name == "recorded"


def test_a_folder_of_traces_is_cut_trace_by_trace(rows: list[Row], tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    for name, own in (("a", rows), ("b", rows[::-1])):
        write(folder / f"{name}.csv", [(rows[place][0], *row[1:]) for place, row in enumerate(own)])
    found = problem(folder, hold_out=0.25)
    names = [point.name for point in found.measured.points]
    assert names == [f"{name}, part {number} of 4" for name in "ab" for number in range(1, 5)]
    assert found.fitted == [True, True, True, False] * 2


def test_addresses_beyond_the_drive_are_laid_out_where_that_is_asked_for(
    rows: list[Row], tmp_path: Path
) -> None:
    # No multiple of the regions that are laid out: some requests are cut in two.
    far = write(tmp_path / "far.csv", [(*row[:2], row[2] + 2_000_002_048, *row[3:]) for row in rows])
    for setting in (
        ("workload.source.out_of_range", '"compact"'),
        ("workload.source.transform", '[{ kind = "compact" }]'),
    ):
        found = problem(far, setting)
        runs = found.points({}, found.measured.points)
        counts = [package.run(run.scenario).to_dict()["read"]["requests"] for run in runs]
        measured = [part.by_direction["read"] for part in found.measured.replays]
        assert counts == pytest.approx(measured, rel=0.02), setting


def test_as_many_requests_of_each_part_are_measured_as_are_asked_for(rows: list[Row], tmp_path: Path) -> None:
    span = rows[-1][0] + 600_000
    long = [(row[0] + again * span, *row[1:]) for again in range(4) for row in rows]
    path = write(tmp_path / "long.csv", long)

    def parts(**options: Any) -> list[Replay]:
        return problem(path, **options).measured.replays

    assert {(part.count, part.of) for part in parts(requests=1_000_000)} == {(2_000, 8)}
    asked = parts(requests=1_200)
    assert {(part.count, part.warm_up) for part in asked} == {(1_200, 300)}
    # Over all of the trace, as the longest are.
    assert [part.behind for part in asked] == [part.behind for part in parts()]
    # For a few seconds they are too long.
    assert {part.count for part in parts(minutes=0.01)} == {1_000}


def test_percentiles_rest_on_the_requests_of_their_direction(trace: Path) -> None:
    point = problem(trace).measured.points[0]
    part = point.load
    assert isinstance(part, Replay)

    def sigmas(reads: int) -> dict[str, float]:
        load = replace(part, by_direction={"read": reads, "write": 100_000})
        # So many requests of a probe don't matter.
        return deviations([replace(point, load=load)], 7.0)[0]

    few, many = sigmas(500), sigmas(50_000)
    assert math.isinf(few["read_p99_us"]) and math.isfinite(few["read_p50_us"])
    assert many["read_p99_us"] < 0.06 and math.isfinite(many["read_p99_9_us"])
    assert math.isinf(many["read_p99_99_us"]) and few["write_p99_us"] == many["write_p99_us"]


def test_rates_beside_a_trace_are_fitted_first(trace: Path, tmp_path: Path) -> None:
    table = tmp_path / "rates.csv"
    table.write_text("load,bytes,depth,requests_per_s\nrandwrite,4096,16,3000\n")
    found = problem(trace, also=[table])
    assert found.measured.source == "recorded.csv, rates.csv"
    assert found.rates_seen == [False] * 4 + [True] and found.fitted == [True, True, False, False, True]


def test_later_parts_are_held_out_and_never_all(trace: Path) -> None:
    for share, seen in ((0.0, 4), (0.25, 3), (0.5, 2), (0.99, 1)):
        assert problem(trace, hold_out=share).fitted == [True] * seen + [False] * (4 - seen)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "workload.source.transform",
            '[{ kind = "scale_time", factor = 0.5 }]',
            "transform = scale_time: allowed: compact",
        ),
        ("workload.source.transform", '[{ kind = "filter", ops = ["read"] }]', "transform = filter: allowed"),
        (
            "workload.source.repeat",
            "2",
            r"workload\.source\.repeat = 2: allowed: .*workload\.source\.format,",
        ),
        ("workload.host.arrivals", '"closed"', "workload.host.arrivals = closed: allowed: open, held"),
        (
            "workload.host.time_scale",
            "2.0",
            "workload.host.time_scale = 2.0: allowed: 1.0: what was measured",
        ),
        ("workload.window.warmup_requests", "9", r"workload\.start\. or workload\.host\."),
    ],
)
def test_other_requests_or_times_than_the_measured_are_refused(
    trace: Path, path: str, value: str, message: str
) -> None:
    with pytest.raises(WordlineError, match=message):
        problem(trace, (path, value))


def test_a_trace_whose_response_times_can_t_be_compared_is_refused(rows: list[Row], tmp_path: Path) -> None:
    def refused(own: Sequence[Row], columns: Sequence[str] = COLUMNS) -> str:
        path = write(tmp_path / "bad.csv", own, columns)
        with pytest.raises(WordlineError) as error:
            problem(path)
        assert str(error.value).startswith(str(path))
        return str(error.value)

    assert "no measured response times: allowed: a trace that holds" in refused(rows, COLUMNS[:4])
    assert "2,000 requests: allowed: 2,500 or more" in refused(rows[:2_000])
    too_long = refused([(*row[:4], row[4] * 1_000) for row in rows])
    assert "part 1 of 4: read_p50_us" in too_long and "latency_unit" in too_long
    far = refused([(*row[:2], row[2] + 2_000_000_000, *row[3:]) for row in rows])
    assert "allowed: up to the 1,800,000,000 bytes of the drive" in far and "out_of_range" in far
    without = refused([*rows[:-1], (*rows[-1][:4], "")])  # type: ignore[list-item]
    assert "4,999 of 5,000 requests have a response time: allowed: all" in without
    assert "allowed: from 1 to" in refused([(*row[:4], row[4] // 1_000) for row in rows])
    (tmp_path / "text").write_text("nothing of the kind\n")
    with pytest.raises(WordlineError, match="or a trace with response times"):
        problem(tmp_path / "text")


def test_a_direction_of_few_requests_is_not_compared(rows: list[Row], tmp_path: Path) -> None:
    reads = [row for row in rows if row[1] == "R"]
    only = [(place * 600_000, *reads[place % len(reads)][1:]) for place in range(2_500)]
    one, _ = problem(write(tmp_path / "reads.csv", only)).measured.points
    assert {name.split("_")[0] for name in one.figures} == {"read"} and set(one.curve) == {"read"}


def test_waits_that_are_not_the_drive_s_are_noted(rows: list[Row], trace: Path, tmp_path: Path) -> None:
    assert not problem(trace).measured.doubts
    behind_a_network = [(*row[:4], row[4] + 5_000_000) for row in rows]
    notes = problem(write(tmp_path / "network.csv", behind_a_network)).measured.doubts
    assert len(notes) == 2 and notes[0].startswith("even the fastest of the reads took 5,0")
    assert "may hold waits of a host or a network" in notes[0]
    # The first of each hundred is answered at once.
    piled_up = [
        (*row[:4], row[4] + (place % 100 > 0) * 2_000_000 * (row[1] == "R")) for place, row in enumerate(rows)
    ]
    (note,) = problem(write(tmp_path / "piled.csv", piled_up)).measured.doubts
    assert note.startswith("reads took 2,") and "workload.host.max_outstanding" in note


def test_a_table_of_measurements_is_no_trace(trace: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    for line, expected in (
        ("drive,offered_writes_per_s,writes_per_s", False),
        ("offered_writes_per_s;read_p99_ns", False),
        ("", False),
        ("128166372000000000,host,0,Read,0,4096,100", True),
    ):
        table.write_text(line)
        assert traces.is_trace(table) is expected, line
    assert traces.is_trace(trace) and not traces.is_trace(tmp_path / "missing")


def test_the_command_replays_a_trace_and_says_what_it_found(
    wordline: Wordline, trace: Path, tmp_path: Path
) -> None:
    call = ("calibrate", "enterprise-tlc", trace, *sets(dict(SETTINGS)), "--free", FREE)
    plan = wordline(*call, "--dry-run").out
    assert plan.startswith("recorded: 4 points of recorded.csv")
    assert "part 4 of 4: held out; " in plan and " s, behind 250 requests" in plan
    out = tmp_path / "out"
    told = wordline(*call, "--option", "latency_unit=ns", "--budget", "8", "--out", out)
    first = told.out.splitlines()[0]
    assert first.startswith("recorded: better; kept: the fitted values: at the points held out"), told
    for text in ("Writes: measured → simulated", "part 1 of 4", "1,000 requests of the trace at each point"):
        assert text in told.out, text
    with (out / "comparison.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert {line["load"] for line in lines} == {f"part {number} of 4" for number in range(1, 5)}
    assert "writes_per_s" not in {line["figure"] for line in lines}
    without = tmp_path / "without.csv"
    without.write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n5,W,0,4096\n")
    assert f"{without}: no measured response times" in wordline(*call[:2], without, *call[3:]).error()
