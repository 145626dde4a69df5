"""Energy of operations as power and for each bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SMALL

import wordline as package
from wordline import power
from wordline.report import html
from wordline.report.runs import load_runs

FEW = {**SMALL, "workload.source.requests": 400}

ENERGY = {
    "device.energy.read_nj": [1000],
    "device.energy.program_nj": [20_000],
    "device.energy.erase_nj": 50_000,
}

LOAD = "mixed-70-30-8k-qd16"


def test_power_is_energy_by_time_and_by_bit(tmp_path: Path) -> None:
    run = package.run("mqsim", workload=LOAD, overrides=FEW | ENERGY)
    result = run.to_dict()
    found = power.of(result)
    flash = result["flash"]
    joules = (flash["reads"] * 1000 + flash["programs"] * 20_000 + flash["erases"] * 50_000) * 1e-9
    seconds = (result["window"]["end_ns"] - result["window"]["start_ns"]) * 1e-9
    assert found is not None and joules > 0
    assert found.watts == pytest.approx(joules / seconds)
    bits = 8 * (result["read"]["bytes"] + result["write"]["bytes"])
    assert found.pj_per_bit == pytest.approx(joules * 1e12 / bits)
    run.save(tmp_path)
    assert found.told() in " ".join((tmp_path / "report.txt").read_text().split())
    assert found.told() in html.body(load_runs([tmp_path])).replace("&#x27;", "'")


def test_without_energies_there_is_no_power() -> None:
    assert power.of(package.run("mqsim", workload=LOAD, overrides=FEW).to_dict()) is None


def test_nothing_for_each_bit_where_the_host_moved_none() -> None:
    window = {"start_ns": 0, "end_ns": 1000}
    none = {"read": {"requests": 0}, "write": {"requests": 0}}
    assert power.of({"window": window, "energy": {"total_pj": 2000}, **none}) == power.Power(0.002, None)


def test_power_is_a_figure_of_studies(tmp_path: Path) -> None:
    axes = {"workload.host.queue_depth": [1, 8]}
    described = {"device": "mqsim", "workload": LOAD, "set": FEW | ENERGY, "axes": axes}
    rows = package.sweep(described, tmp_path).to_pylist()
    assert all(row["energy.watts"] > 0 and row["energy.pj_per_bit"] > 0 for row in rows)
