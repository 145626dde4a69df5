"""A drive that is asked request by request: as in a run, refused by name, and beside other simulators."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

import wordline
from wordline import _core, presets
from wordline.embedding import OPS

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"

SMALL: dict[str, object] = {
    "device.geometry.blocks": 32,
    "device.geometry.pages": 64,
    "device.capacity.overprovisioning": 0.25,
}
START = {"occupancy": 0.9, "overwrite": 0.2}

MASKED = np.ma.array([100, 101], mask=[False, True])

CASES: list[tuple[str, str, dict[str, object]]] = [
    ("mqsim", "baseline", SMALL),
    ("enterprise-tlc", "baseline", {}),
    ("client-qlc", "suspend", {}),
    ("980-1000", "baseline", {}),
    ("collision", "collision", SMALL),
    ("hotr-tlc", "hotr", SMALL),
]


def load(drive: wordline.Drive, seed: int, count: int = 500) -> dict[str, NDArray[Any]]:
    """Requests of every kind, partly unaligned, in the order of their times."""
    random = np.random.default_rng(seed)
    op = random.choice(5, size=count, p=[0.45, 0.35, 0.1, 0.07, 0.03])
    length = random.choice([4096, 512, 16384, 131072, 1, 5000], size=count)
    bytes_ = min(drive.logical_bytes, 1 << 30)
    offset = random.integers(0, bytes_ - 131072, size=count)
    offset = np.where(random.random(count) < 0.7, offset // 4096 * 4096, offset)
    pause = random.choice([0, 0, 1, 7_000, 60_000, 3_000_000], size=count)
    pause[0] = 0  # a trace begins with its first request
    flush = op == 4
    return {
        "time": np.cumsum(pause),
        "op": op,
        "offset": np.where(flush, 0, offset),
        "length": np.where(flush, 0, length),
    }


def by_run(folder: Path, case: tuple[str, str, dict[str, object]], columns: dict[str, Any]) -> list[int]:
    """When a run of these requests has answered each."""
    device, scheme, changes = case
    words = ("R", "W", "WF", "T", "F")
    rows = zip(*columns.values(), strict=True)
    lines = (f"{time},{words[op]},{offset},{length}" for time, op, offset, length in rows)
    (folder / "trace.csv").write_text("time_ns,op,offset_bytes,length_bytes\n" + "\n".join(lines) + "\n")
    workload = {
        "source": {"kind": "trace", "path": str(folder / "trace.csv"), "format": "wordline"},
        "host": {"arrivals": "open"},
        "start": START if changes else {},
    }
    log = folder / "log.parquet"
    wordline.run(device, scheme, workload, overrides=changes, request_log=log)
    return [row["end_ns"] for row in sorted(pyarrow.parquet.read_table(log).to_pylist(), key=_id)]


def _id(row: dict[str, Any]) -> int:
    return int(row["id"])


def ends(done: NDArray[np.void]) -> list[int]:
    return [int(time) for time in done[np.argsort(done["tag"])]["completion_ns"]]


@pytest.mark.parametrize("case", CASES, ids=[f"{device} {scheme}" for device, scheme, _ in CASES])
def test_completions_are_those_of_a_run_to_the_nanosecond(
    tmp_path: Path, case: tuple[str, str, dict[str, object]]
) -> None:
    device, scheme, changes = case
    drive = wordline.Drive(device, scheme, start=START if changes else {}, overrides=changes)
    columns = load(drive, seed=len(device))
    expected = by_run(tmp_path, case, columns)

    at_once = drive.fork()
    at_once.submit_many(**columns)
    at_once.drain()
    assert ends(at_once.completions()) == expected

    # One by one at their times, with a copy and a snapshot in the middle.
    found = []
    for number in range(len(expected)):
        time, op, offset, length = (int(column[number]) for column in columns.values())
        drive.advance(time)
        found.append(drive.completions())
        drive.submit(time, OPS[op], offset, length, tag=number)
        if number == 100:
            drive = drive.fork()
        if number == 250 and changes:
            drive = wordline.Drive.restore(drive.snapshot())
    drive.drain()
    found.append(drive.completions())
    assert ends(np.concatenate(found)) == expected
    assert drive.outstanding == 0 and len(drive.completions()) == 0


def test_a_prepared_drive_is_asked_as_well_and_is_none_for_a_run_any_more(tmp_path: Path) -> None:
    how: dict[str, Any] = {
        "overrides": {
            "device.geometry.blocks": 256,
            "device.geometry.pages": 64,
            "workload.source.requests": 50,
        }
    }
    drive = wordline.prepare("mqsim", **how)
    before = wordline.run("mqsim", **how, drive=drive).to_dict()
    drive.submit(0, "read", 0, 4096)
    with pytest.raises(wordline.WordlineError, match="as it was prepared"):
        wordline.run("mqsim", **how, drive=drive)
    with pytest.raises(wordline.WordlineError, match="as it was prepared"):
        drive.save(tmp_path / "drive")
    assert not list(tmp_path.iterdir())
    fresh = wordline.run("mqsim", **how).to_dict()
    del before["engine"], fresh["engine"]
    assert before == fresh


def test_an_array_of_drives_is_asked_like_one() -> None:
    drive = wordline.Drive("hotr-tlc", "rails", overrides=SMALL)
    drive.submit_many(np.arange(20) * 1000, ["read", "write"] * 10, np.arange(20) * 4096, 4096)
    again = wordline.Drive.restore(drive.snapshot())
    drive.drain()
    again.drain()
    assert ends(drive.completions()) == ends(again.completions())


def test_the_next_event_is_one_that_happens_where_a_window_begins_as_chips_are_looked_at() -> None:
    overrides = {
        **{"device.geometry.blocks": 32, "device.geometry.pages": 64, "device.channel.commands": "chip"},
        **{"device.capacity.overprovisioning": 0.25, "scheme.cache.bytes": 1 << 20},
    }
    drive = wordline.Drive("mqsim", "rails", start={"occupancy": 0.3}, overrides=overrides)
    number = np.arange(1600)
    drive.submit_many(number * 7_000, "write", number * 13 * 8192 % (1 << 26), 8192)
    times: list[int] = []
    while (time := drive.next_event()) is not None and times[-2:] != [time, time]:
        drive.advance(time)
        times.append(time)
    assert (drive.outstanding, len(drive.completions())) == (0, 1600)
    assert times[-1] > 10_000_000, "a window has begun"


def test_statistics_are_those_of_a_result() -> None:
    drive = wordline.Drive("mqsim", overrides=SMALL, checked=True)
    for offset in range(0, 40960, 4096):
        drive.submit(drive.now, "write", offset, 4096)
    drive.drain()
    counted = drive.statistics()
    assert counted.write.requests == 10 and counted.engine.requests == 10 and counted.waf >= 1
    assert counted.config.device.name == "mqsim"
    drive.mark()
    drive.submit(drive.now, "read", 0, 4096)
    drive.drain()
    assert (drive.statistics().write.requests, drive.statistics().read.requests) == (0, 1)
    drive.audit()


def test_a_drive_says_what_a_loss_of_power_would_leave() -> None:
    drive = wordline.Drive("mqsim", overrides=SMALL, sequence_numbers=True)
    assert not any(drive.after_power_loss()[name] for name in ("in_dram", "in_program", "trims_undone"))
    drive.submit(0, "write", 4096, 4096)
    drive.submit(0, "trim", 8192, 4096)
    found = {name: drive.after_power_loss()[name] for name in ("in_dram", "in_program")}
    while not found["in_program"] and (time := drive.next_event()) is not None:
        drive.advance(time)
        found = {name: drive.after_power_loss()[name] for name in ("in_dram", "in_program")}
    unit = drive.statistics().config.device.geometry.mapping_unit_bytes
    assert found == {"in_dram": [], "in_program": [(4096 // unit * unit, -(-8192 // unit) * unit)]}
    drive.drain()
    assert drive.after_power_loss()["in_program"] == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda drive: drive.submit(99, "read", 0, 512), "99 ns: allowed: 100 ns, where the drive is"),
        (lambda drive: drive.submit(100, "reed", 0, 512), "op = reed: allowed: read, write"),
        (lambda drive: drive.submit(100, 7, 0, 512), "op = 7"),
        (lambda drive: drive.submit(100, True, 0, 512), "op = True"),
        (lambda drive: drive.submit(True, "read", 0, 512), "time = True"),
        (lambda _: wordline.Drive("mqsim", seed=True), "seed = True"),
        (lambda drive: drive.submit(100, "read", -1, 512), "offset = -1: allowed: a whole number"),
        (lambda drive: drive.submit(100.5, "read", 0, 512), "time = 100.5"),
        (lambda drive: drive.submit(100, "read", 0, 0), "0 bytes"),
        (lambda drive: drive.submit(100, "read", 2**63, 2**63), "the drive's size"),
        (lambda drive: drive.submit(100, "flush", 0, 8), "a flush of 8 bytes"),
        (lambda drive: drive.submit(100, "write", 0, 8, stream=70_000), "stream = 70000"),
        (lambda drive: drive.submit_many([100, 100], "read", [0, 0, 0], 8), "time 2, offset 3"),
        (lambda drive: drive.submit_many([100, 99], "read", 0, 8), "request 1"),
        (lambda drive: drive.submit_many([1.5], "read", 0, 8), "time: float64"),
        (lambda drive: drive.submit_many([100], "read", [-4], 8), "offset: int64"),
        (lambda drive: drive.submit_many([100], ["look"], 0, 8), "op = look"),
        (lambda drive: drive.submit_many([100], 9, 0, 8), "op = 9"),
        (lambda drive: drive.submit_many([[100]], 0, 0, 8), "2 dimensions"),
        (lambda drive: drive.submit_many(MASKED, 0, 0, 8), "time: a masked array: allowed: an array without"),
        (lambda drive: drive.submit_many(100, MASKED, 0, 8), "op: a masked array"),
        (lambda drive: drive.submit_many(100, 0, 0, 8, MASKED), "tag: a masked array"),
        (lambda drive: drive.submit_many(None, 0, 0, 8), "time"),
        (lambda drive: drive.advance(99), "where the drive is"),
        (lambda drive: drive.advance(2**64), "time = "),
        (lambda drive: drive.audit(), "checked mode"),
        (lambda drive: drive.after_power_loss(), "sequence numbers"),
        (lambda _: wordline.Drive.restore(b"no"), "no snapshot"),
        (lambda _: wordline.Drive("mqsin"), "did you mean `mqsim`"),
        (lambda _: wordline.Drive("mqsim", start={"occupancy": "span"}), "workload.start.occupancy"),
        (lambda _: wordline.Drive("mqsim", start=3), "start = 3"),  # type: ignore[arg-type]
        (lambda _: wordline.Drive("mqsim", seed=-1), "seed = -1"),
        (lambda _: wordline.Drive("mqsim", "fifo+suspend"), "slot `scheduler`"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(call: Any, message: str) -> None:
    drive = wordline.Drive("mqsim", overrides=SMALL)
    drive.advance(100)
    with pytest.raises(wordline.WordlineError, match=message):
        call(drive)
    assert (drive.outstanding, drive.now) == (0, 100)


class Failing:
    def choose(self, blocks: object) -> int:
        raise KeyError(blocks)


def test_what_a_policy_raises_is_told_by_every_later_call() -> None:
    drive = wordline.prepare(
        "mqsim", overrides={**SMALL, "workload.start.overwrite": 0.0}, policies={"gc": Failing}
    )
    size = 65536
    told = None
    for _ in range(200):
        offsets = np.arange(512) * 7919 * size % (drive.logical_bytes - size) // size * size
        drive.submit_many(drive.now, "write", offsets, size)
        try:
            drive.drain()
        except wordline.WordlineError as error:
            told = str(error)
            break
    assert told is not None and "KeyError" in told
    for call in (drive.next_event, drive.drain, drive.completions, drive.fork, lambda: drive.now):
        with pytest.raises(wordline.WordlineError, match="KeyError"):
            call()


def test_the_presets_that_are_built_in_are_those_of_the_package() -> None:
    for name in presets.names("scheme"):
        assert _core.combined(name, [(name, (name, presets.load("scheme", name).text))])[0] == name
    for name in presets.names("device"):
        assert wordline.resolve("device", name)


@pytest.mark.parametrize("name", ["simpy_drive", "asyncio_drive"])
def test_an_example_runs(name: str) -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")], capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    reads, _, mean, _ = process.stdout.split()
    assert reads == "400" and 40 < float(mean) < 500


def test_the_block_of_the_documentation_runs() -> None:
    page = (EXAMPLES.parent / "embedding.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    process = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert process.returncode == 0 and process.stdout.startswith("["), process.stderr


def test_both_examples_give_the_same_every_time() -> None:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import asyncio

        import asyncio_drive
        import simpy_drive

        assert simpy_drive.main() == simpy_drive.main()
        assert asyncio.run(asyncio_drive.main()) == asyncio.run(asyncio_drive.main())
    finally:
        sys.path.remove(str(EXAMPLES))


class Raises:
    """A placement that raises from a time on."""

    raises = False

    def place(self, program: Any, planes: Any) -> int:  # noqa: ARG002
        if self.raises:
            raise ValueError("from here on")
        return 0


class Silent:
    """A drive that answers nothing, and with which nothing happens any more."""

    now = 0

    def next_event(self) -> None:
        pass

    def submit(self, *request: Any) -> None:
        pass

    drain = submit

    def completions(self) -> list[Any]:
        return []


@pytest.mark.parametrize("silent", [False, True])
def test_the_clients_of_a_drive_for_asyncio_are_told_what_went_wrong(
    silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    monkeypatch.syspath_prepend(EXAMPLES)
    import asyncio_drive

    policy = Raises()
    drive: Any = (
        Silent() if silent else wordline.prepare("mqsim", overrides=SMALL, policies={"placement": policy})
    )
    policy.raises = True

    async def write() -> list[Any]:
        device = asyncio_drive.Device(drive)
        writes = (device.request("write", place * 4096, 4096) for place in range(500))
        return await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), 60)

    found = [one for one in asyncio.run(write()) if not isinstance(one, int)]
    told = "500 requests that the drive doesn't answer" if silent else "ValueError: from here on"
    assert found and all(told in str(one) for one in found)


class Oldest:
    needs = ("full_order",)

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, blocks: Any) -> int | None:
        self.asked += 1
        return next((i for i in blocks.full_order if blocks.valid[i] <= blocks.most_valid), None)


def test_threads_take_turns_with_one_drive_even_where_a_policy_needs_python() -> None:
    policy = Oldest()
    drive = wordline.prepare("mqsim", overrides=SMALL, policies={"gc": policy})
    size = 65536
    offsets = np.arange(400) * 7919 * size % (drive.logical_bytes - size) // size * size

    def write(_: int) -> None:
        for _ in range(10):
            drive.submit_many(2**40, "write", offsets, size)
            assert drive.outstanding > 0

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(write, range(3)))
        draining = threads.submit(drive.drain)
        while not draining.done():
            assert drive.now >= 0
        draining.result()
    assert len(drive.completions()) == 3 * 10 * 400 and policy.asked > 0
