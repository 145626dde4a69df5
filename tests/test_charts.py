"""Pictures: of studies, as files, in notebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, Wordline, sets
from test_report import MEASURE, Page, seen

import wordline as package
from wordline import WordlineError, charts
from wordline.charts import Axis
from wordline.charts.axis import text_of
from wordline.charts.images import FORMS, standing, svg
from wordline.figures import fitting_interval, title
from wordline.names import endings

MIXED = "mixed-70-30-8k-qd16"
SETTINGS = {**SMALL, "workload.source.requests": 500}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run, a comparison, a sweep and a search, each in its folder."""
    from wordline.tuning import tune

    folder = tmp_path_factory.mktemp("studies")
    made = {name: folder / name for name in ("run", "compare", "sweep", "search")}
    package.run("mqsim", workload=MIXED, overrides=SETTINGS).save(made["run"])
    schemes = ("baseline", "fifo")
    package.compare(
        "mqsim",
        schemes=schemes,
        workloads=(MIXED, "randread-4k-qd16"),
        overrides=SETTINGS,
        seeds=2,
        folder=made["compare"],
    ).save(made["compare"])
    axes = {"workload.host.queue_depth": [1, 4, 16], "scheme.scheduler.policy": ["fifo", "read_first"]}
    sweep: dict[str, Any] = {"device": "mqsim", "workload": MIXED, "seeds": 2, "set": SETTINGS, "axes": axes}
    package.sweep(sweep, made["sweep"])
    search = {
        "device": "mqsim",
        "workload": MIXED,
        "trials": 8,
        "set": SETTINGS,
        "search": {"workload.host.queue_depth": {"low": 1, "high": 64}, "scheme.scheduler.policy": ["fifo"]},
        "objectives": {"read.latency_ns.p99": "minimize", "read.iops": "maximize"},
    }
    tune(search, made["search"])
    return made


def titles(page: Path) -> list[str]:
    """What each chart shows."""
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page.read_text())
    shown = [re.sub(r"<b>.*?</b><span>(.*?)(?:;.*)?</span>", r"\1", caption) for caption in captions]
    return [caption.partition("; ")[0] for caption in shown]


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("run", ["how long requests took", "where the time went, mean of all", "dies"]),
        (
            "compare",
            [MIXED, "read p99", "WAF", f"{MIXED}: reads, percentiles", f"{MIXED}: reads, mean of all"],
        ),
        ("sweep", ["read p99 over queue depth", "read p99 by queue depth and policy"]),
        ("search", ["Pareto front", "read p99 over queue depth", "read IOPS over policy"]),
    ],
)
def test_a_page_of_each_kind_is_drawn_whole(
    wordline: Wordline, studies: dict[str, Path], tmp_path: Path, kind: str, wanted: list[str]
) -> None:
    page = tmp_path / "r.html"
    assert wordline("report", studies[kind], "--out", page).code == 0
    assert set(wanted) <= set(titles(page))
    assert page.stat().st_size < 600_000
    for phone in (False, True):
        found = seen(page, MEASURE, "--window-size=1200,900", phone=phone)
        assert found["charts"] == len(titles(page)) and found["wide"] <= 0 and found["outside"] == []


def test_a_page_of_several_kinds_at_once(
    wordline: Wordline, studies: dict[str, Path], tmp_path: Path
) -> None:
    page = tmp_path / "all.html"
    assert wordline("report", *studies.values(), "--out", page, "--title", "everything").code == 0
    words = Page(page.read_text()).words
    for text in ("everything", ": baseline, fifo", "sweep", "Front", "Response times", "Points"):
        assert text in words, text
    assert page.stat().st_size < 1_000_000


def test_commands_write_their_pages(wordline: Wordline, tmp_path: Path) -> None:
    few = sets(SETTINGS)
    out = tmp_path / "c"
    outcome = wordline(
        "compare", "--device", "mqsim", "-w", MIXED, "--schemes", "baseline,fifo", *few, "--out", out
    )
    assert outcome.code == 0 and "report.html" in outcome.out
    words = Page((out / "report.html").read_text()).words
    assert "wordline compare --device mqsim -w mixed-70-30-8k-qd16" in words
    run = tmp_path / "r"
    assert wordline("run", "--device", "mqsim", "-w", MIXED, *few, "--seed", "7", "--out", run).code == 0
    words = Page((run / "report.html").read_text()).words
    assert f"wordline run --device mqsim -w {MIXED}" in words and "seed7" in words.replace("\n", "")


def test_a_comparison_is_read_back_as_it_was(studies: dict[str, Path]) -> None:
    from wordline.comparison.saved import load

    found, _ = load(studies["compare"])
    cell = found.cell(MIXED, "fifo", "read.latency_ns.p99")
    assert cell is not None and cell.ratio is not None and found.seeds == [1, 2]
    (studies["compare"] / "rows").rename(studies["compare"] / "gone")
    try:
        with pytest.raises(package.WordlineError, match="not a comparison whose rows are there"):
            load(studies["compare"])
    finally:
        (studies["compare"] / "gone").rename(studies["compare"] / "rows")


def test_a_sweep_is_averaged_over_its_seeds_with_intervals(studies: dict[str, Path]) -> None:
    import statistics

    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(studies["sweep"] / "sweep.parquet").to_pylist()
    points = pyarrow.parquet.read_table(studies["sweep"] / "averages.parquet").to_pylist()
    assert (len(rows), len(points)) == (12, 6)
    for number, point in enumerate(points):
        values = [row["read.latency_ns.mean"] for row in rows[2 * number : 2 * number + 2]]
        assert point["seeds"] == 2
        assert point["read.latency_ns.mean"] == pytest.approx(statistics.fmean(values))
        # Student's t of one degree of freedom.
        half = 12.706 * statistics.stdev(values) / 2**0.5
        assert point["read.latency_ns.mean.ci95"] == pytest.approx(half, rel=1e-3)


def test_two_runs_are_compared_in_the_terminal(wordline: Wordline, tmp_path: Path) -> None:
    for scheme, depth in (("fifo", 4), ("baseline", 16)):
        more = {"workload.host.queue_depth": depth}
        package.run("mqsim", scheme=scheme, workload=MIXED, overrides=SETTINGS | more).save(tmp_path / scheme)
    one, other = tmp_path / "fifo", tmp_path / "baseline"
    out = wordline("diff", one, other).out
    for words in (
        r"scheme\.scheduler\.policy +fifo +read_first",
        r"host\.queue_depth +4 +16",
        r"read p99 +[\d.]+",
    ):
        assert re.search(words, out), words
    told = wordline("diff", one, other, "--json").json()
    results = [json.loads((folder / "result.json").read_text()) for folder in (one, other)]
    p99 = [result["read"]["latency_ns"]["p99"] for result in results]
    assert told["figures"]["read.latency_ns.p99"]["values"] == p99
    assert told["figures"]["read.latency_ns.p99"]["ratio"] == pytest.approx(p99[1] / p99[0])
    assert told["configuration"]["workload.host.queue_depth"] == ["4", "16"]
    assert len(wordline("diff", one, other, "--all", "--json").json()["figures"]) > len(told["figures"])
    same = wordline("diff", one, one).out
    assert "Configuration: the same" in same and "Figures: the same" in same
    assert "allowed" in wordline("diff", one, tmp_path / "missing").error()


@pytest.mark.parametrize("form", FORMS)
def test_a_chart_is_a_file_of_each_form(tmp_path: Path, form: str) -> None:
    chart = charts.curves(
        "reads", {"a": [(1e3, 1.0), (1e6, 0.1)]}, Axis("time", "time", log=True), Axis("share", "share")
    )
    path = charts.save(chart, tmp_path / f"picture.{form}")
    begin = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}[form]
    assert path.read_bytes().startswith(begin)
    assert path.read_bytes() == charts.save(chart, tmp_path / f"again.{form}").read_bytes() or form == "pdf"
    with pytest.raises(package.WordlineError, match=r"\.png, \.svg or \.pdf"):
        charts.save(chart, tmp_path / "picture.jpg")


def test_texts_of_axes_have_units_that_fit() -> None:
    values = {"time": [(320e6, "320 ms"), (1.5e3, "1.5 µs"), (80, "80 ns"), (2e9, "2 s"), (0, "0")]}
    values |= {"share": [(0.0001, "0.01%"), (1.0, "100%")], "rate": [(1.25e9, "1.25 GB/s")]}
    values |= {"number": [(12345.0, "12.35k"), (1234.0, "1,234"), (0.25, "0.25")]}
    for kind, pairs in values.items():
        spec = {
            "data": {"values": [{"v": value} for value, _ in pairs]},
            "transform": [{"calculate": text_of(kind, "datum.v"), "as": "t"}],  # type: ignore[arg-type]
            "mark": "text",
            "encoding": {"text": {"field": "t"}},
        }
        import vl_convert

        picture = vl_convert.vegalite_to_svg(spec)
        for _, text in pairs:
            assert f">{text}</text>" in picture, (kind, text)


def test_axes_with_the_same_last_word_are_told_apart() -> None:
    paths = ["scheme.gc.policy", "scheme.scheduler.policy", "scheme.gc.trigger", "seed"]
    assert list(endings(paths).values()) == ["gc.policy", "scheduler.policy", "trigger", "seed"]
    assert endings(["scheme", "a.scheme", "b.a.scheme"]) == {
        "scheme": "scheme", "a.scheme": "a.scheme", "b.a.scheme": "b.a.scheme"
    }  # fmt: skip


def test_half_an_interval_has_the_unit_of_its_figure() -> None:
    assert fitting_interval("read.latency_ns.p99", 1_428_000, 482_300) == "1.428 ±0.482 ms"
    assert fitting_interval("read.latency_ns.p99", 225_500, 122_000) == "225.5 ±122 µs"
    assert fitting_interval("waf", 2.5, 0.25) == "2.5 ±0.25"
    assert fitting_interval("waf", 2.5, 0.0003) == "2.5 ±<0.001"
    assert fitting_interval("read.latency_ns.p99", 0.0, 0.0) == "0 ±0 ns"


def test_an_axis_of_times_begins_at_zero_however_wide_an_interval_is() -> None:
    across, up = Axis("queue depth", zero=False), Axis("read p99", "time")
    reach = {"a": [(1.0, 5e5, -1e6, 2e6), (4.0, 6e5, 5e5, 7e5)]}
    drawn = charts.curves("p99", {"a": [(1, 5e5), (4, 6e5)]}, across, up, marks=True, reach=reach)
    low, high = drawn.spec["encoding"]["y"]["scale"]["domain"]
    assert low == 0 and high >= 2e6


def test_a_label_stands_below_its_tick() -> None:
    drawn = svg(charts.curves("x", {"a": [(1, 1), (64, 2)]}, Axis("x", log=True), Axis("y")))
    first = re.search(r'<text text-anchor="(\w+)"[^>]*>1</text>', drawn)
    assert first is not None and first[1] == "middle"


def changed(ratio: float, half: float | None, name: str = "fifo") -> charts.Change:
    return charts.Change("read p99 ↓", name, ratio, half, "1 ms")


def test_changes_stand_around_the_first_scheme_with_their_intervals() -> None:
    chart = charts.relative("w", [changed(0.8, 0.1), changed(1.05, 0.1, "suspend")], "baseline", {})
    one, other = chart.spec["data"]["values"]
    assert (one["l"], one["h"], one["o"], other["o"]) == (0.7, 0.9, False, True)
    across = chart.spec["layer"][0]["encoding"]["x"]
    assert across["title"] == "change against baseline" and "type" not in across["scale"]
    assert across["scale"]["domain"][0] < 0.7 and across["scale"]["domain"][1] > 1.15
    drawn = svg(chart)
    assert ">−20%</text>" in drawn and ">0</text>" in drawn


def test_large_changes_are_drawn_as_ratios_whatever_their_intervals_reach() -> None:
    chart = charts.relative("w", [changed(30.0, 90.0), changed(0.5, None)], "baseline", {})
    across = chart.spec["layer"][0]["encoding"]["x"]
    assert across["scale"]["type"] == "log" and across["title"].endswith("(log)")
    assert 0 < across["scale"]["domain"][0] < 0.5 and across["scale"]["domain"][1] < 100
    assert re.search(r">×\d+</text>", svg(chart))


def test_the_interval_of_a_change_holds_none_where_figures_are_the_same(studies: dict[str, Path]) -> None:
    from wordline.comparison.saved import load
    from wordline.report.studies import changes_of

    found, _ = load(studies["compare"])
    cells = {(cell.workload, cell.scheme, title(cell.metric)): cell for cell in found.cells()}
    for chart in changes_of(found, found.metrics()):
        rows = {row["r"][:-2]: row for row in chart.spec["data"]["values"]}
        assert rows
        for name, row in rows.items():
            cell = cells[chart.about, "fifo", name]
            assert (row["o"], row["x"]) == (cell.same, pytest.approx(cell.ratio, rel=1e-5))


def test_every_kind_of_chart_is_drawn_by_itself() -> None:
    made = [
        charts.bars("b", [("w", "s", 1.0, 0.1), ("w", "t", 2.0, None)], Axis("v", "time")),
        charts.heat("h", [(1, "a", 0.5), (2, "a", 0.7)], "x", "y", Axis("v"), numbers=True),
        charts.points(
            "p",
            [{"x": 1.0, "y": 2.0, "best": True}, {"x": 2.0, "y": 3.0, "best": False}],
            Axis("x"),
            Axis("y"),
            tips={},
            front=[(1.0, 2.0)],
        ),
    ]
    for chart in made:
        assert standing(chart)["title"] == chart.title
        assert svg(chart).startswith("<svg")


def test_results_show_themselves_in_notebooks(studies: dict[str, Path]) -> None:
    result = package.run("mqsim", workload=MIXED, overrides=SETTINGS)
    compared = package.compare("mqsim", schemes=["baseline", "fifo"], workloads=[MIXED], overrides=SETTINGS)
    axes = {"workload.host.queue_depth": [1, 4]}
    sweep = {"device": "mqsim", "workload": MIXED, "set": SETTINGS, "axes": axes}
    opened = package.open_sweep(sweep, studies["run"].parent / "notebook")
    opened.run()
    for shown, words in (
        (
            result,
            ("mqsim, geometry.blocks=256", "· baseline ·", "IOPS", "response times", "where the time went"),
        ),
        (compared, ("fifo", "read p99", "WAF")),
        (opened, ("2 of 2 runs", "read p99 over queue depth")),
    ):
        text = shown._repr_html_()
        assert "<script" not in text and "<svg" in text
        for word in words:
            assert word in text, word


def test_tables_are_given_to_pandas_and_polars(studies: dict[str, Path]) -> None:
    result = package.run("mqsim", workload=MIXED, overrides=SETTINGS)
    assert len(result.to_pandas("dies")) == result.to_polars("dies").height == len(result["dies"])
    compared = package.compare("mqsim", schemes=["baseline"], workloads=[MIXED], overrides=SETTINGS)
    assert set(compared.to_pandas()["metric"]) == set(compared.to_polars()["metric"].to_list())
    described = {"device": "mqsim", "workload": MIXED, "set": SETTINGS}
    sweep = package.open_sweep(described, studies["run"].parent / "tables")
    sweep.run()
    assert len(sweep.to_pandas()) == sweep.to_polars().height == 1


def test_tables_are_printed_as_latex(wordline: Wordline) -> None:
    few = sets(SETTINGS)
    out = wordline(
        "compare", "--device", "mqsim", "-w", MIXED, "--schemes", "baseline,gc.policy=fifo", *few, "--latex"
    ).out
    assert r"\begin{tabular}{lrr}" in out and r"\toprule" in out and r"read mean, $\mu$s & " in out
    assert out.count(r"\begin{table}") == out.count(r"\end{table}") >= 3
    # Signs that mean something to LaTeX are escaped.
    assert not re.search(r"(?<!\\)[#_%](?! note)", out.split(r"\end{table}")[0])


def test_a_figure_of_an_exhibit_has_a_picture_for_each_panel() -> None:
    from wordline.repro.draw import described

    lines = [{"p": panel, "x": x, "y": x} for panel in ("a", "b") for x in (1, 2)]
    chart = described({"x": "x", "y": "y", "panel": "p", "labels": {"a": "first"}}, lines, "t")
    assert [picture["title"] for picture in chart.spec["hconcat"]] == ["first", "b"]
    text = svg(chart)
    assert ">first</text>" in text and ">b</text>" in text


def test_a_series_that_a_panel_lacks_leaves_the_colours_of_the_others() -> None:
    from wordline.repro.draw import described

    lines = [{"p": p, "x": 1, "s": s, "y": 1.0} for p, s in (("a", "u"), ("a", "w"), ("b", "u"), ("b", "v"))]
    chart = described({"kind": "bar", "x": "x", "y": "y", "series": "s", "panel": "p"}, lines, "t")
    scales = [picture["layer"][0]["encoding"]["color"]["scale"] for picture in chart.spec["hconcat"]]
    assert scales[0] == scales[1] and scales[0]["domain"] == ["u", "w", "v"]
    assert len(set(scales[0]["range"])) == 3


def test_a_figure_by_another_line_has_one_for_each_series() -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "x", "y": "y", "series": "k", "relative_to": {"s": "none"}}
    lines = [
        {"x": "a", "k": k, "s": s, "y": y}
        for k, s, y in (("u", "none", 4.0), ("u", "some", 3.0), ("v", "none", 2.0), ("v", "some", 1.0))
    ]
    rows = described(figure, lines, "t").spec["data"]["values"]
    assert [(row["s"], row["y"]) for row in rows] == [("u", 0.75), ("v", 0.5)]


def test_a_figure_of_an_exhibit_has_a_second_picture_of_its_lines() -> None:
    from wordline.repro.draw import described

    figure = {"x": "x", "y": "a", "y_scale": 0.001, "second": {"y": "b", "y_label": "others"}}
    chart = described(figure, [{"x": x, "a": 1000.0 * x, "b": 7.0} for x in (1, 2)], "t")
    first, second = chart.spec["hconcat"]
    assert [row["y"] for row in first["data"]["values"]] == [1.0, 2.0]
    assert [row["y"] for row in second["data"]["values"]] == [7.0, 7.0]
    assert ">others</text>" in svg(chart)


def test_a_figure_of_an_exhibit_is_drawn_by_another_line() -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "x", "y": ["m", "p"], "relative_to": {"s": "none"}}
    lines = [
        {"x": x, "s": s, "m": m, "p": 2 * m}
        for x, s, m in (("a", "none", 4.0), ("a", "some", 3.0), ("b", "some", 1.0))
    ]
    rows = described(figure, lines, "t").spec["data"]["values"]
    # Of b there is nothing to compare with.
    assert [(row["x"], row["s"], row["y"]) for row in rows] == [("a", "m", 0.75), ("a", "p", 0.75)]


@pytest.mark.parametrize(("name", "columns"), [("relative standard deviation of reads", 1), ("deviation", 4)])
def test_long_names_of_a_legend_stand_below_one_another(name: str, columns: int) -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "n", "y": "v", "labels": {"v": name}, "reference": "p"}
    spec = described(figure, [{"n": "a", "v": 1.0, "p": 2.0}], "t").spec
    assert f'"columns": {columns}' in json.dumps(spec)


def test_an_axis_over_several_decades_is_logarithmic() -> None:
    for axis, near, far in (
        (Axis("t", "time"), [1e3, 19e3], [1e3, 657e3]),
        (Axis("n"), [1.0, 900.0], [1.0, 2000.0]),
        (Axis("r", "rate"), [1e6, 9e8], [1e6, 2e9]),
    ):
        assert not axis.over(near).log and axis.over(far).log and not axis.over([]).log
    assert not Axis("s", "share").over([1e-6, 1.0]).log


def test_bars_over_several_decades_are_dots_with_intervals_that_end() -> None:
    rows = [("w", "a", 1e3, 5e3), ("w", "b", 657e3, 1e3)]
    chart = charts.bars("b", rows, Axis("write mean", "time").over([1e3, 657e3]))
    first = chart.spec["data"]["values"][0]
    assert (first["l"], first["h"]) == (500, 6000)
    low, high = chart.spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert 0 < low <= 500 and high >= 658e3 and chart.spec["layer"][0]["mark"]["type"] == "point"
    assert svg(chart).startswith("<svg")


def test_a_map_over_several_decades_has_a_logarithmic_scale_of_colors() -> None:
    axis = Axis("p99", "time").over([1e3, 1e6])
    chart = charts.heat("h", [(1, "a", 1e3), (2, "a", 1e6)], "x", "y", axis, numbers=True)
    assert chart.spec["layer"][0]["encoding"]["color"]["scale"]["type"] == "log"
    test = chart.spec["layer"][1]["encoding"]["color"]["condition"]["test"]
    assert float(test.rpartition(" ")[2]) == pytest.approx(31622.8, rel=1e-3)
    assert svg(chart).startswith("<svg")


def test_an_interval_down_to_nothing_is_drawn_on_a_logarithmic_axis_too() -> None:
    up = Axis("read p99", "time", log=True)
    reach = {"a": [(1.0, 1e3, -5e3, 7e3), (4.0, 1e6, 9e5, 2e6)]}
    chart = charts.curves("p", {"a": [(1, 1e3), (4, 1e6)]}, Axis("x"), up, marks=True, reach=reach)
    bands = chart.spec["layer"][0]["data"]["values"]
    assert [(band["y"], band["h"]) for band in bands] == [(500, 7e3), (9e5, 2e6)]
    assert chart.spec["encoding"]["y"]["scale"]["domain"][0] < 500


def test_the_page_of_a_sweep_says_what_was_swept_and_what_is_best(studies: dict[str, Path]) -> None:
    from wordline.report.folders import sweep_body

    loaded = package.load(studies["sweep"])
    assert isinstance(loaded, package.Sweep)
    text = sweep_body(loaded.table().to_pylist())
    assert "<dt>workload.host.queue_depth</dt><dd>1, 4, 16</dd>" in text
    assert "<dt>scheme.scheduler.policy</dt><dd>fifo, read_first</dd>" in text
    shared = text.split("What all runs share")[1].split("</details>")[0]
    assert "workload.source.requests = 500" in shared and "queue_depth" not in shared
    mean = "read.latency_ns.mean"
    # Also where chance is all that it tells, which the page says then.
    least = min(loaded.averages().to_pylist(), key=lambda point: float(point[mean]))
    depth, policy = least["axis.workload.host.queue_depth"], least["axis.scheme.scheduler.policy"]
    place = f"queue_depth {depth}, policy {policy}"
    assert f"<td class=n>{place}</td>" in text.split("Best by each figure")[1].split("</table>")[0]
    assert "failed" not in text


def test_a_search_is_read_back_with_what_was_searched(studies: dict[str, Path]) -> None:
    told = json.loads((studies["search"] / "search.json").read_text())
    assert told["search"]["workload.host.queue_depth"] == {"low": 1, "high": 64}
    assert told["of"]["device"] == "mqsim" and told["of"]["set workload.source.requests"] == "500"


def test_measured_lines_and_simulated_points_have_a_swatch_each() -> None:
    from wordline.repro.draw import described

    figure = {"x": "x", "y": "v", "reference": "m", "reference_label": "lines: measured, points: simulated"}
    lines = [{"x": x, "v": 1.0 + x, "m": 2.0 + x} for x in (1, 2)]
    drawn = svg(described(figure, lines, "t"))
    texts = re.findall(r">([^<>]+)</text>", drawn)
    assert {"v", "measured", "simulated"} <= set(texts) and "lines: measured, points: simulated" not in texts
    named = svg(described(figure | {"reference_label": "bound"}, lines, "t"))
    assert {"v", "bound", "simulated"} <= set(re.findall(r">([^<>]+)</text>", named))


def test_a_picture_in_a_page_has_the_colors_of_the_page() -> None:
    from wordline.charts.images import themed

    plain = svg(charts.curves("p", {"a": [(1, 1), (2, 3)]}, Axis("x"), Axis("y")))
    assert 'fill="white"' in plain and '"#111827"' in plain
    text = themed(plain)
    assert 'fill="var(--paper, white)"' in text and '"var(--ink, #111827)"' in text
    assert '"#111827"' not in text and 'fill="white"' not in text
    assert charts.colors.SERIES[0] in text


def test_best_trials_in_one_place_are_named_once() -> None:
    dots = [{"x": 1.0, "y": 2.0, "n": n, "best": True} for n in (7, 10)]
    dots.append({"x": 2.0, "y": 1.0, "n": 3, "best": False})
    drawn = svg(charts.points("p", dots, Axis("x"), Axis("y"), tips={}, label="n"))
    texts = re.findall(r">([^<>]+)</text>", drawn)
    assert "7, 10" in texts and "3" not in texts


def test_a_best_point_says_how_many_chance_may_have_put_behind_it() -> None:
    from wordline.report.study_facts import best
    from wordline.sweeps.averages import averages

    base = {"status": "done", "error": None, "result": json.dumps({"notes": []})}
    values = {1: (9.0, 11.0), 2: (10.0, 11.0), 3: (90.0, 91.0)}
    rows = [
        base | {"axis.a": a, "axis.seed": s, "waf": w} for a, own in values.items() for s, w in enumerate(own)
    ]
    text = best(averages(rows), ["waf"])
    assert "<td class=n>unsure</td><td class=n>a 1</td><td class=n>1 of 2</td>" in text
    assert "unsure: a figure" in text


def test_a_bar_of_one_piece_says_what_it_is() -> None:
    piece = charts.Share("host", "#123456")
    drawn = svg(charts.stacked("WAF", [("", {"host": 1.0})], [piece], Axis("bytes")))
    legend = drawn[drawn.index("role-legend-label") :]
    assert ">host</text>" in legend


def test_the_legend_of_a_calibration_tells_measured_and_simulated_apart() -> None:
    from wordline.calibration.pictures import draw

    series = {
        f"{name}, {kind}": [(1, 2), (2, 3)] for name in ("a", "b") for kind in ("measured", "simulated")
    }
    drawn = svg(draw("reads", series, Axis("load"), Axis("time", "time")))
    symbols = re.findall(r'role-legend-symbol.*?stroke="(.*?)".*?stroke-dasharray="(.*?)"', drawn)
    labels = re.findall(r"role-legend-label.*?<text.*?>(.*?)</text>", drawn)
    assert labels == list(series) and len(set(symbols)) == 4
    assert [dash for _, dash in symbols] == ["1,0", "5,3"] * 2


def test_lines_at_one_place_are_refused_and_panels_may_be_of_several_columns() -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "w", "y": "v", "series": "s", "labels": {"1": "one"}}
    lines = [{"w": "a", "s": "x", "p": p, "q": q, "v": float(p + q)} for p in (1, 2) for q in (1, 2)]
    with pytest.raises(WordlineError, match=r"x at a is drawn for lines that differ: .* `panel`"):
        described(figure, lines, "t")
    with pytest.raises(WordlineError, match="lines that differ"):
        described({**figure, "panel": "p"}, lines, "t")
    spec = described({**figure, "panel": ["p", "q"]}, lines, "t").spec
    assert [picture["title"] for picture in spec["concat"]] == ["one, one", "one, 2", "2, one", "2, 2"]
    assert described(figure, [lines[0], lines[0]], "t"), "the same at one place"


def test_bars_of_all_panels_stand_on_one_logarithmic_ground() -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "w", "y": "v", "panel": "p", "y_log": True}
    lines = [{"w": w, "p": p, "v": v} for p, w, v in (("a", "x", 2.0), ("a", "y", 9.0), ("b", "x", 300.0))]
    pictures = described(figure, lines, "t").spec["hconcat"]
    grounds = [picture["layer"][0]["encoding"]["y2"]["datum"] for picture in pictures]
    assert grounds[0] == grounds[1] < 2.0


def test_more_series_than_colors_have_a_picture_each() -> None:
    from wordline.repro.draw import described

    figure = {"kind": "bar", "x": "w", "y": ["v", "u"], "series": "s"}
    lines = [{"w": w, "s": f"s{s}", "v": 1.0, "u": 2.0} for s in range(6) for w in "ab"]
    spec = described(figure, lines, "t").spec
    assert [picture["title"] for picture in spec["concat"]] == [f"s{s}" for s in range(6)]
    fewer = described(figure, [line for line in lines if str(line["s"]) < "s5"], "t").spec
    assert "concat" not in fewer


def test_names_below_many_bars_have_room() -> None:
    from wordline.repro.draw import WIDTH, _width

    def lines(count: int) -> list[dict[str, str]]:
        return [{"w": f"w{place}"} for place in range(count)]

    figure = {"kind": "bar", "x": "w"}
    assert _width(figure, lines(5), WIDTH) == WIDTH and _width(figure, lines(34), WIDTH) > 700
    assert _width({"x": "w"}, lines(34), WIDTH) == WIDTH
