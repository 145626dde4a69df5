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
    result = {
        "config": {"device": {"energy": {"rest_mw": 3}}},
        "window": {"start_ns": 0, "end_ns": 1000},
        "energy": {"total_pj": 2000, "drive_pj": 5000},
        "read": {"requests": 0},
        "write": {"requests": 0},
    }
    assert power.of(result) == power.Power(0.005, None, ("requests", "the host's bytes"))


def test_a_drive_takes_power_beside_its_flash_and_what_has_no_figure_is_named(tmp_path: Path) -> None:
    plain = package.run("mqsim", workload=LOAD, overrides=FEW | ENERGY)
    rest = {"device.energy.rest_mw": 2500, "device.energy.request_nj": 400}
    run = package.run("mqsim", workload=LOAD, overrides=FEW | ENERGY | rest)
    flash, all_of_it = power.of(plain.to_dict()), power.of(run.to_dict())
    assert flash is not None and all_of_it is not None
    result = run.to_dict()
    requests = result["read"]["requests"] + result["write"]["requests"]
    window = result["window"]["end_ns"] - result["window"]["start_ns"]
    assert all_of_it.watts == pytest.approx(flash.watts + 2.5 + requests * 400 / window)
    assert flash.told().endswith("(without rest, requests, the host's bytes: no figures)")
    assert all_of_it.told().endswith("(without the host's bytes: no figures)")
    run.save(tmp_path)
    assert f"rest {2500 * window / 1e9:,.3f}" in " ".join((tmp_path / "report.txt").read_text().split())


def test_a_drive_whose_flash_has_no_figures_has_the_power_of_the_rest_and_says_so() -> None:
    run = package.run("mqsim", workload=LOAD, overrides=FEW | {"device.energy.rest_mw": 2500})
    found = power.of(run.to_dict())
    assert found is not None and found.watts == pytest.approx(2.5)
    assert found.missing[0] == "operations of the flash"


def test_power_is_a_figure_of_studies(tmp_path: Path) -> None:
    axes = {"workload.host.queue_depth": [1, 8]}
    described = {"device": "mqsim", "workload": LOAD, "set": FEW | ENERGY, "axes": axes}
    rows = package.sweep(described, tmp_path).to_pylist()
    assert all(row["energy.watts"] > 0 and row["energy.pj_per_bit"] > 0 for row in rows)


def test_requests_and_bits_are_those_answered_in_the_window() -> None:
    """Of an open loop that is far behind when the window opens: most came before it."""
    behind = {
        "workload.host.arrivals": "open",
        "workload.source.interarrival": {"kind": "fixed", "iops": 5e6},
        "workload.window.warmup_requests": 300,
        "device.energy.request_nj": 1000,
    }
    result = package.run("mqsim", workload=LOAD, overrides=FEW | ENERGY | behind).to_dict()
    seconds = (result["window"]["end_ns"] - result["window"]["start_ns"]) * 1e-9
    kinds = [result[kind] for kind in ("read", "write")]
    answered = sum(kind["iops"] for kind in kinds) * seconds
    assert answered > 2 * sum(kind["requests"] for kind in kinds)
    assert result["energy"]["beside_flash"]["requests_pj"] == pytest.approx(answered * 1_000_000)
    found = power.of(result)
    assert found is not None
    assert found.pj_per_bit == pytest.approx(result["energy"]["drive_pj"] / (answered * 8 * 8192))
