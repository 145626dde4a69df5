"""What `wordline mqsim` takes: every key of MQSim's files, and what it says of those that it can't follow."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import pytest
from conftest import Wordline
from mqsim_files import RESOURCES, configuration, shared, synthetic, trace, workload

from wordline import WordlineError, _core
from wordline.mqsim import read
from wordline.mqsim.keys import SETS
from wordline.mqsim.workload import normal_sizes


def test_every_key_of_the_files_that_mqsim_ships_is_known() -> None:
    folder = shared() / "shipped"
    # Its third scenario names a trace that stands elsewhere.
    with pytest.raises(WordlineError, match=r"File_Path = traces/tpcc-small.trace: no such file"):
        read(folder / "ssdconfig.xml", folder / "workload.xml")


def test_every_measured_run_is_read_and_what_has_no_effect_is_named() -> None:
    for folder in sorted((shared() / "runs").iterdir()):
        (scenario,) = read(folder / "ssdconfig.xml", folder / "workload.xml")
        assert any(note.startswith("Block_PE_Cycles_Limit = 10000") for note in scenario.notes)
        assert scenario.device["geometry"]["ways"] == 4
        assert scenario.seed == 321


def test_defaults_of_keys_are_values_of_theirs_and_names_stand_once() -> None:
    for keys in SETS.values():
        assert len({key.name for key in keys}) == len(keys)
        for key in keys:
            assert key.default is None or key.kind.read(key.default) is not None, key.name
            assert not any(word == key.default for word, _ in key.refused), key.name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"HostInterface_Type": "SATA"}, "HostInterface_Type = SATA: not here: one queue for all flows"),
        ({"Address_Mapping": "HYBRID"}, "Address_Mapping = HYBRID: not here: an outline"),
        ({"Transaction_Scheduling_Policy": "FLIN"}, "Transaction_Scheduling_Policy = FLIN: not here"),
        ({"Data_Cache_Sharing_Mode": "EQUAL_PARTITIONING"}, "can't be divided between flows"),
        ({"GC_Block_Selection_Policy": "RANDOM_PP"}, "GC_Block_Selection_Policy = RANDOM_PP: not here"),
        ({"Plane_Allocation_Scheme": "CWPX"}, "Plane_Allocation_Scheme = CWPX: allowed: CDPW, CDWP"),
        ({"Flash_Channel_Count": "-8"}, "Flash_Channel_Count = -8: allowed: 1 to 4096"),
        ({"PCIe_Lane_Bandwidth": "nan"}, "PCIe_Lane_Bandwidth = nan: allowed: 0.001 to 1000"),
        ({"Ideal_Mapping_Table": "perhaps"}, "Ideal_Mapping_Table = perhaps: allowed: true or false"),
        ({"Page_Capacity": "8000"}, "Page_Capacity = 8000: allowed: a multiple of the 512-byte sector"),
    ],
)
def test_a_value_that_can_t_be_is_refused_with_file_line_and_reason(
    tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    drive = configuration(tmp_path, changes)
    name = next(iter(changes))
    line = next(n for n, text in enumerate(drive.read_text().splitlines(), 1) if f"<{name}>" in text)
    with pytest.raises(WordlineError) as caught:
        read(drive, workload(tmp_path, [synthetic()]))
    assert str(caught.value).startswith(f"{drive}:{line}: {name} = ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        (synthetic(Plane_IDs="0,1,2"), "Plane_IDs = 0,1,2: allowed: 0 to 1, as on the drive"),
        (synthetic(Device_Level_Data_Caching_Mode="READ_CACHE"), "READ_CACHE: not here"),
        (synthetic(Address_Distribution="MIXED_STREAMING_RANDOM"), "MQSim's page names it"),
        (synthetic(Total_Requests_To_Generate="0"), "allowed: more than 0, or a Stop_Time above 0"),
        (synthetic(Synthetic_Generator_Type="BANDWIDTH"), "lacks Bandwidth, which BANDWIDTH needs"),
        (trace("nowhere.trace"), "File_Path = nowhere.trace: no such file: looked for nowhere.trace and"),
        ("<IO_Flow_Parameter_Set_Trace_Based/>", "lacks File_Path, which has no default"),
        ("<IO_Flow/>", "IO_Flow: allowed in a scenario: IO_Flow_Parameter_Set_Synthetic or"),
        (synthetic() + synthetic(Device_Level_Data_Caching_Mode="TURNED_OFF"), "share one cache"),
    ],
)
def test_a_flow_that_can_t_be_is_refused_with_a_reason(tmp_path: Path, flow: str, message: str) -> None:
    with pytest.raises(WordlineError) as caught:
        read(configuration(tmp_path), workload(tmp_path, [flow]))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path}/workload.xml:")


def test_keys_that_mqsim_does_not_know_are_noted_together_and_passed_over(tmp_path: Path) -> None:
    drive = configuration(
        tmp_path, extra="<Flash_Chanel_Count>8</Flash_Chanel_Count>\n<Fast_Mode>1</Fast_Mode>"
    )
    text = drive.read_text().splitlines()
    line = next(n for n, content in enumerate(text, 1) if "Chanel" in content)
    (scenario,) = read(drive, workload(tmp_path, [synthetic()]))
    (note,) = [note for note in scenario.notes if "passed over" in note]
    assert note.endswith(
        "Device_Parameter_Set: passed over, as MQSim doesn't know them: "
        f"Flash_Chanel_Count (line {line}; did you mean `Flash_Channel_Count`?), Fast_Mode (line {line + 1})"
    )


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path, wordline: Wordline) -> None:
    drive = configuration(tmp_path, {"Flash_Channel_Count": "many", "Page_Capacity": "0", "Seed": "-1"})
    finished = wordline("mqsim", "-i", drive, "-w", workload(tmp_path, [synthetic()]))
    told = finished.err.splitlines()
    assert finished.code == 2
    assert len(told) == 3
    for name in ("Flash_Channel_Count = many", "Page_Capacity = 0", "Seed = -1"):
        assert sum(name in line and line.startswith(f"wordline: {drive}:") for line in told) == 1, told


def test_what_is_no_xml_is_refused_with_its_line(tmp_path: Path) -> None:
    drive = configuration(tmp_path)
    for text, message in (
        ("<MQSim_IO_Scenarios>\n<IO_Scenario>\n</MQSim_IO_Scenarios>", ":3: not XML: mismatched tag"),
        ("", ": not XML: no element found"),
        ("<MQSim_IO_Scenarios/>", ":1: MQSim_IO_Scenarios is empty"),
        ("<MQSim_IO_Scenarios><IO_Scenario/></MQSim_IO_Scenarios>", ":1: IO_Scenario is empty"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>', ":1: entity b: allowed: none"),
        ("<Execution_Parameter_Set/>", ":1: Execution_Parameter_Set: allowed: MQSim_IO_Scenarios"),
    ):
        path = tmp_path / "workload.xml"
        path.write_text(text)
        with pytest.raises(WordlineError) as caught:
            read(drive, path)
        assert message in str(caught.value)


def test_a_key_given_twice_is_an_error(tmp_path: Path) -> None:
    drive = configuration(tmp_path, extra="<Seed>1</Seed>")
    with pytest.raises(WordlineError, match="Seed: given twice in Device_Parameter_Set"):
        read(drive, workload(tmp_path, [synthetic()]))


def test_missing_keys_have_mqsim_s_defaults_and_a_note_names_them(tmp_path: Path) -> None:
    drive = configuration(tmp_path)
    text = drive.read_text().replace("<Flash_Technology>MLC</Flash_Technology>\n", "")
    drive.write_text(text.replace("<Page_Metadat_Capacity>1872</Page_Metadat_Capacity>\n", ""))
    (scenario,) = read(drive, workload(tmp_path, [synthetic()]))
    assert scenario.device["cell"]["technology"] == "mlc"
    assert scenario.device["geometry"]["spare_bytes"] == 1872
    (note,) = [note for note in scenario.notes if "lacks" in note]
    assert note.endswith("has MQSim's default: Flash_Technology = MLC, Page_Metadat_Capacity = 1872")


def test_values_that_others_leave_without_effect_are_noted(tmp_path: Path) -> None:
    unread = {"Percentage_of_Hot_Region": "20", "Variance_Request_Size": "3", "Bandwidth": "1000000"}
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "false"})
    (scenario,) = read(drive, workload(tmp_path, [synthetic(Stop_Time="9", **unread)]))
    found = {note.split(" = ")[0] for note in scenario.notes if ": without effect here: " in note}
    others = {"Initial_Occupancy_Percentage", "Total_Requests_To_Generate"}
    assert {*unread, *others} <= found
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "true"})
    (scenario,) = read(drive, workload(tmp_path, [synthetic()]))
    found = {note.split(" = ")[0] for note in scenario.notes if ": without effect here: " in note}
    assert not {*unread, *others} & found


def test_the_misspelt_key_of_mqsim_s_parser_and_of_its_files_are_the_same(tmp_path: Path) -> None:
    drive = configuration(tmp_path)
    drive.write_text(drive.read_text().replace("Prefered_suspend", "Preferred_suspend"))
    (scenario,) = read(drive, workload(tmp_path, [synthetic()]))
    assert not any("lacks" in note for note in scenario.notes)


def test_several_flows_get_equal_parts_of_the_drive_and_their_priorities(tmp_path: Path) -> None:
    drive = configuration(tmp_path, {"Enabled_Preconditioning": "true"})
    common = {"Initial_Occupancy_Percentage": "80", "Working_Set_Percentage": "40"}
    flows = [synthetic(Priority_Class="URGENT", **common), synthetic(Priority_Class="LOW", **common)]
    (scenario,) = read(drive, workload(tmp_path, flows))
    first, second = scenario.workload["flow"]
    assert (first["priority"], second["priority"]) == ("urgent", "low")
    # Each flow's occupied 80% of its half, of which it uses a half.
    assert first["range"] == {"start_share": 0.0, "share": 0.4}
    assert second["range"] == {"start_share": 0.4, "share": 0.4}
    assert first["source"]["region"] == {"share": 0.5}
    assert scenario.workload["start"]["occupancy"] == pytest.approx(0.8)


def test_normal_sizes_have_the_mean_and_the_spread_that_they_were_drawn_from() -> None:
    sizes = normal_sizes(64, 10)
    total = sum(size["weight"] for size in sizes)
    mean = sum(size["bytes"] / 512 * size["weight"] for size in sizes) / total
    square = sum((size["bytes"] / 512) ** 2 * size["weight"] for size in sizes) / total
    assert total == pytest.approx(1)
    # Rounded up to whole sectors: half a sector more, and a twelfth of variance.
    assert mean == pytest.approx(64.5, abs=1e-6)
    assert square - mean**2 == pytest.approx(100 + 1 / 12, rel=1e-6)
    narrow = normal_sizes(1, 3)
    assert narrow[0]["bytes"] == 512 and narrow[0]["weight"] == pytest.approx(0.5)


def test_a_trace_is_found_from_the_working_directory_and_else_beside_the_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    (there / "a.trace").write_text("0 0 0 16 1\n")
    drive, flows = configuration(there), workload(there, [trace("a.trace")])
    monkeypatch.chdir(here)
    assert read(drive, flows)[0].workload["flow"][0]["source"]["path"] == str(there / "a.trace")
    (here / "a.trace").write_text("0 0 0 16 1\n")
    assert read(drive, flows)[0].workload["flow"][0]["source"]["path"] == str(here / "a.trace")


def test_the_export_is_toml_with_the_command_that_runs_it(tmp_path: Path, wordline: Wordline) -> None:
    drive, flows = configuration(tmp_path), workload(tmp_path, [synthetic()], [synthetic(), synthetic()])
    outcome = wordline("mqsim", "-i", drive, "-w", flows, "--export", tmp_path / "toml", "--json").json()
    assert outcome["scenarios"] == 2
    for number in (1, 2):
        for kind in ("device", "scheme", "workload"):
            text = (tmp_path / "toml" / f"scenario_{number}" / f"{kind}.toml").read_text()
            assert text.startswith("# wordline run --device device.toml") and "--seed 321" in text
            assert tomllib.loads(text)["name"]
    assert not list(tmp_path.glob("*_scenario_*.xml"))


def test_resources_may_be_left_out_and_are_all_then(tmp_path: Path) -> None:
    flow = synthetic()
    for name, value in RESOURCES.items():
        flow = flow.replace(f"<{name}>{value}</{name}>\n", "").replace(f"\n<{name}>{value}</{name}>", "")
    (scenario,) = read(configuration(tmp_path), workload(tmp_path, [flow]))
    assert any("Channel_IDs missing: all 2 are used" in note for note in scenario.notes)


@pytest.mark.parametrize("whole_map", ["true", "false"])
@pytest.mark.parametrize("blocks", [96, 128, 200, 256, 384, 512, 686, 687, 1024, 2048])
def test_the_default_threshold_of_mqsim_suits_a_drive_of_any_size(
    tmp_path: Path, blocks: int, whole_map: str
) -> None:
    changes = {
        "Block_No_Per_Plane": str(blocks),
        "Page_No_Per_Block": "256",
        "GC_Exec_Threshold": "0.05",
        "Overprovisioning_Ratio": "0.08",
        "Ideal_Mapping_Table": whole_map,
    }
    drive = configuration(tmp_path, changes)
    (scenario,) = read(drive, workload(tmp_path, [synthetic(Total_Requests_To_Generate="5")]))
    free = math.ceil(scenario.scheme["gc"]["trigger"] * blocks)
    wanted = max(blocks // 20, 10)
    lowered = [note for note in scenario.notes if "GC_Exec_Threshold = 0.05: collection begins below" in note]
    # What is lowered is told, with the place of the key.
    assert 2 <= free <= wanted
    assert bool(lowered) == (free < wanted)
    if lowered:
        line = next(
            number for number, text in enumerate(drive.read_text().splitlines(), 1) if "GC_Exec" in text
        )
        assert lowered[0].startswith(f"{drive}:{line}: ")
        assert f"below {free} free blocks" in lowered[0]
        assert lowered[0].endswith(f"in MQSim below {wanted}")
    device, firmware, flows = ((part.label, part.text) for part in scenario.descriptions().values())
    assert _core.check(
        device, firmware, flows, overrides=[], seed=1, checked=False, base_dir=".", whole_drive=False
    )


def test_what_the_drive_refuses_names_the_key_of_mqsim(tmp_path: Path, wordline: Wordline) -> None:
    drive = configuration(tmp_path, {"Overprovisioning_Ratio": "0.01"})
    error = wordline("mqsim", "-i", drive, "-w", workload(tmp_path, [synthetic()])).error()
    lines = drive.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "Overprovisioning_Ratio" in text)
    assert f"{drive}:{line}: Overprovisioning_Ratio = 0.01: device.capacity.overprovisioning" in error
    assert "allowed: a capacity that leaves at least" in error


def test_errors_of_the_engine_are_those_of_keys(tmp_path: Path) -> None:
    drive = configuration(tmp_path)
    flows = [synthetic(), synthetic(Average_Request_Size="9")]
    (scenario,) = read(drive, workload(tmp_path, flows))
    for ours, theirs in (
        (
            "scheme.toml:18: scheme.gc.trigger = 0.1: allowed: at most 0.03",
            "GC_Exec_Threshold = 0.02: scheme.gc",
        ),
        (
            "device.geometry.page_bytes = 1: allowed: more",
            "Page_Capacity = 8192: device.geometry.page_bytes = 1",
        ),
        ("workload.flow[1].source.sizes = 1: allowed: more", "Average_Request_Size = 9"),
        ("device.cell.read_ns[2] = 1: allowed: more", "Page_Read_Latency_LSB = 75000, Page_Read_Latency_CSB"),
    ):
        found = str(scenario.origins.reworded(WordlineError(ours)))
        assert theirs in found, found
        assert found.startswith(str(tmp_path)), found
    for other in ("trace.csv:1: `x`: expected a time", "scheme.custom.x = 1: allowed: nothing"):
        assert str(scenario.origins.reworded(WordlineError(other))) == other
