"""Loads in sequence begin as they leave a drive: planes in step, and pages in order."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import SMALL_DRIVE

import wordline

IN_SEQUENCE: dict[str, object] = {
    **SMALL_DRIVE,
    "device.geometry.channels": 2,
    "device.geometry.ways": 1,
    "device.geometry.dies": 1,
    "device.geometry.planes": 2,
    "device.multi_plane.rule": "same_page",
    "workload.source.requests": 2000,
    "workload.source.pattern": {"kind": "sequential"},
    "workload.source.sizes": 65_536,
}


def flash(layout: str, read_share: float) -> dict[str, Any]:
    overrides = {**IN_SEQUENCE, "workload.source.read_share": read_share, "workload.start.layout": layout}
    found: dict[str, Any] = wordline.run("mqsim", "baseline", overrides=overrides).to_dict()["flash"]
    return found


def test_planes_of_a_die_that_are_written_in_sequence_are_programmed_together() -> None:
    programs = {layout: flash(layout, 0.0)["by_class"]["host_program"] for layout in ("steady", "in_order")}
    together = {layout: each["transactions"] / each["operations"] for layout, each in programs.items()}
    assert together["in_order"] < 0.6
    assert together["steady"] == pytest.approx(together["in_order"], abs=0.05)


def test_reads_in_sequence_find_pages_in_order() -> None:
    assert flash("steady", 1.0)["reads"] == flash("in_order", 1.0)["reads"]
