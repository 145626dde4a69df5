"""MQSim's drive as a device and a scheme of Wordline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from wordline.mqsim.values import Values

TomlTable = dict[str, Any]

PAYLOAD = 128
"""Bytes of data in a PCIe packet of MQSim's."""

OVERHEAD = 28
"""Bytes of a PCIe packet beside its data: header 20, data link layer 6, physical layer 2."""

SUBMISSION_ENTRY = 72
"""Bytes of a submission queue entry as MQSim sends it."""

COMPLETION_ENTRY = 16
"""Bytes of a completion queue entry."""

READ_EXTRA_NS = 20
"""What MQSim adds to each page read (tRR)."""

COLD_PERIOD_NS = 1_000_000_000
"""How long MQSim's data cache remembers which pages were written."""

LEAST_FREE = 10
"""Collections that MQSim has under way in a plane at most: as many blocks it keeps free at least."""

READ_BITS = {"SLC": ("LSB",), "MLC": ("LSB", "MSB"), "TLC": ("LSB", "CSB", "MSB")}
"""Page types of each technology, from the first."""


@dataclass(frozen=True)
class Drive:
    """The parameter sets of a drive."""

    host: Values
    device: Values
    flash: Values

    @property
    def page_bytes(self) -> int:
        """Bytes of a flash page, which is MQSim's mapping unit."""
        return self.flash.whole("Page_Capacity")

    @property
    def counts(self) -> dict[str, int]:
        """Channels, chips of each, dies of each and planes of each, by the keys that number them."""
        return {
            "Channel_IDs": self.device.whole("Flash_Channel_Count"),
            "Chip_IDs": self.device.whole("Chip_No_Per_Channel"),
            "Die_IDs": self.flash.whole("Die_No_Per_Chip"),
            "Plane_IDs": self.flash.whole("Plane_No_Per_Die"),
        }

    @property
    def planes(self) -> int:
        """Planes of the drive."""
        return math.prod(self.counts.values())

    def device_table(self) -> TomlTable:
        """The description of the drive."""
        check_page(self.flash)
        table: TomlTable = {
            "name": "mqsim-config",
            "description": "the drive of an MQSim configuration",
            "geometry": self._geometry(),
            "capacity": {"overprovisioning": self.device.real("Overprovisioning_Ratio")},
            "cell": self._cell(),
            "channel": self._channel(),
            "multi_plane": {"rule": "same_page"},
        }
        if suspend := self._suspend():
            table["suspend"] = suspend
        if self.device.flag("Use_Copyback_for_GC"):
            table["copyback"] = {"supported": True}
        table["link"] = self._link()
        table["dram"] = self._dram()
        return table

    def _geometry(self) -> TomlTable:
        flash = self.flash
        return {
            "channels": self.device.whole("Flash_Channel_Count"),
            "ways": self.device.whole("Chip_No_Per_Channel"),
            "dies": flash.whole("Die_No_Per_Chip"),
            "planes": flash.whole("Plane_No_Per_Die"),
            "blocks": flash.whole("Block_No_Per_Plane"),
            "pages": flash.whole("Page_No_Per_Block"),
            "page_bytes": self.page_bytes,
            "spare_bytes": flash.whole("Page_Metadat_Capacity"),
            "mapping_unit_bytes": self.page_bytes,
        }

    def _cell(self) -> TomlTable:
        technology = self.flash.text("Flash_Technology")
        bits = READ_BITS[technology]
        reads = [self.flash.whole(f"Page_Read_Latency_{bit}") + READ_EXTRA_NS for bit in bits]
        programs = [self.flash.whole(f"Page_Program_Latency_{bit}") for bit in bits]
        table: TomlTable = {
            "technology": technology.lower(),
            "read_ns": reads,
            "program_ns": programs,
            "erase_ns": self.flash.whole("Block_Erase_Latency"),
        }
        if technology == "TLC":
            pages = self.flash.whole("Page_No_Per_Block")
            table["first_pages"] = [0, 0, 0, 0, 0, 0, 1, 1][:pages]
            table["page_types"] = [0, 0, 1, 1, 2, 2]
        return table

    def _channel(self) -> TomlTable:
        return {
            "mega_transfers_per_s": self.device.whole("Channel_Transfer_Rate"),
            "width_bits": 8 * self.device.whole("Flash_Channel_Width"),
            # NV-DDR2 command times, as measured.
            "read_command_ns": 290,
            "read_command_extra_plane_ns": 650,
            "program_command_ns": 361,
            "program_command_extra_plane_ns": 816,
            "erase_command_ns": 220,
            "transfer": "requested",
            "transfer_spare": False,
            "program_data": "written",
            "arbitration": "data_out_first",
            "commands": "chip",
        }

    def _suspend(self) -> TomlTable:
        support = self.flash.text("CMD_Suspension_Support")
        table = {}
        if "PROGRAM" in support:
            table["program_ns"] = self.flash.whole("Suspend_Program_Time")
        if "ERASE" in support:
            table["erase_ns"] = self.flash.whole("Suspend_Erase_Time")
        return table

    def _link(self) -> TomlTable:
        lanes = self.host.whole("PCIe_Lane_Count")
        rate = self.host.real("PCIe_Lane_Bandwidth")

        def packet(payload: int) -> float:
            return math.ceil((payload + OVERHEAD) / lanes) / rate

        # Doorbells of both queues and the entry to the drive, the fetch of the entry to the host.
        submission = 2 * packet(2) + packet(4) + packet(SUBMISSION_ENTRY)
        return {
            "bytes_per_s": math.ceil(lanes * rate * 1e9 * PAYLOAD / (PAYLOAD + OVERHEAD)),
            "submission_ns": round(submission),
            "completion_ns": round(packet(COMPLETION_ENTRY)),
        }

    def _dram(self) -> TomlTable:
        device = self.device
        rate = device.whole("Data_Cache_DRAM_Data_Rate")
        burst = device.whole("Data_Cache_DRAM_Data_Busrt_Size")
        return {
            "access_ns": device.whole("Data_Cache_DRAM_tRCD") + device.whole("Data_Cache_DRAM_tCL"),
            # MQSim counts two transfers in the time of one.
            "bytes_per_s": 2_000_000 * rate * burst,
            "whole_requests": True,
            "rows": {
                "bytes": device.whole("Data_Cache_DRAM_Row_Size"),
                "gap_ns": device.whole("Data_Cache_DRAM_tRP"),
                # Bytes divided by the bytes of a transfer times its nanoseconds count for nanoseconds.
                "rest_bytes_per_s": max(1_000, 10**12 * burst // rate),
            },
        }

    def scheme_table(self, caching: str) -> TomlTable:
        """The description of the firmware; `caching` is the mode of the scenario's flows."""
        device = self.device
        table: TomlTable = {
            "name": "mqsim-config",
            "description": "the firmware of an MQSim configuration",
            "mapping": self._mapping(),
            "placement": {"policy": "static", "order": device.text("Plane_Allocation_Scheme")},
            "blocks": {"superblock": "none"},
            "gc": self._gc(),
            "wear": self._wear(),
            "scheduler": self._scheduler(),
        }
        if caching != "TURNED_OFF":
            table["cache"] = self._cache(caching)
        return table

    def _mapping(self) -> TomlTable:
        # Each page that is read without ever having been written gets a place at that moment.
        table: TomlTable = {"policy": "page", "unmapped_reads": "allocate"}
        if not self.device.flag("Ideal_Mapping_Table"):
            pages = self.planes * math.prod(
                self.flash.whole(name) for name in ("Block_No_Per_Plane", "Page_No_Per_Block")
            )
            bits, sectors = math.log2(pages), self.page_bytes // 512
            table |= {
                "policy": "demand",
                "cache_bytes": self.device.whole("CMT_Capacity"),
                "entry_bytes": min(64, math.ceil((2 * bits + sectors) / 8)),
                "translation_entry_bytes": min(64, math.ceil((bits + sectors) / 8)),
                # A translation page is a sector, and all of them are on flash from the start.
                "translation_page_bytes": 512,
                "stored_at_start": "all",
                "write_back_lookups": True,
            }
        return table

    def _gc(self) -> TomlTable:
        blocks = self.flash.whole("Block_No_Per_Plane")
        policy = self.device.text("GC_Block_Selection_Policy")
        names = {"GREEDY": "greedy", "RGA": "d_choices", "RANDOM": "random", "FIFO": "fifo"}
        table: TomlTable = {"policy": names[policy]}
        if policy == "RGA":
            table["choices"] = int(math.log2(blocks))
        table["trigger"] = trigger_share(self.free_blocks, blocks)
        return table

    @property
    def free_blocks(self) -> int:
        """Free blocks of a plane below which MQSim collects: whole ones, never below ten."""
        blocks = self.flash.whole("Block_No_Per_Plane")
        return min(blocks, max(int(self.device.real("GC_Exec_Threshold") * blocks), LEAST_FREE))

    def _wear(self) -> TomlTable:
        dynamic = self.device.flag("Dynamic_Wearleveling_Enabled")
        table: TomlTable = {"free_block": "least_worn" if dynamic else "oldest"}
        if self.device.flag("Static_Wearleveling_Enabled"):
            table["static_spread"] = self.device.whole("Static_Wearleveling_Threshold")
        return table

    def _scheduler(self) -> TomlTable:
        host = [["host_read", "write_back_read"], ["host_program", "write_back_program"]]
        collection = [
            ["gc_read", "wear_read"],
            ["gc_program", "wear_program"],
            ["gc_erase", "wear_erase"],
        ]
        map_first = [["map_read"]]
        preemptible = self.device.flag("Preemptible_GC_Enabled")
        rest = [*host, *collection] if preemptible else [*collection, *host]
        suspends = self.flash.text("CMD_Suspension_Support") != "NONE"
        return {
            "policy": "read_first_suspend" if suspends else "read_first",
            "tiers": map_first + rest,
        }

    def _cache(self, caching: str) -> TomlTable:
        table: TomlTable = {
            "policy": "write_buffer" if caching == "WRITE_CACHE" else "lru",
            "bytes": self.device.whole("Data_Cache_Capacity"),
            "dirty_high": 1.0,
            "dirty_low": 1.0,
            "cold_period_ns": COLD_PERIOD_NS,
            "max_write_backs": self.planes,
        }
        return table


def trigger_share(free: int, blocks: int) -> float:
    """The share of the blocks that comes to so many: a part of a block counts for a whole one."""
    return (free - 0.5) / blocks


def check_page(flash: Values) -> None:
    """Refuses pages that no drive has here."""
    if flash.whole("Page_Capacity") % 512:
        raise flash.refuse("Page_Capacity", "allowed: a multiple of the 512-byte sector")
