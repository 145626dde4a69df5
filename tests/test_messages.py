"""What charts say above themselves: right numbers, as tables round them, in sentences."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import PATIENT, browse
from conftest import SMALL, Wordline

import wordline as package
from wordline import labels
from wordline.charts import Axis, Change, curves
from wordline.charts.images import standing, svg
from wordline.figures import fitting, fitting_interval
from wordline.report import messages
from wordline.report.html import render
from wordline.report.runs import SavedRun, load_runs

MIXED = "mixed-70-30-8k-qd16"

COMPOSED = "suspend+" + "+".join(
    (
        "mapping.policy=page", "mapping.unmapped_reads=zeros", "mapping.cache_bytes=262144",
        "mapping.entry_bytes=8", "mapping.translation_entry_bytes=4", "mapping.protected_share=0.0",
        "mapping.batch_entries=0", "mapping.eviction=foreground", "placement.policy=static",
        "placement.order=PCWD", "blocks.superblock=drive", "read_counts=off",
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SavedRun:
    folder = tmp_path_factory.mktemp("composed")
    settings = SMALL | {"workload.source.requests": 12_000}
    package.run("mqsim", COMPOSED, MIXED, overrides=settings).save(folder)
    (found,) = load_runs([folder])
    return found


def captions(text: str) -> dict[str, str]:
    """By what each chart shows: what it says."""
    found = re.findall(r"<figcaption><b>(.*?)</b><span>(.*?)</span></figcaption>", text)
    return {html.unescape(about): html.unescape(said) for said, about in found}


def test_every_chart_of_a_run_says_what_it_shows(run: SavedRun) -> None:
    text = render([run])
    said = captions(text)
    assert len(said) == text.count("<figcaption>") >= 5
    read, write = (
        fitting("latency_ns.", run.result[kind]["latency_ns"]["p99"]) for kind in ("read", "write")
    )
    assert f"<td class=w>read p99</td><td class=n>{read.split()[0]} ±" in text
    about = "how long requests took; pale bars: 95% intervals of percentiles"
    assert said[about] == f"99% of reads took at most {read}, 99% of writes took at most {write}"
    blame = run.result["read"]["blame"]["mean"]["mean_ns"]
    cell = blame["cell"] / sum(blame.values())
    assert said["where the time went, mean of all"].startswith(
        f"{cell:.0%} of a read's time is the cell array"
    )
    assert said["write amplification by cause"].startswith("1 byte was programmed for each byte written")


def test_percentiles_of_few_requests_are_not_told() -> None:
    def result(requests: int, half: float = 0.0) -> dict[str, Any]:
        kind = {"requests": requests, "latency_ns": {"p50": 1e3, "p90": 2e3, "p95": 3e3, "p99": 4e3}}
        figures = {"read.latency_ns.p99": {"low": 4e3 - half, "high": 4e3 + half, "degrees": 9}}
        none = {"requests": 0}
        return {"read": kind, "write": none, "trim": none, "flush": none, "intervals": {"figures": figures}}

    say = messages.response_times
    assert say(result(3000)) == "99% of reads took at most 4 µs"
    assert say(result(2999)) == "95% of reads took at most 3 µs"
    assert say(result(60)) == "50% of reads took at most 1 µs"
    assert say(result(59)) == ""
    # Chance is all that it tells.
    assert say(result(3000, half=5e3)) == "95% of reads took at most 3 µs"
    several = [("a", result(9000)), ("b", result(700))]
    assert messages.response_times_of("read", several) == "95% of reads took at most 3 µs (all)"
    assert messages.response_times_of("write", several) == ""


def test_figures_of_several_are_told_with_whose_they_are() -> None:
    told = [("a", 2.0, "2"), ("b", 1.0, "1"), ("c", 3.0, "3")]
    assert messages.each(told[:1]) == "2"
    assert messages.each(told[:2]) == "2 (a) and 1 (b)"
    assert messages.each(told) == "2 (a), 1 (b) and 3 (c)"
    assert messages.each([*told, ("d", 2.5, "2.5")]) == "1 (b) to 3 (c)"


def test_shares_that_are_not_all_or_nothing_never_look_so() -> None:
    said = {0.0: "0%", 1e-9: "less than 1%", 0.005: "less than 1%", 0.62: "62%", 1.0: "100%"}
    said |= {0.994: "99%", 0.996: "more than 99%", 1 - 1e-9: "more than 99%"}
    assert {share: messages.percent(share) for share in said} == said


def test_waits_for_dies_are_one_thing_whatever_the_dies_do() -> None:
    parts = {"die_wait.gc_read": 31.0, "die_wait.host_program": 31.0, "cell": 38.0}
    rows = [("reads", parts), ("writes", {"cell": 3.0, "link": 1.0})]
    text = "62% of a read's time is waiting for dies, 75% of a write's is the cell array's work"
    assert messages.parts_of_kinds(rows, tail=False) == text
    assert messages.parts_of_kinds([rows[0], ("writes", parts)], tail=True) == (
        "From p99 on, 62% of a read's time is waiting for dies, 62% of a write's"
    )
    both = [("fifo", parts), ("other", {"cell": 3.0, "die_wait.gc_read": 7.0})]
    assert messages.parts_of("read", both, tail=False) == (
        "Waiting for dies takes 62% (fifo) and 70% (other) of a read's time"
    )
    assert messages.parts_of_kinds([("reads", {}), ("writes", {"cell": 0.0})], tail=False) == ""
    assert messages.parts_of("read", [], tail=False) == messages.parts_of_kinds([], tail=False) == ""


def test_singular_and_plural() -> None:
    assert messages.busy([0.5]) == "The die was busy 50% of the window"
    assert messages.busy([0.5, 0.5]) == "Each die was busy 50% of the window"
    assert messages.busy([0.5, 0.7]) == "Dies were busy 50% to 70% of the window, 60% in the mean"
    assert messages.erased([0, 0]) == "No superblock was erased"
    assert messages.erased([1, 1]) == "Each superblock was erased once"
    assert messages.erased([0, 3]) == "Superblocks were erased 0 to 3 times, 1.5 in the mean"
    assert messages.valid([0.2, 0.6]) == "40% of superblocks' pages are valid, 20% to 60% of each"
    waf = messages.write_amplification
    assert waf([("a", 1.0, {"host": 1.0, "gc": 0.0})]) == (
        "1 byte was programmed for each byte written, all for the host"
    )
    assert waf([("a", 4.0, {"host": 1.0, "gc": 3.0})]) == (
        "4 bytes were programmed for each byte written, 75% of them for garbage collection"
    )
    assert waf([("a", 4.0, {}), ("b", 2.5, {})]) == (
        "4 (a) and 2.5 (b) bytes were programmed for each byte written"
    )
    assert waf([("a", 1.0, {}), ("b", 1.0, {})]) == "1 (all) byte was programmed for each byte written"
    assert waf([("a", 1.0, {}), ("b", 1.002, {})]).endswith(
        "1.002 (b) bytes were programmed for each byte written"
    )
    assert waf([]) == ""


def test_a_series_says_how_far_it_went() -> None:
    lines = {"a": [(0.0, 1e3), (1.0, 2e6)], "b": [(0.0, 5.0)]}
    say = messages.over_time
    assert say("Mean", "time", {"a": lines["a"]}) == "Mean: 1 µs to 2 ms"
    assert say("Mean", "time", lines) == "Mean: 1 µs to 2 ms (a), 5 ns (b)"
    assert say("Rate", "rate", dict.fromkeys("abcd", lines["a"])) == "Rate: 1 kB/s to 2 MB/s"
    assert say("Mean", "time", {}) == ""


def changed(row: str, ratio: float, half: float | None, series: str = "s") -> Change:
    return Change(row, series, ratio, half, "")


def test_changes_are_told_with_what_chance_may_have_done() -> None:
    large, small, none = (
        changed("read p99 ↓", 0.549, 0.1),
        changed("WAF ↓", 1.1, 0.05),
        changed("x", 1.1, 0.2),
    )
    unknown = changed("y", 3.0, None)
    say = messages.changes
    assert say([large, small, none]) == (
        "2 of 3 changes exceed chance, the largest that of read p99 (−45.1%)"
    )
    assert say([small, none]) == "1 of 2 changes exceeds chance: WAF (+10.0%)"
    assert say([small]) == "The change of WAF (+10.0%) exceeds chance"
    assert say([none]) == "No change exceeds chance"
    assert say([none, unknown]) == "No change is known to exceed chance"
    assert say([unknown]).startswith("Without intervals")
    other = changed("WAF ↓", 30.0, 1.0, "t")
    assert say([large, other]) == "2 of 2 changes exceed chance, the largest that of WAF of t (×30)"
    assert messages.differences("WAF", "f", [False, True]) == "WAF: 1 of 2 differences from f exceeds chance"
    assert messages.differences("WAF", "f", [True, None]) == (
        "WAF: none of 2 differences from f are known to exceed chance"
    )


def test_tiles_round_intervals_as_tables_do(run: SavedRun) -> None:
    text = render([run])
    tiles = re.findall(r'<div class="tile"><span>(.*?)</span><b>(.*?)</b> <i>±(.*?)</i>', text)
    assert len(tiles) >= 5
    for name, value, half in tiles:
        own, _, unit = value.partition(" ")
        together = f"{own} ±{half.removesuffix(unit).strip()} {unit}".strip()
        assert f"<td class=w>{name}</td><td class=n>{together}</td>" in text, name
    assert fitting_interval("waf", 17.63, 0.6183) == "17.63 ±0.62"


def test_intervals_of_percentiles_are_drawn_where_a_result_has_them(run: SavedRun) -> None:
    from wordline.report.run_charts import latencies

    (chart,) = latencies([run])
    figures = run.result["intervals"]["figures"]
    bars = next(layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "rule")
    rows = {(row["s"], row["n"]): row for row in bars["data"]["values"]}
    known = figures["read.latency_ns.p99"]
    row = rows["reads", "read p99"]
    assert (row["x"], row["x2"]) == pytest.approx((known["low"], known["high"]), rel=1e-5) and row[
        "y"
    ] == 0.01
    names = [f"{kind}.latency_ns.{name}" for kind in ("read", "write") for name in ("p50", "p99_9", "p99_99")]
    there = {f"{row['n'].replace(' ', '.latency_ns.').replace('p99.', 'p99_')}" for row in rows.values()}
    assert {name for name in names if figures[name]} == {name for name in names if name in there}
    assert "pale bars" in chart.about and chart.spec["layer"].index(bars) == 0
    assert chart.spec["encoding"]["color"]["legend"]["symbolOpacity"] == 1
    bare = SavedRun(run.label, run.folder, run.result | {"intervals": {}})
    (chart,) = latencies([bare])
    assert "pale" not in chart.about and all(layer["mark"]["type"] != "rule" for layer in chart.spec["layer"])


def test_an_interval_along_an_axis_that_begins_below_nothing_is_cut() -> None:
    log = Axis("t", "time", log=True)
    spans = {"a": [(-5.0, 40.0, 0.1, "p90"), (-9.0, -5.0, 0.2, "gone")]}
    chart = curves("p", {"a": [(8, 0.5), (20, 0.1)]}, log, Axis("s", "share"), spans=spans)
    (row,) = chart.spec["layer"][0]["data"]["values"]
    assert (row["x"], row["x2"]) == (4, 40) and svg(chart).startswith("<svg")


def test_a_message_stands_above_what_a_picture_shows() -> None:
    chart = curves("what", {"a": [(1, 1), (2, 3)]}, Axis("x"), Axis("y"))
    assert chart.saying("").title == "what" and standing(chart.saying(""))["title"] == "what"
    long = chart.saying("a sentence of many words " * 6, "; more")
    title = standing(long)["title"]
    assert len(title["text"]) > 1 and title["subtitle"] == ["what; more"]
    assert ">what; more</text>" in svg(long)


def test_long_names_are_short_in_labels_and_each_its_own() -> None:
    assert len(COMPOSED) > 290
    assert labels.brief("baseline+scheduler.policy=fifo") == "baseline+scheduler.policy=fifo"
    assert labels.brief(COMPOSED) == "suspend+mapping.policy=page and 11 more"
    assert len(labels.brief("x" * 99)) == labels.LONGEST_NAME
    both = labels.briefs(["fifo", COMPOSED, COMPOSED + "+gc.choices=3"])
    assert both[COMPOSED] == "suspend+mapping.policy=page and 11 more" and both["fifo"] == "fifo"
    alike = labels.briefs(["y" * 99, "y" * 100])
    assert len(set(alike.values())) == 2


LOOK = """
<script>
  const look = () => {
    if (!document.body.dataset.drawn) return setTimeout(look, 50);
    const right = document.documentElement.clientWidth;
    const out = [];
    for (const each of document.querySelectorAll('h1, h2, p, dd, td, th, figcaption, .tile')) {
      if (each.closest('.scroll') && each.cellIndex > 1) continue;
      if (each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > right + 1) {
        out.push(each.textContent);
      }
    }
    document.title = JSON.stringify({ out, wide: document.documentElement.scrollWidth - right });
  };
  look();
</script>
"""


@pytest.mark.parametrize("width", [768, 1280, 1920])
def test_a_long_name_stays_on_the_page(run: SavedRun, tmp_path: Path, width: int) -> None:
    text = render([run])
    assert f"<dd>{COMPOSED}" in text and COMPOSED not in text.split("<h2>")[0]
    page = tmp_path / "r.html"
    page.write_text(text + LOOK)
    seen = browse(page, PATIENT, "--dump-dom", f"--window-size={width},900").stdout
    title = re.search(r"<title>(.*?)</title>", seen, re.S)
    assert title is not None and json.loads(html.unescape(title[1])) == {"out": [], "wide": 0}


def test_a_comparison_of_long_names(wordline: Wordline, tmp_path: Path) -> None:
    found = package.compare(
        "mqsim", schemes=["baseline", COMPOSED], workloads=[MIXED], overrides=SMALL, folder=tmp_path / "c"
    )
    found.save(tmp_path / "c")
    assert wordline("report", tmp_path / "c", "--out", tmp_path / "r.html").code == 0
    text = (tmp_path / "r.html").read_text()
    brief = labels.brief(COMPOSED)
    assert text.count(COMPOSED) == 1 and f"baseline, {brief}</h1>" in text
    said = captions(text)
    assert re.search(r"of 7 changes exceed|No change", said[MIXED])
    p95 = [found.cell(MIXED, scheme, "read.latency_ns.p95") for scheme in found.schemes]
    one, other = (fitting("latency_ns.", cell.value) for cell in p95 if cell is not None)
    shown = said[f"{MIXED}: reads, percentiles; pale bars: 95% intervals"]
    assert shown == f"p95 of reads: {one} (baseline) and {other} ({brief})"
