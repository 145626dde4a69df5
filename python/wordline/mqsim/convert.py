"""Two files of MQSim become scenarios, each with a device, a scheme and a workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wordline import outputs
from wordline._core import WordlineError
from wordline.files import write_text
from wordline.mqsim import keys, xmltree
from wordline.mqsim.device import Drive
from wordline.mqsim.origins import Origins
from wordline.mqsim.parts import Part, divide
from wordline.mqsim.room import fit_trigger
from wordline.mqsim.values import Notes, Values, all_read, only_child, pass_over
from wordline.mqsim.workload import Flow
from wordline.mqsim.xmltree import Element
from wordline.presets import Description
from wordline.scenario import Scenario

TomlTable = dict[str, Any]

CONFIGURATION = "Execution_Parameter_Set"
SCENARIOS = "MQSim_IO_Scenarios"
SCENARIO = "IO_Scenario"


@dataclass(frozen=True)
class IoScenario:
    """A scenario in Wordline's own words."""

    number: int
    """From 1."""
    device: TomlTable
    scheme: TomlTable
    workload: TomlTable
    seed: int
    flows: tuple[str, ...]
    """Names of its flows in MQSim's results."""
    notes: tuple[str, ...]
    origins: Origins
    """Whose keys errors name."""

    def descriptions(self) -> dict[str, Description]:
        """Device, scheme and workload as TOML."""
        import tomli_w

        tables = {"device": self.device, "scheme": self.scheme, "workload": self.workload}
        return {
            kind: Description(label=f"{kind}.toml", text=tomli_w.dumps(table), folder=Path.cwd())
            for kind, table in tables.items()
        }

    def run_as(
        self, *, checked: bool, seed: int | None = None, overrides: Sequence[tuple[str, str]] = ()
    ) -> Scenario:
        """What a run of it is of; `seed` takes the place of the files'."""
        seed = self.seed if seed is None else seed
        return Scenario(*self.descriptions().values(), seed=seed, checked=checked, overrides=overrides)

    def export(self, folder: Path) -> list[Path]:
        """Writes the three descriptions; a run of them with this seed is that of the scenario."""
        files = "--device device.toml --scheme scheme.toml --workload workload.toml"
        command = f"# wordline run {files} --seed {self.seed}\n"
        written = []
        described = self.descriptions()
        for kind in described:
            outputs.check("--export", folder / f"{kind}.toml", outputs.EXPORT)
        for kind, description in described.items():
            path = folder / f"{kind}.toml"
            with outputs.output("--export", path, outputs.EXPORT):
                write_text(path, command + description.text)
            written.append(path)
        return written


def read(configuration: Path, workload: Path) -> list[IoScenario]:
    """The scenarios of two files of MQSim.

    Raises `WordlineError` with file and line for what MQSim or Wordline doesn't know.
    """
    notes = Notes()
    drive = _drive(configuration, notes)
    root = xmltree.read(workload)
    if root.name != SCENARIOS:
        raise WordlineError(f"{root.place}: {root.name}: allowed: {SCENARIOS}")
    if not root.children:
        raise WordlineError(f"{root.place}: {SCENARIOS} is empty: allowed: one {SCENARIO} or more")
    return [
        _scenario(element, number, drive, notes, base=workload.parent)
        for number, element in enumerate(root.children, 1)
    ]


def _drive(path: Path, notes: Notes) -> Drive:
    root = xmltree.read(path)
    if root.name != CONFIGURATION:
        raise WordlineError(f"{root.place}: {root.name}: allowed: {CONFIGURATION}")
    sets = ("Host_Parameter_Set", "Device_Parameter_Set")
    pass_over(root, [child for child in root.children if child.name not in sets], sets, notes)
    host, device = (only_child(root, name) for name in sets)
    flash = only_child(device, "Flash_Parameter_Set")
    nested = (flash.name,)
    found = all_read(
        lambda: Values(host, keys.HOST, notes),
        lambda: Values(device, keys.DEVICE, notes, nested=nested),
        lambda: Values(flash, keys.FLASH, notes),
    )
    return Drive(*found)


def _scenario(element: Element, number: int, drive: Drive, shared: Notes, base: Path) -> IoScenario:
    if element.name != SCENARIO:
        raise WordlineError(f"{element.place}: {SCENARIOS} has no key {element.name}")
    notes = Notes(list(shared.texts))
    children = enumerate(element.children)
    flows = all_read(*(partial(Flow, child, place, notes, base=base) for place, child in children))
    if not flows:
        raise WordlineError(f"{element.place}: {SCENARIO} is empty: allowed: one flow or more")
    for flow in flows:
        flow.note_unread(drive.device.flag("Enabled_Preconditioning"))
    parts = divide(flows, drive, notes)
    caching = _caching(flows)
    device, scheme = drive.device_table(), drive.scheme_table(caching)
    if sets := [part.table(drive.counts) for part in parts if part.name]:
        scheme["nvm_set"] = sets
    fit_trigger(device, scheme, drive, notes)
    return IoScenario(
        number=number,
        device=device,
        scheme=scheme,
        workload=_workload(number, flows, parts, drive, notes),
        seed=drive.device.whole("Seed"),
        flows=tuple(flow.name for flow in flows),
        notes=tuple(notes.texts),
        origins=Origins(drive, tuple(flows)),
    )


def _caching(flows: Sequence[Flow]) -> str:
    first = flows[0].caching
    for flow in flows:
        if flow.caching != first:
            allowed = f"{first}, as for the first flow: the flows of a scenario share one cache"
            raise flow.values.refuse("Device_Level_Data_Caching_Mode", f"allowed: {allowed}")
    return first


def _workload(
    number: int, flows: Sequence[Flow], parts: Sequence[Part], drive: Drive, notes: Notes
) -> TomlTable:
    device = drive.device
    conditioned = device.flag("Enabled_Preconditioning")
    host: TomlTable = {}
    if len({flow.values.text("Priority_Class") for flow in flows}) > 1:
        host["arbitration"] = {"kind": "strict"}
        notes.add("priorities count until a request enters the drive, in MQSim in the queues of its chips")
    table: TomlTable = {
        "name": f"scenario-{number}",
        "description": "a scenario of an MQSim workload",
        "host": host,
        "start": _start(flows, parts, conditioned),
    }
    # MQSim runs until nothing is left to do, and its results have the queues of each chip.
    table["measure"] = {"until": "idle", "chips": True}
    if drive.host.flag("Enable_ResponseTime_Logging"):
        table["measure"]["interval_ns"] = drive.host.whole("ResponseTime_Logging_Period_Length")
    places = _places(flows, parts, conditioned)
    table["flow"] = [
        flow.table(device.whole("IO_Queue_Depth"), device.whole("Queue_Fetch_Size"), *place)
        for flow, place in zip(flows, places, strict=True)
    ]
    return table


def _start(flows: Sequence[Flow], parts: Sequence[Part], conditioned: bool) -> TomlTable:
    """Before the first request."""
    shares = {part.name: _occupied([flows[number] for number in part.flows]) for part in parts}
    held = {name: share for name, share in shares.items() if share > 0}
    if not conditioned or not held:
        return {"occupancy": "none"}
    scatter = any(flow.overwrites_at_random for flow in flows)
    layout = {"layout": "at_trigger" if scatter else "in_order"}
    if "" in held:
        return {"occupancy": held[""]} | layout
    return {"occupancy": "none", "set_occupancy": held} | layout


def _occupied(flows: Sequence[Flow]) -> float:
    """Share of a part that preconditioning fills for its flows. One alone may go beyond what is filled."""
    if len(flows) == 1:
        return flows[0].asked
    return sum(flow.occupied for flow in flows) / len(flows)


def _places(flows: Sequence[Flow], parts: Sequence[Part], conditioned: bool) -> list[tuple[TomlTable, float]]:
    """Where each flow goes, and how much of what MQSim gives it that is."""
    found: dict[int, tuple[TomlTable, float]] = {}
    for part in parts:
        of_set: TomlTable = {"nvm_set": part.name} if part.name else {}
        ranges = _ranges([flows[number] for number in part.flows], conditioned)
        for number, (range_of, shrink) in zip(part.flows, ranges, strict=True):
            found[number] = (of_set | ({"range": range_of} if range_of else {}), shrink)
    return [found[number] for number in range(len(flows))]


def _ranges(flows: Sequence[Flow], conditioned: bool) -> list[tuple[TomlTable, float]]:
    """The range of each flow of a part of the drive, and that range over its equal share of the part.

    MQSim divides a part equally between its flows. What is occupied lies at the part's start here, so where
    there are several flows each has its occupied share there, one behind the other.
    """
    if len(flows) == 1:
        return [({}, 1.0)]
    count = len(flows)
    for flow in flows if conditioned else ():
        flow.note_filled()
    # A flow that only knows part of its pages, or none, keeps its whole share.
    shrinks = [flow.occupied if conditioned and flow.occupied else 1.0 for flow in flows]
    if any(shrink < 1.0 for shrink in shrinks) and any(flow.is_trace or not flow.occupied for flow in flows):
        shrinks = [1.0] * count
    start, ranges = 0.0, []
    for shrink in shrinks:
        share = shrink / count
        ranges.append(({"start_share": start, "share": share}, shrink))
        start += share
    return ranges
