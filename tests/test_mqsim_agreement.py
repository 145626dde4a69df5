"""Runs of MQSim, measured, and the same runs here: response times within 2%, flash commands within 1%; with a
cached map response times within 3%, look-ups of writes and reads of the map within 2%.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from mqsim_files import shared

import wordline
from wordline.mqsim import read
from wordline.result import Result

WHOLE_MAP = (
    "tpcc_ideal_TURNED_OFF",
    "tpcc_ideal_WRITE_CACHE",
    "randread_4k_qd1",
    "randread_4k_qd16",
    "randread_8k_qd16",
    "randwrite_8k_qd16_nocache",
    "mixed70_8k_qd16_nocache",
    "seqread_64k_qd4",
)
"""The runs with the whole map in DRAM."""


def run(folder: Path) -> Result:
    (scenario,) = read(folder / "ssdconfig.xml", folder / "workload.xml")
    return wordline.run(scenario.run_as(checked=False))


@pytest.mark.parametrize("name", WHOLE_MAP)
def test_a_run_agrees_with_mqsim(name: str) -> None:
    folder = shared()
    with (folder / "reference.csv").open(newline="") as file:
        (measured,) = (row for row in csv.DictReader(file) if row["name"] == name)
    result = run(folder / "runs" / name)
    for direction, one, commands in (("read", "reads", "read_cmd"), ("write", "writes", "program_cmd")):
        if int(measured[one]):
            mean = result[direction]["latency_ns"]["mean"] / 1e3
            assert mean == pytest.approx(float(measured[f"{direction}_mean_us"]), rel=0.02)
            # Kinds of requests are drawn at random: as many as MQSim's within half a percent.
            assert result[direction]["requests"] == pytest.approx(int(measured[one]), rel=0.005)
        kind = "read" if direction == "read" else "program"
        classes = result["flash"]["by_class"]
        taken = sum(classes[each]["transactions"] for each in classes if each.endswith(kind))
        wanted = int(measured[commands]) + int(measured[f"multiplane_{commands}"])
        assert taken == pytest.approx(wanted, rel=0.01)


MAP_WORK = {"tpcc_cmt2M_TURNED_OFF": (5_152, 6_889), "tpcc_cmt2M_WRITE_CACHE": (5_007, 6_885)}
"""Of the runs with a cached map, from MQSim's result files: look-ups of writes, and reads of the map."""


@pytest.mark.parametrize("name", MAP_WORK)
def test_a_run_with_a_cached_map_agrees_with_mqsim(name: str) -> None:
    folder = shared()
    with (folder / "reference.csv").open(newline="") as file:
        (measured,) = (row for row in csv.DictReader(file) if row["name"] == name)
    result = run(folder / "runs" / name)
    for direction in ("read", "write"):
        mean = result[direction]["latency_ns"]["mean"] / 1e3
        assert mean == pytest.approx(float(measured[f"{direction}_mean_us"]), rel=0.03)
    mapping = result["mapping"]
    writes, loads = MAP_WORK[name]
    assert mapping["hits_of_writes"] + mapping["misses_of_writes"] == pytest.approx(writes, rel=0.02)
    assert mapping["loads"] == pytest.approx(loads, rel=0.02)
    # No entry gives way, so what becomes of write-backs, which MQSim never issues, has no part in this.
    assert result["mapping"]["write_backs"] == 0
