"""Intervals of one run, and what they make of differences."""

from __future__ import annotations

import csv
import io
import json
import re
import statistics
from typing import TYPE_CHECKING

import pytest
from conftest import SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import derived, intervals, lifetime, seeds
from wordline.intervals import Interval

if TYPE_CHECKING:
    from pathlib import Path

FEW = {**SMALL_DRIVE, "workload.source.requests": 4000}
MORE = {**SMALL_DRIVE, "workload.source.requests": 20_000}
LEAST = {**SMALL_DRIVE, "workload.source.requests": 200}
"""Too few for intervals."""
SEEDS = range(1, 41)


def test_intervals_of_single_runs_hold_the_mean_of_all() -> None:
    results = [
        package.run("mqsim", "baseline", "randread-4k-qd16", seed=seed, overrides=FEW) for seed in SEEDS
    ]
    for path in ("latency_ns.mean", "latency_ns.p90", "latency_ns.p99", "iops"):
        values = [seeds.figure(result.read, path) or 0.0 for result in results]
        mean = statistics.fmean(values)
        found = [result.interval(f"read.{path}") for result in results]
        assert all(one.low <= value <= one.high for one, value in zip(found, values, strict=True) if one)
        held = sum(one.low <= mean <= one.high for one in found if one)
        # 38 are expected; of 40 fewer than 34 have a probability below 1%.
        assert held >= 34, (path, held)
        # Nor are they wider than they need be: half of one is some two standard deviations over seeds.
        half = statistics.fmean(one.half for one in found if one)
        assert half < 4 * statistics.stdev(values), path


def test_welch() -> None:
    one, other = Interval(8, 12, 10), Interval(9, 15, 10)
    assert intervals.same(10, one, 12, other) is True
    assert intervals.same(10, one, 14, other) is False
    assert intervals.same(10, None, 12, other) is None
    exact = Interval(10, 10, 10)
    assert (intervals.same(10, exact, 10, exact), intervals.same(10, exact, 11, exact)) == (True, False)
    # Two standard errors of 1 with 10 degrees each: 20 degrees, t = 2.086, so the border is 2.95.
    unit = Interval(-2.2281, 2.2281, 10)
    assert intervals.same(0, unit, 2.94, unit) and not intervals.same(0, unit, 2.96, unit)


def lived(low: float, high: float) -> dict[str, object]:
    """A result whose WAF is 2 and whose host writes 1,000 bytes a second, with an interval each."""
    device = {
        "geometry": {"channels": 1, "pages": 10, "page_bytes": 4096},
        "bad_blocks": {"endurance_cycles": 100},
        "rated": {"drive_writes_per_day": 1.0},
    }
    ends = {
        "waf": {"low": low, "high": high, "degrees": 5},
        "write.bandwidth_bytes_per_s": {"low": 800.0, "high": 1250.0, "degrees": 7},
    }
    return {
        "config": {"device": device, "scheme": {}},
        "drive": {"logical_units": 800, "physical_units": 1000, "mapping_unit_bytes": 4096},
        "waf": 2.0,
        "write": {"requests": 5, "bandwidth_bytes_per_s": 1000.0},
        "intervals": {"figures": ends},
    }


def test_life_has_the_intervals_of_what_it_follows_from() -> None:
    life, found = lifetime.of(lived(1.6, 2.5)), derived.intervals_of(lived(1.6, 2.5))
    assert life is not None
    figures = dict(life.figures())
    relative = {
        name.removeprefix("lifetime."): (own.low / figures[name], own.high / figures[name], own.degrees)
        for name, own in found.items()
    }
    assert relative.keys() == {
        *("terabytes_written", "rated_drive_writes_per_day", "years", "promised_years"),
        *("terabytes_per_day", "drive_writes_per_day"),
    }
    assert relative["terabytes_written"] == pytest.approx((0.8, 1.25, 5))
    assert relative["terabytes_per_day"] == pytest.approx((0.8, 1.25, 7))
    assert relative["promised_years"] == pytest.approx((0.8, 1.25, 7))
    # Two of the same size, independent of one another.
    assert relative["years"] == pytest.approx((0.8**2**0.5, 1.25**2**0.5, 5))


def test_life_without_an_upper_end_has_no_interval() -> None:
    found = derived.intervals_of(lived(0.0, 2.5))
    assert "lifetime.terabytes_per_day" in found
    assert not found.keys() & {"lifetime.terabytes_written", "lifetime.years"}


def test_life_of_single_runs_is_marked_like_the_waf_that_it_follows_from() -> None:
    written = "lifetime.terabytes_written"
    overrides = {**MORE, "device.bad_blocks.endurance_cycles": 3000}
    load = "mixed-70-30-8k-qd16"
    found = package.compare("mqsim", ["baseline", "suspend"], [load], overrides=overrides)
    result = package.run("mqsim", "baseline", load, overrides=overrides)
    ends, life = result.interval("waf"), found.cell(load, "baseline", written)
    assert ends is not None and life is not None and life.ci95 is not None
    assert life.ci95 / life.value == pytest.approx(result.waf / ends.low - 1)
    cells = [found.cell(load, "suspend", metric) for metric in ("waf", written)]
    assert [cell.same for cell in cells if cell is not None] == [True, True]


def test_compare_marks_what_is_inside(wordline: Wordline) -> None:
    call = (
        "compare",
        "--device",
        "mqsim",
        "--workload",
        "mixed-70-30-8k-qd16",
        *sets(MORE),
        "--schemes",
        "baseline,suspend,gc.trigger=0.0501",
    )
    data = wordline(*call, "--json").json()
    schemes = {entry["scheme"]: entry["figures"] for entry in data["workloads"][0]["schemes"]}
    assert schemes["baseline"]["read.latency_ns.p99"]["same"] is None
    assert schemes["suspend"]["read.latency_ns.p99"]["same"] is False
    assert schemes["gc.trigger=0.0501"]["write.latency_ns.mean"]["same"] is True
    assert schemes["baseline"]["write.latency_ns.mean"]["ci95"] > 0
    assert "(≈" in wordline(*call).out
    rows = {
        (row["scheme"], row["metric"]): row
        for row in csv.DictReader(io.StringIO(wordline(*call, "--csv").out))
    }
    assert rows["suspend", "read.latency_ns.p99"]["same"] == "False"


def test_seeds_go_before_the_intervals_of_single_runs() -> None:
    from wordline.comparison import compare

    found = compare("mqsim", ["baseline", "suspend"], ["mixed-70-30-8k-qd16"], overrides=FEW, seeds=3)
    cell = found.cell("mixed-70-30-8k-qd16", "suspend", "read.latency_ns.mean")
    values = found.values("mixed-70-30-8k-qd16", "suspend", "read.latency_ns.mean")
    over = intervals.over_seeds(values)
    assert cell is not None and over is not None
    assert cell.ci95 == pytest.approx(over.half)
    assert cell.same is False


def test_a_figure_has_the_same_interval_wherever_it_is_shown() -> None:
    """That of a percentile isn't symmetrical: everywhere it is shown by its farther end."""
    from wordline.comparison import compare
    from wordline.report import terminal

    found = compare("mqsim", ["baseline"], ["mixed-70-30-8k-qd16"], overrides=FEW)
    cell = found.cell("mixed-70-30-8k-qd16", "baseline", "read.latency_ns.p99")
    (result,) = found.results("mixed-70-30-8k-qd16", "baseline")
    interval = intervals.of_result(result, "read.latency_ns.p99")
    assert cell is not None and interval is not None
    assert cell.ci95 == terminal._reach(result, "read.latency_ns.p99", cell.value) != interval.half


def test_tables_and_pages_show_intervals(wordline: Wordline, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        outcome = wordline("run", "--device", "mqsim", *sets(FEW), "--seed", seed, "--out", tmp_path / seed)
        assert "± 95%" in outcome.out and " ±" in outcome.out
    out = tmp_path / "report.html"
    assert wordline("report", tmp_path / "1", tmp_path / "2", "--out", out).code == 0
    assert "≈ " in out.read_text() and " ±" in out.read_text()


def test_a_difference_without_an_interval_has_a_mark_of_its_own(wordline: Wordline, tmp_path: Path) -> None:
    from wordline.figures import LEGEND_OF_DIFFERENCES, fitting

    schemes = ("baseline", "suspend")
    few = ("--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(LEAST))
    call = ("compare", *few, "--schemes", ",".join(schemes))
    data = wordline(*call, "--json").json()["workloads"][0]["schemes"]
    assert data[1]["figures"]["read.latency_ns.mean"]["same"] is None
    for form in ((), ("--markdown",), ("--latex",)):
        shown = " ".join(wordline(*call, *form).out.split())
        assert re.search(r"read mean[^(]*\(\?", shown) and LEGEND_OF_DIFFERENCES in shown
    runs = [tmp_path / scheme for scheme in schemes]
    for scheme, run in zip(schemes, runs, strict=True):
        assert wordline("run", "--scheme", scheme, *few, "--out", run).code == 0
    shown = " ".join(wordline("diff", *runs).out.split())
    assert re.search(r"read mean [^?≈]* \?[0-9]", shown) and LEGEND_OF_DIFFERENCES in shown
    assert wordline("report", *runs, "--out", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    other = json.loads((runs[1] / "result.json").read_text())["read"]["latency_ns"]["mean"]
    assert f">? {fitting('read.latency_ns.mean', other)}<" in page and LEGEND_OF_DIFFERENCES in page


def test_figures_that_are_equal_have_no_mark(wordline: Wordline) -> None:
    schemes = "baseline,gc.policy=fifo"
    shown = wordline("compare", "--device", "mqsim", *sets(LEAST), "--schemes", schemes).out
    assert "(1.000)" in shown and "(?" not in shown and "≈" not in shown
