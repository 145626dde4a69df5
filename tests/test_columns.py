"""Columns of exhibits: which figures they may name, and what the lines of a table are called."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from wordline import WordlineError
from wordline.repro import columns, papers
from wordline.repro.exhibit import exhibits, read
from wordline.repro.table import records
from wordline.result_paths import may_be
from wordline.scenario import Scenario
from wordline.study.point import Point
from wordline.study.row import DONE


def test_a_path_is_a_figure_where_a_result_can_have_it() -> None:
    there = (
        "read.latency_ns.p99_9",
        "read_reclaim.operations",
        "waf_by_cause.gc",
        "read.blame.mean.mean_ns.die_wait.host_read",
        "flash.by_class.host_read.transactions",
        "systems.hotr.figures.redirected",
        "drive.logical_units",
        "lifetime.promised_years",
        "energy.watts",
    )
    absent = ("read_reclaim.started", "nothing", "read.latency_ns.p99_9.more", "systems.hotr.nothing.more")
    assert all(may_be(path) for path in there) and not any(may_be(path) for path in absent)


def test_every_exhibit_names_figures_that_results_have() -> None:
    for paper in papers():
        for exhibit in exhibits(paper):
            columns.check(exhibit)


@pytest.mark.parametrize(
    "path", ["read_reclaim.started", "sum:waf+wafs", "ratio:waf/read.nothing", "product:waf*2*nothing"]
)
def test_a_column_of_a_figure_that_no_result_has_is_refused(path: str) -> None:
    exhibit = dataclasses.replace(exhibits("pacp")[0], columns={"mine": path})
    with pytest.raises(WordlineError, match=r"columns\.mine: no result has"):
        columns.check(exhibit)


def test_values_are_called_as_an_exhibit_has_them(tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    path = tmp_path / "paper" / "one.toml"
    text = '[called]\n"hotr+hotr.hot_pages=9" = "hotr"\n[columns]\nscheme = "axis.scheme"\n[sweep]\n'
    path.write_text(f'title = "t"\n{text}')
    point = Point(Scenario(device="mqsim"), axes=(("scheme", "hotr+hotr.hot_pages=9"),))
    row = {"status": DONE, "inputs": "{}", "result": "{}"}
    (line,) = records(read(path), [point], [row])
    assert line["scheme"] == "hotr"
