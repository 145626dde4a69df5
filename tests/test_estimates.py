"""How long runs will take, as `--dry-run` says: arithmetic on looks at a run, by clocks of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import Wordline

from wordline import WordlineError
from wordline.cli.left import Time
from wordline.scenario import Scenario
from wordline.study import estimate as module
from wordline.study.estimate import MOST, Estimate, Mark, Taken, estimate, extrapolated, tried
from wordline.study.point import Inputs, Point


def looks(*marks: tuple[float, int]) -> list[Mark]:
    return [Mark(time, done, 1000) for time, done in marks]


def test_a_run_that_was_stopped_goes_on_as_fast_as_it_was() -> None:
    # 100 requests in 0.2 s; 25 of them before the first look that saw an answer.
    taken = extrapolated(looks((10.1, 0), (10.3, 25), (10.4, 75), (10.5, 125)), 10.0, None)
    assert isinstance(taken, Taken)
    assert (taken.preparing, taken.running) == pytest.approx((0.25, 2.0))


def test_a_run_that_ended_took_what_it_took() -> None:
    assert extrapolated([], 10.0, 10.25) == Taken(0.0, 0.25)
    taken = extrapolated(looks((11.0, 0), (12.0, 900)), 10.0, 12.5)
    assert taken == Taken(preparing=1.0, running=1.5)


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        (looks((10.1, 0), (12.0, 0)), "its preparation takes more than 2 s"),
        ([Mark(10.1, 5, None), Mark(10.5, 9, None)], "the number of its requests isn't known before"),
        # Behind its last answer only the drive goes on.
        (looks((10.1, 1000), (10.5, 1000)), "its requests are answered before its speed is seen"),
    ],
)
def test_what_a_slice_does_not_show_is_said(marks: list[Mark], why: str) -> None:
    assert extrapolated(marks, 10.0, None) == why


def ticking(*seconds: float) -> Callable[[], float]:
    times: Iterator[float] = iter(seconds)
    return lambda: next(times)


def told(*done: int) -> Callable[..., Any]:
    """A run that tells so many answers at its looks."""

    def measure(_scenario: Scenario, progress: Callable[[int, int | None, int], None]) -> None:
        for number in done:
            progress(number, 10_000, 0)

    return measure


def test_a_try_is_stopped_a_slice_behind_the_first_answer() -> None:
    run = told(0, 10, 20, 30, 40, 50)
    taken = tried(Scenario(), ticking(0.0, 1.0, 1.5, 1.75, 2.0), run)
    # The looks at 40 and 50 never come: the clock would have no time for them.
    assert isinstance(taken, Taken)
    assert (taken.preparing, taken.running) == pytest.approx((1.25, 250.0))


def test_a_try_that_does_not_begin_to_answer_is_stopped() -> None:
    assert tried(Scenario(), ticking(0.0, 1.0, 2.0), told(0, 0, 0)) == "its preparation takes more than 2 s"


def test_a_try_that_ends_or_fails_took_its_time() -> None:
    assert tried(Scenario(), ticking(5.0, 5.5), told()) == Taken(0.0, 0.5)

    def fails(_scenario: Scenario, progress: object) -> None:  # noqa: ARG001 -- as a run
        raise WordlineError("the drive is full")

    assert tried(Scenario(), ticking(5.0, 5.5), fails) == Taken(0.0, 0.5, "the drive is full")


def run(
    number: int, requests: int | None = 100, drive: str | None = None, **start: Any
) -> tuple[Point, Inputs]:
    config = {"workload": {"start": {"occupancy": "all", **start}}}
    point = Point(Scenario(seed=number))
    return point, Inputs(f"key {number}", drive, False, None, config, requests)


def test_points_that_were_not_tried_take_as_long_for_a_request_as_those_that_were() -> None:
    asked: list[int] = []

    def attempt(scenario: Scenario) -> Taken:
        asked.append(scenario.seed)
        return Taken(1.0, 10.0)

    runs = [run(number, 100 if number < 10 else 1000) for number in range(11)]
    found = estimate(runs, 1, attempt)
    # Six of them, the first and the last among these: 60 s for 1,500 requests.
    assert asked == [0, 2, 4, 6, 8, 10] and found.tried == MOST
    assert found.seconds == pytest.approx(6 * 10 + 5 * 100 * 60 / 1500 + 11)


def test_a_drive_is_prepared_once_and_each_point_counts_once() -> None:
    def attempt(_scenario: Scenario) -> Taken:
        return Taken(3.0, 10.0)

    shared = [run(number, drive="one") for number in range(4)]
    assert estimate([*shared, *shared], 1, attempt) == Estimate(43.0, 4)
    assert estimate(shared, 2, attempt).seconds == pytest.approx(21.5)
    # No run takes less than itself.
    assert estimate(shared, 100, attempt).seconds == pytest.approx(13.0)
    assert estimate([], 2, attempt) == Estimate(0.0, 0)


def test_what_can_t_be_tried_shortly_is_not_tried() -> None:
    def attempt(_scenario: Scenario) -> Taken:
        raise AssertionError

    for number in (module.READ_FIRST + 1, None):
        many = run(1, number, occupancy="footprint")
        assert estimate([many], 1, attempt).lacks == "what the drive holds follows from all requests"
    some = run(1, module.READ_FIRST, occupancy="footprint")
    assert estimate([some], 1, lambda _: "it is slow") == Estimate(None, 1, "it is slow")


def test_what_fails_is_told_once_also_beside_what_has_no_estimate() -> None:
    takes: list[Taken | str] = [Taken(0.0, 1.0, "bad"), "it is slow", Taken(0.0, 1.0, "bad"), Taken(0.0, 1.0)]
    runs = [run(number) for number in range(4)]
    found = estimate(runs, 1, lambda scenario: takes[scenario.seed])
    assert found == Estimate(None, 4, "it is slow", ("bad",))
    assert estimate(runs[2:], 1, lambda scenario: takes[scenario.seed]) == Estimate(2.0, 2, "", ("bad",))


def test_an_estimate_says_what_it_rests_on() -> None:
    words = Time(Estimate(900.0, 6), 240, 2).in_words()
    assert words == (
        "about 15 min on 2 cores (an estimate by the first 0.4 s of 6 of them, preparation included)"
    )
    short = Time(Estimate(0.2, 1), 1, 1).in_words()
    assert short.startswith("less than a second on one core (an estimate by")
    elsewhere = Time(Estimate(9000.0, 3), 3, None).in_words()
    assert "2.5 h of one core's time (an estimate by the first 0.4 s of each" in elsewhere
    assert Time(Estimate(None, 1, "it is slow"), 1, 1).in_words() == "no estimate of the time: it is slow"


def test_runs_that_are_not_known_yet_take_as_long_as_their_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "estimate", lambda _left, width: Estimate(20.0 / width, 2))
    left = [run(1), run(2)]
    assert Time.of(left, on="threads", jobs=4, runs=40, at_once=8) == Time(Estimate(100.0, 2), 40, 4)
    assert Time.of(left, on="slurm", jobs=4, runs=40).found == Estimate(400.0, 2)
    assert Time.of(left, on="threads", jobs=4) == Time(Estimate(10.0, 2), 2, 2)


def test_a_dry_run_has_the_estimate(wordline: Wordline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "tried", lambda _scenario: Taken(1.0, 59.0))
    few = ("--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", "--dry-run")
    out = wordline("run", *few).out.splitlines()
    assert out[1] == "about 60 s on one core (an estimate by the first 0.4 s of it, preparation included)"
    compare = ("compare", *few, "--scheme", "baseline,fifo,suspend")
    assert "about 90 s on 2 cores" in wordline(*compare, "--jobs", "2").out
    facts = wordline(*compare, "--jobs", "1", "--json").json()
    assert (facts["estimate_s"], facts["tried"]) == (180.0, 3)
    # Elsewhere nothing is known of cores.
    assert "about 3 min of one core's time" in wordline(*compare, "--on", "tcp://127.0.0.1:1").out
