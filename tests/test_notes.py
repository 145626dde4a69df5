"""Notes: what a result says against itself, and the end of a run."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline.notes import ABOUT

if TYPE_CHECKING:
    from wordline.result import Result

DEVICES = ("enterprise-tlc", "client-qlc")
WORKLOADS = ("randread-4k-qd16", "randread-4k-qd64", "randwrite-4k-qd16", "mixed-70-30-8k-qd16")

ENOUGH = 120_000
"""Requests of which 30% are enough for p99.9."""


SOURCES = Path(__file__).parents[1] / "crates"


def test_the_reference_says_of_each_kind_when_a_result_has_it() -> None:
    files = [
        path for folder in ("observe", "engine", "py") for path in (SOURCES / folder / "src").rglob("*.rs")
    ]
    text = "\n".join(path.read_text() for path in files)
    made = set(re.findall(r'(?:Note::new\(\s*|\bkind: )"([a-z_]+)"', text))
    assert len(made) > 15 and made - ABOUT.keys() == set()


def kinds(result: Result) -> list[str]:
    return [note.kind for note in result.notes]


def small(workload: str, **overrides: object) -> Result:
    return package.run("mqsim", "baseline", workload, overrides={**SMALL_DRIVE, **overrides})


@pytest.mark.parametrize(("device", "workload"), list(product(DEVICES, WORKLOADS)))
def test_standard_workloads_on_standard_drives_have_no_note(device: str, workload: str) -> None:
    result = package.run(device, "baseline", workload, overrides={"workload.source.requests": ENOUGH})
    assert result.notes == []


def test_what_is_left_out_of_a_job_file_is_noted_wherever_it_runs(wordline: Wordline, tmp_path: Path) -> None:
    job = tmp_path / "a.fio"
    job.write_text("[a]\nioengine=libaio\nsize=4m\nrw=randread\nbs=4k\nmax_latency=1\n")
    settings = SMALL_DRIVE
    noted = [
        note["found"] for note in package.run("mqsim", workload=job, overrides=settings).to_dict()["notes"]
    ]
    assert any("page cache" in found for found in noted), noted
    compared = wordline("compare", "-d", "mqsim", "-s", "baseline,fifo", "-w", job, *sets(settings), "--json")
    assert "page cache" in compared.out


def test_a_short_window_is_noted() -> None:
    result = small("randread-4k-qd16", **{"workload.source.requests": 200})
    assert kinds(result) == ["short_window", "few_in_tail"]
    assert set(result.intervals.figures.to_dict().values()) == {None}
    assert "p90 of reads rests on 20 of 200" in result.notes[1].found


def test_more_load_than_the_drive_takes_is_noted_in_an_open_loop() -> None:
    arrivals: dict[str, object] = {
        "workload.source.requests": 20_000,
        "workload.host.arrivals": "open",
        "workload.source.interarrival": {"kind": "poisson", "iops": 3_000_000.0},
    }
    found = kinds(small("randread-4k-qd16", **arrivals))
    assert "overload" in found and "not_stationary" not in found
    arrivals["workload.source.interarrival"] = {"kind": "poisson", "iops": 60_000.0}
    assert "overload" not in kinds(small("randread-4k-qd16", **arrivals))


def test_a_drive_that_wears_into_its_state_is_noted() -> None:
    writes = {"workload.source.requests": 20_000, "workload.start.layout": "in_order"}
    found = kinds(small("randwrite-4k-qd16", **writes))
    assert "few_collections" in found


def unfilled(device: str, workload: str, **overrides: object) -> list[str]:
    settings = {"workload.source.requests": 2_000, **overrides}
    result = package.run(device, "baseline", workload, overrides=settings)
    return [note.found for note in result.notes if note.kind == "unfilled_pages"]


def test_writes_that_waste_a_third_of_a_flash_page_are_noted() -> None:
    one_at_a_time = {"workload.host.queue_depth": 1, "scheme.cache.policy": "none"}
    (quarter,) = unfilled("client-qlc", "randwrite-4k-qd16", **one_at_a_time)
    assert "filled to 25%" in quarter
    # A mapping unit of 8 KiB, of which a write has half.
    (half,) = unfilled("mqsim", "randwrite-4k-qd16", **SMALL_DRIVE)
    assert "filled to 50%" in half
    assert unfilled("mqsim", "mixed-70-30-8k-qd16", **SMALL_DRIVE) == []
    # What a write buffer joins fills them.
    assert unfilled("enterprise-tlc", "randwrite-4k-qd16") == []


def test_every_form_shows_what_was_found_its_reason_and_the_remedy(
    wordline: Wordline, tmp_path: Path
) -> None:
    call = (
        "run",
        "--device",
        "mqsim",
        *sets({**SMALL_DRIVE, "workload.source.requests": 200}),
        "--out",
        tmp_path,
    )
    shown = " ".join(wordline(*call).out.split())
    page = (tmp_path / "report.html").read_text()
    notes = wordline(*call, "--json").json()["notes"]
    assert {note["kind"] for note in notes} == {"short_window", "few_in_tail"}
    for note in notes:
        for part in ("found", "reason", "remedy"):
            assert note[part] in shown
            assert note[part] in page


def test_runs_side_by_side_say_which_of_them_have_a_note(wordline: Wordline) -> None:
    few = sets({**SMALL_DRIVE, "workload.source.requests": 200})
    call = ("compare", "--device", "mqsim", "--schemes", "baseline,fifo", *few)
    for form in ((), ("--markdown",)):
        assert "baseline, fifo: 200 requests were measured" in " ".join(wordline(*call, *form).out.split())
    (entry,) = wordline(*call, "--json").json()["workloads"]
    assert [note["runs"] for note in entry["notes"]] == [["baseline", "fifo"]] * 2
    several = ("run", "--device", "mqsim", *few, "--seeds", "4")
    assert "note: seed 1 and 3 more: 200 requests" in wordline(*several).out
    assert len(wordline(*several, "--json").json()["notes"][0]["runs"]) == 4


def ended(until: str, calls: list[tuple[int, int | None, int]]) -> Any:
    overrides = {"workload.source.requests": 2_000, "workload.measure.until": until}

    def progress(requests: int, total: int | None, simulated_ns: int) -> None:
        calls.append((requests, total, simulated_ns))

    return package.run("client-qlc", "baseline", "randwrite-4k-qd16", overrides=overrides, progress=progress)


def test_a_run_ends_with_its_last_answer_and_its_bar_is_full() -> None:
    calls: list[tuple[int, int | None, int]] = []
    result = ended("last_answer", calls)
    # Folding at idle times would be millions.
    assert 0 < result.flash.operations <= result.engine.flash_operations < 1_000_000
    assert result.engine.simulated_ns == result.window.end_ns == calls[-1][2]
    assert calls[-1][0] == calls[-1][1] == 2_000 + result.engine.settling_requests


def test_the_terminal_tells_the_operations_of_the_run_and_of_the_window(wordline: Wordline) -> None:
    call = ("run", "--device", "mqsim", *sets({**SMALL_DRIVE, "workload.source.requests": 2000}))
    warm = wordline(*call, "--set", "workload.window.warmup_requests=1000").out
    assert "2,000 flash operations, 1,0" in warm and "of them in the window" in warm
    assert "of them in the window" not in wordline(*call).out


def test_writes_to_a_drive_that_is_described_for_reads_only_are_noted() -> None:
    few = {"workload.source.requests": 50, "workload.start.layout": "in_order"}
    kinds = {
        load: [note.kind for note in package.run("zn540", workload=load, overrides=few).notes]
        for load in ("randwrite-4k-qd16", "randread-4k-qd64")
    }
    assert "reads_only" in kinds["randwrite-4k-qd16"] and "reads_only" not in kinds["randread-4k-qd64"]


@pytest.mark.parametrize(
    ("kind", "scheme", "told", "not_told"),
    [
        ("host_memory", "hmb", {}, {"device.link.host_memory_ns": 900}),
        ("split", "static-partition", {}, {"workload.window.warmup_requests": 100}),
        (
            "streams_mixed",
            "gc.isolation=persistent+blocks.host_write_points=2",
            {"workload.start.layout": "steady"},
            {"workload.start.layout": "in_order"},
        ),
    ],
)
def test_what_a_result_rests_on_silently_is_noted(
    kind: str, scheme: str, told: dict[str, object], not_told: dict[str, object]
) -> None:
    small = {**SMALL_DRIVE, "workload.source.requests": 600, "workload.start.layout": "in_order"}

    def kinds(settings: dict[str, object]) -> set[str]:
        result = package.run("mqsim", scheme, "mixed-70-30-8k-qd16", overrides={**small, **settings})
        return {note["kind"] for note in result.to_dict()["notes"]}

    assert kind in kinds(told) and kind not in kinds(not_told)
