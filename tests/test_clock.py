"""Series of a trace by the time of day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_DRIVE, Wordline, sets
from test_report import seen

from wordline.charts import Clock
from wordline.charts.clock import DAY, S
from wordline.report.run_charts import clock_of
from wordline.report.runs import SavedRun, load_runs

TEN = 1_456_135_200 * S
"""2016-02-22, 10:00:00 UTC."""


def test_ticks_are_round_times_of_the_clock_whenever_the_run_began() -> None:
    spec = Clock(TEN + 250_000_000).spec(0, 5e9)
    assert spec is not None
    assert spec["values"] == [750_000_000 + second * S for second in range(5)]
    assert spec["title"] == "time of day (UTC), 2016-02-22" and "'%H:%M:%S'" in spec["label"]


@pytest.mark.parametrize(
    ("span", "step", "form"),
    [
        (7 * 10**6, 10**6, "'%H:%M:%S.%L'"),
        (1800 * S, 300 * S, "'%H:%M'"),
        (20 * 3600 * S, 3 * 3600 * S, "'%b %d %H:%M'"),
        (7 * DAY, DAY, "'%b %d'"),
    ],
)
def test_steps_and_labels_fit_the_span(span: int, step: int, form: str) -> None:
    spec = Clock(TEN).spec(0, span)
    assert spec is not None
    assert {b - a for a, b in zip(spec["values"], spec["values"][1:], strict=False)} == {step}
    assert all((TEN + value) % step == 0 for value in spec["values"])
    assert form in spec["label"]


def test_less_than_a_clock_shows_has_no_axis_of_it() -> None:
    assert Clock(TEN).spec(0, 500_000) is None


def run(start: int | None = TEN, settling: int = 0, flows: Any = (), **trace: Any) -> SavedRun:
    told = {"start_unix_ns": start, "keeps_pace": True} | trace
    result = {
        "traces": [told],
        "config": {"workload": {"flow": list(flows)}},
        "engine": {"settling_requests": settling},
    }
    return SavedRun("a", Path("a"), result)


def test_only_runs_that_share_a_clock_have_one() -> None:
    assert clock_of([run()]) == clock_of([run(), run()]) == Clock(TEN)
    assert clock_of([]) is None
    for other in (
        run(None),
        run(TEN + 1),
        run(keeps_pace=False),
        run(settling=5),
        run(flows=[{"start_ns": 10}]),
        run(flows=[{}, {"after": [0]}]),
    ):
        assert clock_of([run(), other]) is None


LOOK = """
<script>
  const look = async () => {
    if (!document.body.dataset.drawn) return setTimeout(look, 50);
    const figures = [...document.querySelectorAll('figure.chart')];
    const chart = figures.find(figure => figure.textContent.includes('reads, mean response time'));
    const axis = () => chart.querySelector('svg').textContent;
    const before = axis();
    document.getElementById('clock').click();
    while (document.body.dataset.clock !== 'true') await new Promise(done => setTimeout(done, 50));
    const by = axis();
    document.getElementById('clock').click();
    while (document.body.dataset.clock !== 'false') await new Promise(done => setTimeout(done, 50));
    document.title = JSON.stringify({ before, by, after: axis() });
  };
  look();
</script>
"""


def test_a_page_shows_series_of_a_trace_by_the_time_of_day(wordline: Wordline, tmp_path: Path) -> None:
    path, out = tmp_path / "lun.csv", tmp_path / "run"
    rows = (
        f"{TEN // S + index / 10:.6f},0.0001,{'RW'[index % 2]},0,{index * 4096},4096\n" for index in range(60)
    )
    path.write_text("Timestamp,Response,IOType,LUN,Offset,Size\n" + "".join(rows))
    drive = {**SMALL_DRIVE, "workload.measure.interval_ns": 100_000_000}
    wordline("run", "--device", "mqsim", *sets(drive), "--trace", path, "--out", out)
    assert clock_of(load_runs([out])) == Clock(TEN)
    found = seen(out / "report.html", LOOK, "--window-size=1200,900")
    assert "10:00:03" in found["by"] and "time of day (UTC), 2016-02-22" in found["by"]
    assert "time since the start of the run" in found["before"] and found["after"] == found["before"]


def test_a_page_without_a_clock_offers_none(wordline: Wordline, tmp_path: Path) -> None:
    path, out = tmp_path / "t.spc", tmp_path / "run"
    path.write_text("".join(f"0,{index * 8},4096,w,{index * 0.001:.6f}\n" for index in range(60)))
    drive = {**SMALL_DRIVE, "workload.measure.interval_ns": 10_000_000}
    wordline("run", "--device", "mqsim", *sets(drive), "--trace", path, "--out", out)
    assert 'id="clock"' not in (out / "report.html").read_text()
