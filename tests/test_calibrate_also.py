"""What else was measured of a drive: rates, write amplification, threads that write; and Little's law."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline
from test_calibrate import DRIVE, LINE, PROTOCOL, play, settings, table

import wordline as package
from wordline import WordlineError
from wordline.calibration import calibrate, measured
from wordline.calibration.measured import FIGURES, OFFERED
from wordline.calibration.protocol import Protocol
from wordline.calibration.rates import USER_BYTES, Load, simulated

LIGHT, HEAVY = {**LINE}, {**LINE, OFFERED: "30000"}

GIB = 2**30


def read(tmp_path: Path, lines: Sequence[dict[str, Any]], user_bytes: int | None = 100 * GIB) -> Any:
    load = table(tmp_path / "load.csv", [LIGHT, HEAVY])
    return measured.read(load, None, Protocol(), [table(tmp_path / "also.csv", lines)], user_bytes)


def test_rates_are_points_of_their_own_and_repeats_are_joined(tmp_path: Path) -> None:
    line = {"load": "write", "bytes": 131072, "depth": 32, "mib_per_s": 1000, "waf": ""}
    again = {**line, "mib_per_s": 1100}
    random = {"load": "randwrite", "bytes": 4096, "depth": 256, "mib_per_s": 400, "waf": 3.2}
    found = read(tmp_path, [line, again, random])
    assert found.source == "load.csv, also.csv" and len(found.loads) == 2
    first, second = found.rates
    assert first.name == "write of 131,072 bytes, depth 32" and first.runs == 2
    assert 8000 < first.figures["requests_per_s"] < 8800 and first.spread["requests_per_s"] > 0.05
    assert second.figures == pytest.approx({"requests_per_s": 102_400, "waf": 3.2}) and not second.spread
    assert 'layout = "in_order"' in first.workload(Protocol(), 8_000, {}.get).text
    assert 'layout = "steady"' in second.workload(Protocol(), 8_000, {}.get).text


def test_rates_by_fill_are_those_of_a_drive_of_that_size(tmp_path: Path) -> None:
    lines = [{"used_gib": gib, "steady_writes_per_s": rate} for gib, rate in ((50, 300_000), (100, 90_000))]
    half, whole = read(tmp_path, lines).rates
    assert half.load == Load("randwrite", 4096, 512, 0.5) and whole.load.fill == 1.0
    assert half.overrides({USER_BYTES: 100 * GIB}.get) == (("device.capacity.user_bytes", str(50 * GIB)),)
    assert whole.overrides({}.get) == ()
    with pytest.raises(WordlineError, match=r"used_gib: allowed: `fill`"):
        read(tmp_path, lines, None)


def test_a_part_in_use_writes_as_a_drive_of_that_size_does() -> None:
    load = Load("randwrite", 4096, 64, 0.5)
    small = {path: value for path, value in DRIVE.items() if path != "scheme.cache.bytes"}

    def run(workload: Any, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
        made = package.run(
            "enterprise-tlc", workload=workload, overrides=[*settings(small), *overrides], seed=3
        )
        return simulated(made.to_dict())

    text = load.workload(20_000, DRIVE.get).text.replace('occupancy = "all"', "occupancy = 0.5")
    part = package.presets.Description(
        "half", text.replace("sizes =", "region = { share = 0.5 }\nsizes ="), Path.cwd()
    )
    found, real = run(load.workload(20_000, DRIVE.get), load.overrides(DRIVE.get)), run(part, [])
    assert found["requests_per_s"] == pytest.approx(real["requests_per_s"], rel=0.06)
    assert found["waf"] == pytest.approx(real["waf"], rel=0.06)


def test_skewed_writes_judge_and_other_patterns_are_passed_over(tmp_path: Path) -> None:
    patterns = (("zipf-shuffle", "0.8"), ("zones", "s0.9 f0.1"), ("uniform", "-"))
    lines = [
        {"pattern": pattern, "details": details, "steady_writes_per_s": 90_000}
        for pattern, details in patterns
    ]
    found = read(tmp_path, lines)
    skewed, uniform = found.points[2:]
    assert skewed.name == "zipf 0.8 of 4,096 bytes, depth 512" and not skewed.rate and uniform.rate
    assert 'kind = "zipf", theta = 0.8' in skewed.workload(Protocol(), 8_000, {}.get).text
    assert found.rates == [uniform] and len(found.doubts) == 1
    assert "also.csv: pattern zones: passed over" in found.doubts[0]


def test_what_the_writing_threads_saw_belongs_to_its_point(tmp_path: Path) -> None:
    line = {OFFERED: 20_001, "writes_per_s_of_a_thread": 3000, "write_mean_us": 15, "write_p99_us": 30}
    light, heavy = read(tmp_path, [line]).points
    assert light.figures["writer_mean_us"] == pytest.approx(15) and len(light.figures) == len(FIGURES) + 2
    assert "writer_p50_us" not in light.figures and set(heavy.figures) == set(FIGURES)
    with pytest.raises(WordlineError, match=r"also.csv:2: offered_writes_per_s = 25,000"):
        read(tmp_path, [{**line, OFFERED: 25_000}])
    none = {**LIGHT, OFFERED: "5000", "writes_per_s": "5000", "writer_p50_us": 12}
    with pytest.raises(WordlineError, match="5,000: allowed with figures of writers: above 5,000"):
        measured.read(table(tmp_path / "own.csv", [none, HEAVY]), None, Protocol())
    # Or in columns of the table itself, as write amplification may be.
    own = table(tmp_path / "own.csv", [{**LIGHT, "writer_p50_us": 12, "waf": 3.1}, {**HEAVY, "waf": ""}])
    first = measured.read(own, None, Protocol()).points[0]
    assert first.figures["writer_p50_us"] == pytest.approx(12) and first.figures["waf"] == pytest.approx(3.1)


RATE = {"load": "randwrite", "bytes": 4096, "depth": 256, "requests_per_s": 1e5, "waf": 3.0, "fill": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            {**RATE, "load": "seq"},
            r"also.csv:2: load = 'seq': allowed: read, write, randread, randwrite, zipf",
        ),
        ({**RATE, "load": "zipf", "theta": ""}, r"also.csv:2: theta = '': allowed: a number"),
        ({**RATE, "load": "zipf", "theta": 11}, r"theta = 11: allowed: an exponent up to 10"),
        ({**RATE, "bytes": 100}, r"bytes = 100: allowed: a whole number from 512 on"),
        ({**RATE, "depth": 1.5}, r"depth = 1.5"),
        ({**RATE, "load": "write"}, r"waf: allowed beside randwrite"),
        ({**RATE, "waf": 0.3}, r"waf = 0.3: allowed: 0.9 or more"),
        ({**RATE, "fill": 2}, r"2 of the drive in use: allowed: a share"),
        ({**RATE, "load": "read", "fill": 0.5, "waf": ""}, r"beside randwrite only"),
        ({**RATE, "requests_per_s": "", "waf": ""}, r"allowed: a figure"),
        ({"zipf": 1, "rate": 2}, r"columns zipf, rate: allowed: rates \(load"),
        ({**RATE, "drive": "other"}, None),
    ],
)
def test_a_further_table_that_can_t_be_one_is_told(
    tmp_path: Path, line: dict[str, Any], message: str | None
) -> None:
    if message is None:
        load = table(tmp_path / "load.csv", [{**LIGHT, "drive": "a"}, {**HEAVY, "drive": "a"}])
        also = table(tmp_path / "also.csv", [line])
        with pytest.raises(WordlineError, match="nothing measured of a: it names other"):
            measured.read(load, "a", Protocol(), [also], GIB)
        return
    with pytest.raises(WordlineError, match=message):
        read(tmp_path, [line])


def test_little_s_law_is_asked_of_the_threads_that_were_measured_only(tmp_path: Path) -> None:
    # 400,000 writes a second of all threads; those of the probe, 5,000, wait 2 ms each: 10 under way.
    line = {**LINE, OFFERED: "500000", "writes_per_s": "400000", "reads_per_s": "9000"}
    line |= {f"write_{name}_us": "2000" for name in ("mean", "p50", "p99", "p99_9", "p99_99")}
    path = table(tmp_path / "m.csv", [{**LIGHT, "writer_mean_us": "12"}, {**line, "writer_mean_us": ""}])
    assert measured.read(path, None, Protocol()).doubts == ()
    slow = {**line, **{f"write_{name}_us": "90000" for name in ("mean", "p50", "p99", "p99_9", "p99_99")}}
    (doubt,) = measured.read(table(path, [LIGHT, slow]), None, Protocol()).doubts
    assert "m.csv:3: of the probe" in doubt and "64 is the most" in doubt
    # Six threads have 384 outstanding; 395,000 writes a second of 1 ms are 395, of 2 ms too many.
    fine = measured.read(
        table(path, [{**LIGHT, "writer_mean_us": "12"}, {**line, "writer_mean_us": "1000"}]), None, Protocol()
    )
    assert fine.doubts == ()
    (doubt,) = measured.read(
        table(path, [{**LIGHT, "writer_mean_us": "12"}, {**line, "writer_mean_us": "2000"}]), None, Protocol()
    ).doubts
    assert "of the writing threads" in doubt and "384 is the most" in doubt


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small drive that programs in 900 µs: two points of load, and two rates."""
    folder = tmp_path_factory.mktemp("rated")
    lines = []
    for offered in (6_000, 9_000, 200_000):
        found = play(offered, 6_000, 7)
        names = [*FIGURES, "writer_mean_us", "writer_p50_us"]
        lines.append({OFFERED: offered, **{name: found[name] for name in names}})
    rates = []
    for load in (Load("randwrite", 4096, 256), Load("write", 131072, 32), Load("zipf", 4096, 64, theta=0.8)):
        made = package.run(
            "enterprise-tlc", workload=load.workload(6_000, DRIVE.get), seed=5,
            overrides=settings({**DRIVE, "device.cell.program_ns": 900_000}),
        )  # fmt: skip
        figures = simulated(made.to_dict())
        row = {"load": load.kind, "bytes": load.bytes, "depth": load.depth, "theta": load.theta}
        rates.append({**row, "requests_per_s": figures["requests_per_s"]})
    return table(folder / "small.csv", lines), table(folder / "rates.csv", rates)


FREE = ("device.cell.program_ns=700_000..1_500_000", "device.link.submission_ns=5_000..20_000")


def test_what_rates_settle_is_not_free_for_response_times(rated: tuple[Path, Path], tmp_path: Path) -> None:
    load, rates = rated
    made = calibrate(
        "enterprise-tlc", load, tmp_path, free=FREE, also=[rates], overrides=settings(DRIVE), budget=26,
        requests=4_000, hold_out=0.34, protocol=PROTOCOL,
    )  # fmt: skip
    program, link = made.values
    assert program.by_rates and program.value == pytest.approx(900_000, rel=0.05)
    assert not link.by_rates and link.value == pytest.approx(9_000, rel=0.15)
    # Only what was left open was tried against response times.
    assert list(made.fit.best.values) == ["device.link.submission_ns"] and 12 < made.fit.count <= 26
    # Skewed writes weren't seen, and judge.
    assert made.problem.fitted == [False, True, True, True, True, False]
    (skewed,) = (line for line in made.lines if line.point.name.startswith("zipf 0.8"))
    assert not skewed.fitted and abs(skewed.error) < 0.1 < abs(skewed.as_before().error)
    assert made.verdict.outcome == "better" and made.verdict.rates is not None
    figures = {(line.point.name, line.figure) for line in made.lines}
    assert ("randwrite of 4,096 bytes, depth 256", "requests_per_s") in figures
    assert ("9,000/s", "writer_p50_us") in figures
    page = (tmp_path / "calibration.html").read_text()
    assert "<h2>Verdict</h2><p>Better; kept: the fitted values" in page and "held out: before" in page
    with (tmp_path / "values.csv").open() as file:
        assert {row["path"]: row["by"] for row in csv.DictReader(file)} == {
            "device.cell.program_ns": "rates", "device.link.submission_ns": "all",
        }  # fmt: skip


def test_where_rates_settle_all_values_response_times_only_judge(
    rated: tuple[Path, Path], tmp_path: Path
) -> None:
    load, rates = rated
    made = calibrate(
        "enterprise-tlc", load, tmp_path, free=FREE[:1], also=[rates],
        overrides=settings({**DRIVE, "device.link.submission_ns": 9_000}), budget=16, requests=2_000,
        protocol=PROTOCOL,
    )  # fmt: skip
    (program,) = made.values
    assert program.by_rates and program.value == pytest.approx(900_000, rel=0.05)
    # The rest of the budget isn't spent.
    assert made.fit.count == 8 and len(made.lines) > len(FIGURES)


def test_a_dry_run_says_what_would_be_run_and_runs_nothing(
    wordline: Wordline, rated: tuple[Path, Path], tmp_path: Path
) -> None:
    load, rates = rated
    sets = [part for path, value in settings(DRIVE) for part in ("--set", f"{path}={value}")]
    free = [part for one in FREE for part in ("--free", one)]
    call = ["calibrate", "enterprise-tlc", load, "--also", rates, *free, *sets, "--dry-run"]
    out = wordline(*call, "--out", tmp_path / "out").out
    assert not (tmp_path / "out").exists()
    for text in (
        "small: 6 points of small.csv, rates.csv, 100 choices of values",
        "9,000/s: held out", "saturated: fitted", "depth 256: fitted first; requests_per_s",
        "free: device.cell.program_ns = 700,000 to 1,500,000, described as",
        "requests of the probe at a point", "cores (an estimate)",
    ):  # fmt: skip
        assert text in out, text
    told = json.loads(wordline(*call, "--json").out)
    assert told["choices"] == 100 and told["runs"] > 100 and told["estimate_s"] > 0
    assert 4_000 <= told["requests"] <= 100_000
    assert "--budget 5: allowed: " in wordline(*call, "--budget", "5").error()


def test_a_rate_beyond_what_all_planes_program_is_told(
    wordline: Wordline, rated: tuple[Path, Path], tmp_path: Path
) -> None:
    line = {"load": "write", "bytes": 131072, "depth": 32, "mib_per_s": 10_000}
    also = table(tmp_path / "fast.csv", [line])
    sets = [part for path, value in settings(DRIVE) for part in ("--set", f"{path}={value}")]
    call = ("calibrate", "enterprise-tlc", rated[0], "--also", also, "--free", FREE[0], *sets, "--dry-run")
    error = wordline(*call).error()
    # 10,000 MiB are 2,560,000 times 4 KiB.
    assert "2,560,000 writes a second at write of 131,072 bytes, depth 32: allowed: up to" in error


def test_a_search_that_has_no_time_left_ends_and_says_so(rated: tuple[Path, Path], tmp_path: Path) -> None:
    made = calibrate(
        "enterprise-tlc", rated[0], tmp_path, free=FREE, overrides=settings(DRIVE), budget=40, requests=1_000,
        minutes=1e-6, protocol=PROTOCOL,
    )  # fmt: skip
    assert made.findings.unfinished is not None and made.fit.count < 10
    assert "the time was over after 4 of 40 choices" in made.findings.lines[0]
    assert made.findings.next[0].startswith("more choices (budget, minutes)")
