"""`wordline report` on a folder of folders: what is in it, and two runs side by side in the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, Wordline
from test_report import Page, seen
from test_tune import SEARCH

import wordline as package
from wordline import figures, intervals
from wordline.figures import at, fitting
from wordline.report.folders import write_report
from wordline.report.gathered import gather
from wordline.tuning import tune

FEW = {**SMALL, "workload.source.requests": 600, "workload.start.overwrite": 0.2}

LOAD = "mixed-70-30-8k-qd16"


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, studies, a broken run, a study that hasn't ended, other pages."""
    folder = tmp_path_factory.mktemp("top") / "outs"
    package.run("mqsim", "fifo", LOAD, overrides=FEW).save(folder / "run10")
    package.run("mqsim", "suspend", LOAD, overrides=FEW).save(folder / "run9")
    changed = FEW | {"scheme.gc.trigger": 0.04}
    package.run_seeds("mqsim", workload=LOAD, seeds=2, overrides=changed).save(folder / "deep" / "seeds")
    compared = package.compare(
        "mqsim", ["baseline", "fifo"], [LOAD], folder=folder / "compared", overrides=FEW
    )
    compared.save(folder / "compared")
    tune(SEARCH | {"trials": 2}, folder / "search")
    axes = {"workload.host.queue_depth": [1, 4]}
    package.sweep({"device": "mqsim", "workload": LOAD, "set": FEW, "axes": axes}, folder / "swept")
    (folder / "broken").mkdir()
    (folder / "broken" / "result.json").write_text("{")
    (folder / "left" / "rows").mkdir(parents=True)
    (folder / "left" / "rows" / "1-a-done.parquet").write_bytes(b"")
    (folder / "others").mkdir()
    (folder / "others" / "mine.html").write_text("<!doctype html><title>not of Wordline</title>")
    (folder / "others" / "shown.html").write_text((folder / "run9" / "report.html").read_text())
    (folder / "run9" / "report.html").unlink()
    return folder


@pytest.fixture(scope="module")
def page(top: Path) -> Path:
    return write_report([top], top / "all" / "index.html")


def cells(text: str) -> dict[str, list[str]]:
    """The fields of each line of the first table by the text of its first."""
    table = text.split('<table class="sortable">')[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    found = [[re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", row)] for row in rows]
    return {row[0]: row[1:] for row in found}


def test_every_run_is_a_line_with_what_was_run_and_its_figures(top: Path, page: Path) -> None:
    lines = cells(page.read_text())
    assert list(lines) == ["compared: baseline", "compared: fifo", "deep/seeds", "run9", "run10"]
    assert lines["deep/seeds"][:3] == ["baseline", "gc.trigger=0.04", "2: 1, 2"]
    assert lines["run10"][:3] == ["fifo", "", "1"]
    result = json.loads((top / "run10" / "result.json").read_text())
    assert any(cell.startswith(f"{result['read']['iops']:,.0f} /s") for cell in lines["run10"])
    words = Page(page.read_text()).words
    assert "set in all" in words and "device.geometry.blocks=" in words


def test_links_lead_to_pages_that_are_there_and_what_has_none_says_how(top: Path, page: Path) -> None:
    found = Page(page.read_text())
    links = {link for link in found.links if link not in ("data:,",)}
    expected = {"run10", "deep/seeds", "compared"}
    assert links == {f"../{name}/report.html" for name in expected} | {"../others/shown.html"}
    assert all((page.parent / link).is_file() for link in links)
    for name in ("run9", "search", "swept"):
        place = top / name
        assert f"wordline report {place} --out {place / 'report.html'}" in found.words


def test_studies_are_named_with_what_was_varied_and_their_best(top: Path, page: Path) -> None:
    found, words = gather([top], page), Page(page.read_text()).words
    means = [point.figure("read.latency_ns.mean") for point in found.sweeps["swept"].points]
    best = min(figure.value for figure in means if figure is not None)
    assert "queue_depth 1, 4" in words and "best read mean" in words
    assert fitting("read.latency_ns.mean", best) in words
    search = found.searches["search"]
    (trial,) = [trial for trial in search.trials if trial["trial"] in search.best]
    assert f"read mean {search.text(trial, 'read.latency_ns.mean')}" in words


def test_what_cannot_be_read_is_named_with_the_reason(page: Path) -> None:
    words = Page(page.read_text()).words
    assert re.search(r"broken: \S*broken/result.json: not the result of a run", words)
    assert "left: a study that hasn't ended" in words
    assert "not of Wordline" not in words


def test_files_of_others_under_our_names_are_named_and_no_failure(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    for name in ("run", "swept", "sought"):
        (tmp_path / "all" / name).mkdir(parents=True)
    bare: dict[str, Any] = {"config": {"device": {}}, "read": {}, "write": {}, "window": {}}
    (tmp_path / "all" / "run" / "result.json").write_text(json.dumps(bare))
    strange = pyarrow.table({"status": ["done"], "result": ["{}"]})
    pyarrow.parquet.write_table(strange, tmp_path / "all" / "swept" / "sweep.parquet")
    (tmp_path / "all" / "sought" / "search.json").write_text("[]")
    found = gather([tmp_path / "all"], tmp_path / "r.html")
    assert list(found.unreadable) == ["run", "sought", "swept"] and not found.places
    words = Page(write_report([tmp_path / "all"], tmp_path / "r.html").read_text()).words
    assert all(f"{name}: " in words for name in found.unreadable)


def test_the_page_is_the_same_however_often_it_is_written(top: Path, page: Path) -> None:
    before = page.read_bytes()
    assert write_report([top], page).read_bytes() == before
    assert len(gather([top], page).lines) == 5


def test_a_page_of_a_result_is_not_written_over(wordline: Wordline, top: Path) -> None:
    own = top / "run10" / "report.html"
    before = own.read_bytes()
    assert "which this command reads" in wordline("report", top, "--out", own).error()
    assert own.read_bytes() == before


def test_a_folder_of_nothing_and_one_that_is_not_there_are_refused(
    wordline: Wordline, tmp_path: Path
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert "no results in there" in wordline("report", tmp_path / "a", "--out", tmp_path / "r.html").error()
    told = wordline("report", tmp_path / "a", tmp_path / "c", "--out", tmp_path / "r.html").error()
    assert "c: no such folder" in told


BESIDE = """
<script>
  const texts = () => [...document.querySelectorAll('#beside [data-metric]')]
    .map(cell => [cell.dataset.metric, cell.textContent]);
  const firsts = () => [...document.querySelectorAll('#runs tbody tr')].map(row => row.cells[1].textContent);
  const found = { first: firsts() };
  document.querySelectorAll('#runs tbody tr')[3].querySelectorAll('input')[0].click();
  document.querySelectorAll('#runs tbody tr')[4].querySelectorAll('input')[1].click();
  found.changes = Object.fromEntries(texts());
  found.names = [...document.querySelectorAll('#beside .lead')].map(line => line.textContent);
  const differing = document.querySelectorAll('#beside table')[0];
  found.keys = [...differing.querySelectorAll('td')].map(cell => cell.textContent);
  const heads = [...document.querySelectorAll('#runs th button')];
  const head = heads.find(button => button.textContent === 'read mean');
  head.click(); found.up = firsts();
  head.click(); found.down = firsts();
  found.wide = document.documentElement.scrollWidth - window.innerWidth;
  document.title = JSON.stringify(found);
  parent.postMessage(document.title, '*');
</script>
"""


def told(one: Any, other: Any, metric: str) -> str:
    """What stands in the page beside a figure."""
    values = [at(result, metric) for result in (one, other)]
    ends = [intervals.of_result(result, metric) for result in (one, other)]
    assert values[0] is not None and values[1] is not None
    same = intervals.same(values[0], ends[0], values[1], ends[1])
    about = f"{figures.mark(same, *values)} ".lstrip()
    change = f"{(values[1] / values[0] - 1) * 100:+.1f}".replace("-", "−")
    return f"{about}{'0' if float(change.replace('−', '-')) == 0 else change}%"


@pytest.mark.parametrize("phone", [False, True])
def test_two_runs_are_laid_side_by_side_and_columns_sort(top: Path, page: Path, phone: bool) -> None:
    found = seen(page, BESIDE, "--window-size=1200,900", phone=phone)
    assert found["names"] == ["A: run9", "B: run10"]
    one, other = (json.loads((top / name / "result.json").read_text()) for name in ("run9", "run10"))
    for metric in ("read.latency_ns.mean", "read.latency_ns.p50", "write.iops", "waf", "flash.programs"):
        assert found["changes"][metric] == told(one, other, metric), metric
    assert "scheme.scheduler.policy" in found["keys"]
    lines = {line.name: line.figures["read.latency_ns.mean"].value for line in gather([top], page).lines}
    assert [lines[name] for name in found["up"]] == sorted(lines.values())
    assert [lines[name] for name in found["down"]] == sorted(lines.values(), reverse=True)
    assert found["wide"] <= 0, "the page is wider than the window"
