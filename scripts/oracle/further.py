"""Descriptions beside those drawn: arrays, policies in Python, traces, generated loads, no checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import descriptions
import own_policies
from descriptions import Row, known, of_presets, smaller_drive

ARRAYS = {
    "stripe": {
        "scheme.array.layout": "striped",
        "scheme.array.members": 3,
        "scheme.array.chunk_bytes": 16_384,
    },
    "mirror": {
        "scheme.array.layout": "mirrored",
        "scheme.array.members": 2,
        "scheme.array.serve": "round_robin",
    },
    "windows": {
        "scheme.array.layout": "mirrored",
        "scheme.array.members": 2,
        "scheme.array.read_window_ns": 3_000_000,
    },
}

TRACES = Path(__file__).parents[3] / "shared" / "traces" / "norm"
"""Recorded traces, which aren't part of the project."""

TAKEN = (
    "msr_hm_0_cut105",
    "msr_web_3",
    "spc_fin1_9999",
    "ms_tpcc_small",
    "disksim_ssd_postmark",
    "nexus5_booting",
    "llm_opt7b_offload",
    "tencent_rw_60_40_490",
)

OF_TRACES = (
    ("enterprise-tlc", "baseline"),
    ("7450pro-960", "baseline"),
    ("client-qlc", "baseline"),
    ("collision", "collision"),
    ("hotr-tlc", "hotr"),
)

MEASURES = {
    "workload.measure.interval_ns": 2_000_000,
    "workload.measure.max_rows": 16,
    "workload.measure.sample_ns": 500_000,
    "workload.measure.sample_table": True,
    "workload.measure.block_table": True,
    "workload.measure.reclaims": True,
}

LOADS = {
    "uniform": {"pattern": {"kind": "uniform"}, "read_share": 0.5, "sizes": 4096},
    "skewed": {"pattern": {"kind": "zipf", "theta": 0.99}, "read_share": 0.7, "sizes": 8192},
    "in order": {"pattern": {"kind": "sequential"}, "read_share": 0.2, "sizes": 16_384},
}
"""Generators, whose law a start in the middle of things and a map's cache in use follow."""

STARTS: tuple[dict[str, object], ...] = (
    {"workload.start.layout": "steady"},
    {"workload.start.layout": "at_trigger"},
    {"workload.start.layout": "in_order", "workload.start.overwrite": 0.6, "workload.measure.chips": True},
    {"workload.start.layout": "steady", "workload.measure.collisions": True},
    {"workload.start.layout": "steady", "workload.measure.until": "idle"},
)


def of_loads() -> Iterator[Row]:
    """Drawn drives under generated loads, all that can be measured on."""
    drives = list(known())
    for number, (name, generator) in enumerate(LOADS.items()):
        for turn, row in enumerate(drives[number::6]):
            start = {"workload.start.occupancy": "all", **STARTS[turn % len(STARTS)]}
            host = {"workload.host.arrivals": "closed", "workload.host.queue_depth": 12}
            yield replace(
                row,
                name=f"load {name}: {row.name}",
                overrides={**row.overrides, **MEASURES, **host, **start},
                generator=generator,
                requests=500,
            )


def of_unchecked() -> Iterator[Row]:
    """Drawn drives that don't check themselves."""
    for row in list(known())[5::8]:
        yield replace(row, name=f"unchecked: {row.name}", checked=False)


def of_arrays() -> Iterator[Row]:
    """Drawn drives as members of arrays."""
    drives = list(known())
    for number, (name, keys) in enumerate(ARRAYS.items()):
        for row in drives[number::40]:
            yield replace(row, name=f"array {name}: {row.name}", overrides={**row.overrides, **keys})


def of_policies() -> Iterator[Row]:
    """Drawn drives, each with one policy in Python."""
    drives = list(known())
    for number, (slot, policy) in enumerate(own_policies.BY_SLOT.items()):
        # Few of them go with a system that makes copies.
        for row in drives[20 + number :: 24 if slot == "system" else 40]:
            points = {"scheme.blocks.host_write_points": 2} if slot == "separation" else {}
            yield replace(
                row,
                name=f"policy {slot}: {row.name}",
                overrides={**row.overrides, **points},
                policies={slot: policy},
                requests=300,
            )


def of_traces() -> Iterator[Row]:
    """Pieces of recorded traces, as far as they are here, on small drives of presets."""
    for name in TAKEN:
        path = TRACES / f"{name}.trace.gz"
        if not path.exists():
            continue
        for device, scheme in OF_TRACES:
            smaller = smaller_drive(device)
            title = f"trace {name}: {device}/{scheme}"
            yield Row(title, device, scheme, smaller, seed=1, requests=1000, trace=path)


def rows() -> Iterator[Row]:
    """All that may go, and are here."""
    yield from of_arrays()
    yield from of_policies()
    yield from of_traces()
    yield from of_loads()
    yield from of_unchecked()


def of_name(name: str) -> Row:
    """The description of this name, drawn or beside those."""
    if ": " in name:
        return next(one for one in rows() if one.name == name)
    if "/" in name:
        return next(one for one in of_presets() if one.name == name)
    return descriptions.row(tuple(map(int, name)))
