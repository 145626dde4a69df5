"""`wordline repro`: exhibits, verdicts, going on after a kill."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import Wordline, start

from wordline import WordlineError
from wordline.presets import Description
from wordline.repro import draw, exhibit, measured, papers
from wordline.repro.analyses import ANALYSES
from wordline.repro.draw import draw_numbers
from wordline.repro.exhibit import Exhibit, exhibits
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.formulas import FORMULAS
from wordline.repro.many import judged, tables
from wordline.repro.numbers import Number, numbers
from wordline.repro.reproduction import Reproduction, Shown
from wordline.repro.run import reproduce
from wordline.repro.summary import as_markdown
from wordline.repro.table import means
from wordline.repro.verdict import Target, judge, kind_of
from wordline.scenario import Scenario
from wordline.study.point import Point
from wordline.study.runs import validate

SHARED_TARGETS = Path(__file__).parent.parent.parent / "shared" / "targets"

HEADLINE = (
    "system,exhibit,workload,metric,against,value,unit\n"
    "later,fig11,ali0,average read latency change,baseline,-0.37,ratio\n"
    "validation,fig99,,a number that nobody computes,,5,pairs\n"
)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("target", "ours", "verdict"),
    [
        (Target(-0.37, "ratio", "change"), -0.351, "reproduced"),  # 2 points
        (Target(-0.37, "ratio", "change"), -0.30, "reproduced"),  # 20%
        (Target(-0.37, "ratio", "change"), -0.13, "direction"),
        (Target(-0.37, "ratio", "change"), -0.10, "not reproduced"),  # Less than a third of it
        (Target(-0.10, "ratio", "change"), -0.29, "direction"),
        (Target(-0.10, "ratio", "change"), -0.31, "not reproduced"),  # More than three times as much
        (Target(-0.37, "ratio", "change"), 0.10, "contradicted"),
        (Target(-0.37, "ratio", "change"), 0.01, "not reproduced"),
        (Target(0.005, "ratio", "change"), -0.01, "not reproduced"),
        (Target(0.005, "ratio", "change"), -0.06, "contradicted"),  # Nothing is printed to happen
        (Target(-0.011, "ratio", "change"), -0.06, "contradicted"),
        (Target(-0.03, "ratio", "change"), -0.08, "direction"),
        (Target(-0.03, "ratio", "change"), -0.021, "reproduced"),
        (Target(-0.03, "ratio", "change"), -0.019, "direction"),
        (Target(0.010, "ratio", "level"), 0.015, "not reproduced"),  # Half as much again
        (Target(0.010, "ratio", "level"), 0.013, "reproduced"),
        (Target(0.0, "ratio", "level"), 0.019, "reproduced"),
        (Target(0.95, "ratio", "level"), 0.932, "reproduced"),
        (Target(1.87, "x", "factor"), 1.71, "reproduced"),  # 20% of its gain
        (Target(1.87, "x", "factor"), 1.6, "direction"),
        (Target(1.87, "x", "factor"), 1.2, "not reproduced"),
        (Target(1.87, "x", "factor"), 0.9, "contradicted"),
        (Target(1.13, "x", "factor"), 1.11, "reproduced"),
        (Target(1.13, "x", "factor"), 0.91, "contradicted"),
        (Target(1.00, "x", "factor"), 1.019, "reproduced"),
        (Target(1.00, "x", "factor"), 0.66, "contradicted"),
        (Target(1.9, "x", "level"), 2.2, "reproduced"),
        (Target(12, "traces", "level"), 14, "reproduced"),
        (Target(12, "traces", "level"), 16, "not reproduced"),
        (Target(500, "milliseconds (more than)", "level"), 900, "reproduced"),
        (Target(0.0001, "ratio (at most)", "change"), -0.5, "reproduced"),
        (Target(0.01, "ratio (at most)", "level"), 0.0101, "not reproduced"),
        (Target(0.0, "ratio (less than)", "level"), 0.007, "not reproduced"),
        (Target(0.0, "ratio (less than)", "level"), 0.0, "not reproduced"),
        (Target(0.17, "ratio (at least; for a reason)", "level"), 0.17, "reproduced"),
        (Target(0.0, "ratio (parity)", "change"), 0.0001, "reproduced"),
        (Target(0.0, "ratio (parity)", "change"), 0.03, "not reproduced"),
        (Target(0.0, "ratio (parity)", "change"), 0.051, "contradicted"),
        (Target(-0.145, "ratio (better by more than)", "change"), -0.3, "reproduced"),
        (Target(-0.145, "ratio (better by more than)", "change"), -0.05, "direction"),
        (Target("A < B < C", "order", "order"), "A < B < C", "reproduced"),
        (Target("A < B < C", "order", "order"), "A < C < B", "not reproduced"),
        (Target(6.67, "", "level", within=0.02), 6.9, "not reproduced"),
        (Target(6.67, "", "level", within=0.02), 6.6, "reproduced"),
        (Target(1.0), None, "not run"),
    ],
)
def test_a_verdict_is_computed_from_the_numbers(
    target: Target, ours: float | str | None, verdict: str
) -> None:
    assert judge(target, ours) == verdict


def test_a_direction_is_more_than_chance() -> None:
    target = Target(-0.3, "ratio", "change")
    assert judge(target, -0.12, interval=0.01) == "direction"
    assert judge(target, -0.12, interval=0.13) == "not reproduced"
    assert judge(target, 0.12, interval=0.11) == "contradicted"
    assert judge(target, 0.12, interval=0.13) == "not reproduced"
    assert judge(Target(1.87, "x", "factor"), 1.4, interval=0.5) == "not reproduced"
    assert judge(target, -0.29, interval=0.03) == "reproduced"


@pytest.mark.parametrize(
    ("figures", "ours"),
    [
        ({"a": 1.0, "b": 2.0, "c": 3.0}, "a < b and c"),
        ({"a": 1.0, "b": 2.0, "c": 2.0}, "a < b and c"),
        ({"a": 2.0, "b": 2.0, "c": 3.0}, "a = b < c"),
        ({"a": 3.0, "b": 2.0, "c": 1.0}, "c < b < a"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, "a = b = c"),
    ],
)
def test_equal_figures_are_in_no_printed_order(figures: dict[str, float], ours: str) -> None:
    number = {"target": "a < b and c", "where": {"by": "scheme"}, "value": "time"}
    lines = [{"scheme": name, "time": value} for name, value in figures.items()]
    assert ANALYSES["order"](number, lines) == ours


@pytest.mark.parametrize(
    ("worst", "text"),
    [
        (("a", "a", "b"), "A worst in most cases"),
        (("a", "b", "b"), "B worst in most cases"),
        (("a", "b", "c"), "A worst in 1 of 3"),
        (("b", "b", "c", "c"), "B worst in 2 of 4"),
    ],
)
def test_the_worst_is_what_has_the_largest_value_most_often(worst: tuple[str, ...], text: str) -> None:
    number = {
        "where": {"by": "scheme"},
        "over": ["load"],
        "value": "time",
        "names": {"A": "a", "B": "b", "C": "c"},
    }
    lines = [
        {"scheme": name, "load": str(load), "time": 2.0 if name == most else 1.0}
        for load, most in enumerate(worst)
        for name in ("c", "b", "a")
    ]
    assert ANALYSES["worst"](number, lines) == text
    assert ANALYSES["worst"](number, []) is None


def test_a_figure_has_a_panel_for_each_value_of_a_column(tmp_path: Path) -> None:
    figure = {
        "kind": "bar",
        "x": "x",
        "y": "y",
        "series": "s",
        "panel": "p",
        "y_label": "ys",
        "labels": {"2": "two"},
    }
    lines = [{"x": x, "y": 1.0, "s": s, "p": p} for x in ("m", "n") for s in ("a", "b") for p in (1, 2)]
    png, svg = draw.draw(figure, lines, "title", tmp_path / "figure")
    assert png.read_bytes().startswith(b"\x89PNG")
    texts = re.findall(r">([^<>]+)</text>", svg.read_text())
    # One title, one legend; each panel its name and its axes.
    for word, times in (("title", 1), ("two", 1), ("ys", 2), ("a", 1), ("m", 2)):
        assert texts.count(word) == times, word


def test_what_is_the_same_by_construction_is_not_counted_as_reproduced(tmp_path: Path) -> None:
    exhibit = exhibit_of(tmp_path, 'metric = "m"\nvalue = "v"\ntarget = 1.0\nnot_comparable = true')
    (number,) = numbers(exhibit, [{"v": 1.0, "seed": 1}], [])
    assert number.verdict == "not comparable"


def test_another_reading_of_a_number_is_shown_and_not_counted(tmp_path: Path) -> None:
    text = 'metric = "m"\nvalue = "v"\ntarget = 1.0\n[[number]]\nmetric = "m again"\nvalue = "v"\n'
    exhibit = exhibit_of(tmp_path, text + "target = 1.0\nvariant = true")
    found = numbers(exhibit, [{"v": 1.0, "seed": 1}], [])
    assert [number.verdict for number in found] == ["reproduced", "reproduced"]
    reproduction = Reproduction(tmp_path, [Shown(exhibit, numbers=found)], found)
    assert reproduction.counts == {"reproduced": 1}
    assert "| (✓ reproduced) |" in as_markdown(reproduction)


def test_numbers_of_one_run_give_one_mark_the_worst(tmp_path: Path) -> None:
    text = 'metric = "m"\nvalue = "v"\ntarget = 1.0\nmark = "run"\n[[number]]\nmetric = "n"\nvalue = "v"\n'
    exhibit = exhibit_of(tmp_path, text + 'target = 2.0\nmark = "run"')
    found = numbers(exhibit, [{"v": 1.0, "seed": 1}], [])
    assert [number.verdict for number in found] == ["reproduced", "not reproduced"]
    assert Reproduction(tmp_path, [], found).counts == {"not reproduced": 1}


def test_a_number_that_says_nothing_is_not_the_worst_of_its_mark(tmp_path: Path) -> None:
    text = "".join(
        f'metric = "{m}"\nvalue = "v"\nmark = "both"\ntarget = {t}\nwhere = {{ s = "{m}" }}\n[[number]]\n'
        for m, t in (("a", 3.0), ("b", 1.0))
    )
    exhibit = exhibit_of(tmp_path, text.removesuffix("[[number]]\n"))
    found = numbers(exhibit, [{"s": "a", "v": 1.0, "seed": 1}, {"s": "b", "v": None, "seed": 1}], [])
    assert [number.verdict for number in found] == ["not reproduced", "not run"]
    assert Reproduction(tmp_path, [], found).counts == {"not reproduced": 1}


def test_what_isnt_counted_says_why(tmp_path: Path) -> None:
    text = 'metric = "m"\nvalue = "v"\ntarget = 1.0\nuncounted = "the skew is fitted to it"'
    exhibit = exhibit_of(tmp_path, text)
    found = numbers(exhibit, [{"v": 1.0, "seed": 1}], [])
    reproduction = Reproduction(tmp_path, [Shown(exhibit, numbers=found)], found)
    assert reproduction.counts == {}
    page = as_markdown(reproduction)
    assert "| (✓ reproduced) | not counted: the skew is fitted to it |" in page


def test_an_exhibit_without_printed_numbers_has_its_table_on_the_page(tmp_path: Path) -> None:
    exhibit = dataclasses.replace(exhibit_of(tmp_path, ""), numbers=[], figure={"labels": {"a": "A"}})
    means = [
        {"s": "a", "share": 0.5, "v": 1234.5, "v ±": 12.25, "seed": 1},
        {"s": "b|c", "share": 1.0, "v": None},
    ]
    shown = Shown(exhibit, means=means, seeds=3)
    page = as_markdown(Reproduction(tmp_path, [shown], []))
    table = "| s | share | v |\n|---|---:|---:|\n| A | 0.5 | 1,234 ± 12.25 |\n| b\\|c | 1 |  |\n"
    assert table in page
    shown.means = means * 41
    assert table not in as_markdown(Reproduction(tmp_path, [shown], [])), "82 lines are for the picture"


def test_what_is_said_of_many_exhibits_is_said_once(tmp_path: Path) -> None:
    exhibit = exhibit_of(tmp_path, 'metric = "m"\nvalue = "v"\ntarget = 1.0')
    abouts = [f"Figure {number}. Of all of them. Own." for number in range(4)]
    shown = [Shown(dataclasses.replace(exhibit, about=about)) for about in abouts]
    page = as_markdown(Reproduction(tmp_path, shown, []))
    assert page.count("Of all of them.") == 1 and "(a) Of all of them." in page
    assert page.count("Figure 2. (a)") == 1
    assert as_markdown(Reproduction(tmp_path, shown[:3], [])).count("Of all of them.") == 3


def test_a_run_in_which_nothing_happened_has_no_mark(tmp_path: Path) -> None:
    text = 'metric = "m"\nvalue = "v"\nwhere = { s = "a" }\ntarget = 1.0\n'
    exhibit = exhibit_of(tmp_path, text + '[quick_needs]\ncolumn = "n"\nabove = 0.0')
    for happened, verdict in ((0, "not exercised"), (None, "not exercised"), (3, "reproduced")):
        lines = [{"s": "a", "v": 1.0, "n": happened, "seed": 1}, {"s": "b", "v": 1.0, "n": 0, "seed": 1}]
        (number,) = numbers(exhibit, lines, [])
        assert number.verdict == verdict


def test_a_mean_over_runs_is_exercised_where_half_of_them_are(tmp_path: Path) -> None:
    text = 'metric = "m"\nanalysis = "average"\nvalue = "v"\nwhere = {}\ntarget = 1.0\n'
    exhibit = exhibit_of(tmp_path, text + '[quick_needs]\ncolumn = "n"\nabove = 0.0')
    for happened, verdict in (([3, 2, 0], "reproduced"), ([3, 0, 0], "not exercised")):
        lines = [{"w": str(at), "v": 1.0, "n": n, "seed": 1} for at, n in enumerate(happened)]
        assert [number.verdict for number in numbers(exhibit, lines, [])] == [verdict]


def test_where_nothing_happened_in_full_what_differs_is_not_reproduced_all_the_same(tmp_path: Path) -> None:
    text = (
        'metric = "m"\nvalue = "v"\nwhere = { s = "a" }\ntarget = 3.0\n'
        '[[number]]\nmetric = "other"\nvalue = "v"\nwhere = { s = "b" }\ntarget = 1.0\n'
        '[quick_needs]\ncolumn = "n"\nabove = 0.0\nwhere = { s = "a" }'
    )
    exhibit = exhibit_of(tmp_path, text)
    lines = [{"s": "a", "v": 1.0, "n": 0, "seed": 1}, {"s": "b", "v": 1.0, "n": 0, "seed": 1}]
    found = [[one.verdict for one in numbers(exhibit, lines, [], quick=quick)] for quick in (False, True)]
    # The other number needs nothing of what this one does.
    assert found == [["not reproduced", "reproduced"], ["not exercised", "reproduced"]]


MEASURES_REQUESTS = {
    ("collision", "fig3"), ("collision", "table2"), ("collision", "table3"),
    ("pacp", "fig3"), ("pacp", "fig6"),
}  # fmt: skip
"""Exhibits of what requests are, or do on a drive without a scheme: any run shows that."""


def test_collection_in_turns_and_parity_keep_the_tail_of_reads_as_printed(tmp_path: Path) -> None:
    found = reproduce("validation", tmp_path, names=["collection-in-turns"])
    assert [number.verdict for number in found.numbers] == ["reproduced"] * 4
    lines = found.shown[0].lines
    assert [line["collections"] > 0 for line in lines] == [True, True, False]


def test_exhibits_of_schemes_say_what_a_quick_run_must_have_shown() -> None:
    asked = 0
    for paper in ("collision", "pacp", "hotr", "shuffler"):
        for one in exhibits(paper):
            no_mark = ("not_comparable", "uncounted")
            has_marks = any(not any(map(number.get, no_mark)) for number in one.numbers)
            if not has_marks or "quick" not in one.data or (paper, one.name) in MEASURES_REQUESTS:
                continue
            needs = one.data.get("quick_needs")
            assert needs is not None, (paper, one.name)
            assert {needs["column"], *needs.get("where", {})} <= set(one.columns), (paper, one.name)
            asked += 1
    assert asked > 25


def test_a_table_of_many_numbers_stands_beside_a_constant_guess(tmp_path: Path) -> None:
    printed = [-0.9, -0.7, -0.5, -0.3, -0.29, -0.31, -0.1, -0.015]

    def found(ours: list[float]) -> list[Number]:
        text = "\n[[number]]\n".join(
            f'metric = "change: {i}"\nvalue = "v"\nwhere = {{ s = "{i}" }}\ntarget = {t}\nunit = "ratio"'
            for i, t in enumerate(printed)
        )
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        lines = [{"s": str(i), "v": value, "seed": 1} for i, value in enumerate(ours)]
        return judged(numbers(exhibit_of(folder, text), lines, []))

    same = found([value * 1.5 for value in printed])
    (table,) = tables(same)
    assert (table.count, table.reproduced, table.by_guess, table.guess) == (8, 0, 3, -0.3)
    assert table.rank_correlation == pytest.approx(1.0) and table.is_in_order
    assert {number.verdict for number in same} == {"direction"}
    # The same sizes the other way round: none is in direction, though each is smaller.
    other = found([value * 1.5 for value in reversed(printed)])
    (table,) = tables(other)
    assert not table.is_in_order
    assert "direction" not in {number.verdict for number in other}
    assert any("order isn't the printed one" in number.note for number in other)
    # Where nothing happens anywhere, a printed nothing isn't reproduced.
    nowhere = found([0.0 for _ in printed[:-1]] + [-0.015])
    assert nowhere[-1].verdict == "not reproduced" and "order isn't" in nowhere[-1].note
    assert found(printed)[-1].verdict == "reproduced"


def test_numbers_are_drawn_beside_the_printed_ones(tmp_path: Path) -> None:
    text = 'metric = "change: A"\nvalue = "v"\ntarget = -0.3\n[[number]]\nmetric = "else"\nvalue = "v"\n'
    exhibit = exhibit_of(tmp_path, text + "target = 1.0")
    found = numbers(exhibit, [{"v": -0.2, "seed": 1}], [])
    figure = {"kind": "numbers", "metric": "change", "y_label": "change"}
    png, svg = draw_numbers(figure, found, "Changes", tmp_path / "changes")
    assert png.stat().st_size > 5_000
    text = svg.read_text(encoding="utf-8")
    assert ">printed<" in text and ">A<" in text and ">else<" not in text


def test_a_figure_has_the_numbers_of_its_exhibit_beside_it(tmp_path: Path) -> None:
    text = 'metric = "change"\nvalue = "v"\ntarget = -0.3\n[[number]]\nmetric = "again"\nvalue = "v"\n'
    exhibit = exhibit_of(tmp_path, text + "target = 1.0\nvariant = true")
    line = {"v": -0.2, "w": "one", "seed": 1}
    figure = {
        "kind": "bar",
        "x": "w",
        "y": "v",
        "y_label": "v",
        "beside": "numbers",
        "labels": {"change": "ch"},
    }
    found = numbers(exhibit, [line], [])
    _, svg = draw.draw(figure, [line], "title", tmp_path / "figure", found)
    texts = re.findall(r">([^<>]+)</text>", svg.read_text())
    assert {"one", "ch", "printed", "numbers"} <= set(texts) and "again" not in texts


def test_a_number_of_several_seeds_is_their_mean_with_an_interval(tmp_path: Path) -> None:
    text = 'metric = "change"\nunit = "ratio"\nvalue = "v"\ntarget = -0.3\n'
    text += 'where = {s = "x"}\nagainst = {s = "base"}'
    exhibit = exhibit_of(tmp_path, text)
    found = {1: 0.9, 2: 1.0, 3: 1.1}
    lines = [
        {"s": s, "v": v, "seed": n} for n, x in found.items() for s, v in (("base", 1.0), ("x", x - 0.1))
    ]
    (number,) = numbers(exhibit, lines, [])
    assert number.ours == pytest.approx(-0.1)
    # t for two degrees of freedom times the standard error.
    assert number.interval == pytest.approx(4.3027 * 0.1 / 3**0.5, rel=1e-4)
    assert number.verdict == "not reproduced"


def test_seeds_of_exhibits_are_a_number_or_a_list(wordline: Wordline, tmp_path: Path) -> None:
    (shown,) = (one for one in exhibits("validation") if one.name == "unloaded-reads")
    assert [point.scenario.seed for point in shown.points(True, None, (4,))][:1] == [4]
    found = [point.scenario.seed for point in shown.points(True, None, (3, 5, 7))]
    assert found == [3, 5, 7] * (len(found) // 3)
    once = ("repro", "validation", "--exhibit", "unloaded-reads", "--quick", "--out", tmp_path, "--dry-run")
    points = wordline(*once, "--json").json()["points"]
    for text, count in (("2", 2), ("3,5,7", 3), ("9,", 1)):
        assert wordline(*once, "--json", "--seeds", text).json()["points"] == count * points, text
    allowed = "allowed: a number of seeds from 1 to 100,000, or a list such as 3,5,7"
    assert wordline(*once, "--seeds", "some").error() == f"--seeds some: {allowed}"


def test_lines_of_several_seeds_are_drawn_as_their_mean_with_its_spread() -> None:
    seeds, empty = (1, 2, 3), Description("", "", Path())
    points = [
        Point(Scenario(empty, empty, empty, seed=n), (("s", s), ("seed", n)))
        for s in ("a", "b")
        for n in seeds
    ]
    rows = [{"status": "done"}] * 6
    lines = [
        {"s": s, "v": float(v), "seed": n} for s in ("a", "b") for n, v in zip(seeds, (1, 2, 3), strict=True)
    ]
    drawn = means(points, rows, lines)
    assert [(line["s"], line["v"]) for line in drawn] == [("a", 2.0), ("b", 2.0)]
    assert drawn[0]["v ±"] == pytest.approx(4.3027 / 3**0.5, rel=1e-4)
    assert means(points[:1], rows[:1], lines[:1]) == lines[:1]


def exhibit_of(folder: Path, number: str) -> Exhibit:
    path = folder / "paper" / "one.toml"
    path.parent.mkdir()
    path.write_text(f'title = "t"\n[columns]\nv = "v"\ns = "s"\n[sweep]\n[[number]]\n{number}\n')
    return read_exhibit(path)


def test_kinds_of_numbers_are_told_from_their_words() -> None:
    assert kind_of("average read latency change", "ratio", -0.3) == "change"
    assert kind_of("speed-up", "x", 1.87) == "factor"
    assert kind_of("WAF caused by lazy page ordering", "x", 1.9) == "level"
    assert kind_of("average WAF change: Shuffler", "ratio", -0.058) == "change"
    assert kind_of("speculative reads / reads", "ratio", 0.99) == "level"
    assert kind_of("order of latency", "order", "A < B") == "order"


def covering(points: Sequence[Point]) -> Iterator[Point]:
    """Those that bring a value of an axis that none before has: the keys of `quick` are the same for all."""
    seen: set[tuple[str, str]] = set()
    for point in points:
        values = {(name, repr(value)) for name, value in point.axes}
        if not values <= seen:
            seen |= values
            yield point


@pytest.mark.parametrize("paper", papers())
def test_every_point_of_every_exhibit_can_be_run(paper: str) -> None:
    for shown in exhibit.exhibits(paper):
        if shown.missing(None) is None:
            points, quick = shown.points(False, None), shown.points(True, None)
            inputs = validate([*points, *covering(quick)])
            for keys in (inputs[: len(points)], inputs[len(points) :]):
                assert len({found.key for found in keys}) == len(keys), shown.name
            assert len({point.scenario for point in quick}) == len(quick), shown.name


def test_every_exhibit_names_known_formulas_and_columns() -> None:
    for paper in papers():
        for shown in exhibit.exhibits(paper):
            for path in shown.columns.values():
                assert not path.startswith("formula:") or path.removeprefix("formula:") in FORMULAS
            for number in shown.numbers:
                assert number["value"] in shown.columns, shown.name
            if shown.figure is not None and shown.figure.get("kind") == "numbers":
                metrics = [str(number["metric"]) for number in shown.numbers]
                assert any(metric.startswith(shown.figure["metric"]) for metric in metrics), shown.name
            elif shown.figure is not None:
                y = shown.figure["y"]
                assert {shown.figure["x"], *(y if isinstance(y, list) else [y])} <= set(shown.columns)


def test_an_exhibit_gives_a_table_a_figure_and_numbers(wordline: Wordline, tmp_path: Path) -> None:
    call = ("repro", "validation", "--exhibit", "unloaded-reads", "--quick", "--out", tmp_path)
    outcome = wordline(*call)
    assert (outcome.code, outcome.err) == (0, "")
    assert "22 reproduced" in outcome.out
    lines = read(tmp_path / "validation" / "unloaded-reads.csv")
    assert len(lines) == 11
    mqsim = next(line for line in lines if line["device"] == "mqsim")
    # 49 + 290 + 75,020 + 4,096 bytes at 333 MB/s + 1,248 for the link's data + 11
    assert float(mqsim["fastest_ns"]) == 88_919
    assert float(mqsim["fastest_formula_ns"]) == pytest.approx(
        49 + 290 + 75_020 + 4096 / 0.333 + 1248 + 11, abs=1
    )
    picture = (tmp_path / "validation" / "unloaded-reads.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
    assert "<svg" in (tmp_path / "validation" / "unloaded-reads.svg").read_text()
    written = read(tmp_path / "numbers.csv")
    assert {number["verdict"] for number in written} == {"reproduced"}
    assert {number["scale"] for number in written} == {"quick"}
    page = (tmp_path / "summary.html").read_text()
    assert page.count("<svg") == 1 and "Unloaded reads of every device" in page
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").iterdir()}
    first = (tmp_path / "numbers.csv").read_bytes()
    assert wordline(*call).code == 0
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").iterdir()}
    assert (tmp_path / "numbers.csv").read_bytes() == first


def test_a_killed_reproduction_goes_on_where_it_was(wordline: Wordline, tmp_path: Path) -> None:
    arguments = ("repro", "validation", "--exhibit", "unloaded-reads", "--quick", "--out", str(tmp_path))
    process = start(*arguments, "--jobs", "1")
    end = time.monotonic() + 60
    while len(list((tmp_path / "rows").glob("*.parquet"))) < 2:
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").glob("*.parquet")}
    assert wordline(*arguments).code == 0
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").glob("*.parquet")}
    assert before.items() <= after.items() and len(after) == 11


def test_an_exhibit_is_added_to_what_the_folder_holds(wordline: Wordline, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = ("repro", "validation", "--exhibit", "unloaded-reads", "--quick", "--out", out)
    assert wordline(*first).code == 0
    before = read(out / "numbers.csv")
    second = wordline("repro", "validation", "--exhibit", "placement-orders", "--quick", "--out", out)
    assert "1 reproduced" in second.out
    after = read(out / "numbers.csv")
    assert after[:1] != before[:1] and all(number in after for number in before)
    assert {number["exhibit"] for number in after} == {"unloaded-reads", "placement-orders"}
    page = (out / "summary.html").read_text()
    assert page.count("<svg") == 2
    # The same once more takes its own place.
    assert wordline(*first).code == 0
    assert sorted(map(str, read(out / "numbers.csv"))) == sorted(map(str, after))
    (out / "reproduction.json").write_text("{}")
    assert "reproduction.json" in wordline(*first).error()


def test_printed_numbers_without_an_exhibit_have_a_row_with_the_reason(
    wordline: Wordline, tmp_path: Path
) -> None:
    (tmp_path / "headline.csv").write_text(HEADLINE)
    out = tmp_path / "out"
    data = wordline("repro", "later", "--targets", tmp_path, "--out", out, "--json").json()
    (number,) = data["numbers"]
    assert (number["paper"], number["exhibit"], number["target"]) == ("later", "fig11", -0.37)
    assert (number["verdict"], number["note"]) == ("not run", "the system `later` isn't there yet")
    assert "later" in (out / "summary.html").read_text()


def test_every_printed_number_of_the_papers_is_accounted_for(wordline: Wordline, tmp_path: Path) -> None:
    if not SHARED_TARGETS.is_dir():
        if os.environ.get("CI") == "true":
            raise AssertionError(f"{SHARED_TARGETS} is missing")
        pytest.skip(f"{SHARED_TARGETS} is missing")
    printed = read(SHARED_TARGETS / "headline.csv")
    for system in sorted({line["system"] for line in printed} - set(papers())):
        data = wordline("repro", system, "--targets", SHARED_TARGETS, "--out", tmp_path, "--json").json()
        assert len(data["numbers"]) == sum(line["system"] == system for line in printed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("validatoin",), "no paper `validatoin`: known: astro, collision, drives, hotr"),
        (("validation", "--exhibit", "fig1"), "validation has no such exhibit: allowed: cache-hits"),
        (("all", "--targets", "nowhere"), "--targets nowhere"),
    ],
)
def test_a_slip_is_told(wordline: Wordline, arguments: tuple[str, ...], message: str) -> None:
    assert message in wordline("repro", *arguments).error()


def test_exhibits_are_listed(wordline: Wordline) -> None:
    rows = json.loads(wordline("repro", "all", "--list", "--json").out)
    assert {
        "paper": "validation",
        "exhibit": "slc-cliff",
        "title": "A client drive written in order, once",
    } in rows


def test_an_exhibit_that_needs_traces_says_which(tmp_path: Path) -> None:
    text = (exhibit.EXHIBITS / "validation" / "wait-of-a-die.toml").read_text()
    path = tmp_path / "fig1.toml"
    path.write_text(f'needs = ["hm_0.csv"]\n{text}')
    shown = exhibit.read(path)
    assert shown.missing(None) == "needs traces = DIR with hm_0.csv"
    assert shown.missing(tmp_path) == f"{tmp_path} has no hm_0.csv"
    (tmp_path / "hm_0.csv").touch()
    assert shown.missing(tmp_path) is None
    path.write_text(f"colums = {{}}\n{text}")
    with pytest.raises(WordlineError, match="did you mean `columns`"):
        exhibit.read(path)


def test_figures_beside_an_exhibit_are_compared_with_the_line_that_they_name() -> None:
    one = read_exhibit(exhibit.EXHIBITS / "drives" / "zn540.toml")
    line = {"queue_depth": 4, "iops": 52388.0 * 1.149, "p50_us": 70.1 * 1.2, "p99_us": None, "seed": 1}
    found = {number.metric: number for number in numbers(one, [line], [])}
    assert found["4: iops"].verdict == "reproduced"
    assert found["4: p50_us"].verdict == "not reproduced"
    assert found["4: p99_us"].verdict == "not run"
    assert len(found) == 3


def test_a_figure_that_the_table_has_not_got_is_refused() -> None:
    one = read_exhibit(exhibit.EXHIBITS / "drives" / "zn540.toml")
    less = dataclasses.replace(one, columns={"queue_depth": one.columns["queue_depth"]})
    with pytest.raises(WordlineError, match=r"drives/zn540: measured: zn540\.csv: allowed: the columns"):
        measured.read(less)


def test_a_variant_is_each_number_of_a_scheme_for_another_one(tmp_path: Path) -> None:
    text = (
        'title = "x"\n[columns]\n[[variant]]\nof = "a"\nscheme = "a+b=1"\nnamed = "b = 1"\n'
        '[[number]]\nmetric = "m"\nmark = "k"\nwhere = { scheme = "a", workload = "w" }\n'
        '[[number]]\nmetric = "n"\nwhere = { scheme = "c" }\n'
    )
    path = tmp_path / "x.toml"
    path.write_text(text)
    first, second, varied = read_exhibit(path).numbers
    assert (first["metric"], second["metric"]) == ("m", "n")
    where = {"scheme": "a+b=1", "workload": "w"}
    assert varied == {"metric": "m, b = 1", "where": where, "variant": True}
    path.write_text(text.replace("named", "name"))
    with pytest.raises(WordlineError, match=r"variant: name: unknown key: did you mean `named`\?"):
        read_exhibit(path)


def test_what_stands_beside_our_numbers_is_called_what_it_is() -> None:
    is_called = {f"{one.paper}/{one.name}": one.targets_are for paper in papers() for one in exhibits(paper)}
    assert is_called["validation/read-bandwidth"] == is_called["validation/cache-hits"] == "closed form"
    assert is_called["validation/suspend"] == is_called["validation/slc-cliff"] == "expected"
    assert is_called["drives/load-reads"] == "measured" and is_called["hotr/fig7"] == "printed"


def test_numbers_of_a_closed_form_have_units_that_fit(tmp_path: Path) -> None:
    bandwidth = next(one for one in exhibits("validation") if one.name == "read-bandwidth")
    described = next(iter(bandwidth.numbers))
    line = {"channels": 1, "ways": 1, described["value"]: 163.99e6, described["target"]: 164.2e6, "seed": 1}
    found = numbers(dataclasses.replace(bandwidth, numbers=[described]), [line], [])
    found = [dataclasses.replace(found[0], interval=1.234e6)]
    shown = Shown(bandwidth, numbers=found)
    text = as_markdown(Reproduction(tmp_path, [shown], found))
    assert "| number | closed form | ours |" in text
    assert "| 164.2 MB/s | 164 MB/s ± 1.2 MB/s |" in text
