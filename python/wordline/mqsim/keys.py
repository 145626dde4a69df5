"""MQSim's keys: what each may hold, MQSim's own default, and what becomes of it here.

One table for each of its parameter sets. The documentation prints the same tables.
"""

from __future__ import annotations

from itertools import permutations

from wordline.mqsim.kinds import Flag, Key, Numbers, Real, Text, Whole, Word

SUSPENDED = (
    "an operation is suspended if more of it is left than suspending takes; "
    "another bound can't be set (in MQSim nothing is ever suspended)"
)

HOST = (
    Key("PCIe_Lane_Bandwidth", Real(1e-3, 1e3), "0.4", "`device.link`: GB/s of a lane"),
    Key("PCIe_Lane_Count", Whole(1, 64), "4", "`device.link`"),
    Key("SATA_Processing_Delay", Whole(), None, "only SATA has it", "no effect", optional=True),
    Key(
        "Enable_ResponseTime_Logging",
        Flag(),
        "false",
        "`workload.measure.interval_ns`: the time series takes the place of the log",
    ),
    Key(
        "ResponseTime_Logging_Period_Length",
        Whole(1),
        "400000",
        "`workload.measure.interval_ns`, where the log is on",
    ),
)

DEVICE = (
    Key("Seed", Whole(0, 2**31 - 1), "123", "seed of the run"),
    Key(
        "Enabled_Preconditioning",
        Flag(),
        "true",
        "`workload.start`; without it the drive is empty and reads of empty pages give them a place "
        '(`scheme.mapping.unmapped_reads = "allocate"`)',
    ),
    Key("Memory_Type", Word(("FLASH",)), "FLASH", "nothing else is there", "no effect"),
    Key(
        "HostInterface_Type",
        Word(("NVME", "SATA")),
        "NVME",
        "`device.link`",
        refused=(("SATA", "one queue for all flows behind a fixed delay isn't modelled"),),
    ),
    Key("IO_Queue_Depth", Whole(2, 65_535), "1024", "bound on requests of a flow: `flow.max_outstanding`"),
    Key("Queue_Fetch_Size", Whole(1, 65_535), "512", "`max_inside` of each flow whose queue is deeper"),
    Key(
        "Caching_Mechanism",
        Word(("SIMPLE", "ADVANCED")),
        "ADVANCED",
        "`scheme.cache`; SIMPLE does what ADVANCED does (in MQSim its first write ends the run)",
        "no effect",
    ),
    Key(
        "Data_Cache_Sharing_Mode",
        Word(("SHARED", "EQUAL_PARTITIONING")),
        "SHARED",
        "`scheme.cache`",
        refused=(("EQUAL_PARTITIONING", "the data cache can't be divided between flows"),),
    ),
    Key("Data_Cache_Capacity", Whole(0, 2**40), "536870912", "`scheme.cache.bytes`"),
    Key("Data_Cache_DRAM_Row_Size", Whole(1, 2**30), "8192", "`device.dram`"),
    Key("Data_Cache_DRAM_Data_Rate", Whole(1, 10**6), "800", "`device.dram`: million transfers a second"),
    Key("Data_Cache_DRAM_Data_Busrt_Size", Whole(1, 2**20), "4", "`device.dram`: bytes of a transfer"),
    Key("Data_Cache_DRAM_tRCD", Whole(0, 10**6), "13", "`device.dram.access_ns`"),
    Key("Data_Cache_DRAM_tCL", Whole(0, 10**6), "13", "`device.dram.access_ns`"),
    Key("Data_Cache_DRAM_tRP", Whole(0, 10**6), "13", "`device.dram`, between rows"),
    Key(
        "Address_Mapping",
        Word(("PAGE_LEVEL", "HYBRID")),
        "PAGE_LEVEL",
        "`scheme.mapping.policy`",
        refused=(("HYBRID", "an outline in MQSim, without a line of code behind it"),),
    ),
    Key("Ideal_Mapping_Table", Flag(), "false", "`scheme.mapping.policy`: `page` or `demand`"),
    Key("CMT_Capacity", Whole(0, 2**40), "2097152", "`scheme.mapping.cache_bytes`, 9 bytes an entry"),
    Key(
        "CMT_Sharing_Mode",
        Word(("SHARED", "EQUAL_SIZE_PARTITIONING")),
        "SHARED",
        "`scheme.mapping`",
        refused=(("EQUAL_SIZE_PARTITIONING", "the cached map can't be divided between flows"),),
    ),
    Key(
        "Plane_Allocation_Scheme",
        Word(tuple("".join(order) for order in permutations("CDPW"))),
        "CWDP",
        "`scheme.placement.order`",
    ),
    Key(
        "Transaction_Scheduling_Policy",
        Word(("OUT_OF_ORDER", "PRIORITY_OUT_OF_ORDER", "FLIN")),
        "OUT_OF_ORDER",
        "`scheme.scheduler.tiers`",
        refused=(("FLIN", "MQSim itself ends with an error where it is chosen"),),
    ),
    Key("Overprovisioning_Ratio", Real(0, 0.95), "0.07", "`device.capacity.overprovisioning`"),
    Key("GC_Exec_Threshold", Real(0, 1), "0.05", "`scheme.gc.trigger`"),
    Key(
        "GC_Block_Selection_Policy",
        Word(("GREEDY", "RGA", "RANDOM", "RANDOM_P", "RANDOM_PP", "FIFO")),
        "RGA",
        "`scheme.gc.policy`; `RGA` draws ⌊log₂(blocks of a plane)⌋ blocks",
        refused=(
            ("RANDOM_P", "a victim of random choice with a bound on its valid pages isn't there"),
            ("RANDOM_PP", "a victim of random choice with a bound on its valid pages isn't there"),
        ),
    ),
    Key("Use_Copyback_for_GC", Flag(), "false", "`device.copyback.supported`"),
    Key(
        "Preemptible_GC_Enabled",
        Flag(),
        "true",
        "`scheme.scheduler.tiers`: the host's commands first or last",
    ),
    Key(
        "GC_Hard_Threshold",
        Real(0, 1),
        "0.005",
        "the host's writes wait when the last free block is kept for collection",
        "no effect",
    ),
    Key("Dynamic_Wearleveling_Enabled", Flag(), "true", "`scheme.wear.free_block`"),
    Key("Static_Wearleveling_Enabled", Flag(), "true", "`scheme.wear.static_spread`"),
    Key("Static_Wearleveling_Threshold", Whole(1, 10**6), "100", "`scheme.wear.static_spread`"),
    Key("Prefered_suspend_erase_time_for_read", Whole(), "700000", SUSPENDED, "no effect"),
    Key("Preferred_suspend_erase_time_for_write", Whole(), "700000", "writes suspend nothing", "no effect"),
    Key("Preferred_suspend_write_time_for_read", Whole(), "100000", SUSPENDED, "no effect"),
    Key("Flash_Channel_Count", Whole(1, 4096), "8", "`device.geometry.channels`"),
    Key("Flash_Channel_Width", Whole(1, 128), "1", "`device.channel.width_bits`, 8 for each byte"),
    Key("Channel_Transfer_Rate", Whole(1, 10**6), "300", "`device.channel.mega_transfers_per_s`"),
    Key("Chip_No_Per_Channel", Whole(1, 4096), "4", "`device.geometry.ways`"),
    Key("Flash_Comm_Protocol", Word(("NVDDR2",)), "NVDDR2", "command times of `device.channel`"),
)

FLASH = (
    Key("Flash_Technology", Word(("SLC", "MLC", "TLC")), "MLC", "`device.cell.technology`"),
    Key(
        "CMD_Suspension_Support",
        Word(("NONE", "PROGRAM", "PROGRAM_ERASE", "ERASE")),
        "ERASE",
        "`device.suspend`, `scheme.scheduler.policy`",
    ),
    *(
        Key(f"Page_{what}_Latency_{bit}", Whole(0, 10**10), default, f"`device.cell.{key}`{more}")
        for what, default, key, more in (
            ("Read", "75000", "read_ns", ", 20 more"),
            ("Program", "750000", "program_ns", ""),
        )
        for bit in ("LSB", "CSB", "MSB")
    ),
    Key("Block_Erase_Latency", Whole(0, 10**10), "3800000", "`device.cell.erase_ns`"),
    Key("Block_PE_Cycles_Limit", Whole(), "10000", "blocks don't wear out, in MQSim neither", "no effect"),
    Key("Suspend_Erase_Time", Whole(0, 10**10), "700000", "`device.suspend.erase_ns`"),
    Key("Suspend_Program_Time", Whole(0, 10**10), "100000", "`device.suspend.program_ns`"),
    Key("Die_No_Per_Chip", Whole(1, 4096), "2", "`device.geometry.dies`"),
    Key("Plane_No_Per_Die", Whole(1, 32), "2", "`device.geometry.planes`"),
    Key("Block_No_Per_Plane", Whole(4, 2**24), "2048", "`device.geometry.blocks`"),
    Key("Page_No_Per_Block", Whole(4, 2**16), "256", "`device.geometry.pages`"),
    Key("Page_Capacity", Whole(512, 2**20), "8192", "`device.geometry.page_bytes`, and the mapping unit"),
    Key("Page_Metadat_Capacity", Whole(0, 2**20), "1872", "`device.geometry.spare_bytes`; it never moves"),
)

SHARED_FLOW = (
    Key(
        "Priority_Class",
        Word(("URGENT", "HIGH", "MEDIUM", "LOW")),
        "HIGH",
        "`flow.priority`; it counts until a request enters the drive",
    ),
    Key(
        "Device_Level_Data_Caching_Mode",
        Word(("TURNED_OFF", "WRITE_CACHE", "READ_CACHE", "WRITE_READ_CACHE")),
        "WRITE_CACHE",
        "`scheme.cache`, the same for all flows of a scenario",
        refused=(("READ_CACHE", "a cache of reads that writes pass by isn't there"),),
    ),
    Key(
        "Channel_IDs",
        Numbers(),
        None,
        "`scheme.nvm_set.channels`, `flow.nvm_set`; of flows that name other planes none may be the same",
    ),
    Key("Chip_IDs", Numbers(), None, "`scheme.nvm_set.ways`, `flow.nvm_set`"),
    Key("Die_IDs", Numbers(), None, "`scheme.nvm_set.dies`, `flow.nvm_set`"),
    Key("Plane_IDs", Numbers(), None, "`scheme.nvm_set.planes`, `flow.nvm_set`"),
    Key("Initial_Occupancy_Percentage", Whole(0, 100), "50", "`workload.start.occupancy`"),
)

SYNTHETIC = (
    *SHARED_FLOW,
    Key("Working_Set_Percentage", Whole(1, 100), "85", "`source.region`"),
    Key(
        "Synthetic_Generator_Type",
        Word(("QUEUE_DEPTH", "BANDWIDTH")),
        "QUEUE_DEPTH",
        "`flow.arrivals`: `closed` or `open`",
    ),
    Key("Read_Percentage", Whole(0, 100), "100", "`source.read_share`"),
    Key(
        "Address_Distribution",
        Word(("STREAMING", "RANDOM_UNIFORM", "RANDOM_HOTCOLD", "MIXED_STREAMING_RANDOM")),
        "RANDOM_UNIFORM",
        "`source.pattern`",
        refused=(("MIXED_STREAMING_RANDOM", "MQSim's page names it, its source doesn't know it"),),
    ),
    Key("Percentage_of_Hot_Region", Whole(0, 100), "0", "`source.pattern` of RANDOM_HOTCOLD"),
    Key("Generated_Aligned_Addresses", Flag(), "true", "`source.alignment_bytes`"),
    Key("Address_Alignment_Unit", Whole(1, 2**21), "16", "`source.alignment_bytes`, in sectors of 512 bytes"),
    Key("Request_Size_Distribution", Word(("FIXED", "NORMAL")), "FIXED", "`source.sizes`"),
    Key("Average_Request_Size", Whole(1, 2**16 - 1), "8", "`source.sizes`, in sectors"),
    Key("Variance_Request_Size", Whole(0, 2**16 - 1), "0", "`source.sizes`: standard deviation, in sectors"),
    Key("Seed", Whole(0, 2**31 - 1), "12344", "part of the flow's name, from which its random streams come"),
    Key("Average_No_of_Reqs_in_Queue", Whole(1, 65_535), "2", "`flow.queue_depth`"),
    Key("Bandwidth", Whole(1, 2**32 - 1), None, "`source.interarrival`: bytes a second", optional=True),
    Key(
        "Intensity",
        Whole(),
        None,
        "a former name of Bandwidth that MQSim doesn't read any more",
        "no effect",
        optional=True,
    ),
    Key("Stop_Time", Whole(), "1000000000", "`flow.stop_ns`; 0: Total_Requests_To_Generate counts"),
    Key("Total_Requests_To_Generate", Whole(0, 2**32 - 1), "0", "`source.requests`, if Stop_Time is 0"),
)

TRACE = (
    *SHARED_FLOW,
    Key("File_Path", Text(), None, "`source.path`: from the working directory, or beside this file"),
    Key("Percentage_To_Be_Executed", Whole(1, 100), "100", "`source.max_requests`"),
    Key("Relay_Count", Whole(1, 10**6), "1", "`source.repeat`"),
    Key(
        "Time_Unit",
        Word(("PICOSECOND", "NANOSECOND", "MICROSECOND")),
        "NANOSECOND",
        "`source.time_unit`, `flow.time_scale` (MQSim takes all for nanoseconds)",
    ),
)

ALIASES = {"Preferred_suspend_erase_time_for_read": "Prefered_suspend_erase_time_for_read"}
"""Names in MQSim's own files that its parser doesn't know, and what they were meant to be."""

SETS: dict[str, tuple[Key, ...]] = {
    "Host_Parameter_Set": HOST,
    "Device_Parameter_Set": DEVICE,
    "Flash_Parameter_Set": FLASH,
    "IO_Flow_Parameter_Set_Synthetic": SYNTHETIC,
    "IO_Flow_Parameter_Set_Trace_Based": TRACE,
}
"""Every key, by the element that holds it."""


def tables() -> str:
    """The tables of the documentation, one for each parameter set; keys that both kinds of flows have stand
    in a table of their own.
    """
    sets = {name: [key for key in keys if key not in SHARED_FLOW] for name, keys in SETS.items()}
    flows = "Both kinds of `IO_Flow_Parameter_Set`"
    titled = {**{f"`{name}`": keys for name, keys in sets.items()}, flows: list(SHARED_FLOW)}
    return "\n".join(f"## {title}\n\n{_table(keys)}" for title, keys in titled.items())


def _table(keys: list[Key]) -> str:
    rows = ["| key | MQSim's default | allowed | here |", "|---|---|---|---|"]
    rows += [_row(key) for key in keys]
    return "\n".join(rows) + "\n"


def _row(key: Key) -> str:
    default = "" if key.default is None else f"`{key.default}`"
    meaning = key.meaning if key.effect == "used" else f"*no effect:* {key.meaning}"
    refused = "".join(f". *{word} is refused:* {reason}" for word, reason in key.refused)
    return f"| `{key.name}` | {default} | {key.kind.allowed()} | {meaning}{refused} |"
