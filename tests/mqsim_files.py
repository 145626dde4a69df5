"""MQSim's two files for tests: its defaults on a small drive, with what a test changes."""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from wordline.mqsim.keys import DEVICE, FLASH, HOST, SYNTHETIC, TRACE
from wordline.mqsim.kinds import Key

SHARED = Path(__file__).parents[2] / "shared" / "mqsim"

# 2 channels of 2 chips of 2 dies of 2 planes of 64 blocks of 64 pages of 8 KiB: 512 MiB.
SMALL = {
    "Flash_Channel_Count": "2",
    "Chip_No_Per_Channel": "2",
    "Block_No_Per_Plane": "64",
    "Page_No_Per_Block": "64",
    "GC_Exec_Threshold": "0.02",
    "Overprovisioning_Ratio": "0.3",
    "Enabled_Preconditioning": "false",
    "Ideal_Mapping_Table": "true",
    "Data_Cache_Capacity": "1048576",
    # Those that MQSim sets by its command line's defaults only.
    "Seed": "321",
}

RESOURCES = {"Channel_IDs": "0,1", "Chip_IDs": "0,1", "Die_IDs": "0,1", "Plane_IDs": "0,1"}


def _elements(keys: tuple[Key, ...], changes: dict[str, str], *, all_keys: bool = True) -> str:
    values = {key.name: key.default for key in keys if key.default is not None} if all_keys else {}
    known = {key.name for key in keys}
    values |= {name: value for name, value in changes.items() if name in known}
    return "\n".join(f"<{name}>{escape(value or '')}</{name}>" for name, value in values.items())


def configuration(folder: Path, changes: dict[str, str] | None = None, extra: str = "") -> Path:
    """An ssdconfig.xml; `extra` goes into the device's parameter set."""
    wanted = {**SMALL, **(changes or {})}
    path = folder / "ssdconfig.xml"
    path.write_text(
        '<?xml version="1.0" encoding="us-ascii"?>\n<Execution_Parameter_Set>\n<Host_Parameter_Set>\n'
        f"{_elements(HOST, wanted)}\n</Host_Parameter_Set>\n<Device_Parameter_Set>\n"
        f"{_elements(DEVICE, wanted)}\n{extra}\n<Flash_Parameter_Set>\n{_elements(FLASH, wanted)}\n"
        "</Flash_Parameter_Set>\n</Device_Parameter_Set>\n</Execution_Parameter_Set>\n"
    )
    return path


def synthetic(**changes: str) -> str:
    """A flow of generated requests: 300 of them, unless told otherwise."""
    wanted = {"Stop_Time": "0", "Total_Requests_To_Generate": "300", **RESOURCES, **changes}
    body = _elements(SYNTHETIC, wanted)
    return f"<IO_Flow_Parameter_Set_Synthetic>\n{body}\n</IO_Flow_Parameter_Set_Synthetic>"


def trace(path: str, **changes: str) -> str:
    """A flow of a trace."""
    body = _elements(TRACE, {**RESOURCES, "File_Path": path, **changes})
    return f"<IO_Flow_Parameter_Set_Trace_Based>\n{body}\n</IO_Flow_Parameter_Set_Trace_Based>"


def workload(folder: Path, *scenarios: list[str], name: str = "workload.xml") -> Path:
    """A workload.xml of these scenarios, each a list of flows."""
    body = "\n".join("<IO_Scenario>\n" + "\n".join(flows) + "\n</IO_Scenario>" for flows in scenarios)
    path = folder / name
    path.write_text(f"<MQSim_IO_Scenarios>\n{body}\n</MQSim_IO_Scenarios>\n")
    return path


def shared() -> Path:
    """MQSim's files beside the repository; without them the test is skipped, or fails under CI."""
    if not SHARED.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SHARED} is missing: under CI nothing may be skipped")
        pytest.skip(f"no files of MQSim beside the repository: {SHARED}")
    return SHARED
