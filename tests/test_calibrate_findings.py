"""What a calibration says of itself: edges, figures that aren't met and by what, what to do next."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from wordline.calibration.compare import lines
from wordline.calibration.extent import LEAST, MOST, extent, fitting
from wordline.calibration.findings import Findings, findings, missed
from wordline.calibration.fit import Fit, Value
from wordline.calibration.measured import FIGURES, MeasuredPoint
from wordline.calibration.objective import deviations
from wordline.calibration.problem import Problem
from wordline.calibration.protocol import Protocol
from wordline.calibration.rates import Load
from wordline.calibration.space import Free
from wordline.calibration.verdict import Verdict

POINTS = [MeasuredPoint(rate, dict.fromkeys(FIGURES, 100.0), {}, 1, False, {}) for rate in (1e4, 2e4)]

BLAME = {
    "read": {
        "mean": {"cell": 90.0, "link": 10.0},
        "tail": {"die_wait.gc_program": 70.0, "cell": 25.0, "link": 5.0},
    }
}

BETTER = Verdict(1.0, 9.0, True, ())


def value(share: float, state: str = "determined") -> Value:
    return Value(Free("device.a", 10.0, 11.0), 10.0 + share, None, None, state, [])


def said(values: list[Value], misses: list[Any], verdict: Verdict, unfinished: str | None = None) -> Findings:
    fit = cast(Fit, SimpleNamespace(unfinished=unfinished))
    return findings(fit, values, misses, verdict)


def simulated(**factors: float) -> list[dict[str, Any]]:
    far = {name: 100.0 * factors.get(name, 1.0) for name in FIGURES}
    return [{**dict.fromkeys(FIGURES, 100.0), "blame": BLAME}, {**far, "blame": BLAME}]


def test_a_figure_that_is_not_met_is_named_with_the_parts_that_decide_it() -> None:
    found = simulated(read_p99_us=0.4, read_p50_us=1.2, write_p50_us=1.05)
    made = lines(POINTS, [True, False], found, None)
    tail, median = missed(made, deviations(POINTS, 50_000), found, POINTS, before=False)
    assert tail.figure == "read_p99_us" and (tail.points, tail.of) == (1, 2)
    # Of a p99 the tail's blame counts, of a median that of all.
    assert [name for name, _ in tail.parts] == ["die_wait.gc_program", "cell"]
    assert [name for name, _ in median.parts] == ["cell"] and median.parts[0][1] == pytest.approx(0.9)
    assert "20,000/s: 40 µs for 100 µs, there decided by die_wait.gc_program 70%, cell 25%" in tail.text
    told = said([value(0.5)], [tail, median], BETTER)
    assert told.lines[0].startswith("Not met: read_p99_us at 1 of 2 points")
    (advice,) = told.next
    assert advice.startswith("free what decides") and "device.cell.program_ns" in advice
    assert "device.cell.read_ns" in advice


def test_the_description_is_judged_where_it_is_kept() -> None:
    before = simulated(read_mean_us=2.0)
    made = lines(POINTS, [True, False], simulated(write_p99_us=3.0), before)
    (miss,) = missed(made, deviations(POINTS, 50_000), before, POINTS, before=True)
    assert miss.figure == "read_mean_us" and miss.worst.simulated == pytest.approx(200)


@pytest.mark.parametrize(("share", "end"), [(0.001, "low"), (0.5, None), (0.999, "high")])
def test_a_value_at_the_end_of_its_range_is_named(share: float, end: str | None) -> None:
    told = said([value(share)], [], BETTER)
    assert [one.edge for one in told.edges] == ([end] if end else [])
    assert told.next == ("use the preset",) if end is None else "a wider range for device.a" in told.next[0]


def test_what_did_not_converge_and_what_is_undetermined_is_said() -> None:
    told = said([value(0.5, "undetermined")], [], Verdict(9.0, 1.0, True, ()), "still moving: device.a")
    assert told.lines[0] == "Not converged: still moving: device.a."
    assert any("leave device.a out of free" in line for line in told.lines)
    assert any("fewer free values" in line for line in told.lines)


def test_a_verdict_is_one_of_three() -> None:
    outcomes = [Verdict(fitted, 10.0, True, ()).outcome for fitted in (5.0, 9.5, 10.5, 20.0)]
    assert outcomes == ["better", "no better", "no better", "worse"]
    rates = Verdict(1.0, 10.0, True, (), (8.0, 2.0)).sentence("x")
    assert (
        rates.startswith("better; kept: the fitted values") and "Rates are further off than before" in rates
    )


def test_as_many_requests_are_run_as_the_time_allows() -> None:
    points = [MeasuredPoint(rate, dict.fromkeys(FIGURES, rate), {}, 1, False, {}) for rate in (2e4, 9e4)]
    measured = SimpleNamespace(points=points, rates=[], protocol=Protocol())
    problem = cast(Problem, SimpleNamespace(measured=measured, free=[], seen=lambda: points))
    assert fitting(problem, 100, 1e-3) == LEAST and fitting(problem, 100, 1e9) == MOST
    some = fitting(problem, 100, 60)
    assert LEAST < some < fitting(problem, 100, 120)
    assert extent(problem, 100, some).seconds(2) <= 60 < extent(problem, 100, some + 200).seconds(2)
    skewed = MeasuredPoint(0.0, {"requests_per_s": 1.0}, {}, 1, False, {}, Load("zipf", 4096, 8, theta=1.0))
    points.append(skewed)
    judged = cast(
        Problem, SimpleNamespace(measured=measured, free=[], seen=lambda: points[:2], user_bytes=10**12)
    )
    # What only judges takes its time beside that.
    assert fitting(judged, 100, 60) == some and extent(judged, 100, some).seconds(2) > 120
    points.pop()
    assert math.isclose(extent(problem, 100, some).seconds(1), 2 * extent(problem, 100, some).seconds(2))
