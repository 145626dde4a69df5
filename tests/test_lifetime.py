"""Capacity and endurance at the load of a run, and why they are missing where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, Wordline, sets

import wordline as package
from wordline import lifetime
from wordline.figures import better
from wordline.loading import load_run

FEW = {**SMALL, "workload.source.requests": 600, "workload.start.overwrite": 0.2}

CYCLES = {"device.bad_blocks.endurance_cycles": 3000}

GEOMETRY = {"channels": 2, "ways": 1, "dies": 1, "planes": 5, "pages": 10, "page_bytes": 4096}

LOAD = "mixed-70-30-8k-qd16"


def result(**changes: Any) -> dict[str, Any]:
    """Of a drive with 1,000 units of 4 KiB, 800 of them the host's."""
    return {
        "config": {
            "device": {
                "geometry": GEOMETRY,
                "bad_blocks": {"endurance_cycles": 2000},
            },
            "scheme": {"slc_cache": {"policy": "none"}},
        },
        "drive": {"logical_units": 800, "physical_units": 1000, "mapping_unit_bytes": 4096},
        "waf": 2.5,
        "write": {"requests": 5, "bandwidth_bytes_per_s": 8192.0},
        "intervals": {"figures": {"waf": {"low": 2.0, "high": 3.0, "degrees": 19}}},
    } | changes


def test_what_can_be_written_is_flash_times_cycles_by_waf() -> None:
    found = lifetime.of(result())
    assert found is not None and found.host_bytes is not None
    flash = 1000 * 4096
    assert found.host_bytes == pytest.approx((flash * 2000 / 2.5, flash * 2000 / 3, flash * 2000 / 2))
    assert found.overprovisioning == pytest.approx(0.2)
    assert found.host_bytes_per_day == 8192 * 86_400
    assert found.drive_writes_per_day == pytest.approx(8192 * 86_400 / (800 * 4096))
    assert found.years == pytest.approx(flash * 2000 / 2.5 / 8192 / 86_400 / 365)
    assert found.rated_drive_writes_per_day == pytest.approx(flash * 2000 / 2.5 / (800 * 4096) / 1825)


def test_a_makers_promise_is_set_against_the_load() -> None:
    rated = {"rated": {"drive_writes_per_day": 3.0, "years": 4}}
    plain = result()
    plain["config"]["device"] |= rated
    found = lifetime.of(plain)
    promised = 3 * 800 * 4096 * 4 * 365
    assert found is not None and found.promised_host_bytes == pytest.approx(promised)
    assert found.years_of_promise == pytest.approx(promised / 8192 / 86_400 / 365)
    assert found.years == pytest.approx(lifetime.of(result()).years)  # type: ignore[union-attr]
    told = dict(found.told())["promised by its maker"]
    assert told.startswith("3 drive writes a day for 4 years: 14.35 GB, written in ")
    idle = lifetime.of(plain | {"write": {"requests": 0}, "waf": None})
    assert idle is not None and idle.years_of_promise is None
    assert dict(idle.told())["promised by its maker"].endswith("14.35 GB")
    unknown = lifetime.of(result())
    assert unknown is not None and unknown.promised_host_bytes is None


def test_blocks_that_are_bad_from_the_factory_are_no_flash() -> None:
    found = lifetime.of(result(bad_blocks={"factory": 3}))
    assert found is not None and found.flash_bytes == (1000 - 30) * 4096


def test_only_blocks_of_superblocks_wear() -> None:
    """Blocks of ten pages; spares, and good ones without a partner in each plane, stand aside."""
    of = result(bad_blocks={"factory": 3, "in_use": 80})
    of["config"]["device"]["bad_blocks"] = {"endurance_cycles": 2000, "spare_blocks_per_plane": 2}
    found = lifetime.of(of)
    assert found is not None and found.host_bytes is not None
    assert found.host_bytes[0] == pytest.approx(80 * 10 * 4096 * 2000 / 2.5)


@pytest.mark.parametrize(("spares", "factory"), [(0, 0.0), (6, 0.0), (6, 0.05)])
def test_a_drive_that_is_written_to_its_end_lasts_as_long_as_is_told(spares: int, factory: float) -> None:
    """All but what wear isn't even in thirty erases a block."""
    flash = 2 * 64 * 66 * 16384
    drive = {
        **{f"device.geometry.{part}": 1 for part in ("ways", "dies", "planes")},
        **{"device.geometry.channels": 2, "device.geometry.blocks": 64, "device.geometry.pages": 66},
        "device.capacity.user_bytes": flash * 7 // 10 // 4096 * 4096,
        "device.bad_blocks.endurance_cycles": 30,
        "device.bad_blocks.spare_blocks_per_plane": spares,
        "device.bad_blocks.factory_share": factory,
        "scheme.cache.policy": "none",
        "workload.source.requests": 2_000_000,
    }
    ran = package.run("enterprise-tlc", workload="randwrite-4k-qd16", overrides=drive)
    life = ran.lifetime()
    assert life is not None and life.host_bytes is not None
    assert 0.9 < ran["end_of_life"]["host_bytes_written"] / life.host_bytes[0] < 1.0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"write": {"requests": 0}}, "nothing was written"),
        ({"waf": None}, "nothing of what was written"),
        ({"intervals": {"figures": {"waf": {"low": -1.0, "high": 6.0, "degrees": 3}}}}, "WAF is unsure"),
        (
            {
                "config": {
                    "device": result()["config"]["device"],
                    "scheme": {"slc_cache": {"policy": "static"}},
                }
            },
            "device.bad_blocks.slc_endurance_cycles is not set",
        ),
        (
            {"config": {"device": {"geometry": GEOMETRY}, "scheme": {}}},
            "device.bad_blocks.endurance_cycles is not set",
        ),
    ],
)
def test_no_endurance_is_told_where_something_is_missing(changes: dict[str, Any], reason: str) -> None:
    found = lifetime.of(result(**changes))
    assert found is not None and found.host_bytes is None and found.years is None
    assert reason in found.missing
    assert not any(name.endswith(("years", "terabytes_written")) for name, _ in found.figures())


def test_blocks_in_slc_mode_hold_less_and_wear_by_their_own_cycles() -> None:
    device = result()["config"]["device"] | {"cell": {"technology": "tlc"}}
    device["bad_blocks"] = {"endurance_cycles": 2000, "slc_endurance_cycles": 40_000}
    cached = result(
        config={"device": device, "scheme": {"slc_cache": {"policy": "static"}}},
        slc_cache={"cached_units": 30, "direct_units": 10},
        # The host's data comes by itself, or out of the data cache.
        waf_by_cause={"host": 0.8, "write_back": 0.4, "migration": 1.3},
    )
    found = lifetime.of(cached)
    assert found is not None and found.host_bytes is not None
    # 0.9 of 2.5 went to blocks of 3 pages for 10 that last 20 times as long.
    wear = [waf - 0.9 + 0.9 * (10 / 3) / 20 for waf in (2.5, 3.0, 2.0)]
    assert found.host_bytes == pytest.approx(tuple(1000 * 4096 * 2000 / waf for waf in wear))
    assert "2,000 cycles (40,000 in SLC mode), WAF 2.5" in dict(found.told())["host writes in all (TBW)"]
    empty = lifetime.of(cached | {"slc_cache": {"cached_units": 0, "direct_units": 0}})
    assert empty is not None and empty.host_bytes is not None
    assert empty.host_bytes[0] == pytest.approx(1000 * 4096 * 2000 / 2.5)


def wearing(erases: dict[str, int], programs: int) -> dict[str, Any]:
    """Of the same drive, 200 of whose pages hold nothing, with blocks of ten pages erased."""
    by_class = {f"{name}_erase": {"operations": count} for name, count in erases.items()}
    by_class["host_program"] = {"operations": programs}
    drive = result()["drive"] | {"mapped_units": 800}
    return result(drive=drive, flash={"programs": programs, "by_class": by_class})


def test_places_left_unused_wear_too() -> None:
    found = lifetime.of(wearing({"gc": 50, "reclaim": 100}, programs=1200))
    assert found is not None and found.host_bytes is not None and found.erased == 1500 / 1200
    plain = 1000 * 4096 * 2000 / 1.25
    assert found.host_bytes == pytest.approx((plain / 2.5, plain / 3, plain / 2))
    told = dict(found.told())["host writes in all (TBW)"]
    assert told.endswith("WAF 2.5, 1.25 bytes erased for each programmed")


@pytest.mark.parametrize(("erases", "lower"), [(140, 1400 / 1200), (120, 1.0), (90, 1.0)])
def test_erases_that_may_have_won_free_space_only_lower_the_lower_end(erases: int, lower: float) -> None:
    found = lifetime.of(wearing({"reclaim": erases}, programs=1200))
    assert found is not None and found.host_bytes is not None and found.erased == 1.0
    plain = 1000 * 4096 * 2000
    assert found.host_bytes == pytest.approx((plain / 2.5, plain / 3 / lower, plain / 2))
    assert "bytes erased" not in dict(found.told())["host writes in all (TBW)"]


@pytest.mark.parametrize(("native", "surplus"), [(0, 1.0), (70, 1300 / 900)])
def test_blocks_in_slc_mode_are_erased_with_the_few_pages_that_they_hold(native: int, surplus: float) -> None:
    """Of ten pages three."""
    cached = wearing({"gc": 30 + native, "migration": 100}, programs=600 if native == 0 else 900)
    cached["config"]["device"] |= {"cell": {"technology": "tlc"}}
    cached["config"]["scheme"] = {"slc_cache": {"policy": "static"}}
    found = lifetime.of(cached)
    assert found is not None and found.erased == pytest.approx(surplus)


def test_the_life_of_a_drive_with_read_reclaim_is_that_of_its_erases() -> None:
    """It reclaims blocks of which many pages are invalid, whose places it leaves."""
    cycles = 3000
    drive = {
        **{f"device.geometry.{part}": 1 for part in ("channels", "ways", "dies", "pages_per_program")},
        **{"device.geometry.planes": 2, "device.geometry.blocks": 32, "device.geometry.pages": 64},
        "device.geometry.page_bytes": 4096,
        "device.capacity.overprovisioning": 0.4,
        "device.bad_blocks.endurance_cycles": cycles,
        **{"scheme.reclaim.policy": "superblock", "scheme.reclaim.threshold": 300},
        **{"scheme.blocks.superblock": "die", "scheme.gc.trigger": 0.03, "scheme.cache.policy": "none"},
    }
    load = {
        "source": {
            "kind": "synthetic",
            "requests": 200_000,
            "read_share": 0.97,
            "sizes": 4096,
            "pattern": {"kind": "uniform"},
        },
        "host": {"arrivals": "closed", "queue_depth": 8},
        "start": {"occupancy": "all", "layout": "in_order"},
        "window": {"warmup_drive_writes": 0.3},
    }
    ran = package.run("enterprise-tlc", workload=load, overrides=drive)
    life = ran.lifetime()
    assert life is not None and life.host_bytes is not None and life.waf is not None
    geometry = ran["config"]["device"]["geometry"]
    block = geometry["pages"] * geometry["page_bytes"]
    in_use = ran["bad_blocks"]["in_use"] * block
    by_erases = in_use * cycles * ran["write"]["bytes"] / (ran["flash"]["erases"] * block)
    assert in_use * cycles / life.waf > 1.1 * by_erases
    assert life.host_bytes[0] == pytest.approx(by_erases, rel=0.001)


def test_an_array_has_none() -> None:
    array = {"device": result()["config"]["device"], "scheme": {"array": {"kind": "stripe"}}}
    assert lifetime.of(result(config=array)) is None


def test_cycles_change_nothing_that_is_simulated() -> None:
    plain, told = (package.run("mqsim", workload=LOAD, overrides=FEW | more) for more in ({}, CYCLES))
    for key in ("read", "write", "waf", "flash", "gc", "erase_counts", "intervals"):
        assert plain.to_dict()[key] == told.to_dict()[key], key


def test_a_run_says_its_life_as_text_on_its_page_and_in_python(wordline: Wordline, tmp_path: Path) -> None:
    arguments = ["run", "--device", "mqsim", "--workload", LOAD, *sets(FEW)]
    assert "device.bad_blocks.endurance_cycles is not set" in wordline(*arguments).out
    out = wordline(*arguments, *sets(CYCLES), "--out", tmp_path / "run").out
    found = lifetime.of(json.loads((tmp_path / "run" / "result.json").read_text()))
    assert found is not None and found == load_run(tmp_path / "run").lifetime()
    page = (tmp_path / "run" / "report.html").read_text()
    for name, text in found.told():
        assert text in out and text in page, name


def test_the_life_of_several_seeds_is_their_mean() -> None:
    found = package.run_seeds("mqsim", workload=LOAD, seeds=2, overrides=FEW | CYCLES)
    each = [life.years for result in found.values() if (life := result.lifetime()) is not None]
    row = found.summary()["lifetime.years"]
    assert row.mean == pytest.approx(sum(year or 0.0 for year in each) / 2)
    assert (row.seeds, row.unit) == (2, "years")


def test_life_is_a_figure_of_studies_and_more_of_it_is_better(tmp_path: Path) -> None:
    axes = {"device.capacity.overprovisioning": [0.1, 0.3]}
    described = {"device": "mqsim", "workload": LOAD, "set": FEW | CYCLES, "axes": axes}
    rows = package.sweep(described, tmp_path).to_pylist()
    few, many = (row["lifetime.terabytes_written"] for row in rows)
    assert 0 < few < many
    assert [row["lifetime.overprovisioning"] for row in rows] == pytest.approx([0.1, 0.3], abs=0.001)
    assert (better("lifetime.years"), better("lifetime.drive_writes_per_day")) == ("more", None)
