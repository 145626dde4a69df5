"""Where MQSim is wrong, Wordline is right: a test for each defect that docs/mqsim.md lists, by its number."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline
from mqsim_files import configuration, synthetic, trace, workload

# One chip of 32 MiB: a few thousand writes bring it to steady state.
ONE_CHIP = {"Flash_Channel_Count": "1", "Chip_No_Per_Channel": "1", "Page_No_Per_Block": "16"}
ITS_PARTS = {"Channel_IDs": "0", "Chip_IDs": "0"}
WRITES = {
    **ITS_PARTS,
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Read_Percentage": "30",
    "Average_Request_Size": "16",
    "Average_No_of_Reqs_in_Queue": "16",
    "Total_Requests_To_Generate": "8000",
}


class Run:
    """A run of the drop-in, in checked mode unless the drive is large."""

    def __init__(
        self, folder: Path, wordline: Wordline, flow: str, *, checked: bool = True, **changes: str
    ) -> None:
        drive = configuration(folder, {**ONE_CHIP, **changes})
        flows = workload(folder, [flow])
        options = ["--checked"] if checked else []
        done = wordline("mqsim", "-i", drive, "-w", flows, "--out", folder / "out", "--json", *options)
        assert done.code == 0, done.err
        self.result: dict[str, Any] = done.json()["scenarios"][0]["result"]
        self.xml = ET.parse(folder / "out" / "workload_scenario_1.xml").getroot()  # noqa: S314

    def ftl(self, name: str) -> float:
        element = self.xml.find("SSDDevice/SSDDevice.FTL")
        assert element is not None
        return float(element.get(name, "nan"))


def test_1_commands_for_the_dies_of_a_chip_overlap(tmp_path: Path, wordline: Wordline) -> None:
    # One request for pages 0 and 1, which lie on the two dies: little more than the time of one page.
    (tmp_path / "two.trace").write_text("0 0 0 32 1\n")
    run = Run(tmp_path, wordline, trace(str(tmp_path / "two.trace"), **ITS_PARTS))
    assert run.result["window"]["end_ns"] < 1.5 * 102_442


def test_2_programs_and_erases_are_suspended(tmp_path: Path, wordline: Wordline) -> None:
    for support, suspended in (("NONE", 0), ("PROGRAM_ERASE", 1)):
        run = Run(tmp_path, wordline, synthetic(**WRITES), CMD_Suspension_Support=support)
        assert (run.ftl("Issued_Flash_Suspend_Program_CMD") > 0) == suspended
        assert (run.result["flash"]["suspensions"] > 0) == suspended


def test_3_and_13_the_cached_map_is_written_back_and_its_misses_are_counted(
    tmp_path: Path, wordline: Wordline
) -> None:
    run = Run(tmp_path, wordline, synthetic(**WRITES), Ideal_Mapping_Table="false", CMT_Capacity="900")
    mapping = run.result["mapping"]
    assert mapping["write_backs"] > 0
    assert run.ftl("Issued_Flash_Program_CMD_For_Mapping") > 0
    assert run.ftl("CMT_Misses") == mapping["misses"] > 0
    assert run.ftl("CMT_Misses_For_Read") + run.ftl("CMT_Misses_For_Write") == mapping["misses"]
    queues = run.xml.findall("SSDDevice/SSDDevice.TSU/SSDDevice.TSU.Mapping_Write_TR_Queue")
    entered = [int(queue.get("No_Of_Transactions_Enqueued", "0")) for queue in queues]
    assert sum(entered) > 0
    assert entered == [int(queue.get("No_Of_Transactions_Dequeued", "0")) for queue in queues]


def test_4_5_and_6_no_request_is_lost_to_collection_and_every_victim_is_erased(
    tmp_path: Path, wordline: Wordline
) -> None:
    """Reads of pages that were never written are among them; checked mode audits every page at the end."""
    run = Run(tmp_path, wordline, synthetic(**WRITES))
    result = run.result
    assert result["read"]["requests"] + result["write"]["requests"] == 8000
    assert result["drive"]["unmapped_reads"] > 0
    assert result["checked"]["pages_audited"] > 0
    victims = result["gc"]["victims"]
    assert victims > 100
    assert result["flash"]["erases"] == victims == run.ftl("Total_GC_Executions")


def test_7_collection_by_copyback_works(tmp_path: Path, wordline: Wordline) -> None:
    run = Run(tmp_path, wordline, synthetic(**WRITES), Use_Copyback_for_GC="true")
    assert run.result["flash"]["copybacks"] > 0
    assert run.ftl("Issued_Flash_Copyback_Program_CMD") > 0
    assert run.result["read"]["requests"] + run.result["write"]["requests"] == 8000


def test_8_static_wear_levelling_moves_cold_blocks(tmp_path: Path, wordline: Wordline) -> None:
    # Half of the drive is filled once and stays; the other half is overwritten again and again.
    flow = synthetic(**{**WRITES, "Read_Percentage": "0", "Working_Set_Percentage": "30"})
    run = Run(
        tmp_path,
        wordline,
        flow.replace("<Initial_Occupancy_Percentage>50<", "<Initial_Occupancy_Percentage>90<"),
        Enabled_Preconditioning="true",
        Static_Wearleveling_Threshold="2",
    )
    assert run.ftl("Total_WL_Executions") > 0
    assert run.ftl("Average_Page_Movement_For_WL") > 0


@pytest.mark.parametrize("rate", [333, 533, 1000, 1200, 2400])
def test_9_every_rate_of_a_channel_takes_its_own_time(tmp_path: Path, wordline: Wordline, rate: int) -> None:
    flow = synthetic(
        **{**WRITES, "Read_Percentage": "100", "Average_No_of_Reqs_in_Queue": "1"},
    ).replace("<Total_Requests_To_Generate>8000<", "<Total_Requests_To_Generate>10<")
    run = Run(tmp_path, wordline, flow, Channel_Transfer_Rate=str(rate))
    parts = run.result["read"]["blame"]["mean"]["mean_ns"]
    assert parts["transfer"] == pytest.approx(8192e3 / rate, abs=1)


def test_11_the_drive_of_a_trace_is_preconditioned(tmp_path: Path, wordline: Wordline) -> None:
    (tmp_path / "few.trace").write_text("".join(f"{n} 0 {16 * n} 16 {n % 2}\n" for n in range(500)))
    run = Run(
        tmp_path, wordline, trace(str(tmp_path / "few.trace"), **ITS_PARTS), Enabled_Preconditioning="true"
    )
    assert run.result["drive"]["unmapped_reads"] == 0
    assert run.result["erase_counts"]["mean"] > 0, "overwritten before"


@pytest.mark.parametrize(("read", "unknown"), [(2**32 + 64, 0), (2**31 + 64, 1), (64, 1)])
def test_12_addresses_above_2_tib_are_those_of_the_trace(
    tmp_path: Path, wordline: Wordline, read: int, unknown: int
) -> None:
    path = tmp_path / "far.trace"
    path.write_text(f"0 0 {2**32 + 64} 64 0\n9000000 0 {read} 64 1\n")
    run = Run(
        tmp_path,
        wordline,
        trace(str(path), Device_Level_Data_Caching_Mode="TURNED_OFF", **ITS_PARTS),
        checked=False,
        Page_Capacity="32768",
        Block_No_Per_Plane="16384",
        Page_No_Per_Block="1280",
        Overprovisioning_Ratio="0.07",
    )
    assert run.result["drive"]["logical_units"] * 32768 > 2**41 + 2**20
    assert run.result["drive"]["unmapped_reads"] == unknown
