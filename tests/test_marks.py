"""Marks of numbers beside the printed ones: verdicts, what counts, and tables of many."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from one_exhibit import exhibit_of

from wordline import WordlineError
from wordline.repro import papers
from wordline.repro.analyses import ANALYSES
from wordline.repro.exhibit import exhibits
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.many import judged, tables
from wordline.repro.numbers import Number, numbers
from wordline.repro.reproduction import Reproduction, Shown
from wordline.repro.summary import as_markdown
from wordline.repro.verdict import Target, judge, kind_of


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


def test_kinds_of_numbers_are_told_from_their_words() -> None:
    assert kind_of("average read latency change", "ratio", -0.3) == "change"
    assert kind_of("speed-up", "x", 1.87) == "factor"
    assert kind_of("WAF caused by lazy page ordering", "x", 1.9) == "level"
    assert kind_of("average WAF change: Shuffler", "ratio", -0.058) == "change"
    assert kind_of("speculative reads / reads", "ratio", 0.99) == "level"
    assert kind_of("order of latency", "order", "A < B") == "order"


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
