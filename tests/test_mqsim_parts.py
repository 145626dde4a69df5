"""Flows of MQSim's that keep to parts of the drive: files of the shapes of FAST'18, on a small drive."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline
from mqsim_files import configuration, synthetic, trace, workload

from wordline import WordlineError
from wordline.mqsim import read

# As its experiment on contention in the back end: two flows that read from half of the chips.
HALF = {
    "Chip_IDs": "0",
    "Read_Percentage": "100",
    "Address_Alignment_Unit": "16",
    "Average_Request_Size": "8",
}
BACK_END = [
    synthetic(Seed="798", Average_No_of_Reqs_in_Queue="2", **HALF),
    synthetic(Seed="6533", Average_No_of_Reqs_in_Queue="16", **HALF),
]

# As its experiment on contention in the data cache: two flows that write, each on channels of its own.
HOT = {
    "Read_Percentage": "0",
    "Address_Distribution": "RANDOM_HOTCOLD",
    "Percentage_of_Hot_Region": "1",
    "Average_Request_Size": "16",
}
DATA_CACHE = [
    synthetic(Channel_IDs="0", Initial_Occupancy_Percentage="75", Working_Set_Percentage="1", **HOT),
    synthetic(Channel_IDs="1", Initial_Occupancy_Percentage="87", Working_Set_Percentage="80", **HOT),
]


def test_flows_that_name_the_same_part_share_one_set_of_planes(tmp_path: Path) -> None:
    (scenario,) = read(configuration(tmp_path), workload(tmp_path, BACK_END))
    assert scenario.scheme["nvm_set"] == [{"name": "part0", "ways": [0]}]
    flows = scenario.workload["flow"]
    assert [flow["nvm_set"] for flow in flows] == ["part0", "part0"]
    assert [flow["range"] for flow in flows] == [
        {"start_share": 0.0, "share": 0.5},
        {"start_share": 0.5, "share": 0.5},
    ]
    assert "planes of no flow: 8 of 16 hold nothing and rest" in scenario.notes
    assert scenario.workload["start"] == {"occupancy": "none"}


def test_flows_of_parts_of_their_own_have_sets_that_are_filled_as_each_asks(tmp_path: Path) -> None:
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "true"})
    (scenario,) = read(drive, workload(tmp_path, DATA_CACHE))
    assert scenario.scheme["nvm_set"] == [
        {"name": "part0", "channels": [0]},
        {"name": "part1", "channels": [1]},
    ]
    assert [flow["nvm_set"] for flow in scenario.workload["flow"]] == ["part0", "part1"]
    assert not any("range" in flow for flow in scenario.workload["flow"])
    assert scenario.workload["start"] == {
        "occupancy": "none",
        "set_occupancy": {"part0": 0.75, "part1": 0.87},
        "layout": "at_trigger",
    }
    assert not any("planes of no flow" in note for note in scenario.notes)


def test_a_flow_alone_begins_as_full_as_it_asks_and_several_of_a_part_with_all_that_they_touch(
    tmp_path: Path,
) -> None:
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "true"})
    wide = synthetic(Initial_Occupancy_Percentage="77", Working_Set_Percentage="100", **HOT)
    (alone,) = read(drive, workload(tmp_path, [wide]))
    assert alone.workload["start"]["occupancy"] == 0.77
    (two,) = read(drive, workload(tmp_path, [wide, wide]))
    assert two.workload["start"]["occupancy"] == 1.0
    notes = [note for note in two.notes if "Initial_Occupancy" in note]
    assert len(notes) == 2
    assert notes[0].endswith("= 77: 100% are filled, all that the flow touches (Working_Set_Percentage)")


def test_flows_that_name_all_of_the_drive_keep_to_no_part(tmp_path: Path) -> None:
    (scenario,) = read(configuration(tmp_path), workload(tmp_path, [synthetic(), synthetic(Chip_IDs="1,0")]))
    assert "nvm_set" not in scenario.scheme
    assert not any("nvm_set" in flow for flow in scenario.workload["flow"])


@pytest.mark.parametrize(
    ("flows", "name", "message"),
    [
        ([synthetic(Die_IDs="0,2")], "Die_IDs", "Die_IDs = 0,2: allowed: 0 to 1, as on the drive"),
        (
            [synthetic(Channel_IDs="0"), synthetic(Chip_IDs="1")],
            "Channel_IDs",
            "Channel_IDs = 0,1: allowed: all planes of another flow or none, not some of flow 0 (",
        ),
        (
            [synthetic(Plane_IDs="1"), synthetic()],
            "Plane_IDs",
            "Plane_IDs = 0,1: allowed: all planes of another flow or none, not some of flow 0 (",
        ),
    ],
)
def test_parts_that_can_t_be_are_refused_by_the_key_that_is_wrong(
    tmp_path: Path, flows: list[str], name: str, message: str
) -> None:
    path = workload(tmp_path, flows)
    lines = [n for n, text in enumerate(path.read_text().splitlines(), 1) if f"<{name}>" in text]
    with pytest.raises(WordlineError) as caught:
        read(configuration(tmp_path), path)
    assert str(caught.value).startswith(f"{path}:{lines[-1]}: {message}")


@pytest.mark.parametrize("conditioned", ["true", "false"])
@pytest.mark.parametrize("whole_map", ["true", "false"])
@pytest.mark.parametrize("flows", [BACK_END, DATA_CACHE], ids=["back_end", "data_cache"])
def test_a_run_and_that_of_its_export_agree_and_pass_the_audit(
    tmp_path: Path, wordline: Wordline, flows: list[str], whole_map: str, conditioned: str
) -> None:
    changes = {"Enabled_Preconditioning": conditioned, "Ideal_Mapping_Table": whole_map}
    drive = configuration(tmp_path, changes | {"CMT_Capacity": "16384"})
    out, toml = tmp_path / "out", tmp_path / "toml"
    done = wordline(
        "mqsim", "-i", drive, "-w", workload(tmp_path, flows), "--out", out, "--export", toml, "--checked"
    )
    assert done.code == 0, done.err
    kinds = [f"--{kind}={toml / kind}.toml" for kind in ("device", "scheme", "workload")]
    again = wordline("run", *kinds, "--seed", "321", "--checked", "--out", tmp_path / "again")
    assert again.code == 0, again.err

    def result(folder: Path) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((folder / "result.json").read_text())
        del data["engine"]
        return data

    assert result(out) == result(tmp_path / "again")
    assert tomllib.loads((toml / "scheme.toml").read_text())["nvm_set"]


def test_a_trace_keeps_to_its_part_and_wraps_there(tmp_path: Path, wordline: Wordline) -> None:
    lines = [f"{number * 100_000} 0 {number * 999_983 * 16} 16 0" for number in range(200)]
    (tmp_path / "far.trace").write_text("\n".join(lines) + "\n")
    flows = [trace("far.trace", Channel_IDs="1", Percentage_To_Be_Executed="100")]
    done = wordline(
        "mqsim", "-i", configuration(tmp_path), "-w", workload(tmp_path, flows), "--out", tmp_path / "out",
        "--checked",
    )  # fmt: skip
    assert done.code == 0, done.err
    (dies,) = [json.loads((tmp_path / "out" / "result.json").read_text())["dies"]]
    busy = [sum(die["busy_ns"].values()) > 0 for die in dies]
    # Four dies on each of the two channels.
    assert busy == [False] * 4 + [True] * 4


def slowdown(tmp_path: Path, wordline: Wordline, own: dict[str, str], other: dict[str, str]) -> float:
    """How much longer a flow's requests take beside one of many reads than alone."""
    quiet = synthetic(Average_No_of_Reqs_in_Queue="2", Stop_Time="40000000", **own)
    noisy = synthetic(Average_No_of_Reqs_in_Queue="64", Stop_Time="40000000", Seed="7", **other)
    mode = "<Device_Level_Data_Caching_Mode>"
    flows = [flow.replace(f"{mode}WRITE_CACHE", f"{mode}TURNED_OFF") for flow in (quiet, noisy)]
    drive = configuration(tmp_path)

    def mean(flows: list[str]) -> float:
        done = wordline("mqsim", "-i", drive, "-w", workload(tmp_path, flows), "--json")
        assert done.code == 0, done.err
        result = done.json()["scenarios"][0]["result"]
        found: float = result.get("flows", [result])[0]["read"]["latency_ns"]["mean"]
        return found

    return mean(flows) / mean(flows[:1])


def test_flows_of_the_same_chips_slow_one_another_and_those_of_other_channels_do_not(
    tmp_path: Path, wordline: Wordline
) -> None:
    reads = {"Read_Percentage": "100", "Average_Request_Size": "8"}
    by_channel = [{"Channel_IDs": str(channel), **reads} for channel in (0, 1)]
    by_die = [{"Channel_IDs": "0", "Die_IDs": str(die), **reads} for die in (0, 1)]
    shared = {"Channel_IDs": "0", **reads}
    # As docs/host.md has them.
    assert slowdown(tmp_path, wordline, by_channel[0], by_channel[1]) == pytest.approx(1, abs=0.01)
    assert slowdown(tmp_path, wordline, by_die[0], by_die[1]) == pytest.approx(1.54, abs=0.05)
    assert slowdown(tmp_path, wordline, shared, shared) == pytest.approx(15, abs=1)


def test_closing_tags_are_read_as_mqsim_reads_them_and_git_s_marks_are_named(tmp_path: Path) -> None:
    drive, path = configuration(tmp_path), workload(tmp_path, DATA_CACHE)
    text = path.read_text()
    path.write_text(text.replace("</Die_IDs>", "</<Die_IDs>"))
    (scenario,) = read(drive, path)
    assert [flow["nvm_set"] for flow in scenario.workload["flow"]] == ["part0", "part1"]
    path.write_text(text.replace("<Die_IDs>", "\n<<<<<<< HEAD\n<Die_IDs>", 1))
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "HEAD" in text)
    with pytest.raises(WordlineError, match=f":{line}: not XML: two versions of a text that git could not"):
        read(drive, path)
