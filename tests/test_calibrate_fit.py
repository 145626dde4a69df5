"""The fit of `wordline calibrate` on figures whose dependence on the values is known, without a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wordline.calibration.fit import _State, _values, fewest
from wordline.calibration.plane import design
from wordline.calibration.problem import Problem, Runner, Tried, Values
from wordline.calibration.space import Free

FREE = [
    Free("device.a", 100, 1000, whole=True),
    Free("device.b", 1.0, 1.2),
    Free("device.c", 10, 80),
    Free("device.idle", 5, 50),
]

TRUE = {"device.a": 300, "device.b": 1.07, "device.c": 44.0}

FIGURES = 24


class Known:
    """Figures that follow powers of the values; `device.idle` has no effect."""

    def __init__(self, seed: int, noise: float) -> None:
        self.random = np.random.default_rng(seed)
        self.powers = {path: self.random.uniform(-1.5, 1.5, FIGURES) for path in TRUE}
        self.noise = noise

    def run(self, choices: Sequence[Values]) -> list[Tried | None]:
        return [self.try_(values) for values in choices]

    def try_(self, values: Values) -> Tried:
        logs = sum(self.powers[path] * np.log(values[path] / true) for path, true in TRUE.items())
        # As the objective has it: logarithms by a standard deviation of 3%.
        residuals = np.asarray(logs) / 0.03 + self.noise * self.random.standard_normal(FIGURES)
        return Tried(values, [], [float(one) for one in residuals])


def fit(seed: int, noise: float, budget: int) -> tuple[Tried, dict[str, Any]]:
    known = Known(seed, noise)
    problem = cast(Problem, SimpleNamespace(free=FREE, groups=list(range(FIGURES))))
    first = known.try_({"device.a": 550, "device.b": 1.15, "device.c": 25.0, "device.idle": 20.0})
    state = _State(problem, cast(Runner, known), FREE, [first], 0, 1, None, budget)
    plane = state.refine()
    assert state.used <= budget
    best = state.best()
    return best, {one.free.path: one for one in _values(problem, best, FREE, plane)}


@pytest.mark.parametrize("seed", range(5))
def test_values_with_an_effect_are_determined_and_the_other_is_not(seed: int) -> None:
    best, found = fit(seed, noise=0.3, budget=70)
    for path, true in TRUE.items():
        one = found[path]
        assert one.state == "determined", one
        assert abs(best.values[path] / true - 1) < 0.05
        assert one.low <= true <= one.high, one
    assert found["device.idle"].state == "undetermined"
    assert isinstance(best.values["device.a"], int)


def test_more_noise_gives_wider_intervals() -> None:
    def width(noise: float) -> float:
        one = fit(1, noise, 60)[1]["device.c"]
        return float(one.high - one.low)

    assert width(3.0) > 1.5 * width(0.1)


def test_a_profile_is_lowest_at_the_value() -> None:
    _, found = fit(2, noise=0.1, budget=60)
    for path in TRUE:
        profile = found[path].profile
        least = min(profile, key=lambda pair: pair[1])
        assert least[0] == pytest.approx(found[path].value, rel=0.01)
        assert profile[0][1] > least[1] < profile[-1][1]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8])
def test_a_design_moves_each_value_apart_from_every_other(count: int) -> None:
    rows = design(FREE[:1] * count)
    assert np.array_equal(rows.T @ rows, len(rows) * np.eye(count))
    assert not rows.sum(axis=0).any()
    # Free of pairwise interactions: products of two columns are orthogonal to all columns.
    for one in range(count):
        for other in range(one):
            assert not (rows.T @ (rows[:, one] * rows[:, other])).any()
    assert fewest(FREE[:1] * count) == len(rows) + 4
