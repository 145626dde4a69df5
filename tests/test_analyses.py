"""Numbers from several lines of an exhibit's table, and the printed numbers that they are for."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest

from wordline.repro import exhibit, papers, reclaims, targets
from wordline.repro.analyses import ANALYSES
from wordline.repro.columns import share_of_occurrences

SHARED_TARGETS = Path(__file__).parent.parent.parent / "shared" / "targets"

WITH_ALL_THEIR_NUMBERS = ("collision", "hotr")
"""Papers of whose printed numbers each has an exhibit."""

LINES = [
    {"workload": workload, "scheme": scheme, "mean": mean, "pairs": pairs, "made": made}
    for workload, scheme, mean, pairs, made in (
        ("a", "none", 100.0, 1000.0, 0.0),
        ("a", "small", 90.0, 700.0, 10.0),
        ("a", "large", 88.0, 500.0, 50.0),
        ("b", "none", 200.0, 400.0, 0.0),
        ("b", "small", 200.0, 400.0, 4.0),
        ("b", "large", 203.0, 380.0, 10.0),
    )
]

CURVE = [
    {"workload": workload, "length": length, "mean": mean}
    for workload, scale in (("a", 1.0), ("b", 10.0))
    for length, mean in ((0, 100.0), (1, 90.0), (5, 81.0), (100, 80.0))
]


def figure(analysis: str, lines: list[dict[str, Any]] = LINES, **number: Any) -> float | str | None:
    return ANALYSES[analysis]({"value": "mean", "over": ["workload"], **number}, lines)


def test_points_are_differences_of_two_schemes_by_a_third() -> None:
    number: dict[str, Any] = {
        "where": {"scheme": "small"},
        "against": {"scheme": "large"},
        "base": {"scheme": "none"},
    }
    assert figure("points", **number) == pytest.approx((0.02 - 0.015) / 2)
    assert figure("count_of_points", **number, limit=0.0) == 1
    assert figure("count_of_points", **number, above=0.0, limit=0.05) == 1
    assert figure("count_of_points", **number, limit=-0.5) == 0
    assert figure("points", **{**number, "base": {"scheme": "other"}}) is None


def test_a_speed_up_is_the_geometric_mean_of_the_factors() -> None:
    number: dict[str, Any] = {"where": {"scheme": "none"}, "against": {"scheme": "large"}}
    assert figure("speed_up", **number) == pytest.approx(((100 / 88) * (200 / 203)) ** 0.5)
    assert figure("speed_up", **{**number, "against": {"scheme": "other"}}) is None


def test_lines_may_count_several_times() -> None:
    number: dict[str, Any] = {"where": {"scheme": "large"}, "against": {"scheme": "none"}}
    assert figure("speed_up", **number) == pytest.approx((0.88 * 1.015) ** (1 / 2))
    assert figure("speed_up", **number, weights={"b": 2}) == pytest.approx((0.88 * 1.015**2) ** (1 / 3))


def test_what_each_replication_removes_is_the_mean_over_workloads() -> None:
    number: dict[str, Any] = {"value": "pairs", "per": "made", "against": {"scheme": "none"}}
    assert figure("removed_for_each", **number, where={"scheme": "small"}) == pytest.approx((30 + 0) / 2)
    large = {"scheme": "large", "workload": ["a"]}
    assert figure("removed_for_each", **number, where=large) == pytest.approx(10)
    assert figure("removed_for_each", **number, where={"scheme": "none"}) is None, "nothing was made"


def test_a_ratio_to_what_was_there_without_the_scheme() -> None:
    number: dict[str, Any] = {"value": "made", "per": "pairs", "against": {"scheme": "none"}}
    assert figure("for_each_without", **number, where={"scheme": "small"}) == pytest.approx(14 / 1400)
    large = {"where": {"scheme": "large", "workload": "a"}, "against": {"scheme": "none", "workload": "a"}}
    assert figure("for_each_without", **{**number, **large}) == pytest.approx(50 / 1000)
    assert figure("for_each_without", **number, where={"scheme": "other"}) is None


def test_a_curve_is_flat_from_the_first_place_that_is_near_its_end() -> None:
    number: dict[str, Any] = {"by": "length", "where": {}}
    assert figure("flat_from", CURVE, **number, limit=0.02) == 5
    assert figure("flat_from", CURVE, **number, limit=0.01) == 100
    assert figure("flat_from", CURVE, **number, limit=0.5) == 0


def test_an_order_uses_printed_names_and_leaves_some_without_one() -> None:
    names = {"Base": "none", "Small": "small", "Large": "large"}
    number: dict[str, Any] = {"where": {"by": "scheme"}, "names": names}
    assert figure("order", **number, target="Base < Small < Large") == "Small < Large < Base"
    assert figure("order", **number, target="Small and Large < Base") == "Small and Large < Base"
    assert figure("order", **number, target="Small < Base and Large") == "Small < Base and Large"
    assert figure("order", **number, target="Base and Large < Small") == "Small < Large < Base"
    assert figure("order", **number, target="Small < Other") is None
    assert figure("order", **number, target="Small slightly < Large") == "Small slightly < Large"
    assert figure("order", **number, target="Large slightly < Small") == "Small < Large"
    near: list[dict[str, Any]] = [{"scheme": "small", "mean": 10.0}, {"scheme": "large", "mean": 11.5}]
    assert figure("order", near, **number, target="Small slightly < Large") == "Small < Large"
    assert figure("order", **number, target="Small <= Large < Base") == "Small <= Large < Base"
    equals: list[dict[str, Any]] = [{"scheme": name, "mean": 1.0} for name in ("small", "large")]
    assert figure("order", equals, **number, target="Small <= Large") == "Small <= Large"
    assert figure("order", equals, **number, target="Small < Large") == "Large = Small"
    of_b: dict[str, Any] = {"where": {"by": "scheme", "workload": "b"}, "names": names}
    assert figure("order", **of_b, target="Base and Small < Large") == "Base and Small < Large"


def test_the_most_frequent_pairs_make_up_their_share_of_the_occurrences() -> None:
    # Two pairs ten times, eight pairs once.
    repetitions = {"10": 2, "1": 8}
    assert share_of_occurrences(repetitions, 0.2) == pytest.approx(20 / 28)
    assert share_of_occurrences(repetitions, 0.1) == pytest.approx(10 / 28)
    assert share_of_occurrences(repetitions, 0.6) == pytest.approx(24 / 28)
    assert share_of_occurrences(repetitions, 1.0) == 1
    assert share_of_occurrences({}, 0.5) is None


def printed() -> list[dict[str, str]]:
    if not SHARED_TARGETS.is_dir():
        if os.environ.get("CI") == "true":
            raise AssertionError(f"{SHARED_TARGETS} is missing")
        pytest.skip(f"{SHARED_TARGETS} is missing")
    with (SHARED_TARGETS / "headline.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def key(line: dict[str, str]) -> tuple[str, ...]:
    return tuple(line[name] for name in ("system", "exhibit", "workload", "metric", "against"))


def computed() -> dict[tuple[str, ...], str]:
    """The printed numbers that exhibits name, and the exhibit that does."""
    found: dict[tuple[str, ...], str] = {}
    for paper in papers():
        for shown in exhibit.exhibits(paper):
            for number in shown.numbers:
                if "line" in number:
                    line = number["line"]
                    # A variant says in its own metric what it varies.
                    metric = line["metric"] if number.get("variant") else number["metric"]
                    words = (line.get("workload", ""), metric, line.get("against", ""))
                    found[(paper, shown.name, *words)] = f"{paper}/{shown.name}: {line}"
    return found


def test_every_printed_number_has_a_row_whether_an_exhibit_computes_it_or_not() -> None:
    lines = printed()
    systems = sorted({line["system"] for line in lines})
    keys, named = {key(line) for line in lines}, computed()
    assert not [where for each, where in named.items() if each not in keys], "an exhibit's line isn't printed"
    rest = targets.without_exhibit(lines, [], systems)
    assert {(n.paper, n.exhibit, n.workload, n.metric, n.against) for n in rest} == keys
    assert all(number.note for number in rest)


@pytest.mark.parametrize("paper", WITH_ALL_THEIR_NUMBERS)
def test_an_exhibit_computes_every_printed_number_of_these_papers(paper: str) -> None:
    wanted = [key(line) for line in printed() if line["system"] == paper]
    assert wanted and not set(wanted) - set(computed())


def test_where_one_scheme_overtakes_another() -> None:
    lines = [
        {"scheme": scheme, "channels": channels, "mean": mean}
        for scheme, means in (("fixed", (9.0, 6.0, 4.0, 3.0)), ("free", (5.0, 5.0, 5.0, 4.0)))
        for channels, mean in zip((8, 16, 32, 64), means, strict=True)
    ]
    number: dict[str, Any] = {
        "where": {"scheme": "fixed"},
        "against": {"scheme": "free"},
        "over": ["channels"],
        "by": "channels",
    }
    assert figure("lower_from", lines, **number) == 32
    assert figure("higher_up_to", lines, **number) == 16
    other = {**number, "where": {"scheme": "free"}, "against": {"scheme": "fixed"}}
    assert figure("lower_from", lines, **other) == "never"
    assert figure("lower_from", [], **other) is None
    assert figure("higher_up_to", lines, **other) == 0


RECLAIMS = [
    {"round": 0, "reads": [10, 2, 4, 4]},
    {"round": 1, "reads": [10, 8, 9, 9]},
    {"round": 1, "reads": [10, 6, 9, 9]},
]


def test_figures_of_reclaims_are_of_all_or_of_one_round() -> None:
    assert reclaims.figure("spread", RECLAIMS) == (8 + 2 + 4) / 3
    assert [reclaims.figure(f"spread@{number}", RECLAIMS) for number in (0, 1, 2)] == [8, 3, None]
    assert [reclaims.figure(name, RECLAIMS) for name in ("least", "p50", "most")] == [2, 9, 10]
    assert reclaims.figure("mean", RECLAIMS) == 90 / 12
    assert reclaims.figure("reclaims@1", RECLAIMS) == 2
    assert reclaims.figure("mean", []) is None
