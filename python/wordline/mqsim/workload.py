"""MQSim's flows as a workload of Wordline."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.mqsim.device import Drive
from wordline.mqsim.keys import SETS
from wordline.mqsim.values import Notes, Values
from wordline.mqsim.xmltree import Element

TomlTable = dict[str, Any]

SECTOR = 512
"""Bytes of a sector."""

ENDLESS = 1 << 48
"""Requests of a generator that a time stops."""

SPREAD = 8
"""Standard deviations to both sides of the mean beyond which no length is drawn."""

LONGEST = 2**16 - 1
"""Sectors of the longest request: NVMe counts them in 16 bits, and MQSim doesn't count from zero."""

SYNTHETIC = "IO_Flow_Parameter_Set_Synthetic"
TRACE = "IO_Flow_Parameter_Set_Trace_Based"


class Flow:
    """A flow of a scenario."""

    def __init__(self, element: Element, number: int, notes: Notes, *, base: Path) -> None:
        if element.name not in (SYNTHETIC, TRACE):
            raise WordlineError(
                f"{element.place}: {element.name}: allowed in a scenario: {SYNTHETIC} or {TRACE}"
            )
        self.values = Values(element, SETS[element.name], notes)
        self.number = number
        self.notes = notes
        self.base = base
        self.is_trace = element.name == TRACE

    @property
    def name(self) -> str:
        """As in MQSim's results."""
        if self.is_trace:
            return f"Host.IO_Flow.Trace.{self.values.text('File_Path')}"
        return f"Host.IO_Flow.Synth.No_{self.number}"

    @property
    def label(self) -> str:
        """As in Wordline's results. A generator's random streams come from it, hence the seed."""
        return f"flow{self.number}" if self.is_trace else f"flow{self.number}-seed{self.values.whole('Seed')}"

    @property
    def caching(self) -> str:
        """Its caching mode."""
        return self.values.text("Device_Level_Data_Caching_Mode")

    @property
    def is_open(self) -> bool:
        """Whether requests come at times of their own."""
        return self.is_trace or self.values.text("Synthetic_Generator_Type") == "BANDWIDTH"

    @property
    def asked(self) -> float:
        """Share of its part of the drive that preconditioning shall fill."""
        return self.values.whole("Initial_Occupancy_Percentage") / 100

    @property
    def occupied(self) -> float:
        """The same with all that it touches, as several flows of a part need it."""
        return self.asked if self.is_trace else max(self.asked, self.working_set if self.asked else 0.0)

    def note_filled(self) -> None:
        """Notes that more is filled than the file says, where that is so."""
        name, asked = "Initial_Occupancy_Percentage", self.values.whole("Initial_Occupancy_Percentage")
        filled = round(100 * self.occupied)
        if filled > asked:
            touched = f"{filled}% are filled, all that the flow touches (Working_Set_Percentage)"
            self.notes.add(f"{self.values.place(name)}: {name} = {asked}: {touched}")

    def note_unread(self, conditioned: bool) -> None:
        """Notes the values, other than 0, that others of the file leave without effect, as in MQSim."""
        values, found = self.values, []
        if not conditioned:
            found.append(("Initial_Occupancy_Percentage", "Enabled_Preconditioning is false"))
        if not self.is_trace:
            if values.whole("Stop_Time"):
                found.append(("Total_Requests_To_Generate", "Stop_Time isn't 0"))
            if values.text("Address_Distribution") != "RANDOM_HOTCOLD":
                found.append(("Percentage_of_Hot_Region", "of RANDOM_HOTCOLD only"))
            if values.text("Request_Size_Distribution") == "FIXED":
                found.append(("Variance_Request_Size", "of NORMAL only"))
            if not self.is_open and values.has("Bandwidth"):
                found.append(("Bandwidth", "of BANDWIDTH only"))
        for name, why in found:
            if values.given(name) and values.whole(name):
                self.notes.add(f"{name} = {values.shown(name)}: without effect here: {why}")

    @property
    def working_set(self) -> float:
        """Share of its part of the drive that it touches."""
        return 1.0 if self.is_trace else self.values.whole("Working_Set_Percentage") / 100

    @property
    def overwrites_at_random(self) -> bool:
        """Whether preconditioning should scatter what is invalid."""
        if self.is_trace:
            return True
        values = self.values
        return values.whole("Read_Percentage") < 100 and values.text("Address_Distribution") != "STREAMING"

    def resources(self, drive: Drive) -> tuple[tuple[int, ...], ...]:
        """Channels, chips of each, dies of each and planes of each that it may use."""
        found = []
        for name, count in drive.counts.items():
            if not self.values.has(name):
                self.notes.add(f"{self.values.element.place}: {name} missing: all {count} are used")
                found.append(tuple(range(count)))
                continue
            numbers = self.values.numbers(name)
            if numbers[-1] >= count:
                raise self.values.refuse(name, f"allowed: 0 to {count - 1}, as on the drive")
            found.append(numbers)
        return tuple(found)

    def table(self, queue_entries: int, fetched: int, place: TomlTable, shrink: float) -> TomlTable:
        """The flow's description: the drive has at most `fetched` of its requests; `place` is its range of
        the drive, `shrink` that over its whole part.
        """
        values = self.values
        table: TomlTable = {"name": self.label, "priority": values.text("Priority_Class").lower()}
        table |= place
        most = queue_entries - 1
        if self.is_open:
            table |= {"arrivals": "open", "max_outstanding": most}
        else:
            depth = values.whole("Average_No_of_Reqs_in_Queue")
            table |= {"arrivals": "closed", "queue_depth": min(depth, most)}
        if self.depth > fetched:
            table["max_inside"] = fetched
        if self.is_trace:
            if values.text("Time_Unit") == "PICOSECOND":
                table["time_scale"] = 0.001
            table["source"] = self._trace()
            return table
        if stop := values.whole("Stop_Time"):
            table["stop_ns"] = stop
        else:
            # A flow of MQSim's ends with its number, whatever the others do.
            table["at_end"] = "stop"
        table["source"] = self._synthetic(shrink)
        return table

    @property
    def depth(self) -> int:
        """Most requests at once, as far as it is known."""
        return ENDLESS if self.is_open else self.values.whole("Average_No_of_Reqs_in_Queue")

    def _synthetic(self, shrink: float) -> TomlTable:
        values = self.values
        requests = ENDLESS
        if not values.whole("Stop_Time"):
            requests = values.whole("Total_Requests_To_Generate")
            if not requests:
                raise values.refuse(
                    "Total_Requests_To_Generate", "allowed: more than 0, or a Stop_Time above 0"
                )
        aligned = values.flag("Generated_Aligned_Addresses")
        source: TomlTable = {
            "kind": "synthetic",
            "requests": requests,
            "read_share": values.whole("Read_Percentage") / 100,
            "sizes": self._sizes(),
            "alignment_bytes": SECTOR * (values.whole("Address_Alignment_Unit") if aligned else 1),
            "pattern": self._pattern(),
        }
        share = min(1.0, self.working_set / shrink)
        if share < 1.0:
            source["region"] = {"share": share}
        if self.is_open:
            source["interarrival"] = {"kind": "poisson", "iops": self._rate()}
        return source

    def _pattern(self) -> TomlTable:
        kind = self.values.text("Address_Distribution")
        if kind == "STREAMING":
            self.notes.add("STREAMING begins at the start of its region, in MQSim at a random place of it")
            return {"kind": "sequential", "streams": 1}
        if kind == "RANDOM_HOTCOLD":
            hot = self.values.whole("Percentage_of_Hot_Region") / 100
            self.notes.add("RANDOM_HOTCOLD: hot pages lie scattered over the region, in MQSim at its start")
            return {"kind": "hot_cold", "hot_share_of_space": hot, "hot_share_of_requests": 1 - hot}
        return {"kind": "uniform"}

    def _sizes(self) -> int | list[TomlTable]:
        mean = self.values.whole("Average_Request_Size")
        deviation = self.values.whole("Variance_Request_Size")
        if self.values.text("Request_Size_Distribution") == "FIXED" or deviation == 0:
            return SECTOR * mean
        return normal_sizes(mean, deviation)

    def _rate(self) -> float:
        """Requests a second."""
        values = self.values
        if not values.has("Bandwidth"):
            raise WordlineError(
                f"{values.element.place}: {values.element.name} lacks Bandwidth, which BANDWIDTH needs"
                + (" (MQSim doesn't read Intensity)" if values.has("Intensity") else "")
            )
        return values.whole("Bandwidth") / SECTOR / values.whole("Average_Request_Size")

    def _trace(self) -> TomlTable:
        values = self.values
        path = self._find_trace()
        source: TomlTable = {"kind": "trace", "path": str(path), "format": "mqsim", "out_of_range": "wrap"}
        if values.text("Time_Unit") == "MICROSECOND":
            source["time_unit"] = "us"
        repeat = values.whole("Relay_Count")
        share = values.whole("Percentage_To_Be_Executed")
        if share < 100:
            lines = count_lines(path)
            wanted = lines * share // 100
            if not wanted:
                raise values.refuse(
                    "Percentage_To_Be_Executed", f"no request is left of the {lines} of {path}"
                )
            source["transform"] = [{"kind": "slice_count", "count": wanted}]
            if repeat > 1:
                self.notes.add("Percentage_To_Be_Executed counts for each replay (MQSim forgets it then)")
                source["transform"].append({"kind": "repeat", "times": repeat})
        elif repeat > 1:
            source["repeat"] = repeat
        return source

    def _find_trace(self) -> Path:
        """From the working directory, as in MQSim, else beside the workload file."""
        named = Path(self.values.text("File_Path"))
        places = [named, self.base / named]
        for path in places:
            if path.is_file():
                return path.resolve()
        tried = " and ".join(str(path) for path in dict.fromkeys(places))
        raise self.values.refuse("File_Path", f"no such file: looked for {tried}")


def normal_sizes(mean: int, deviation: int) -> list[TomlTable]:
    """Lengths drawn from a normal distribution, rounded up to whole sectors; none is below one."""
    low = max(1, math.floor(mean - SPREAD * deviation))
    high = min(LONGEST, math.ceil(mean + SPREAD * deviation))

    def below(sectors: int) -> float:
        return 0.5 * math.erfc((mean - sectors) / (deviation * math.sqrt(2)))

    weights = [below(low)] + [below(size) - below(size - 1) for size in range(low + 1, high + 1)]
    sizes = zip(range(low, high + 1), weights, strict=True)
    return [{"bytes": SECTOR * size, "weight": weight} for size, weight in sizes if weight > 0]


def count_lines(path: Path) -> int:
    """Requests of a trace: its lines that aren't blank."""
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
