"""What the columns of a result's tables are: the reference of results prints them."""

from __future__ import annotations

_ANSWERED = {
    "{}_requests": "{}s answered in it",
    "{}_bytes": "their bytes",
    "{}_latency_mean_ns": "mean of their response times, exact",
    "{}_latency_p50_ns": "median: exact or up to 0.8% above; null without {}s, and in a merged row",
    "{}_latency_p99_ns": "99th percentile, likewise",
    "{}_latency_max_ns": "longest, exact",
}

_SERIES = {
    "start_ns": "start of the interval, ns; interval k holds what happens after k · interval, up to and with "
    "the next one's start, and the first holds time 0 as well",
    "duration_ns": "its length, ns; the last one ends with the last answer",
    **{
        name.format(kind): about.format(kind)
        for kind in ("read", "write")
        for name, about in _ANSWERED.items()
    },
    "other_requests": "TRIMs and flushes answered",
    "requests_outstanding_mean": "requests inside the drive and on the link, mean over time",
    "commands_outstanding_mean": "flash pages waiting or running on all dies, mean over time",
    "CLASS_operations": "pages or blocks of each class whose operations ended; beside those of host and "
    "collection only classes that occurred",
    "gc_moved_units": "units that collection moved",
    "other_moved_units": "units moved for other causes",
    "stalled_units": "units of the host that had to wait for a free superblock",
    "free_superblocks_min": "fewest free superblocks at once on the whole drive; of an array, on the one "
    "that has fewest",
    "waf": "bytes programmed for each byte of the writes answered; null without writes",
    "energy_pj": "energy of the operations begun, pJ",
}

COLUMNS: dict[str, dict[str, str]] = {
    "dies": {
        "die": "its number",
        "busy_ns": "the sum of its busy times over all classes, ns",
        "busy_CLASS_ns": "that of one class",
        "erases_total": "erases of its blocks; `erases_min` likewise; further fields as in `dies[]`",
    },
    "channels": {"channel": "its number; further columns as of `dies`"},
    "histogram": {
        "direction": "kind of request",
        "latency_ns": "largest response time of the bin, ns",
        "requests": "requests in it; bins without any have no row",
    },
    "series": _SERIES,
    "samples": {
        "time_ns": "of the first of several samples that see the same",
        "samples": "how many see it",
        "busy_dies": "dies that a command occupies",
        "busy_channels": "channels that move commands or data",
        "outstanding": "a list: flash pages waiting or running on each die, 65,535 for more",
    },
    "blocks": {
        "drive": "of an array: the number of its drive",
        "superblock": "its number on the drive",
        "domain": "its domain",
        "block": "its number in each plane of the domain",
        "state": "`free`, `open`, `closing`, `full`, `collecting` or `erasing` at the end of the window",
        "valid_units": "units in it that are valid; of a move under way at both places",
        "erases": "erases of each of its blocks",
    },
    "requests": {
        "id": "number of the request; rows stand in the order of the answers, warm-up included",
        "op": "what the host asked; `flow`, `offset_bytes` and `length_bytes` likewise, as in a trace",
        "arrival_ns": "when the host had it ready",
        "start_ns": "when the drive took it in",
        "end_ns": "when the host had the answer",
        "measured": "whether it counts in the results",
        "blame_ns.PART": "a part of its response time; they add up to `end_ns` − `arrival_ns`",
    },
    "rows": {
        "axis.…": "the axes of a sweep",
        "key": "hash of the resolved inputs",
        "status": "`done`; `failed`: by itself, it would fail again; `lost`: by its machine",
        "error": "what a point that isn't done ended with",
        "device": "name of the drive; `scheme`, `workload`, `seed` likewise",
        "version": "of the simulator; `build` is the hash of its sources",
        "read.latency_ns.p99": "every number of `result.json` by its path, likewise; "
        "distributions and lists are in `result`",
        "inputs": "JSON: the configuration in force",
        "result": "JSON: the whole result",
    },
}
"""Column → what it holds, by table: those of a run, the log of requests, and the rows of sweeps."""
