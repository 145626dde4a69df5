"""`wordline report`: one page that opens without network, checked in a browser without a window."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import DARK, PATIENT, browse
from conftest import SMALL, Wordline

import wordline as package
from wordline.report.html import write_report

CHARTS = 21
"""Of two runs with time series and tables of blocks."""

SETTINGS: dict[str, object] = {
    "scheme.cache.policy": "none",
    "device.geometry.blocks": 24,
    "device.geometry.pages": 192,
    "device.geometry.channels": 2,
    "device.capacity.user_bytes": 2_000_000_000,
    "workload.source.requests": 3000,
    "workload.start.overwrite": 0.3,
    "workload.measure.interval_ns": 2_000_000,
    "workload.measure.block_table": True,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    for scheme in ("fifo", "suspend"):
        result = package.run("enterprise-tlc", scheme, "mixed-70-30-8k-qd16", overrides=SETTINGS)
        result.save(folder / scheme, ["wordline", "run", "--out", "x y"])
    return [folder / "fifo", folder / "suspend"]


class Page(HTMLParser):
    """Tags, links and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.specs: list[str] = []
        self._kind = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._kind = tag if tag != "script" else (dict(attrs).get("type") or "script")
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._kind = ""

    def handle_data(self, data: str) -> None:
        if self._kind == "application/json":
            self.specs += [data] if "$schema" in data else []
        elif self._kind not in ("script", "text/plain", "style"):
            self.words += data


def charts(page: Page) -> list[Any]:
    """The specifications of a page."""
    return [json.loads(text) for text in page.specs]


def test_a_page_shows_every_part_of_both_runs(wordline: Wordline, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    assert wordline("report", *runs, "--out", out).code == 0
    page = Page(out.read_text())
    result = json.loads((runs[0] / "result.json").read_text())
    for text in (
        *("Summary", "Response times", "Where the time went", "Over time", "by cause", "Dies and blocks"),
        *("fifo", "suspend", "scheme.scheduler.policy", "valid pages of superblocks"),
        *("What the parts are", "waiting while its die was busy with host programs"),
        *("seed", "read p50", "read max", "wordline run --out 'x y'"),
        f"{result['read']['iops']:,.0f} ±",
    ):
        assert text in page.words, text
    # Response times of 2, blame of 4, eight series, WAF, and dies, valid pages and erases of both.
    assert len(charts(page)) == page.tags.count("figure") == CHARTS
    assert page.links == ["data:,"]
    # Nothing is fetched but by the code itself, which has nothing to fetch.
    own = re.sub(r'<script type="text/plain" id="vega">.*?</script>', "", out.read_text(), flags=re.S)
    assert not re.search(r"url\(|@import|https?://(?!vega.github.io/schema)", own)
    assert out.stat().st_size < 1_500_000
    assert (runs[0] / "report.html").stat().st_size < 1_000_000


def encodings(spec: Any) -> Iterator[Any]:
    """Every encoding of a chart."""
    for part in (spec, *spec.get("layer", [])):
        yield from part.get("encoding", {}).values()


def test_axes_are_labelled_and_marked_where_they_are_logarithmic(runs: list[Path]) -> None:
    from wordline.report.html import render
    from wordline.report.runs import load_runs

    logarithmic = 0
    for spec in charts(Page(render(load_runs(runs)))):
        for part in encodings(spec):
            if isinstance(part, dict) and part.get("type") == "quantitative" and "scale" in part:
                assert part["title"]
                is_log = part["scale"].get("type") == "log"
                logarithmic += is_log
                assert part["title"].endswith(" (log)") == is_log
    assert logarithmic >= 4


def test_a_part_of_blame_has_one_color_in_every_report() -> None:
    from wordline.charts import colors
    from wordline.report import blame

    few = blame.charts({"a": [("x", {"cell": 3.0, "die_wait.gc_read": 1.0})]})
    many = {f"die_wait.cause_{number}": 1.0 + number for number in range(15)} | {"cell": 50.0}
    more = blame.charts({"b": [("x", many), ("y", {"cell": 1.0})]})
    seen = []
    for (chart,) in (few, more):
        color = next(part for part in encodings(chart.spec) if "scale" in part and "range" in part["scale"])
        seen.append(dict(zip(color["scale"]["domain"], color["scale"]["range"], strict=True)))
    assert len(seen[1]) == blame.MOST_PARTS and seen[1]["other"] == colors.OTHER
    cell = "cell array (tR, tPROG, tERASE)"
    assert seen[0][cell] == seen[1][cell] == colors.PARTS["cell"]
    assert sum(row["v"] for row in more[0].spec["data"]["values"] if row["r"] == "x") == sum(many.values())


def test_the_map_of_dies_has_an_absolute_scale(runs: list[Path]) -> None:
    from wordline.report import run_charts
    from wordline.report.runs import load_runs

    maps = [chart for chart in run_charts.maps(load_runs(runs)) if "erases" not in chart.about]
    assert len(maps) == 4
    for chart in maps:
        color = next(part for part in encodings(chart.spec) if "legend" in part)
        assert color["scale"]["domain"] == [0, 1]


def test_numbers_have_units_that_fit() -> None:
    from wordline.figures import fitting

    assert fitting("read.latency_ns.mean", 320e6) == "320 ms"
    assert fitting("read.latency_ns.mean", 1234.5) == "1.234 µs"
    assert fitting("read.latency_ns.mean", 80) == "80 ns"
    assert fitting("read.bandwidth_bytes_per_s", 1.25e9) == "1.25 GB/s"
    assert fitting("read.iops", 101058.4) == "101,058 /s"
    assert fitting("waf", 1.0) == "1"
    assert fitting("waf", None) == "–"
    assert fitting("read.latency_ns.mean", 0) == "0"


def test_intervals_that_are_joined_have_the_figures_of_a_longer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordline.report import run_charts
    from wordline.report.runs import load_runs

    uneven = {"workload.host.queue_depth": 1, "workload.measure.interval_ns": 300_000}
    package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=SMALL | uneven).save(tmp_path)
    (run,) = load_runs([tmp_path])
    rows = run.table("series")
    assert rows is not None and rows.num_rows > 100 and None in rows["waf"].to_pylist()
    monkeypatch.setattr(run_charts, "MOST_POINTS", 1)
    kinds = {kind: run.result[kind] for kind in ("read", "write")}
    joined = {column: run_charts._curve(run, rows, column, 1.0)[0][1] for column, *_ in run_charts.SERIES}
    for kind, whole in kinds.items():
        assert joined[f"{kind}_latency_mean_ns"] == pytest.approx(whole["latency_ns"]["mean"])
        rate = joined[f"{kind}_bytes"] * 1e9
        assert rate == pytest.approx(whole["bandwidth_bytes_per_s"])
    assert joined["waf"] == pytest.approx(run.result["waf"])
    assert joined["requests_outstanding_mean"] == pytest.approx(1.0)


def test_percentiles_of_joined_intervals_are_their_largest_and_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordline.report import run_charts
    from wordline.report.runs import load_runs

    often = {"workload.measure.interval_ns": 300_000}
    package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=SMALL | often).save(tmp_path)
    (run,) = load_runs([tmp_path])
    rows = run.table("series")
    assert rows is not None
    known = [value for value in rows["read_latency_p99_ns"].to_pylist() if value is not None]
    shown = {chart.about: chart.title for chart in run_charts.series([run])}
    whole = next(about for about in shown if about.startswith("reads, 99th percentile"))
    assert shown[whole].startswith("99th percentile of reads: ")
    monkeypatch.setattr(run_charts, "MOST_POINTS", 1)
    ((_, largest),) = run_charts._curve(run, rows, "read_latency_p99_ns", 1.0)
    assert largest == pytest.approx(max(known))
    shown = {chart.about: chart.title for chart in run_charts.series([run])}
    called = f"argest 99th percentile of {rows.num_rows} intervals"
    assert shown[f"reads, l{called} over time"].startswith(f"L{called}, reads: ")
    assert not any(title.startswith("99th percentile") for title in shown.values())
    assert f"reads, mean response time over time, means of {rows.num_rows} intervals" in shown


def test_curves_are_those_of_the_histograms(runs: list[Path]) -> None:
    from wordline.report.run_charts import _tail
    from wordline.report.runs import load_runs

    (run,) = load_runs(runs[:1])
    curve = _tail(run, "read")
    table = run.table("histogram")
    assert table is not None
    rows = [row for row in table.to_pylist() if row["direction"] == "read"]
    total = sum(row["requests"] for row in rows)
    for ns, share in curve[1:]:
        slower = sum(row["requests"] for row in rows if row["latency_ns"] > ns)
        assert share == pytest.approx(slower / total)
    assert curve[0][1] == 1.0


def test_a_thinned_curve_is_close_to_the_whole_one() -> None:
    from wordline.report.run_charts import MOST_POINTS, _thinned

    whole = [(1000.0 * 1.001**step, 0.999**step) for step in range(9000)]
    thin = _thinned(whole)
    assert thin[0] == whole[0] and thin[-1] == whole[-1] and MOST_POINTS / 2 < len(thin) <= MOST_POINTS + 2


def test_one_run_without_series_says_how_to_record_them(wordline: Wordline, tmp_path: Path) -> None:
    few = {"workload.source.requests": 500, "device.geometry.blocks": 256, "device.geometry.pages": 64}
    package.run("mqsim", overrides=few).save(tmp_path / "run")
    assert (
        wordline("report", tmp_path / "run", "--out", tmp_path / "r.html", "--title", "A <b> & c").code == 0
    )
    text = (tmp_path / "r.html").read_text()
    assert "workload.measure.interval_ns" in text
    assert "A &lt;b&gt; &amp; c" in text


def test_a_folder_of_seeds_stands_for_its_runs(wordline: Wordline, tmp_path: Path) -> None:
    few = {"workload.source.requests": 500, "device.geometry.blocks": 256, "device.geometry.pages": 64}
    package.run_seeds("mqsim", seeds=2, overrides=few).save(tmp_path / "seeds")
    assert wordline("report", tmp_path / "seeds", "--out", tmp_path / "r.html").code == 0
    assert "seed 2" in Page((tmp_path / "r.html").read_text()).words


def test_what_is_no_run_is_told(wordline: Wordline, tmp_path: Path) -> None:
    assert "allowed: a folder that a run wrote" in wordline("report", tmp_path).error()
    (tmp_path / "result.json").write_text("{}")
    assert "not the result of a run" in wordline("report", tmp_path).error()
    (tmp_path / "result.json").write_text("{")
    assert "not the result of a run" in wordline("report", tmp_path).error()


MEASURE = """
<script>
  const look = () => {
    if (!document.body.dataset.drawn) return setTimeout(look, 50);
    // What is folded up is drawn when it is opened.
    document.querySelectorAll('details').forEach(details => { details.open = true; });
    const wanted = [...document.querySelectorAll('figure.chart')];
    if (wanted.some(figure => !figure.dataset.drawn)) return setTimeout(look, 50);
    const drawn = [...document.querySelectorAll('figure.chart svg.marks')];
    const boxes = drawn.map(svg => svg.getBoundingClientRect());
    const outside = [];
    for (const svg of drawn) {
      const frame = svg.getBoundingClientRect();
      for (const text of svg.querySelectorAll('text')) {
        const box = text.getBoundingClientRect();
        if (text.textContent && (box.left < frame.left - 1 || box.right > frame.right + 1
            || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)) outside.push(text.textContent);
      }
    }
    const found = JSON.stringify({
      charts: drawn.length, smallest: Math.min(...boxes.map(box => Math.min(box.width, box.height))),
      outside, theme: document.body.dataset.drawn,
      marks: Math.min(...drawn.map(svg => svg.querySelectorAll('.mark-line path, .mark-rect path').length)),
      width: window.innerWidth,
      wide: document.documentElement.scrollWidth - window.innerWidth});
    document.title = found;
    parent.postMessage(found, '*');
  };
  look();
</script>
"""


PHONE = """<!doctype html><title></title>
<iframe style="width: 390px; height: 844px; border: 0" src="{page}"></iframe>
<script>addEventListener('message', event => {{ document.title = event.data; }})</script>
"""
"""A window of a browser is never as narrow as a phone; a frame in it is."""


def seen(page: Path, script: str, *arguments: str, phone: bool = False) -> Any:
    """What a script at the end of the page found out, once the charts are drawn."""
    copy = page.with_name(f"looked-at-{page.name}")
    copy.write_text(page.read_text() + script)
    if phone:
        frame = page.with_name(f"phone-{page.name}")
        frame.write_text(PHONE.format(page=copy.name))
        copy = frame
    process = browse(copy, PATIENT, "--dump-dom", *arguments)
    assert "CONSOLE" not in process.stderr, process.stderr
    title = re.search(r"<title>(.*?)</title>", process.stdout, re.S)
    assert title is not None, process.stderr
    return json.loads(html.unescape(title[1]))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_a_browser_draws_every_chart_on_a_desk_and_on_a_phone(
    runs: list[Path], tmp_path: Path, phone: bool, theme: str
) -> None:
    page = write_report(runs, tmp_path / "r.html")
    look = [DARK] if theme == "dark" else []
    found = seen(page, MEASURE, "--window-size=1200,900", *look, phone=phone)
    assert (found["theme"], found["width"]) == (theme, 390 if phone else 1200)
    assert found["charts"] == CHARTS
    assert found["smallest"] > 20 and found["marks"] >= 1
    assert found["outside"] == [], "labels are clipped"
    assert found["wide"] <= 0, "the page is wider than the window"


POINT_AND_CLICK = """
<script>
  const at = (target, kind) => {
    const box = target.getBoundingClientRect();
    const where = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true };
    target.dispatchEvent(new PointerEvent(kind, where));
    target.dispatchEvent(new MouseEvent(kind.replace('pointer', 'mouse'), where));
  };
  const look = async () => {
    if (!document.body.dataset.drawn) return setTimeout(look, 50);
    const settled = () => new Promise(done => setTimeout(done, 300));
    const figures = [...document.querySelectorAll('figure.chart')];
    const bars = figures.find(figure => figure.textContent.includes('reads: where the time'));
    const count = () => bars.querySelectorAll('.mark-rect.role-mark path').length;
    const before = count();
    const rect = bars.querySelector('.mark-rect.role-mark path');
    at(rect, 'pointerover'); at(rect, 'pointermove');
    await settled();
    const tip = document.getElementById('vg-tooltip-element').textContent;
    const entry = bars.querySelector('.role-legend-symbol path');
    at(entry, 'pointerdown'); at(entry, 'pointerup');
    entry.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await settled();
    document.title = JSON.stringify({ before, after: count(), tip });
  };
  look();
</script>
"""


def test_a_chart_tells_the_value_under_the_pointer_and_a_legend_hides(
    runs: list[Path], tmp_path: Path
) -> None:
    page = write_report(runs, tmp_path / "r.html")
    found = seen(page, POINT_AND_CLICK, "--window-size=1200,900")
    assert re.search(r"takes[\d.]+ [µm]s", found["tip"]) and "what it is" in found["tip"]
    assert 0 < found["after"] < found["before"]


def test_a_screenshot_has_the_colors_of_the_series(runs: list[Path], tmp_path: Path) -> None:
    import numpy
    from PIL import Image

    page, shot = write_report(runs, tmp_path / "r.html"), tmp_path / "shot.png"
    browse(page, PATIENT, "--window-size=1200,2400", f"--screenshot={shot}")
    pixels = numpy.asarray(Image.open(shot).convert("RGB")).astype(int)
    for red, green, blue in ((0x1F, 0x77, 0xB4), (0xD9, 0x77, 0x06)):
        near = abs(pixels - [red, green, blue]).sum(axis=2) < 12
        assert near.sum() > 500


FEW = {"workload.source.requests": 500, "device.geometry.blocks": 256, "device.geometry.pages": 64}


def test_a_run_is_called_by_what_was_set(wordline: Wordline, tmp_path: Path) -> None:
    from wordline.report.html import render
    from wordline.report.runs import load_runs

    for name, policy in (("one", "fifo"), ("other", "random")):
        more = FEW | {"scheme.gc.policy": "greedy", "scheme.scheduler.policy": "fifo"}
        result = package.run("mqsim", overrides=more | {"scheme.gc.policy": policy})
        assert "baseline, gc.policy=" in repr(result) and "mqsim, geometry.blocks=256" in repr(result)
        result.save(tmp_path / name)
    (one,) = load_runs([tmp_path / "one"])
    assert one.label == "baseline, gc.policy=fifo, scheduler.policy=fifo"
    assert f"<h1>mqsim, geometry.blocks=256, geometry.pages=64 · {one.label} ·" in render([one])
    assert "baseline, gc.policy=fifo" in (tmp_path / "one" / "report.txt").read_text()
    # What both have tells neither from the other.
    both = load_runs([tmp_path / "one", tmp_path / "other"])
    assert [run.label for run in both] == ["baseline, gc.policy=fifo", "baseline, gc.policy=random"]
    assert "baseline, gc.policy=random" in wordline("diff", tmp_path / "one", tmp_path / "other").out


def test_a_value_that_is_spelled_otherwise_is_no_other_one() -> None:
    from wordline import labels

    def result(requests: str, share: str, policy: str) -> dict[str, Any]:
        changed = {"source.requests": requests, "source.read_share": share, "kind": policy}
        changed = {f"workload.{key}": value for key, value in changed.items()}
        return {"config": {kind: {"name": kind} for kind in labels.KINDS}, "changed": changed}

    spelled = [result("30_000", "1.0", '"a"'), result("30000", "1", "'a'"), result("3_0_000", "1e0", "a")]
    same = labels.shared(spelled)
    assert [labels.changes(each, "workload", same) for each in spelled] == [[], [], []]
    told = {labels.called(each, "workload") for each in spelled}
    assert told == {"workload, source.requests=30000, source.read_share=1 and 1 more"}
    other = [spelled[0], result("30_001", "1.0", '"a"')]
    texts = [labels.changes(each, "workload", labels.shared(other)) for each in other]
    assert texts == [["source.requests=30000"], ["source.requests=30001"]]


def test_many_changed_keys_are_counted_behind_a_name() -> None:
    from wordline import labels

    changed = {f"scheme.gc.key_{number}": f"{number}" for number in range(20)}
    changed |= {"scheme.name": '"other"', "workload.measure.interval_ns": "1"}
    result = {"config": {kind: {"name": kind} for kind in labels.KINDS}, "changed": changed}
    assert labels.called(result, "scheme") == "scheme, gc.key_0=0, gc.key_1=1, gc.key_2=2 and 17 more"
    # What is measured besides changes nothing of what is simulated.
    assert labels.called(result, "workload") == "workload"
    long = {**result, "changed": {"device.key": "x" * 60}}
    assert labels.called(long, "device") == "device, 1 changed key"


def test_a_row_that_is_kept_holds_no_changed_keys(tmp_path: Path) -> None:
    found = package.compare("mqsim", schemes=["baseline", "fifo"], overrides=FEW, folder=tmp_path)
    found.save(tmp_path)
    loaded = package.load(tmp_path)
    assert isinstance(loaded, package.Comparison)
    for shown in (found, loaded):
        assert shown.title == "mqsim, geometry.blocks=256, geometry.pages=64 and 1 more"
        assert all(
            "changed" not in json.loads(row["result"]) for rows in shown._rows.values() for row in rows
        )


def test_write_amplification_of_nothing_programmed_has_no_empty_brackets() -> None:
    from rich.console import Console

    from wordline import report

    found = package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=FEW).to_dict()
    for by_cause, told in (({}, "0.000"), ({"host": 0.0}, "0.000"), ({"host": 0.5}, "0.000 (host 0.500)")):
        data = found | {"waf": 0.0, "waf_by_cause": by_cause, "intervals": {}}
        screen = io.StringIO()
        Console(file=screen, width=120).print(report.render(data))
        (line,) = (line for line in screen.getvalue().splitlines() if line.startswith("WAF"))
        assert line.removeprefix("WAF").strip() == told


def captions(text: str) -> list[str]:
    """What each chart shows."""
    found = re.findall(r"<figcaption>(.*?)</figcaption>", text)
    return [re.sub(r"<b>.*?</b><span>(.*?)(?:;.*)?</span>", r"\1", caption) for caption in found]


def test_a_page_begins_with_how_long_and_why(runs: list[Path]) -> None:
    from wordline.report.html import render
    from wordline.report.runs import load_runs

    text = render(load_runs(runs))
    lead, rest = text.split("<h2>Summary</h2>")
    assert captions(lead) == ["reads: how long requests took", "reads: where the time went, mean of all"]
    assert not set(captions(lead)) & set(captions(rest))
    for name in ("read IOPS", "read mean", "read p99", "write p99", "WAF"):
        assert f'<div class="tile"><span>{name}</span>' in lead
    assert lead.count("<small>suspend</small>") == lead.count('<div class="tile">') == 7
    result = json.loads((runs[1] / "result.json").read_text())
    assert f"<b>{result['read']['iops']:,.0f} /s</b>" in lead


def test_bars_of_one_run_share_an_axis_that_shows_them_all(tmp_path: Path) -> None:
    from dataclasses import replace

    from wordline.report.html import _panels
    from wordline.report.runs import load_runs

    package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=FEW).save(tmp_path)
    (run,) = load_runs([tmp_path])
    assert next(iter(_panels([run]))) == "where the time went, mean of all"
    small = {"mean": {"mean_ns": {"cell": 1.0}}, "tail": {"mean_ns": {"cell": 1.0}}}
    told = run.result | {"write": run.result["write"] | {"blame": small}}
    apart = _panels([replace(run, result=told)])
    assert next(iter(apart)) == "reads: where the time went, mean of all"
    assert apart["writes: where the time went, mean of all"] == [(run.label, {"cell": 1.0})]


def test_a_small_ratio_is_told_by_its_digits() -> None:
    from wordline.figures import to_three_digits

    said = {
        0.0: "0.000",
        0.00041234: "0.000412",
        0.05: "0.05",
        0.1: "0.100",
        1.23456: "1.235",
        -0.0004: "-0.0004",
    }
    assert {value: to_three_digits(value) for value in said} == said
