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
from one_exhibit import exhibit_of

from wordline import WordlineError
from wordline.presets import Description
from wordline.repro import draw, exhibit, measured, papers
from wordline.repro.draw import draw_numbers
from wordline.repro.exhibit import exhibits
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.formulas import FORMULAS
from wordline.repro.numbers import numbers
from wordline.repro.run import reproduce
from wordline.repro.table import means
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


def shown_of(point: Point, form: str) -> tuple[str, ...]:
    """The values of the axes that a column tells, of all where it is measured."""
    axes = dict(point.axes)
    kinds = {
        "workload": ("workload", "trace"),
        **{f"config.{name}.name": (name,) for name in ("device", "workload")},
    }
    told = [name for name in axes if name in kinds.get(form, ()) or form.endswith(name) or f"{name}*" in form]
    told += ["scheme"] if form.startswith("config.scheme.") and "scheme" in axes else []
    return tuple(str(axes[name]) for name in told or axes)


def test_every_run_of_an_exhibit_has_a_place_of_its_own_in_its_picture() -> None:
    for paper in papers():
        for one in exhibit.exhibits(paper):
            figure = one.figure or {"kind": draw.NUMBERS}
            if figure.get("kind") == draw.NUMBERS or "sweep" not in one.data or one.table is not None:
                continue
            columns = draw.columns_of(figure, "x", "series", "panel")
            columns += [figure["y"]] if figure.get("kind") == "grid" else []
            points = one.points(False, Path("traces"))
            base = [
                (one.columns[column], str(value)) for column, value in figure.get("relative_to", {}).items()
            ]
            drawn = [
                point
                for point in points
                if not base or any(shown_of(point, form) != (value,) for form, value in base)
            ]
            places = {tuple(shown_of(point, one.columns[column]) for column in columns) for point in drawn}
            assert len(places) == len(drawn), f"{paper}/{one.name}: {columns}"


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
