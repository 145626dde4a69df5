"""Keys that another setting leaves without effect are noted by name, and are without effect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_DRIVE

import wordline
from wordline.policies import Blocks, Lookup, Planes, Program, Waiting

Settings = Mapping[str, object]

LOAD: dict[str, object] = {
    "workload.source.requests": 600,
    "workload.start.occupancy": 0.5,
    "workload.start.layout": "in_order",
}

EMPTY: dict[str, object] = {
    **SMALL_DRIVE,
    "workload.start.occupancy": "none",
    "workload.start.layout": "in_order",
}

NEVER_SUSPENDS = "hotr-tlc"
"""A drive without a table `suspend`."""

OPEN: dict[str, object] = {
    "workload.host.arrivals": "open",
    "workload.source.interarrival": {"kind": "poisson", "iops": 20_000.0},
}

SUSPEND: dict[str, object] = {
    "scheme.scheduler.policy": "read_first_suspend",
    "device.suspend": {"program_ns": 5_000, "erase_ns": 5_000},
}

CACHE: dict[str, object] = {"scheme.cache.policy": "write_buffer", "scheme.cache.bytes": 65_536}

ERRORS: dict[str, object] = {"device.errors.correctable_bits": 3}

WORN: dict[str, object] = {"device.bad_blocks.endurance_cycles": 500_000}

SLC: dict[str, object] = {
    "device.slc_mode": {"read_ns": 9_000, "program_ns": 90_000, "erase_ns": 900_000},
    "scheme.slc_cache.policy": "static",
    "scheme.slc_cache.share": 0.04,
    "scheme.gc.trigger": 0.01,
}


@dataclass(frozen=True)
class Case:
    key: str
    value: object
    without: Settings = field(default_factory=dict)
    """Settings beside which it has no effect."""
    beside: Settings = field(default_factory=dict)
    """Settings beside which it has one."""
    device: str = "mqsim"


HOT_COLD: Settings = {"scheme.separation.policy": "hot_cold", "scheme.blocks.host_write_points": 2}

DEMAND: Settings = {"scheme.mapping.policy": "demand"}

COPYBACK: Settings = {"device.copyback.supported": True}

PARTITION: Settings = {"scheme.partition.enabled": True, "scheme.placement.policy": "dynamic"}

HOTR: Settings = {"scheme.hotr.enabled": True}

COLLISION: Settings = {"scheme.collision.enabled": True}

RECLAIM: Settings = {"scheme.reclaim.policy": "block", "scheme.reclaim.threshold": 9}

SHUFFLER: Settings = {**RECLAIM, "scheme.reclaim.policy": "shuffler"}

ROWS: Settings = {"scheme.blocks.superblock": "drive", "scheme.gc.trigger": 0.03}

PARITY: Settings = {**ROWS, "scheme.redundancy.policy": "parity_rows"}

ONE_PLANE: Settings = {"device.geometry.planes": 1}

BAST: Settings = {"scheme.block_map": {"policy": "bast", "log_blocks": 2}}

APART: Settings = {"scheme.ideal.second_server": "die"}

CASES = (
    Case("device.suspend.program_ns", 5_000, {}, {**SUSPEND}),
    Case("device.suspend.erase_ns", 5_000, {"scheme.scheduler.policy": "fifo"}, SUSPEND),
    Case(
        "device.suspend.resume_ns",
        900,
        {"scheme.scheduler.policy": "read_first_suspend"},
        SUSPEND,
        NEVER_SUSPENDS,
    ),
    Case("device.suspend.max_per_operation", 2, {}, SUSPEND),
    Case(
        "device.suspend.resume_ns",
        900,
        {**SUSPEND, "device.suspend": {"program_ns": 5_000, "erase_ns": 5_000, "max_per_operation": 0}},
        SUSPEND,
    ),
    Case("device.channel.program_data", "written", {"device.channel.transfer": "page"}, {}),
    Case(
        "device.channel.read_command_extra_plane_ns",
        7,
        {"device.die.independent_planes": "reads"},
        {"device.multi_plane.rule": "same_page"},
    ),
    Case(
        "device.suspend.program_step_ns",
        900,
        {"scheme.scheduler.policy": "read_first_suspend", "device.suspend.erase_ns": 5_000},
        SUSPEND,
        NEVER_SUSPENDS,
    ),
    Case(
        "device.suspend.erase_repeats_ns",
        900,
        {"scheme.scheduler.policy": "read_first_suspend", "device.suspend.program_ns": 5_000},
        SUSPEND,
        NEVER_SUSPENDS,
    ),
    Case("scheme.scheduler.suspends_below_waiting_writes", 3, SUSPEND, {**SUSPEND, **CACHE}),
    Case(
        "scheme.scheduler.policy",
        "read_first_suspend",
        {"scheme.scheduler.policy": "read_first"},
        {"device.suspend.program_ns": 5_000},
        NEVER_SUSPENDS,
    ),
    Case("device.cache_mode.read_busy_ns", 900, {}, {"device.cache_mode.read": True}),
    Case("device.cache_mode.read_order", "random", {}, {"device.cache_mode.read": True}),
    Case("device.cache_mode.program_busy_ns", 900, {}, {"device.cache_mode.program": True}),
    Case("device.copyback.check_every", 3, {}, {"device.copyback.supported": True}),
    Case("device.copyback.supported", True, {"scheme.gc.copyback": False}, {}),
    Case("scheme.gc.copyback", False, {}, {"device.copyback.supported": True}),
    Case("device.slc_mode.read_ns", 8_000, {"device.slc_mode": SLC["device.slc_mode"]}, SLC),
    Case("device.errors.slc_factor", 3.0, ERRORS, {**ERRORS, **SLC}),
    Case("device.bad_blocks.slc_endurance_cycles", 900_000, WORN, {**WORN, **SLC}),
    Case("device.energy.slc_read_nj", 3, {"device.energy.read_nj": [5]}, SLC),
    Case("device.cpu.cores", 3, {}, {"scheme.firmware.lookup_ns": 100}),
    Case("device.dram.access_ns", 900, {}, CACHE),
    Case("device.dram.bytes_per_s", 100_000_000, {}, CACHE),
    Case("device.dram.whole_requests", True, CACHE, {**CACHE, "device.dram.access_ns": 900}),
    Case(
        "device.link.host_memory_ns",
        900,
        {"scheme.mapping.policy": "demand"},
        {"scheme.mapping.policy": "demand", "scheme.mapping.host_memory": True},
    ),
    Case(
        "device.bad_blocks.endurance_spread",
        0.1,
        {"device.bad_blocks.spare_blocks_per_plane": 1},
        {"device.bad_blocks.endurance_cycles": 500_000},
    ),
    Case("device.errors.retry_read_ns", 900, {**ERRORS, "device.errors.max_retries": 0}, ERRORS),
    Case("device.multi_plane.rule", "any", {"device.geometry.planes": 1}),
    Case("device.channel.read_command_extra_plane_ns", 7, {"device.multi_plane.rule": "none"}),
    Case("device.channel.program_command_extra_plane_ns", 7, {"device.geometry.planes": 1}),
    Case(
        "device.channel.transfer_spare",
        True,
        {"device.geometry.spare_bytes": 0},
        {"device.geometry.spare_bytes": 448},
    ),
    Case("scheme.placement.policy", "dynamic", {"scheme.blocks.superblock": "drive"}),
    Case("scheme.separation.separate_hot_moves", True, {}, HOT_COLD),
    *(
        Case("scheme.scheduler.starvation_bound_ns", 900_000, {"scheme.scheduler.policy": "fifo"}, beside)
        for beside in (
            {"scheme.scheduler.policy": "fifo", **COLLISION},
            {"scheme.scheduler.policy": "fifo", "scheme.scheduler.tiers": [["host_program"]]},
            {"scheme.scheduler.policy": "fifo", **RECLAIM, "scheme.reclaim.priority": "background"},
        )
    ),
    Case("scheme.scheduler.policy", "fifo", {"scheme.scheduler.tiers": [["host_program"]]}),
    Case("scheme.separation.separate_hot_moves", True, {**HOT_COLD, "scheme.separation.policy": "none"}),
    Case("scheme.mapping.cache_bytes", 1024, {**DEMAND, "scheme.mapping.cache_share": 0.25}, DEMAND),
    Case("scheme.mapping.cache_share_of", "occupied", DEMAND, {**DEMAND, "scheme.mapping.cache_share": 0.25}),
    Case("scheme.mapping.eviction", "background", {**DEMAND, "scheme.mapping.cache_bytes": 0}, DEMAND),
    Case("scheme.mapping.protected_share", 0.5, {**DEMAND, "scheme.mapping.cache_bytes": 0}, DEMAND),
    Case("scheme.reclaim.map_blocks", False, RECLAIM, {**RECLAIM, **DEMAND}),
    Case("scheme.reclaim.policy", "shuffler", RECLAIM, {"scheme.blocks.superblock": "die"}),
    Case("scheme.reclaim.policy", "superblock", {**RECLAIM, **ONE_PLANE, "scheme.blocks.superblock": "die"}),
    Case(
        "scheme.reclaim.holes",
        "close",
        {**RECLAIM, "scheme.reclaim.policy": "page", "scheme.blocks.superblock": "die"},
        {**RECLAIM, "scheme.reclaim.policy": "superblock", "scheme.blocks.superblock": "die"},
    ),
    Case("scheme.blocks.host_write_points", 3, HOT_COLD, {}),
    Case("scheme.blocks.host_write_points", 2, {"scheme.separation.policy": "none"}, HOT_COLD),
    *(Case(f"scheme.gc.{key}", value, BAST, {}) for key, value in (("trigger", 0.04), ("stop", 0.05))),
    Case("scheme.gc.rotating", True, BAST, {"device.geometry.dies": 2}),
    Case(
        "scheme.mapping.translation_entry_bytes",
        8,
        {**BAST, "scheme.block_map": {"policy": "block", "log_blocks": 2}},
        BAST,
    ),
    Case("scheme.reclaim.shuffle.full", 0.5, SHUFFLER, {**SHUFFLER, "scheme.blocks.superblock": "die"}),
    Case("device.copyback.supported", True, PARTITION),
    Case(
        "device.copyback.check_every",
        3,
        {**COPYBACK, **PARITY},
        {**COPYBACK, **ROWS},
    ),
    Case(
        "scheme.gc.copyback",
        False,
        {**COPYBACK, "device.geometry.pages_per_program": 2, "scheme.gc.trigger": 0.03},
        COPYBACK,
    ),
    Case("device.copyback.same_plane_only", False, COPYBACK, {**COPYBACK, "scheme.blocks.superblock": "die"}),
    Case("device.suspend.program_ns", 900, {**SUSPEND, **APART}, SUSPEND),
    Case("scheme.scheduler.policy", "read_first_suspend", {**APART, "scheme.scheduler.policy": "read_first"}),
    Case(
        "scheme.redundancy.when",
        "any_wait",
        {**APART, **PARITY},
        PARITY,
    ),
    Case(
        "scheme.partition.interval_accesses", 9, {**PARTITION, "scheme.partition.adapts": "never"}, PARTITION
    ),
    Case(
        "scheme.partition.idle_share",
        0.1,
        {**PARTITION, "scheme.partition.migrate_at_idle": False},
        PARTITION,
    ),
    Case("scheme.partition.busy", "bus", {**PARTITION, "scheme.partition.when_busy": "wait"}, PARTITION),
    Case(
        "scheme.partition.first_reads",
        "read_channels",
        PARTITION,
        {**PARTITION, "scheme.mapping.unmapped_reads": "allocate"},
    ),
    Case("scheme.hotr.staging_share", 0.01, HOTR, {**HOTR, "scheme.hotr.staging": "overprovisioned"}),
    Case("scheme.hotr.staging_chips", 2, {**HOTR, "scheme.hotr.staging": "overprovisioned"}, HOTR),
    Case(
        "scheme.collision.least_occurrences",
        1,
        {**COLLISION, "scheme.collision.pairs_per_die": 0},
        COLLISION,
    ),
    Case(
        "scheme.array.serve",
        "first",
        {"scheme.array": {"members": 2, "layout": "mirrored", "read_window_ns": 10_000_000}},
        {"scheme.array": {"members": 2, "layout": "mirrored"}},
    ),
    Case("scheme.mapping.search_buckets", 64, DEMAND, {**DEMAND, "scheme.firmware.search_step_ns": 10}),
    Case("scheme.mapping.write_back_lookups", True, DEMAND, {**DEMAND, **CACHE}),
    Case(
        "device.copyback.blocks",
        "plane",
        {"device.copyback.supported": True, "scheme.gc.copyback": False},
        {"device.copyback.supported": True},
    ),
    Case("scheme.wear.static_interval", 3, {}, {"scheme.wear.static_spread": 9}),
    Case("scheme.maintenance.idle_after_ns", 3, {}, {"scheme.gc.background.stop": 0.3}),
    Case("scheme.cache.max_writes_hold", "writes", {}, {"scheme.cache.max_writes": 4}),
    Case("scheme.firmware.search_step_ns", 9, {}, {"scheme.mapping.policy": "demand"}),
    Case(
        "scheme.firmware.shuffle_ns",
        9,
        {"scheme.reclaim.policy": "block"},
        {"scheme.reclaim.policy": "page"},
    ),
    Case("scheme.copies.arbiter", "primary"),
    Case(
        "scheme.array.chunk_bytes",
        4096,
        {"scheme.array": {"members": 2, "layout": "mirrored"}},
        {"scheme.array": {"members": 2, "layout": "striped"}},
    ),
    Case(
        "scheme.array.serve",
        "first",
        {"scheme.array": {"members": 2, "layout": "striped"}},
        {"scheme.array": {"members": 2, "layout": "mirrored"}},
    ),
    Case("workload.start.map_cache", "empty", {}, {"scheme.mapping.policy": "demand"}),
    Case("workload.host.queue_depth", 3, OPEN, {}),
    Case("workload.host.think_time_ns", 900, OPEN, {}),
    Case("workload.host.time_scale", 0.5, {}, OPEN),
    Case("workload.host.max_outstanding", 2, {}, OPEN),
    Case(
        "workload.source.interarrival",
        {"kind": "fixed", "iops": 9_000.0},
        {},
        {"workload.host.arrivals": "open"},
    ),
    Case("workload.host.max_inside", 16, {}, {"workload.host.queue_depth": 17}),
    Case("workload.start.overwrite", 0.5, {"workload.start.occupancy": "none"}, {}),
    Case("workload.host.arbitration.burst", 4),
    Case("workload.host.arbitration.kind", "strict"),
    Case("workload.host.max_overtakes", 4),
    Case("workload.measure.max_rows", 40, {}, {"workload.measure.interval_ns": 1_000_000}),
)


class OwnVictims:
    def choose(self, blocks: Blocks) -> int | None:
        found = blocks.candidates
        return int(found[blocks.valid[found].argmin()]) if found.size else None


class OwnPlaces:
    def place(self, program: Program, planes: Planes) -> int:
        return program.page % len(planes.room)


class OwnOrder:
    def next(self, waiting: list[Waiting], now_ns: int) -> str:  # noqa: ARG002
        return min(waiting, key=lambda one: one.order).name


class OwnPoints:
    def write_point(self, page: int, stream: int, points: int) -> int:  # noqa: ARG002
        return page % points


class OwnMap:
    def find(self, lookup: Lookup) -> None: ...


def figures(
    settings: Settings, device: str = "mqsim", policies: Mapping[str, type] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """What came out, and the keys that are noted with their reasons."""
    overrides = {**SMALL_DRIVE, **LOAD, **settings}
    load = "mixed-70-30-8k-qd16"
    result = wordline.run(device, "baseline", load, overrides=overrides, policies=policies).to_dict()
    told = {note["found"]: note["reason"] for note in result["notes"] if note["kind"] == "no_effect"}
    # That there are figures of cores says that their work takes time.
    left_out = ("config", "engine", "notes", "changed", "cpu")
    return {key: value for key, value in result.items() if key not in left_out}, told


def noted(told: Mapping[str, str], key: str) -> bool:
    return any(found.startswith(f"{key} = ") and found.endswith(" has no effect") for found in told)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_a_key_without_effect_is_noted_and_has_none(case: Case) -> None:
    plain, _ = figures(case.without, case.device)
    with_it, told = figures({**case.without, case.key: case.value}, case.device)
    assert noted(told, case.key) and all(told.values())
    assert json.dumps(with_it, sort_keys=True) == json.dumps(plain, sort_keys=True)


def test_a_window_on_one_plane_is_for_reads_of_the_same_page() -> None:
    one_plane: Settings = {
        "device.geometry.planes": 1,
        "workload.source.read_share": 1.0,
        "workload.source.pattern": {"kind": "zipf", "theta": 1.2},
        "workload.host.queue_depth": 64,
    }
    plain, _ = figures(one_plane)
    narrow, told = figures({**one_plane, "device.multi_plane.window": 1})
    assert not told and narrow["read"] != plain["read"]


@pytest.mark.parametrize("case", [case for case in CASES if case.beside], ids=lambda case: case.key)
def test_the_same_key_where_something_reads_it_is_not(case: Case) -> None:
    _, told = figures({**case.beside, case.key: case.value}, case.device)
    assert not noted(told, case.key)


@pytest.mark.parametrize(
    ("slot", "policy", "key", "value", "beside"),
    [
        ("gc", OwnVictims, "scheme.gc.policy", "fifo", {}),
        ("gc", OwnVictims, "scheme.gc.window", 3, {"scheme.gc.policy": "windowed_greedy"}),
        ("placement", OwnPlaces, "scheme.placement.policy", "dynamic", {}),
        ("scheduler", OwnOrder, "scheme.scheduler.policy", "fifo", {}),
        ("scheduler", OwnOrder, "scheme.scheduler.tiers", [["gc_erase"]], {}),
        ("scheduler", OwnOrder, "scheme.scheduler.starvation_bound_ns", 900, {}),
        (
            "scheduler",
            OwnOrder,
            "scheme.reclaim.priority",
            "foreground",
            {"scheme.reclaim.policy": "superblock", "scheme.reclaim.threshold": 9},
        ),
        ("separation", OwnPoints, "scheme.separation.policy", "none", {"scheme.blocks.host_write_points": 2}),
        (
            "separation",
            OwnPoints,
            "scheme.separation.hot_at",
            9,
            {"scheme.blocks.host_write_points": 2, "scheme.separation.policy": "hot_cold"},
        ),
        ("mapping", OwnMap, "scheme.mapping.protected_share", 0.5, {"scheme.mapping.policy": "demand"}),
        ("mapping", OwnMap, "scheme.mapping.search_buckets", 7, {"scheme.mapping.policy": "demand"}),
        ("mapping", OwnMap, "scheme.mapping.eviction", "background", {"scheme.mapping.policy": "demand"}),
        ("mapping", OwnMap, "scheme.mapping.prefetch_threshold", 9, {"scheme.mapping.policy": "tpftl"}),
    ],
)
def test_a_key_that_a_policy_of_ones_own_replaces_is_noted_and_has_no_effect(
    slot: str, policy: type, key: str, value: object, beside: Settings
) -> None:
    busy = {"workload.source.requests": 3000, "workload.source.read_share": 0.3, **beside}
    without, _ = figures(busy, policies={slot: policy})
    with_it, told = figures({**busy, key: value}, policies={slot: policy})
    assert noted(told, key)
    assert "a policy of one's own" in next(why for found, why in told.items() if found.startswith(key))
    assert json.dumps(with_it, sort_keys=True) == json.dumps(without, sort_keys=True)
    # Without it something reads the key.
    assert not any("a policy of one's own" in why for why in figures({**busy, key: value})[1].values())


FLOWS = """
[host]
queue_depth = 3

[[flow]]
name = "reads"
queue_depth = 8
weight = 2
source = { kind = "synthetic", requests = 200, read_share = 1.0, sizes = 4096 }

[[flow]]
name = "writes"
queue_depth = 2
think_time_ns = 100
time_scale = 2.0
source = { kind = "synthetic", requests = 200, read_share = 0.0, sizes = 4096 }
"""


def test_keys_of_the_host_and_of_flows_that_no_queue_reads_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "flows.toml"

    def found(text: str, **overrides: object) -> list[str]:
        file.write_text(text)
        notes = wordline.run("mqsim", workload=file, overrides={**SMALL_DRIVE, **overrides}).notes
        return [note.found.removesuffix(" has no effect") for note in notes if note.kind == "no_effect"]

    assert found(FLOWS) == [
        "workload.host.queue_depth = 3",
        "workload.flow[0].weight = 2",
        "workload.flow[1].time_scale = 2.0",
    ]
    one_without = FLOWS.replace("queue_depth = 2\n", "").replace("time_scale = 2.0\n", "")
    weighted = {"workload.host.arbitration.kind": "weighted"}
    assert found(one_without, **weighted) == []
    assert found(one_without, **weighted, **{"workload.host.stop_ns": 5}) == []


def test_a_drive_that_can_more_than_its_scheduler_asks_of_it_has_no_note() -> None:
    for overrides in ({}, {"scheme.scheduler.policy": "fifo"}):
        result = wordline.run(scheme="fifo", overrides={"workload.source.requests": 300, **overrides})
        assert "no_effect" not in {note.kind for note in result.notes}


def test_a_workload_that_is_shown_whole_runs_without_such_a_note(tmp_path: Path) -> None:
    from wordline import _core
    from wordline.presets import load

    for name in ("mixed-70-30-8k-qd16", "office-mixed-open"):
        described = load("workload", name)
        shown = tmp_path / f"{name}.toml"
        overrides = [("workload.source.requests", "400"), ("workload.window.warmup_requests", "0")]
        shown.write_text(_core.resolve("workload", (described.label, described.text), overrides))
        assert "no_effect" not in {
            note.kind for note in wordline.run("mqsim", workload=shown, overrides=EMPTY).notes
        }


def test_a_job_of_fio_with_a_rate_has_no_note_of_keys_that_nobody_set(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[reads]\nrw=randread\nbs=4k\nsize=1m\nrate_iops=9000\niodepth=4\nioengine=libaio\n")
    result = wordline.run("mqsim", workload=jobs, overrides=SMALL_DRIVE)
    assert "no_effect" not in {note.kind for note in result.notes}


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("interarrival", {"kind": "poisson", "iops": 5.0}, "left out: none of them has this key"),
        ("requests", 3, r"workload\.flow\.reads\.source\.requests"),
    ],
)
def test_a_key_of_one_source_is_refused_beside_jobs_of_fio_by_name(
    tmp_path: Path, key: str, value: object, allowed: str
) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[reads]\nrw=randread\nbs=4k\nsize=1m\n")
    told = rf"workload\.source\.{key} = .*: each flow of this workload has its own: allowed: {allowed}$"
    with pytest.raises(wordline.WordlineError, match=told):
        wordline.run("mqsim", workload=jobs, overrides={f"workload.source.{key}": value})
