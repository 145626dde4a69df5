"""`wordline report`: one page that opens without network, checked in a browser without a window."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import browse
from conftest import Wordline

import wordline as package

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
        package.run("enterprise-tlc", scheme, "mixed-70-30-8k-qd16", overrides=SETTINGS).save(folder / scheme)
    return [folder / "fifo", folder / "suspend"]


class Page(HTMLParser):
    """Tags, links and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_page_shows_every_part_of_both_runs(wordline: Wordline, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    assert wordline("report", *runs, "--out", out).code == 0
    page = Page(out.read_text())
    result = json.loads((runs[0] / "result.json").read_text())
    for text in (
        *("Summary", "Response times", "Where the time went", "Over time", "by cause", "Dies and blocks"),
        *(
            "fifo",
            "suspend",
            "die busy with host programs",
            "scheme.scheduler.policy",
            "valid pages of superblocks",
        ),
        f"{result['read']['latency_ns']['p99'] / 1000:,.0f}",
    ):
        assert text in page.words, text
    # Response times of 2, blame of 4, eight series, WAF, and dies, valid pages and erases of both.
    assert page.tags.count("svg") == 2 + 4 + 8 + 1 + 6
    assert page.links == ["data:,"]
    assert not re.search(r"url\(|@import|<script", out.read_text())


def test_curves_are_those_of_the_histograms(runs: list[Path]) -> None:
    from wordline.report.html import _tail
    from wordline.report.runs import load_runs

    (run,) = load_runs(runs[:1])
    curve = _tail(run, "read")
    table = run.table("histogram")
    assert table is not None
    rows = [row for row in table.to_pylist() if row["direction"] == "read"]
    total = sum(row["requests"] for row in rows)
    for microseconds, share in curve[1:]:
        slower = sum(row["requests"] for row in rows if row["latency_ns"] / 1e3 > microseconds)
        assert share == pytest.approx(slower / total)
    assert curve[0][1] == 1.0


def test_one_run_without_series_says_how_to_record_them(wordline: Wordline, tmp_path: Path) -> None:
    few = {"workload.source.requests": 500, "device.geometry.blocks": 256, "device.geometry.pages": 64}
    package.run(overrides=few).save(tmp_path / "run")
    assert (
        wordline("report", tmp_path / "run", "--out", tmp_path / "r.html", "--title", "A <b> & c").code == 0
    )
    text = (tmp_path / "r.html").read_text()
    assert "workload.measure.interval_ns" in text
    assert "A &lt;b&gt; &amp; c" in text


def test_a_folder_of_seeds_stands_for_its_runs(wordline: Wordline, tmp_path: Path) -> None:
    few = {"workload.source.requests": 500, "device.geometry.blocks": 256, "device.geometry.pages": 64}
    package.run_seeds(seeds=2, overrides=few).save(tmp_path / "seeds")
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
  const drawn = [...document.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect());
  const charts = [...document.querySelectorAll('svg')];
  const marks = charts.map(svg => svg.querySelectorAll('path.line, rect').length);
  const empty = [...document.querySelectorAll('path.line')].filter(path => path.getTotalLength() < 5).length;
  document.title = JSON.stringify({
    charts: drawn.length, smallest: Math.min(...drawn.map(box => Math.min(box.width, box.height))),
    marks: Math.min(...marks), empty, wide: document.documentElement.scrollWidth - window.innerWidth});
</script>
"""


@pytest.mark.parametrize("size", ["1200,900", "390,844"])
def test_a_browser_draws_every_chart_on_a_desk_and_on_a_phone(
    runs: list[Path], tmp_path: Path, size: str
) -> None:
    from wordline.report.html import write_report

    page = write_report(runs, tmp_path / "r.html")
    page.write_text(page.read_text() + MEASURE)
    process = browse(page, f"--window-size={size}", "--dump-dom")
    assert "CONSOLE" not in process.stderr
    title = re.search(r"<title>(.*?)</title>", process.stdout)
    assert title is not None, process.stderr
    seen: dict[str, Any] = json.loads(title[1])
    assert seen["charts"] == 21
    assert seen["smallest"] > 20 and seen["marks"] >= 1 and seen["empty"] == 0
    assert seen["wide"] <= 0, "the page is wider than the window"


def test_a_screenshot_has_the_colors_of_the_series(runs: list[Path], tmp_path: Path) -> None:
    from matplotlib import image

    from wordline.report.html import write_report

    page, shot = write_report(runs, tmp_path / "r.html"), tmp_path / "shot.png"
    browse(page, "--window-size=1200,2400", f"--screenshot={shot}")
    pixels = (image.imread(shot)[:, :, :3] * 255).round().astype(int)
    for red, green, blue in ((0x1F, 0x77, 0xB4), (0xD9, 0x77, 0x06)):
        near = abs(pixels - [red, green, blue]).sum(axis=2) < 12
        assert near.sum() > 500
