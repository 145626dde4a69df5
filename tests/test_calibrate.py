"""`wordline calibrate`: values that are known are found again, tables and results of fio are read, slips are
told.
"""

from __future__ import annotations

import csv
import json
import math
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ONE_CHANNEL, Wordline

import wordline as package
from wordline import WordlineError
from wordline.calibration import calibrate, describe, measured, space
from wordline.calibration.measured import FIGURES, OFFERED, MeasuredPoint
from wordline.calibration.objective import residuals
from wordline.calibration.preset import preset
from wordline.calibration.protocol import Protocol, simulated
from wordline.presets import toml_value
from wordline.scenario import scenario_of

DRIVE: dict[str, object] = {**ONE_CHANNEL, "scheme.cache.bytes": 4 << 20}

TRUE: dict[str, int] = {
    "device.cell.read_ns": 52_000,
    "device.cell.program_ns": 900_000,
    "device.cell.erase_ns": 5_000_000,
    "device.link.submission_ns": 9_000,
    "device.suspend.program_ns": 70_000,
}

FREE = (
    "device.cell.read_ns=35_000..80_000",
    "device.cell.program_ns=600_000..1_400_000",
    "device.cell.erase_ns=3_000_000..8_000_000",
    "device.link.submission_ns=5_000..20_000",
    "device.suspend.program_ns=40_000..140_000",
)

LOADS = (6_000, 9_000, 12_000, 200_000)

PROTOCOL = Protocol(writers=2)

LINE = {
    OFFERED: "20000", "writes_per_s": "19850", "reads_per_s": "5150",
    "read_mean_us": "84", "read_p50_us": "71",
    "read_p99_us": "277", "read_p99_9_us": "425", "read_p99_99_us": "854", "write_mean_us": "11.5",
    "write_p50_us": "11", "write_p99_us": "14", "write_p99_9_us": "17", "write_p99_99_us": "20",
}  # fmt: skip


def settings(values: dict[str, Any]) -> list[tuple[str, str]]:
    lists = {"device.cell.read_ns", "device.cell.program_ns"}
    return [(path, toml_value([value] if path in lists else value)) for path, value in values.items()]


def play(offered: float, requests: int, seed: int, values: dict[str, Any] | None = None) -> dict[str, Any]:
    """The figures of the drive with the true values at a point of load."""
    overrides = settings({**DRIVE, **TRUE, **(values or {})})
    workload = PROTOCOL.workload(offered, requests)
    run = package.run("enterprise-tlc", workload=workload, overrides=overrides, seed=seed)
    return simulated(run.to_dict() if hasattr(run, "to_dict") else dict(run))


def table(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A measurement of the drive with the true values, each point twice, with other seeds than a fit's."""
    lines = []
    for offered in LOADS:
        for seed in (7, 8):
            found = play(offered, 15_000, seed)
            lines.append({"drive": "twin", OFFERED: offered, **{name: found[name] for name in FIGURES}})
    return table(tmp_path_factory.mktemp("twin") / "twin.csv", lines)


def test_known_values_are_found_again(twin: Path, tmp_path: Path) -> None:
    made = calibrate(
        "enterprise-tlc", twin, tmp_path, free=FREE, overrides=settings(DRIVE), budget=54, requests=6_000,
        hold_out=0.25, protocol=PROTOCOL,
    )  # fmt: skip
    found = {one.free.path: one for one in made.values}
    for path, true in TRUE.items():
        one = found[path]
        assert abs(one.value / true - 1) <= 0.05 or one.state != "determined", (path, one)
        assert one.low is not None and one.high is not None and one.low <= one.value <= one.high
    # What response times and rates rest on, they determine.
    for path in ("device.link.submission_ns", "device.cell.read_ns", "device.cell.program_ns"):
        assert abs(found[path].value / TRUE[path] - 1) <= 0.05, found[path]
    assert made.problem.fitted == [False, True, True, True]
    assert made.verdict.kept == "fitted" and made.verdict.held_out
    # The description's link takes no time.
    assert made.verdict.outside == ("device.link.submission_ns",)
    assert made.verdict.described is not None and made.verdict.fitted < made.verdict.described / 4
    errors = {(one.figure, one.fitted): one for one in made.summaries}
    for figure in ("read_mean_us", "read_p50_us", "write_p50_us", "writes_per_s"):
        assert errors[figure, True].median < 0.05 and errors[figure, False].largest < 0.10, figure
    # The drive that it started from is another one: its programs take longer, its reads are shorter.
    for figure in ("read_mean_us", "read_p50_us", "write_p50_us"):
        before = errors[figure, False].before
        assert before is not None and before > errors[figure, False].median, figure
    _check_files(made.folder, made.preset, found)


def _check_files(folder: Path, written: Path, found: dict[str, Any]) -> None:
    data = tomllib.loads(written.read_text())
    assert data["name"] == "twin" and data["geometry"]["channels"] == 1
    assert data["link"]["submission_ns"] == found["device.link.submission_ns"].value
    assert data["cell"]["read_ns"] == [found["device.cell.read_ns"].value]
    assert "# fitted: twin.csv; 95% interval" in written.read_text()
    # The preset is a drive like any other.
    result = package.run(
        written, overrides={"workload.source.requests": 100, "workload.start.layout": "in_order"}
    )
    assert result.config.device.name == "twin"
    lines = rows_of(folder / "comparison.csv")
    assert len(lines) == len(LOADS) * len(FIGURES)
    assert {line["seen"] for line in lines} == {"fitted", "held_out"}
    assert all(float(line["repeats"]) >= 0 for line in lines)
    write = {(line["load"], line["figure"]): line for line in lines}["6,000/s", "write_p50_us"]
    # Without the link's 9 µs.
    assert float(write["before"]) < 5 < 9 <= float(write["simulated"])
    assert "measured" in (folder / "calibration.html").read_text()
    profile = rows_of(folder / "profile.csv")
    own = [float(line["objective"]) for line in profile if line["path"] == "device.link.submission_ns"]
    assert min(own) < own[0] and min(own) < own[-1]


def test_a_description_that_is_better_than_the_fit_is_kept_and_that_is_said_first(
    wordline: Wordline, twin: Path, tmp_path: Path
) -> None:
    described = [part for path, value in settings({**DRIVE, **TRUE}) for part in ("--set", f"{path}={value}")]
    # The drive that was measured programs in 900 µs: nothing among these is as near.
    free = ("--free", "device.cell.program_ns=2_000_000..3_000_000")
    hold = ("--hold-out", "0.5", "--requests", "2000", "--budget", "8")
    call = ("calibrate", "enterprise-tlc", twin, *free, *described, *hold, "--out", tmp_path / "worse")
    first = wordline(*call).out.splitlines()[0]
    assert first.startswith(
        "twin: worse; kept: enterprise-tlc.toml as it is described, not the fitted values"
    )
    assert "outside of --free in enterprise-tlc.toml: device.cell.program_ns" in first
    told = wordline(*call, "--json").json()
    assert told["kept"] == "described" and told["begins_outside"] == ["device.cell.program_ns"]
    assert told["distance"]["described"] < told["distance"]["fitted"]
    assert told["distance"]["points"] == "held_out"
    text = (tmp_path / "worse" / "twin.toml").read_text()
    data = tomllib.loads(text)
    assert data["cell"]["program_ns"] == [TRUE["device.cell.program_ns"]] and "# fitted" not in text
    assert told["outcome"] == "worse" and told["next"]
    assert first.partition("kept: ")[2] in text.replace("\n# ", " ")
    assert "nearer than a fit to measurements of twin" in data["description"]
    assert "not the fitted values" in (tmp_path / "worse" / "calibration.html").read_text()
    # What the tables call `before` is what was kept.
    errors = {(one["figure"], one["points"]): one for one in told["errors"]}
    assert errors["writes_per_s", "held_out"]["before"] < errors["writes_per_s", "held_out"]["median"]


def test_it_goes_on_where_it_was_and_a_value_without_effect_is_undetermined(
    wordline: Wordline, twin: Path, tmp_path: Path
) -> None:
    free = [
        "--free",
        FREE[3],
        "--free",
        "device.cell.read_ns=30_000..90_000",
        "--free",
        "scheme.gc.pace.band=1..8",
    ]
    sets = [part for path, value in settings({**DRIVE, **TRUE}) for part in ("--set", f"{path}={value}")]
    sets = [part for part in sets if "submission_ns" not in part and "read_ns" not in part]
    sets = [
        part for place, part in enumerate(sets) if part != "--set" or sets[place + 1 : place + 2] != ["--set"]
    ]
    sets = sets[:-1] if sets[-1] == "--set" else sets
    common = ["enterprise-tlc", twin, *free, *sets, "--requests", "2000", "--json"]
    first = wordline("calibrate", *common, "--budget", "16", "--out", tmp_path / "a", "--jobs", "1").json()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "a" / "rows").iterdir()}
    again = wordline("calibrate", *common, "--budget", "16", "--out", tmp_path / "a").json()
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "a" / "rows").iterdir()}
    assert first == again and before == after
    assert first["trials"] == 16
    values = first["values"]
    assert set(values) == {"device.link.submission_ns", "device.cell.read_ns", "scheme.gc.pace.band"}
    assert values["scheme.gc.pace.band"]["state"] == "undetermined"
    out = wordline("calibrate", *common[:-1], "--budget", "16", "--out", tmp_path / "a").out
    for text in ("95% interval", "Reads: measured → simulated", "held out", "repeats", "undetermined"):
        assert text in out, text


def test_threads_that_are_held_back_count_from_submission() -> None:
    # Far beyond what the drive can do all queues are full, so Little's law gives the mean response time.
    found = play(200_000, 5_000, 1)
    under_way = sum(found[f"{way}s_per_s"] * found[f"{way}_mean_us"] / 1e6 for way in ("read", "write"))
    assert 2 * 64 < under_way < 1.05 * 3 * 64
    light = play(7_000, 5_000, 1)
    assert light["write_p50_us"] == pytest.approx(TRUE["device.link.submission_ns"] / 1e3, abs=1.0)


def test_repeats_and_saturated_points_are_joined(tmp_path: Path) -> None:
    def line(offered: float, writes: float) -> dict[str, str]:
        return {**LINE, OFFERED: str(offered), "writes_per_s": str(writes)}

    path = table(
        tmp_path / "m.csv", [line(200, 100), line(150, 100), line(90, 90), line(90.01, 89), line(50, 50)]
    )
    name, runs, _ = measured.read_table(path, None)
    points = measured.join(runs)
    assert name == "m"
    assert [(point.offered, point.runs, point.saturated) for point in points] == [
        (50, 1, False), (90, 2, False), (200, 2, True),
    ]  # fmt: skip
    assert points[1].spread["writes_per_s"] == pytest.approx(0.0079, abs=1e-4) and not points[0].spread
    assert measured.held_out(points, 0.5) == [False, True, False]
    assert measured.held_out(points * 2, 0.5) == [True, False, True, False, True, False]
    assert not any(measured.held_out(points, 0.0))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "empty"),
        ([{}], "no measurement below"),
        ([{"drop": "read_p99_us"}], "missing columns: read_p99_us"),
        ([{"rename": ("read_p99_us", "read_p99_ns")}], "read_p99_ns: allowed: read_p99_us, in µs"),
        ([LINE], "one point of load"),
        ([{**LINE, "read_p99_us": "nan"}, LINE], "m.csv:2: read_p99_us = nan"),
        ([{**LINE, "read_p99_us": ""}, LINE], "m.csv:2: read_p99_us = ''"),
        ([{**LINE, "read_p99_us": "-1"}, LINE], "above 0"),
        ([{**LINE, "read_p50_us": "71000"}, LINE], "units mixed up"),
        ([{**LINE, "read_mean_us": "0.084"}, LINE], "units mixed up"),
        ([{**LINE, "read_p99_99_us": "854000", "read_mean_us": "84"}, LINE], "m.csv:2: read_p99_99_us = 854"),
        ([{**LINE, OFFERED: "900"}, LINE], "writes_per_s = 19,850: allowed: at most"),
        ([{**LINE, "drive": "a"}, {**LINE, "drive": "b"}], "several drives: drive with one of a, b"),
    ],
)
def test_what_is_no_measurement_is_told(tmp_path: Path, lines: list[dict[str, Any]], message: str) -> None:
    path = tmp_path / "m.csv"
    own = [dict(line) for line in lines]
    if not own:
        path.write_text("")
    elif not own[0]:
        table(path, [LINE])
        path.write_text(path.read_text().splitlines()[0] + "\n")
    else:
        for line in own:
            drop, rename = line.pop("drop", None), line.pop("rename", None)
            if drop or rename:
                line.update({k: v for k, v in LINE.items() if k != (drop or rename[0])})
                line.update({rename[1]: "277"} if rename else {})
        table(path, own)
    with pytest.raises(WordlineError, match=message):
        measured.read(path, None, Protocol())


def test_a_table_of_a_spreadsheet_is_read_or_told(tmp_path: Path) -> None:
    path = table(tmp_path / "m.csv", [LINE, {**LINE, OFFERED: "30000"}])
    text = path.read_text()
    path.write_text("\ufeff" + text)
    assert len(measured.read(path, None, Protocol()).points) == 2
    for changed, message in (
        (text.replace(",", ";"), "';' between columns: allowed: commas"),
        (text.replace("11.5", "11,5", 1), "m.csv:2: more fields than the 13 columns"),
        (text.replace("reads_per_s", "writes_per_s"), "column writes_per_s: allowed: each once"),
    ):
        path.write_text(changed)
        with pytest.raises(WordlineError, match=message):
            measured.read(path, None, Protocol())


def test_a_column_that_seems_to_be_meant_and_is_passed_over_is_noted(tmp_path: Path) -> None:
    lines = [{**LINE, "WAF": "3", "unit": "m0", OFFERED: offered} for offered in ("20000", "30000")]
    (note,) = measured.read(table(tmp_path / "m.csv", lines), None, Protocol()).doubts
    assert note.endswith("column WAF: passed over: did you mean `waf`?")


def test_nanoseconds_in_the_place_of_microseconds_are_told(tmp_path: Path) -> None:
    scaled = {name: str(float(text) * (1000 if name.endswith("_us") else 1)) for name, text in LINE.items()}
    path = table(tmp_path / "m.csv", [scaled, {**scaled, OFFERED: "30000"}])
    (doubt,) = measured.read(path, None, Protocol()).doubts
    assert "Little's law" in doubt and "ns in the place of µs" in doubt and "So do 1 other lines" in doubt
    small = {name: str(float(text) / (1000 if name.endswith("_us") else 1)) for name, text in LINE.items()}
    table(path, [small, {**small, OFFERED: "30000"}])
    with pytest.raises(WordlineError, match="no drive answers within 1 µs"):
        measured.read(path, None, Protocol())


def test_one_direction_in_nanoseconds_is_refused_before_the_first_run(tmp_path: Path) -> None:
    def described(*lines: dict[str, Any]) -> None:
        path = table(tmp_path / "m.csv", list(lines))
        free, overrides = ["device.cell.erase_ns=1_000_000..9_000_000"], settings(DRIVE)
        describe(scenario_of("enterprise-tlc", overrides=overrides), path, free=free, protocol=PROTOCOL)

    heavier = {**LINE, OFFERED: "30000", "writes_per_s": "29900"}
    for direction in ("read", "write"):
        scaled = {name: str(float(LINE[name]) * 1000) for name in LINE if name.startswith(f"{direction}_")}
        column = f"{direction}_p50_us"
        told = re.escape(f"m.csv:2: {column} = {float(scaled[column]):g}: ")
        with pytest.raises(
            WordlineError, match=told + r"[\d,]+ times the .* µs of enterprise-tlc.toml: allowed: µs"
        ):
            described({**LINE, **scaled}, {**heavier, **scaled})
        # A drive that is nearly full, as the 7450 PRO at 60,000 writes/s, has queues as long.
        described(LINE, {**heavier, **scaled})
    described(LINE, heavier)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no value is free"),
        (["--free", "device.cell.progam_ns=1..2"], "program_ns"),
        (["--free", "workload.host.queue_depth=1..2"], "begin with device. or scheme."),
        (["--free", "device.cell.erase_ns"], "allowed: PATH=LOW..HIGH"),
        (["--free", "device.cell.erase_ns=9..4"], "LOW below HIGH"),
        (["--free", "device.cell.erase_ns=a..4"], "'a' is no number"),
        (["--free", "device.cell.erase_ns=1.5..4"], "whole numbers"),
        (["--free", "scheme.cache.policy=1..4"], "is no number"),
        (["--free", "device.cell.erase_ns=2..9", "--free", "device.cell.erase_ns=2..9"], "each path once"),
        (["--free", FREE[2], "--budget", "3"], "--budget 3: allowed:"),
        (["--free", FREE[2], "--hold-out", "1"], "--hold-out 1"),
        (["--free", FREE[2], "--requests", "3"], "--requests 3"),
        (["--free", FREE[2], "--minutes", "0"], "--minutes 0"),
        (["--free", FREE[2], "--sampler", "best"], "allowed: tpe"),
        (["--free", FREE[2], "--drive", "twim"], "did you mean `twin`"),
        (["--free", FREE[2], "--set", "workload.host.queue_depth=3"], "begin with device. or scheme."),
        (["--free", FREE[2], "--set", "device.cell.program_ns=[9_000_000_000]"], "writes a second"),
    ],
)
def test_a_slip_is_told(
    wordline: Wordline, twin: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    sets = [part for path, value in settings(DRIVE) for part in ("--set", f"{path}={value}")]
    error = wordline(
        "calibrate", "enterprise-tlc", twin, *sets, *arguments, "--out", tmp_path / "out"
    ).error()
    assert message in error, error
    assert not (tmp_path / "out").exists()


def job(name: str, rates: str, reads: float, writes: float, **changes: Any) -> dict[str, Any]:
    def way(iops: float, scale: int) -> dict[str, Any]:
        percentiles = {"50.000000": 70, "99.000000": 270, "99.900000": 420, "99.990000": 850}
        return {
            "iops": iops,
            "clat_ns": {
                "mean": 84.0 * scale, "N": 1000, "percentile": {k: v * scale for k, v in percentiles.items()},
            },
        }  # fmt: skip

    options = (
        {"rate_iops": rates, "rw": "randrw", "iodepth": "64"}
        if rates
        else {"rw": "randwrite", "iodepth": "64"}
    )
    return {
        "jobname": name,
        "job options": options | changes,
        "read": way(reads, 1000),
        "write": way(writes, 150),
    }


def fio(path: Path, *jobs: dict[str, Any], warning: str = "") -> Path:
    text = json.dumps({"fio version": "fio-3.36", "global options": {"bs": "4k"}, "jobs": list(jobs)})
    path.write_text(warning + text)
    return path


def test_results_of_fio_are_points(tmp_path: Path) -> None:
    folder = tmp_path / "my-drive"
    folder.mkdir()
    for rate in (10_000, 20_000):
        writers = job("writer", f"0,{rate}", 0, rate * 6 / 6 * 4, numjobs="4", rw="randwrite")
        fio(
            folder / f"{rate}.json",
            job("probe", "5000,5000", 5000, 5000),
            writers,
            warning="fio: a warning\n",
        )
    fio(
        folder / "full.json", job("probe", "5000,5000", 5000, 5000), job("writer", "", 0, 90_000, numjobs="4")
    )
    found = measured.read(folder, None, Protocol())
    assert found.name == "my-drive"
    assert found.protocol == Protocol(writers=4, writer_read_share=0.0)
    assert [(point.offered, point.saturated) for point in found.points] == [
        (45_000, False), (85_000, False), (950_000, True),
    ]  # fmt: skip
    figures = found.points[0].figures
    assert figures["reads_per_s"] == pytest.approx(5000) and figures["writes_per_s"] == pytest.approx(45_000)
    assert figures["read_p99_9_us"] == pytest.approx(420) and figures["write_p50_us"] == pytest.approx(10.5)
    assert figures["read_mean_us"] == pytest.approx(84)
    assert figures["writer_p50_us"] == pytest.approx(10.5)
    assert figures["writer_mean_us"] == pytest.approx(84.0 * 150 / 1e3)
    assert found.points[0].curve["read"][0] == (0.5, 70.0)


def test_what_writers_offer_is_told_by_bytes_and_with_suffixes_too(tmp_path: Path) -> None:
    limits: list[dict[str, str]] = [{"rate_iops": "10k"}, {"rate": f"{10_240 * 4096}"}, {"rate": "40m,40m"}]
    for limit in limits:
        writer = job("writer", "", 0, 10_000, rw="randwrite", **limit)
        _, runs, _ = _read_fio(fio(tmp_path / "a.json", job("probe", "5000,5000", 5000, 5000), writer))
        assert runs[0].offered == 15_240, limit
    thinks = job("writer", "", 0, 10_000, thinktime="5000")
    with pytest.raises(WordlineError, match="thinktime=5000: allowed: rate_iops or rate"):
        _read_fio(fio(tmp_path / "a.json", job("probe", "5000,5000", 5000, 5000), thinks))


def test_bins_of_fio_give_percentiles_where_it_lists_none(tmp_path: Path) -> None:
    probe = job("probe", "5000,5000", 5000, 5000)
    for way in ("read", "write"):
        probe[way]["lat_ns"] = {"mean": 2000.0, "bins": {"1000": 50, "2000": 49, "3000": 1}}
    name, runs, _ = _read_fio(fio(tmp_path / "one.json", probe))
    assert name == "one"
    assert runs[0].figures["read_p50_us"] == 1.0 and runs[0].figures["read_p99_us"] == 2.0
    assert runs[0].figures["read_p99_99_us"] == 3.0


def _read_fio(path: Path) -> Any:
    from wordline.calibration import fio as reader

    return reader.read(path, Protocol())


def test_what_fio_did_not_write_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    cases: list[tuple[str, str]] = [
        ("", "not a result of fio"),
        ("{}", "no jobs"),
        ('{"jobs": [{"jobname": "probe"}]}', "not as fio writes it"),
    ]
    for text, message in cases:
        path.write_text(text)
        with pytest.raises(WordlineError, match=message):
            _read_fio(path)
    fio(path, job("a", "1", 1, 1), job("b", "1", 1, 1))
    with pytest.raises(WordlineError, match="jobs a, b: allowed: one job named probe"):
        _read_fio(path)
    old = job("probe", "1", 1, 1)
    old["read"]["clat"] = old["read"].pop("clat_ns")
    fio(path, old)
    with pytest.raises(WordlineError, match=r"read\.clat: allowed: lat_ns or clat_ns, as fio 3"):
        _read_fio(path)
    short = job("probe", "1", 1, 1)
    short["read"]["clat_ns"]["percentile"].pop("99.990000")
    fio(path, short)
    with pytest.raises(WordlineError, match=r"no p99\.99 of reads"):
        _read_fio(path)
    folder = tmp_path / "none"
    folder.mkdir()
    with pytest.raises(WordlineError, match="one file a point"):
        _read_fio(folder)
    fio(path, job("probe", "5000", 5000, 5000))
    fio(tmp_path / "b.json", job("probe", "4000", 4000, 4000))
    with pytest.raises(WordlineError, match="other jobs than those of"):
        _read_fio(tmp_path)


def test_the_fit_gives_up_response_times_but_no_rates() -> None:
    point = MeasuredPoint(1e4, dict.fromkeys(FIGURES, 100.0), {}, 1, saturated=False, curve={})
    sigma = dict.fromkeys(FIGURES, 0.01)
    far = {**point.figures, "writes_per_s": 100.0 * math.exp(0.3), "read_mean_us": 100.0 * math.exp(0.3)}
    found = dict(zip(FIGURES, residuals([point], [sigma], [far]), strict=True))
    assert found["writes_per_s"] == pytest.approx(30)
    assert found["read_mean_us"] == pytest.approx(12.7, abs=0.1)
    assert {value for name, value in found.items() if name not in ("writes_per_s", "read_mean_us")} == {0.0}


def test_a_list_keeps_its_proportions_and_choices_are_words() -> None:
    config = {"device": {"cell": {"read_ns": [40, 60, 80]}}, "scheme": {"scheduler": {"policy": "fifo"}}}
    times, policy = space.parse(
        ["device.cell.read_ns=30..120", "scheme.scheduler.policy=fifo,read_first"], config
    )
    assert times.start() == 60 and times.setting(90) == [60, 90, 120]
    assert times.value(times.share(77)) == 77
    assert policy.space() == ["fifo", "read_first"]


def test_a_preset_is_edited_in_its_place() -> None:
    text = 'name = "a"\n\n[cell]\nread_ns = [\n  1,\n  2,\n] # both\nerase_ns = 3 # kept\n'
    text += "[scheme.gc]\ntrigger = 0.1\n"
    points: list[MeasuredPoint] = []
    found = measured.Measured("mine", "m.csv", points, Protocol())
    changes = [
        ("device.cell.read_ns", "[5, 6]"),
        ("scheme.gc.stop", "0.2"),
        ("device.link.submission_ns", "7"),
    ]
    made = preset(text, [], changes, found, "about")
    assert tomllib.loads(made) == {
        "name": "mine",
        "cell": {"read_ns": [5, 6], "erase_ns": 3},
        "scheme": {"gc": {"trigger": 0.1, "stop": 0.2}},
        "link": {"submission_ns": 7},
    }
    assert "erase_ns = 3 # kept" in made and "# set for the fit" in made and made.startswith("# about\n")
    inline = preset('name = "a"\ncell = { read_ns = [1] }\n', [], changes[:1], found, "about")
    assert tomllib.loads(inline)["cell"] == {"read_ns": [5, 6]}


def test_a_table_on_one_line_is_edited_in_its_place() -> None:
    pauses = "pause = { ns = 15_000, every_units = 2_800 } # of a sheet"
    text = f'name = "a" # own\n[scheme.cache]\n{pauses}\nbytes = 7 # kept\n'
    points: list[MeasuredPoint] = []
    found = measured.Measured("mine", "m.csv", points, Protocol())
    changes = [
        ("scheme.cache.pause.ns", "12000"),
        ("scheme.cache.pause.ns", "14000"),
        ("scheme.cache.pause.room_units", "3"),
    ]
    made = preset(text, [], changes, found, "about")
    pause = {"ns": 14_000, "every_units": 2_800, "room_units": 3}
    assert tomllib.loads(made)["scheme"]["cache"] == {"pause": pause, "bytes": 7}
    assert made.splitlines()[2:] == [
        "[scheme.cache]",
        "# pause.ns: set for the fit",
        "# pause.room_units: set for the fit",
        "pause = { ns = 14000, every_units = 2_800, room_units = 3 } # the others: of a sheet",
        "bytes = 7 # kept",
    ]


def test_a_parent_s_comment_does_not_stay_beside_a_new_value() -> None:
    text = (
        'name = "a"\n[link]\n# A sheet says so.\n# Over two lines.\nbytes_per_s = 5\nother = 1 # kept\n'
        "[scheme.cache]\n# Fitted to a load.\nlimit = { gap_ns = 3, burst = 4 } # as by a clock\n"
    )
    found = measured.Measured("mine", "m.csv", [], Protocol())
    made = preset(text, [], [("device.link.bytes_per_s", "6")], found, "about")
    assert "sheet" not in made and "two lines" not in made and "other = 1 # kept" in made
    one = [("scheme.cache.limit.gap_ns", "7")]
    assert preset(text, [], one, found, "about").splitlines()[-3:] == [
        "# the others: Fitted to a load.",
        "# limit.gap_ns: set for the fit",
        "limit = { gap_ns = 7, burst = 4 } # the others: as by a clock",
    ]
    both = preset(text, [], [*one, ("scheme.cache.limit.burst", "8")], found, "about")
    assert "clock" not in both and "to a load" not in both and "burst = 8 }" in both
