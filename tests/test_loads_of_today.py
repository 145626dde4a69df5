"""Presets of loads of today: their published numbers, their sources, and that they run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Wordline, sets

FOLDER = Path(__file__).resolve().parent.parent / "presets" / "workloads"

NAMES = (
    *("kv-offload", "moe-experts", "diskann", "graph-sampling", "checkpoint"),
    *("mlperf-unet3d", "mlperf-resnet50", "mlperf-cosmoflow", "cachelib"),
)


def described(name: str) -> tuple[str, dict[str, Any]]:
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    comments = " ".join(line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#"))
    return comments, tomllib.loads(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_names_its_source_and_what_is_assumed(name: str) -> None:
    comments, _ = described(name)
    assert re.search(r"doi 10\.|arXiv \d{4}\.\d{5}|github\.com/|cachelib\.org", comments), comments
    assert "Assumed: " in comments


def test_keys_and_values_have_the_published_bandwidths() -> None:
    _, workload = described("kv-offload")
    rates = {
        flow["name"]: flow["source"]["interarrival"]["iops"] * flow["source"]["sizes"]
        for flow in workload["flow"]
    }
    assert rates == {"reads": 2.0 * 2**30, "writes": 11 * 2**20}
    # Both flows last equally long.
    seconds = [
        flow["source"]["requests"] / flow["source"]["interarrival"]["iops"] for flow in workload["flow"]
    ]
    assert seconds[0] == pytest.approx(seconds[1], rel=0.03)


def test_sizes_and_depths_are_the_published_ones() -> None:
    sources = {name: described(name)[1] for name in NAMES}
    assert sources["moe-experts"]["source"]["sizes"] == 3 * 7168 * 2048
    assert sources["diskann"]["source"]["sizes"] == 4096
    assert {size["bytes"] for size in sources["graph-sampling"]["source"]["sizes"]} == {512, 4096}
    assert sources["graph-sampling"]["host"]["queue_depth"] >= 10_000
    assert 2_828_486 <= sources["mlperf-cosmoflow"]["source"]["sizes"] < 2_828_486 + 4096
    engines = {flow["name"]: flow["source"] for flow in sources["cachelib"]["flow"]}
    assert (engines["bighash"]["sizes"], engines["block-cache-writes"]["sizes"]) == (4096, 1 << 20)


@pytest.mark.parametrize("name", ["diskann", "graph-sampling", "checkpoint", "mlperf-cosmoflow"])
def test_a_preset_runs(wordline: Wordline, name: str) -> None:
    few = {"workload.source.requests": 300}
    result = wordline("run", "--device", "enterprise-tlc", "--workload", name, "--json", *sets(few)).json()
    assert result["read"]["requests"] + result["write"]["requests"] == 300
