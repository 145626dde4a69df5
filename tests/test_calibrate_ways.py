"""Ways to the steady state as figures of a calibration: read, run on shorter blocks, fitted, held out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline
from test_calibrate import DRIVE, LINE, PROTOCOL, rows_of, settings, table

import wordline as package
from wordline import WordlineError
from wordline.calibration import calibrate, describe, measured, shorter
from wordline.calibration.compare import lines
from wordline.calibration.findings import missed
from wordline.calibration.measured import FIGURES, OFFERED
from wordline.calibration.objective import deviations, groups, residuals
from wordline.calibration.protocol import Protocol, simulated
from wordline.calibration.rates import USER_BYTES, Load
from wordline.calibration.space import Free
from wordline.calibration.ways import FIGURE, PAGES, Way, parts_of
from wordline.repro.exhibit import EXHIBITS
from wordline.scenario import Scenario, scenario_of
from wordline.study.point import Inputs, Point
from wordline.study.runs import open_study
from wordline.study.store import Store

LIGHT, HEAVY = {**LINE}, {**LINE, OFFERED: "30000"}

SMALL = {
    **DRIVE,
    "device.geometry.blocks": 96,
    "device.geometry.pages": 24,
    USER_BYTES: 240_000_000,
    "device.cell.program_ns": 900_000,
    "device.link.submission_ns": 9_000,
    "scheme.cache.bytes": 1 << 20,
}
"""58,600 units."""

UNIFORM = Load("randwrite", 4096, 512)


def way_rows(rates: Sequence[float], **columns: Any) -> list[dict[str, Any]]:
    """A row for each twentieth."""
    own = {"pattern": "uniform", "details": "", **columns}
    return [
        {**own, "written_share": round(0.05 * place, 2), "requests_per_s": rate}
        for place, rate in enumerate(rates)
    ]


def read(tmp_path: Path, rows: Sequence[dict[str, Any]]) -> Any:
    load = table(tmp_path / "load.csv", [LIGHT, HEAVY])
    return measured.read(load, None, Protocol(), [table(tmp_path / "way.csv", rows)], 10**9)


def walk(way: Way, values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The figures of a run of a way, by a row of a study."""
    scenario = Scenario(
        "enterprise-tlc",
        workload=way.workload(0, values.get),
        overrides=[*settings(values), *way.overrides(values.get)],
        seed=3,
    )
    with open_study(Store(folder)) as study:
        point = Point(scenario, ())
        study.run([point])
        (row,) = study.store.results([Inputs.of(scenario).key]).values()
    return way.simulated(row)


def test_neighbours_of_about_one_rate_are_a_part_and_the_last_part_ends_early(tmp_path: Path) -> None:
    rates = [400_000, 400_000, 200_000, 80_000, 85_000, 90_000, *[120_000] * 34]
    (way,) = read(tmp_path, way_rows(rates)).ways
    assert way.load.parts == ((0, 2), (2, 3), (3, 6), (6, 16)) and way.load.capacities == pytest.approx(0.8)
    assert list(way.figures) == [
        f"{FIGURE} {part}" for part in ("0..0.1", "0.1..0.15", "0.15..0.3", "0.3..0.8")
    ]
    # What was written by the time that it took.
    middle = 3 / (1 / 80_000 + 1 / 85_000 + 1 / 90_000)
    assert list(way.figures.values()) == pytest.approx([400_000, 200_000, middle, 120_000])
    assert way.curve["written_share"][1] == (0.075, pytest.approx(400_000))
    assert way.name == "randwrite of 4,096 bytes, depth 512, filled in order" and way.rate and way.runs == 1
    assert parts_of([1.0, 1.0], 0.5) == ((0, 1),)


def test_ways_by_start_and_pattern_are_points_of_their_own_and_runs_are_repeats(tmp_path: Path) -> None:
    rows = [
        *way_rows([100, 100, 50], start="none", run="a"),
        *way_rows([110, 110, 55, 54], start="none", run="b"),
        *way_rows([100, 100, 50], start="seqshuffle", run="a", pattern="zipf-shuffle", details="0.8"),
        *way_rows([90, 40], start="seq", run="", pattern="zones-shuffle", details="s0.95 f0.05 s0.05 f0.95"),
        *way_rows([90, 40], start="seq", run="", pattern="fiozipf", details="0.8"),
    ]
    found = read(tmp_path, rows)
    empty, skewed, zones = found.ways
    assert empty.name.endswith("from an empty drive") and empty.runs == 2
    assert empty.figures[f"{FIGURE} 0..0.1"] == pytest.approx((100 * 110) ** 0.5)
    assert empty.spread[f"{FIGURE} 0..0.1"] == pytest.approx(0.0674, abs=1e-4)
    assert skewed.name == "zipf 0.8 of 4,096 bytes, depth 512, filled in scattered order"
    assert zones.load.load.hot == (0.05, 0.95) and zones.spread == {}
    assert found.doubts == (f"{tmp_path / 'way.csv'}: pattern fiozipf: passed over",)
    look = {USER_BYTES: 10**8}.get
    assert 'occupancy = "none"' in empty.workload(Protocol(), 1, look).text
    assert "hot_share_of_space = 0.05" in zones.workload(Protocol(), 1, look).text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "full"}, r"way.csv:3: start = 'full': allowed: none, seq, seqshuffle"),
        ({"written_share": "x"}, r"way.csv:3: written_share = 'x': allowed: a number from 0 on"),
        ({"written_share": -1}, r"way.csv:3: written_share = '-1': allowed: a number from 0 on"),
        ({"written_share": 0.0}, r"way.csv:3: written_share = 0 behind 0: allowed: steps of 0.01 to 0.5"),
        (
            {"written_share": 0.06},
            r"way.csv:4: written_share = 0.1: allowed: 0.12, since its way goes from 0",
        ),
        ({"requests_per_s": 0}, r"way.csv:3: requests_per_s = 0: allowed: a number above 0"),
        ({"requests_per_s": ""}, r"way.csv:3: allowed: a figure: mib_per_s or requests_per_s"),
        ({"pattern": "zipf", "details": "a"}, r"way.csv:3: details = 'a': allowed: a number"),
        (
            {"pattern": "zones-shuffle", "details": "s0.9 f0.1 s0.2 f0.9"},
            r"way.csv:3: details = 's0.9 f0.1 s0.2 f0.9': allowed: two zones",
        ),
        ({"pattern": "zones-shuffle", "details": "s1 f0 s0 f1"}, r"allowed: two zones"),
        ({"run": "b"}, r"way.csv:5: written_share = 0.15: allowed: 0.2, since its way"),
    ],
)
def test_a_way_that_can_t_be_one_is_told(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    rows = way_rows([100, 90, 80, 70], start="seq", run="a")
    rows[1] |= change
    with pytest.raises(WordlineError, match=message):
        read(tmp_path, rows)


def test_a_way_of_one_step_is_told(tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match=r"way.csv:2: one step of its way: allowed: two or more"):
        read(tmp_path, way_rows([100]))


def test_a_way_begins_and_writes_as_its_exhibit_does() -> None:
    file = EXHIBITS / "drives" / "workloads" / "overwrite-zipf-0.6.toml"
    way = Way(Load("zipf", 4096, 512, theta=0.6), "seq", 0.05, ((0, 100),), 1e5)
    look = {USER_BYTES: 10**9}.get
    own, shown = (
        Inputs.of(Scenario("7450pro-960", workload=workload), whole_drive=False).config["workload"]
        for workload in (way.workload(0, look), file)
    )
    assert {**own["source"], "requests": 0} == {**shown["source"], "requests": 0}
    assert own["start"] == shown["start"]
    # The exhibit has an eighth of the drive.
    assert {**own["host"], "queue_depth": 64} == shown["host"]
    assert own["measure"] == {**shown["measure"], "interval_ns": own["measure"]["interval_ns"]}


def test_a_drive_with_shorter_blocks_writes_as_the_whole_one_does(tmp_path: Path) -> None:
    whole = {
        **SMALL,
        "device.geometry.blocks": 171,
        "device.geometry.pages": 96,
        USER_BYTES: 1_800_000_000,
        "device.cell.erase_ns": 8_000_000,
    }
    load = Load("randwrite", 4096, 64)
    way = Way(load, "seq", 0.1, tuple((k, k + 1) for k in range(5)), 60_000.0)
    short = Way(load, "seq", 0.1, way.parts, 60_000.0, pages=24)
    assert dict(short.overrides(whole.get)) == {
        PAGES: "24", USER_BYTES: str(450_000_000 // 4096 * 4096), "device.cell.erase_ns": "2000000",
    }  # fmt: skip
    real, found = (walk(one, whole, tmp_path / str(one.pages)) for one in (way, short))
    before, drop, *behind = way.figures([1.0] * 5)
    assert real[before] > 3 * real[drop]
    assert found[before] == pytest.approx(real[before], rel=0.01)
    assert found[drop] == pytest.approx(real[drop], rel=0.2)
    for name in behind:
        assert found[name] == pytest.approx(real[name], rel=0.06), name


def test_blocks_are_as_short_as_programs_cache_and_steps_allow() -> None:
    config = Inputs.of(scenario_of("p5520-1920", None), whole_drive=False).config
    way = Way(UNIFORM, "seq", 0.05, ((0, 1),), 1e5)
    # Eight programs of three pages.
    assert shorter.pages(config, [], way) == 24
    cache = Free("scheme.cache.bytes", 1e6, 48 * 12_582_912, True)
    # 1728 pages by 20 times 604 MB of 96 GB.
    pages = shorter.pages(config, [cache], way)
    assert pages is not None and pages % 3 == 0 and 0 <= pages - 217 < 4
    for path, value in (
        ("scheme.mapping.policy", "demand"),
        ("scheme.slc_cache.policy", "dynamic"),
        ("scheme.astro", {"a": 1}),
    ):
        part, _, key = path.removeprefix("scheme.").partition(".")
        own = {**config["scheme"].get(part, {}), key: value} if key else value
        assert shorter.pages({**config, "scheme": {**config["scheme"], part: own}}, [], way) is None, path
    words = Free("scheme.mapping.policy", 0, 1, choices=("page", "demand"))
    assert shorter.pages(config, [words], way) is None
    assert shorter.pages({**config, "device": {**config["device"], "capacity": {}}}, [], way) is None


def test_a_part_that_is_not_met_is_bounded_named_and_of_one_group_with_its_way(tmp_path: Path) -> None:
    points = read(tmp_path, way_rows([100, 50, 20])).points
    found: list[dict[str, Any]] = [dict(point.figures) for point in points]
    found[2][f"{FIGURE} 0.05..0.1"] *= 2
    sigmas = deviations(points, 1e6)
    assert sigmas[2] == dict.fromkeys(points[2].figures, 0.05)
    values = residuals(points, sigmas, found)
    # ln 2 / 0.05 is 14.
    assert values[-2] == pytest.approx(8.3, abs=0.2) and values[-3] == values[-1] == 0
    assert len(set(groups(sigmas)[-3:])) == 1
    (miss,) = missed(lines(points, [True] * 3, found, None), sigmas, found, points, before=False)
    assert miss.text.startswith(f"{FIGURE} at 1 of 3 parts, furthest at randwrite of 4,096 bytes, depth 512")
    assert "filled in order, 0.05..0.1 capacities written: 100 a second for 50 a second" in miss.text
    assert "decided by programs, collection" in miss.text


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small drive that programs in 900 µs: two points of load, and three ways."""
    folder = tmp_path_factory.mktemp("walked")
    loads = []
    for offered in (6_000, 200_000):
        made = package.run(
            "enterprise-tlc", workload=PROTOCOL.workload(offered, 6_000), overrides=settings(SMALL), seed=7
        )
        figures = simulated(made.to_dict())
        loads.append({OFFERED: offered, **{name: figures[name] for name in FIGURES}})
    rows = []
    for start, pattern, details in (("none", "uni", ""), ("seq", "uni", ""), ("seq", "zipf", "0.8")):
        load = Load("zipf", 4096, 512, theta=0.8) if pattern == "zipf" else UNIFORM
        way = Way(load, start, 0.1, ((0, 14 if start == "none" else 8),), 60_000.0)
        found = walk(way, SMALL, folder / f"{start}-{pattern}")
        rows += [
            {
                "start": start, "pattern": pattern, "details": details,
                "written_share": round(0.1 * place, 1), "mib_per_s": rate / 256,
            }
            for place, (_, rate) in enumerate(found["curve"])
        ]  # fmt: skip
    return table(folder / "small.csv", loads), table(folder / "ways.csv", rows)


FREE = ("device.cell.program_ns=700_000..1_500_000",)

SUSPEND = "device.suspend.program_ns=40_000..140_000"

BEGUN = settings({**SMALL, "device.cell.program_ns": 1_198_829})


def test_a_way_is_fitted_first_and_others_judge(walked: tuple[Path, Path], tmp_path: Path) -> None:
    load, ways = walked
    made = calibrate(
        "enterprise-tlc", load, tmp_path, free=FREE, also=[ways], overrides=BEGUN, budget=16,
        requests=2_000, protocol=PROTOCOL,
    )  # fmt: skip
    (program,) = made.values
    assert program.by_rates and program.value == pytest.approx(900_000, rel=0.08)
    assert program.low is not None and program.high is not None
    assert program.low < 900_000 < program.high
    # Loads and ways are held out apart; the last of each is seen.
    assert made.problem.fitted == [False, True, True, False, True]
    assert made.verdict.outcome == "better" and made.verdict.rates is not None
    own = [line for line in made.lines if line.point.name.endswith("filled in order") and not line.fitted]
    assert len(own) > 2 and all(abs(line.error) < 0.1 for line in own)
    assert any(line.before is not None and line.before < 0.85 * line.measured for line in own)
    (summary,) = (one for one in made.summaries if one.figure == FIGURE and not one.fitted)
    assert summary.points == len(own) and summary.median < 0.05
    rows = rows_of(tmp_path / "comparison.csv")
    assert {row["seen"] for row in rows if row["figure"].startswith(f"{FIGURE} 0..")} == {
        "fitted",
        "held_out",
    }
    page = (tmp_path / "calibration.html").read_text()
    assert "<h2>On the way to the steady state</h2>" in page
    assert "<h2>Errors on the way to the steady state</h2>" in page
    text = made.preset.read_text()
    assert "fitted first: randwrite of 4,096 bytes, depth 512, from an empty drive; zipf" in text


def test_ways_are_not_run_again_for_response_times(walked: tuple[Path, Path], tmp_path: Path) -> None:
    load, ways = walked
    made = calibrate(
        "enterprise-tlc", load, tmp_path, free=(*FREE, SUSPEND), also=[ways],
        overrides=BEGUN, budget=24, requests=2_000, hold_out=0.0, protocol=PROTOCOL,
    )  # fmt: skip
    program, suspend = made.values
    assert program.by_rates and not suspend.by_rates
    # Two points of load.
    assert all(len(one.figures) == 2 for one in made.fit.tried) and made.problem.fitted == [True] * 5


def test_a_dry_run_lists_ways_with_their_runs_and_says_if_time_is_short(
    wordline: Wordline, walked: tuple[Path, Path]
) -> None:
    load, ways = walked
    sets = [part for path, value in BEGUN for part in ("--set", f"{path}={value}")]
    call = ["calibrate", "enterprise-tlc", load, "--also", ways, "--free", FREE[0], *sets, "--dry-run"]
    shown = wordline(*call, "--minutes", "1")
    for text in (
        "small: 5 points of small.csv, ways.csv",
        "depth 512, from an empty drive: fitted first; ",
        "depth 512, filled in order: held out; ",
        " requests a run, ", " × the drive\n",
    ):  # fmt: skip
        assert text in shown.out, text
    assert "with its ways to the steady state the fit takes about" not in shown.err
    short = wordline(*call, "--minutes", "0.01")
    assert "cores (an estimate), and --minutes 0.01 ends it before" in short.err
    told = json.loads(wordline(*call, "--json").out)
    (way,) = (one for one in told["points"] if one["load"].endswith("from an empty drive"))
    assert way["fitted"] and any(name.startswith(f"{FIGURE} 0..") for name in way["figures"])


def test_ways_need_a_capacity_and_a_map_in_dram_to_tell_no_fill_from_another(
    walked: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = table(tmp_path / "ways.csv", way_rows([50_000, 10_000], start="seqshuffle"))

    def plan(overrides: Sequence[tuple[str, str]], *more: tuple[str, str]) -> Any:
        scenario = scenario_of("enterprise-tlc", None, overrides=[*overrides, *more])
        return describe(scenario, walked[0], free=FREE, also=[rows], protocol=PROTOCOL)

    assert plan(BEGUN).measured.doubts == ()
    (doubt,) = plan(BEGUN, ("scheme.mapping.policy", "demand")).measured.doubts
    assert "filled in scattered order: simulated as filled in order" in doubt
    shared = [one for one in BEGUN if one[0] != USER_BYTES]
    file = tmp_path / "share.toml"
    text = package.presets.load("device", "enterprise-tlc").text
    file.write_text(text.replace("user_bytes = 3_840_755_982_336", "overprovisioning = 0.07"))
    scenario = scenario_of(str(file), None, overrides=shared)
    with pytest.raises(WordlineError, match=f"allowed: a device with {USER_BYTES}"):
        describe(scenario, walked[0], free=FREE, also=[rows], protocol=PROTOCOL)
