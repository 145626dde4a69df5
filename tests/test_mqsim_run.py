"""What `wordline mqsim` gives: results of its own, MQSim's file, and the same again from its export."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline
from mqsim_files import configuration, shared, synthetic, trace, workload


def results(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((path / "result.json").read_text())
    del data["engine"]
    return data


NORMAL = {
    "Request_Size_Distribution": "NORMAL",
    "Average_Request_Size": "24",
    "Variance_Request_Size": "8",
    "Generated_Aligned_Addresses": "false",
    "Read_Percentage": "50",
}
HOT = {"Address_Distribution": "RANDOM_HOTCOLD", "Percentage_of_Hot_Region": "20", "Read_Percentage": "50"}
STREAMING = {"Address_Distribution": "STREAMING", "Average_Request_Size": "64", "Read_Percentage": "0"}

FLOWS = {
    "reads": [synthetic()],
    "hot_and_cold": [synthetic(**HOT)],
    "streaming": [synthetic(**STREAMING)],
    "normal_sizes": [synthetic(**NORMAL)],
    "bandwidth": [synthetic(Synthetic_Generator_Type="BANDWIDTH", Bandwidth="20480000")],
    "stopped": [synthetic(Stop_Time="20000000")],
    "two": [
        synthetic(Priority_Class="URGENT"),
        synthetic(Read_Percentage="0", Priority_Class="LOW", Seed="7"),
    ],
}


@pytest.mark.parametrize("flows", FLOWS)
@pytest.mark.parametrize("caching", ["TURNED_OFF", "WRITE_CACHE", "WRITE_READ_CACHE"])
def test_a_run_of_the_export_gives_the_same_result(
    tmp_path: Path, wordline: Wordline, flows: str, caching: str
) -> None:
    mode = f"<Device_Level_Data_Caching_Mode>{caching}<"
    changed = [flow.replace("<Device_Level_Data_Caching_Mode>WRITE_CACHE<", mode) for flow in FLOWS[flows]]
    conditioned = "true" if caching == "TURNED_OFF" else "false"
    drive = configuration(tmp_path, {"Enabled_Preconditioning": conditioned})
    out, toml = tmp_path / "out", tmp_path / "toml"
    done = wordline(
        "mqsim", "-i", drive, "-w", workload(tmp_path, changed),
        "--out", out, "--export", toml, "--checked", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.json()["scenarios"][0]["result"]["read"]["requests"] is not None
    parts = [f"--{kind}={toml / kind}.toml" for kind in ("device", "scheme", "workload")]
    again = wordline("run", *parts, "--seed", "321", "--checked", "--out", tmp_path / "again")
    assert again.code == 0, again.err
    assert results(out) == results(tmp_path / "again")


def structure(element: ET.Element) -> dict[str, Any]:
    """Names of an element's attributes, and its children by name."""
    children: dict[str, Any] = {}
    for child in element:
        children.setdefault(child.tag, structure(child))
    return {"attributes": set(element.attrib), "children": children}


def assert_holds(found: dict[str, Any], wanted: dict[str, Any], where: str) -> None:
    assert wanted["attributes"] <= found["attributes"], where
    for name, child in wanted["children"].items():
        assert name in found["children"], f"{where}/{name}"
        assert_holds(found["children"][name], child, f"{where}/{name}")


def test_the_result_file_has_all_that_mqsim_s_has(tmp_path: Path, wordline: Wordline) -> None:
    folder = shared() / "runs" / "tpcc_ideal_WRITE_CACHE"
    done = wordline("mqsim", "-i", folder / "ssdconfig.xml", "-w", folder / "workload.xml", "--out", tmp_path)
    assert done.code == 0, done.err
    ours = ET.parse(tmp_path / "workload_scenario_1.xml").getroot()  # noqa: S314
    theirs = ET.parse(folder / "workload_scenario_1.xml").getroot()  # noqa: S314
    assert ours.tag == theirs.tag == "MQSim_Results"
    assert_holds(structure(ours), structure(theirs), "MQSim_Results")
    for tag, attribute in (("SSDDevice.TSU/*", "Name"), ("SSDDevice.FlashChips", "ID")):
        names = [
            [each.get(attribute) for each in root.findall(f"SSDDevice/{tag}")] for root in (ours, theirs)
        ]
        assert names[0] == names[1]
    # Averages of the flash commands. MQSim divides its sums by the pages of all requests; those of writes
    # that the cache took in again never reach flash. So times are compared with those of the cells.
    stream = "SSDDevice/SSDDevice.HostInterface/SSDDevice.IO_Stream"
    for name in ("Read_Transaction_Turnaround", "Write_Transaction_Turnaround", "Write_Transaction_Waiting"):
        execution = f"{stream}/Average_{name.split('_')[0]}_Transaction_Execution_Time"
        path = f"{stream}/Average_{name}_Time"
        figures = [
            float(root.findtext(path, "nan")) / float(root.findtext(execution, "nan"))
            for root in (ours, theirs)
        ]
        assert figures[0] == pytest.approx(figures[1], rel=0.02), name


def test_figures_of_the_result_file_are_those_of_the_result(tmp_path: Path, wordline: Wordline) -> None:
    flows = [synthetic(Read_Percentage="60"), synthetic(Read_Percentage="20", Seed="3")]
    done = wordline(
        "mqsim", "-i", configuration(tmp_path), "-w", workload(tmp_path, flows), "--out", tmp_path / "out"
    )
    assert done.code == 0, done.err
    data = results(tmp_path / "out")
    root = ET.parse(tmp_path / "out" / "workload_scenario_1.xml").getroot()  # noqa: S314
    for element, flow in zip(root.findall("Host/Host.IO_Flow"), data["flows"], strict=True):
        for direction, suffix in (("read", "Read"), ("write", "Write")):
            assert int(element.findtext(f"{suffix}_Request_Count", "")) == flow[direction]["requests"]
            mean = float(element.findtext(f"Device_Response_Time_{suffix}", ""))
            assert mean == pytest.approx(flow[direction]["latency_ns"]["mean"] / 1e3, abs=1e-6)
            tail = float(element.findtext(f"P99_Device_Response_Time_{suffix}", ""))
            assert tail == pytest.approx(flow[direction]["latency_ns"]["p99"] / 1e3, abs=1e-6)
    ftl = root.find("SSDDevice/SSDDevice.FTL")
    assert ftl is not None
    commands = sum(
        int(ftl.get(f"Issued_Flash_{several}{name}_CMD", ""))
        for name in ("Read", "Program", "Erase")
        for several in ("", "Multiplane_")
    )
    assert commands == data["flash"]["transactions"]
    queues = root.findall("SSDDevice/SSDDevice.TSU/*")
    entered = sum(int(queue.get("No_Of_Transactions_Enqueued", "")) for queue in queues)
    assert entered == data["flash"]["reads"] + data["flash"]["programs"] + data["flash"]["erases"]


def test_without_a_folder_mqsim_s_file_stands_beside_the_workload(tmp_path: Path, wordline: Wordline) -> None:
    flows = workload(tmp_path, [synthetic()], [synthetic()], name="mine.xml")
    done = wordline("mqsim", "-i", configuration(tmp_path), "-w", flows)
    assert done.code == 0, done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mine.xml", "mine_scenario_1.xml", "mine_scenario_2.xml", "ssdconfig.xml",
    ]  # fmt: skip
    assert "Scenario 2 of 2" in done.out


def test_the_log_of_response_times_becomes_a_time_series(tmp_path: Path, wordline: Wordline) -> None:
    drive = configuration(
        tmp_path,
        {"Enable_ResponseTime_Logging": "true", "ResponseTime_Logging_Period_Length": "1000000"},
    )
    done = wordline("mqsim", "-i", drive, "-w", workload(tmp_path, [synthetic()]), "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert (tmp_path / "out" / "series.parquet").is_file()


def arrivals(folder: Path, wordline: Wordline, **keys: str) -> tuple[int, float]:
    """Requests of a trace of four, 100 time units apart, and how long the run takes, ns."""
    (folder / "four.trace").write_text("".join(f"{100 * n} 0 {16 * n} 16 1\n" for n in range(4)))
    flows = workload(folder, [trace(str(folder / "four.trace"), **keys)])
    done = wordline("mqsim", "-i", configuration(folder), "-w", flows, "--out", folder / "out", "--json")
    result = done.json()["scenarios"][0]["result"]
    return result["read"]["requests"], result["window"]["end_ns"]


def test_time_unit_share_and_replays_of_a_trace_are_honoured(tmp_path: Path, wordline: Wordline) -> None:
    """MQSim takes every time for nanoseconds, and delays of replays are absurd (defect 10)."""
    requests, one = arrivals(tmp_path, wordline)
    assert requests == 4
    micro = arrivals(tmp_path, wordline, Time_Unit="MICROSECOND")
    assert micro[0] == 4 and micro[1] == pytest.approx(300_000 + 100_000, rel=0.2)
    assert arrivals(tmp_path, wordline, Time_Unit="PICOSECOND")[1] <= one
    assert arrivals(tmp_path, wordline, Percentage_To_Be_Executed="50")[0] == 2
    assert arrivals(tmp_path, wordline, Percentage_To_Be_Executed="50", Relay_Count="3")[0] == 6
    requests, three = arrivals(tmp_path, wordline, Relay_Count="3", Time_Unit="MICROSECOND")
    assert requests == 12
    assert three == pytest.approx(900_000 + 100_000, rel=0.1)


@pytest.mark.parametrize(("capacity", "told"), [("4096", True), ("16777216", False)])
def test_a_cached_map_whose_entries_give_way_is_told(
    tmp_path: Path, wordline: Wordline, capacity: str, told: bool
) -> None:
    drive = configuration(tmp_path, {"Ideal_Mapping_Table": "false", "CMT_Capacity": capacity})
    flow = synthetic(Read_Percentage="30", Total_Requests_To_Generate="3000", Working_Set_Percentage="90")
    outcome = wordline("mqsim", "-i", drive, "-w", workload(tmp_path, [flow]), "--json").json()
    (scenario,) = outcome["scenarios"]
    assert (scenario["result"]["mapping"]["write_backs"] > 0) == told
    assert any("35% to 2.8 times" in note and "defect 3" in note for note in scenario["notes"]) == told


@pytest.mark.parametrize("options", [(), ("--locked-victims",)])
def test_pages_of_victims_keep_the_host_waiting_where_that_is_asked_for(
    tmp_path: Path, wordline: Wordline, options: tuple[str, ...]
) -> None:
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "true"})
    mode = "<Device_Level_Data_Caching_Mode>TURNED_OFF<"
    flow = synthetic(Read_Percentage="50", Total_Requests_To_Generate="40000", Working_Set_Percentage="90")
    flow = flow.replace("<Device_Level_Data_Caching_Mode>WRITE_CACHE<", mode)
    command = ("mqsim", "-i", drive, "-w", workload(tmp_path, [flow]), *options, "--checked", "--json")
    result = wordline(*command).json()["scenarios"][0]["result"]
    assert result["gc"]["victims"] > 0
    assert ("moving" in result["read"]["blame"]["mean"]["total_ns"]) == bool(options)


def test_options_of_a_run_are_those_of_other_commands(tmp_path: Path, wordline: Wordline) -> None:
    files = ("-i", configuration(tmp_path), "-w", workload(tmp_path, [synthetic()], [synthetic(Seed="9")]))
    out = tmp_path / "out"
    facts = wordline("mqsim", *files, "--out", out, "--dry-run", "--json").json()
    assert (facts["points"], facts["left"]) == (2, 2) and facts["estimate_s"] >= 0
    assert "2 points are valid; 2 are left" in wordline("mqsim", *files, "--dry-run").out
    assert not out.exists() and not list(tmp_path.glob("*_scenario_*.xml"))
    changed = ("--seed", "5", "--set", "workload.host.queue_depth=3")
    told = wordline("mqsim", *files, "--out", out, *changed, "--json").json()
    for scenario in told["scenarios"]:
        assert scenario["result"]["seed"] == 5
        assert scenario["result"]["changed"] == {"workload.host.queue_depth": "3"}
    several = wordline("mqsim", *files, "--seeds", "4", "--dry-run", "--json").json()
    assert several["points"] == 8
    for dry in ((), ("--dry-run",)):
        wrong = wordline("mqsim", *files, "--out", out, "--set", "device.geometry.blocks=0", *dry).error()
        assert wrong.startswith("--set device.geometry.blocks=0: ")
    assert "--export: allowed: without" in wordline("mqsim", *files, "--export", out, "--seed", "5").error()
    assert "--jobs: allowed: with --seeds" in wordline("mqsim", *files, "--jobs", "2").error()
    listed = ("--seed", "7", "--seeds", "5,6")
    assert "--seed 7: allowed: beside --seeds N" in wordline("mqsim", *files, *listed).error()


def test_scenarios_with_several_seeds_are_means_of_runs_with_each(tmp_path: Path, wordline: Wordline) -> None:
    files = ("-i", configuration(tmp_path), "-w", workload(tmp_path, [synthetic()], [synthetic(Seed="9")]))
    out = tmp_path / "out"
    told = wordline("mqsim", *files, "--seeds", "5,6", "--jobs", "2", "--out", out, "--json").json()[
        "scenarios"
    ]
    singles = [wordline("mqsim", *files, "--seed", seed, "--json").json()["scenarios"] for seed in ("5", "6")]
    for place, scenario in enumerate(told):
        mean = scenario["seeds"]["summary"]["read.latency_ns.mean"]
        each = [single[place]["result"]["read"]["latency_ns"]["mean"] for single in singles]
        assert scenario["seeds"]["seeds"] == [5, 6] and each[0] != each[1]
        assert mean["mean"] == pytest.approx(sum(each) / 2) and mean["ci95"] > 0
        assert (out / f"scenario_{scenario['scenario']}" / "seed-6" / "result.json").exists()
    # Without --seed they are from the files' seed on.
    text = wordline("mqsim", *files, "--seeds", "2").out
    assert "Scenario 2 of 2" in text and "seeds 321, 322" in text
