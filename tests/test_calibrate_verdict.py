"""The better of two descriptions is kept, by the points of load that a fit didn't see."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from wordline.calibration.measured import FIGURES, MeasuredPoint
from wordline.calibration.problem import Problem
from wordline.calibration.space import Free
from wordline.calibration.verdict import judge

MEASURED = dict.fromkeys(FIGURES, 100.0)


def problem(fitted: list[bool], free: list[Free]) -> Problem:
    points = [MeasuredPoint(1000.0 * (place + 1), MEASURED, {}, 1, False, {}) for place in range(len(fitted))]
    measured = SimpleNamespace(points=points, protocol=SimpleNamespace(probe_read_share=0.5))
    return cast(Problem, SimpleNamespace(measured=measured, fitted=fitted, free=free))


def simulated(factors: list[float]) -> list[dict[str, Any]]:
    return [dict.fromkeys(FIGURES, 100.0 * factor) for factor in factors]


@pytest.mark.parametrize(
    ("fitted", "own", "described", "kept"),
    [
        # Better where it was fitted, worse where it counts.
        ([True, False], [1.0, 1.4], [1.2, 1.01], "described"),
        ([True, False], [1.2, 1.01], [1.0, 1.4], "fitted"),
        ([True, False], [1.0, 1.1], [1.0, 1.1], "described"),
        ([True, True], [1.0, 1.1], [1.2, 1.2], "fitted"),
        ([True, True], [1.3, 1.1], [1.0, 1.0], "described"),
    ],
)
def test_the_points_held_out_decide(
    fitted: list[bool], own: list[float], described: list[float], kept: str
) -> None:
    found = judge(problem(fitted, []), simulated(own), simulated(described), 100_000)
    assert found.kept == kept and found.held_out == (not all(fitted))
    words = found.text("drive.toml")
    assert words.startswith("the fitted values" if kept == "fitted" else "drive.toml as it is described")


def test_a_description_that_can_t_be_run_is_not_kept() -> None:
    found = judge(problem([True, False], []), simulated([3.0, 3.0]), None, 100_000)
    assert found.kept == "fitted" and "can't be run" in found.text("x")


def test_a_start_outside_of_what_is_free_is_named() -> None:
    free = [
        Free("device.a", 10, 20, base=30),
        Free("device.b", 10, 20, base=[8, 16]),
        Free("device.c", 0, 1, base="x", choices=("y", "z")),
        Free("device.d", 0, 1, base="y", choices=("y", "z")),
        Free("device.e", 10, 20),
    ]
    found = judge(problem([True, False], free), simulated([1.5, 1.5]), simulated([1.0, 1.0]), 100_000)
    assert found.outside == ("device.a", "device.c")
    assert found.text("x").endswith("outside of free in x: device.a, device.c")
