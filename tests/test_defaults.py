"""What runs when nothing is said: a drive as it is sold."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Wordline, sets

import wordline as package
from wordline.presets import DEFAULT_DEVICE

FEW = {"workload.source.requests": 500}

JOB = "[readers]\nrw=randwrite\nbs=4k\nsize=64m\nio_size=2m\nioengine=libaio\niodepth=8\n"


def test_every_way_to_run_has_the_same_drive(wordline: Wordline, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    (tmp_path / "t.csv").write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n9,W,4096,4096\n")
    calls = (
        ("run", *sets(FEW)),
        ("run", "--workload", tmp_path / "job.fio"),
        ("run", "--trace", tmp_path / "t.csv"),
    )
    for call in calls:
        assert wordline(*call, "--json").json()["config"]["device"]["name"] == DEFAULT_DEVICE
    assert wordline("compare", "--schemes", "fifo", *sets(FEW), "--json").json()["device"] == DEFAULT_DEVICE
    described = {"set": FEW}
    assert package.sweep(described, tmp_path / "s")["device"].to_pylist() == [DEFAULT_DEVICE]
    assert package.run(overrides=FEW).config.device.name == DEFAULT_DEVICE
    assert package.run_seeds(seeds=1, overrides=FEW)[1].config.device.name == DEFAULT_DEVICE
    drive = package.prepare(overrides=FEW)
    assert package.run(overrides=FEW, drive=drive).config.device.name == DEFAULT_DEVICE
    assert package.compare(overrides=FEW).device == DEFAULT_DEVICE


def test_random_writes_of_the_default_drive_fill_its_flash_pages(wordline: Wordline) -> None:
    call = ("run", "-w", "randwrite-4k-qd16", "--set", "workload.source.requests=60000", "--json")
    result = json.loads(wordline(*call).out)
    assert result["notes"] == []
    # Of a drive with 12% of spare space, and nothing but what the host wrote was programmed for it.
    assert 4 < result["waf"] < 6 and abs(result["waf_by_cause"]["write_back"] - 1) < 0.01
