"""Arrays as a person uses them: a scheme names one, and the commands take it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import WordlineError
from wordline.policies import Blocks

WORKLOAD = "mixed-70-30-8k-qd16"


def measured(scheme: str) -> dict[str, Any]:
    return package.run("mqsim", workload=WORKLOAD, scheme=scheme, overrides=SMALL).to_dict()


def test_a_mirror_reads_faster_and_writes_all_twice(wordline: Wordline) -> None:
    names = ("--workload", WORKLOAD, "--schemes", "baseline,mirror,stripe")
    found = wordline("compare", "--device", "mqsim", *names, *sets(SMALL), "--json").json()
    figures = {each["scheme"]: each["figures"] for each in found["workloads"][0]["schemes"]}
    ratio = {scheme: figures[scheme]["waf"]["ratio"] for scheme in ("mirror", "stripe")}
    assert ratio == {"mirror": pytest.approx(2, rel=0.05), "stripe": pytest.approx(1, rel=0.05)}
    assert figures["mirror"]["read.latency_ns.mean"]["ratio"] < 1
    assert figures["stripe"]["read.latency_ns.mean"]["ratio"] < 1


def test_with_rails_reads_wait_for_no_write() -> None:
    baseline, rails = measured("baseline"), measured("rails")
    waited = {
        name: sum(
            ns
            for part, ns in result["read"]["blame"]["mean"]["mean_ns"].items()
            if part.startswith("die_wait") and part.endswith(("program", "erase"))
        )
        for name, result in (("baseline", baseline), ("rails", rails))
    }
    # Those under way when a window begins are the only ones.
    assert waited["rails"] < 0.1 * waited["baseline"]
    assert len(rails["members"]) == 2
    assert rails["read"]["requests"] == baseline["read"]["requests"]


def test_rails_on_one_drive_has_its_channels_in_halves() -> None:
    baseline, rails = measured("baseline"), measured("rails-one-drive")
    halves = rails["members"]
    assert [len(half["channels"]) for half in halves] == [len(baseline["channels"]) / 2] * 2
    assert len(rails["dies"]) == len(baseline["dies"])
    assert rails["drive"]["physical_units"] == baseline["drive"]["physical_units"]
    # Both hold the same, so the host has half as much.
    assert halves[0]["drive"]["logical_units"] <= baseline["drive"]["logical_units"] / 2
    assert rails["read"]["requests"] == baseline["read"]["requests"]
    assert rails["read"]["latency_ns"]["p99"] < baseline["read"]["latency_ns"]["p99"]


def test_a_steady_array_begins_as_its_own_writes_leave_it() -> None:
    overrides = {
        **SMALL_DRIVE,
        "workload.start.layout": "steady",
        "workload.source.read_share": 0.0,
        "workload.source.sizes": 4096,
        "workload.source.pattern": {"kind": "zipf", "theta": 0.99},
        "device.capacity.overprovisioning": 0.25,
    }

    def waf(scheme: str, warmup: int) -> float:
        more = {"workload.window.warmup_requests": warmup, "workload.source.requests": 20_000 + warmup}
        found = package.run("mqsim", scheme, WORKLOAD, overrides=overrides | more).to_dict()["waf"]
        assert isinstance(found, float)
        return found

    for scheme in ("stripe", "mirror"):
        assert waf(scheme, 0) == pytest.approx(waf(scheme, 200_000), rel=0.06)


def test_a_run_on_an_array_stops_and_goes_on(wordline: Wordline, tmp_path: Path) -> None:
    call = ("run", "--device", "mqsim", "--workload", WORKLOAD, "--scheme", "rails", *sets(SMALL))
    expected = wordline(*call, "--json").json()
    state = tmp_path / "state"
    assert wordline(*call, "--stop-after", "700", "--save-state", state).code == 0
    resumed = wordline(*call, "--load-state", state, "--json").json()
    for result in (expected, resumed):
        del result["engine"]
    assert resumed == expected


def test_what_an_array_can_not_is_refused_by_its_key(wordline: Wordline, tmp_path: Path) -> None:
    with pytest.raises(WordlineError, match=r"scheme\.array.*prepared beforehand"):
        package.prepare("mqsim", scheme="mirror", overrides=SMALL)
    call = ("run", "--device", "mqsim", "--scheme", "mirror", *sets(SMALL))
    assert "scheme.array left out" in wordline(*call, "--timeline", tmp_path / "t.pftrace").error()
    collisions = wordline(*call, "--set", "workload.measure.collisions=true").error()
    assert "workload.measure.collisions" in collisions


def test_an_array_has_a_time_series_and_a_table_of_blocks() -> None:
    recorded = {"workload.measure.interval_ns": 1_000_000, "workload.measure.block_table": True}
    result = package.run("mqsim", "mirror", WORKLOAD, overrides={**SMALL, **recorded})
    series, blocks = result.table("series"), result.table("blocks")
    assert sum(series["read_requests"].to_pylist()) == result.read.requests
    assert set(blocks["drive"].to_pylist()) == {0, 1}


class FirstFull:
    """The first superblock that is full."""

    def choose(self, blocks: Blocks) -> int | None:
        return int(np.argmax(blocks.full))


def test_an_object_that_the_drives_of_an_array_would_share_is_refused() -> None:
    def writes(scheme: str | None, policy: object) -> int:
        policies = {"gc": policy}
        found = package.run("mqsim", scheme, WORKLOAD, policies=policies, overrides=SMALL).to_dict()
        return int(found["write"]["requests"])

    told = r"policies: gc = an object: allowed beside scheme\.array: a class"
    with pytest.raises(WordlineError, match=told):
        writes("mirror", FirstFull())
    assert writes("mirror", FirstFull) == writes(None, FirstFull()) > 0
