"""Systems written in Python: told of what they have methods for, and what they ask is done."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

import wordline
from wordline._core import DriveView
from wordline.policies import (
    Action,
    At,
    Candidate,
    Copy,
    DropCopy,
    Empty,
    Gate,
    Plan,
    Program,
    Promote,
    Read,
    Span,
    Step,
    WakeAt,
    Worn,
)

SMALL: dict[str, Any] = {
    "device.geometry.channels": 2,
    "device.geometry.ways": 1,
    "device.geometry.planes": 1,
    "device.geometry.blocks": 64,
    "device.geometry.pages": 32,
    "device.capacity.overprovisioning": 0.3,
    "workload.source.requests": 3000,
    "workload.start.layout": "in_order",
}
"""A drive of four dies."""

Actions = list[Action] | Action | None


def run(system: Any, workload: str = "mixed-70-30-8k-qd16", **more: Any) -> wordline.Result:
    return wordline.run(
        "mqsim", workload=workload, checked=True, overrides=SMALL | more, policies={"system": system}
    )


def measured(result: wordline.Result) -> dict[str, Any]:
    ignored = ("changed", "config", "engine", "notes", "systems", "dram")
    return {key: value for key, value in result.to_dict().items() if key not in ignored}


class Counts:
    """Told of everything, and does nothing about it."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.kept: DriveView | None = None

    def read(self, read: Read, drive: DriveView) -> Actions:
        assert drive.find(read.page) == read.place
        assert drive.die_of(read.place) == read.die < drive.dies
        assert drive.page_at(read.place) == read.page
        self.seen["read"] += 1
        self.kept = drive
        return None

    def read_done(self, read: Read, drive: DriveView) -> Actions:
        assert drive.copies(read.page) == []
        self.seen["read_done"] += 1
        return []

    def written(self, page: int, old: int | None, new: int, drive: DriveView) -> Actions:
        assert old != new == drive.find(page)
        self.seen["written"] += 1
        return None

    def moved(self, page: int, old: int, new: int, cause: str, drive: DriveView) -> Actions:
        assert cause == "gc" and drive.superblock_of(old) != drive.superblock_of(new)
        assert drive.find(page) == new
        self.seen["moved"] += 1
        return None

    def erased(self, superblock: int, drive: DriveView) -> Actions:
        domain = drive.domain_of(superblock)
        assert drive.free(domain) > 0
        view = drive.blocks(domain)
        assert view.valid[superblock - view.first] == 0
        self.seen["erased"] += 1
        return None

    def window_opens(self) -> None:
        self.seen.clear()

    def figures(self) -> dict[str, int]:
        return dict(self.seen)

    memory_bytes = 4096


def test_a_system_that_only_looks_changes_nothing_and_sees_what_happens() -> None:
    more: dict[str, Any] = {"workload.source.read_share": 0.3, "workload.source.requests": 6000}
    ours = run(Counts, **more)
    assert measured(ours) == measured(run(type("Nothing", (), {"woken": lambda *_: None}), **more))
    figures = ours.to_dict()["systems"]["counts"]["figures"]
    assert figures["read"] == figures["read_done"] > 0
    assert figures["moved"] > 0
    assert figures["erased"] == ours.flash.erases


def test_a_drive_is_looked_at_only_while_the_system_is_asked() -> None:
    system = Counts()
    run(system)
    assert system.kept is not None
    with pytest.raises(wordline.WordlineError, match="only while the policy is asked"):
        system.kept.find(0)


class Copies:
    """A further copy of each page that is read twice while its die is busy; the idle copy serves."""

    most_copies = 200
    name = "hot_copies"

    def __init__(self) -> None:
        self.reads: Counter[int] = Counter()
        self.made = self.served = self.dropped = 0

    def read_done(self, read: Read, drive: DriveView) -> Actions:
        self.reads[read.page] += 1
        if self.reads[read.page] == 2 and not drive.copies(read.page):
            return Copy(read.page, die=(read.die + 1) % drive.dies)
        return None

    def copied(self, page: int, place: int, drive: DriveView) -> Actions:
        assert drive.copies(page) == [place]
        self.made += 1
        return None

    def copy_dropped(self, page: int, place: int | None, why: str, drive: DriveView) -> Actions:  # noqa: ARG002
        assert why in ("written", "over_budget", "no_space", "outdated", "reclaimed")
        self.dropped += 1
        return None

    def serve(self, page: int, candidates: list[Candidate], drive: DriveView) -> int:  # noqa: ARG002
        best = min(range(len(candidates)), key=lambda index: candidates[index].ahead_ns)
        self.served += best > 0
        return best

    def figures(self) -> dict[str, int]:
        return {"made": self.made, "served": self.served, "dropped": self.dropped}


def test_a_system_makes_copies_and_says_which_one_serves() -> None:
    more: dict[str, Any] = {"workload.source.pattern": {"kind": "zipf", "theta": 0.99}}
    ours = run(Copies, **more)
    figures = ours.to_dict()["systems"]["hot_copies"]["figures"]
    assert figures["made"] > 10 and figures["served"] > 10, figures


class Reclaims:
    """Takes a worn superblock's pages to a fresh one, each to its own unit, and erases it."""

    def reclaim(self, worn: Worn, drive: DriveView) -> Plan:
        assert worn.reads == drive.block_reads(worn.plane, worn.block)
        places = [int(place) for place in drive.places(worn.superblock)]
        assert worn.place in places
        kept = [place if drive.page_at(place) is not None else None for place in places]
        return Plan.into_fresh("read_reclaim", drive.domain_of(worn.superblock), worn.superblock, kept)


def test_a_system_reclaims_worn_blocks() -> None:
    more: dict[str, Any] = {
        "scheme.reclaim": {"policy": "block", "threshold": 5},
        "workload.source.read_share": 1.0,
    }
    ours = run(Reclaims, **more)
    assert ours.flash.erases > 0
    assert ours.flash.by_class.reclaim_program.operations > 0


class Turns:
    """Odd and even dies serve programs in turn, a millisecond each; asked for by waking."""

    period_ns = 1_000_000

    def __init__(self) -> None:
        self.turn = 0

    def written(self, page: int, old: int | None, new: int, drive: DriveView) -> Actions:  # noqa: ARG002
        return [WakeAt(drive.now_ns + 1)] if self.turn == 0 else None

    def woken(self, drive: DriveView) -> Actions:
        self.turn += 1
        dies = [die for die in range(drive.dies) if die % 2 == self.turn % 2]
        until = drive.now_ns + self.period_ns
        more = [WakeAt(until)] if self.turn < 50 else []
        return [Gate(dies, ["host_program"], until), *more]

    def save(self) -> bytes:
        return struct.pack("<I", self.turn)

    def restore(self, state: bytes) -> None:
        (self.turn,) = struct.unpack("<I", state)

    def figures(self) -> dict[str, int]:
        return {"turns": self.turn}


def test_gates_hold_programs_back_until_they_open() -> None:
    free, gated = run(type("Nothing", (), {"woken": lambda *_: None})), run(Turns)
    assert gated.to_dict()["systems"]["turns"]["figures"]["turns"] == 50
    assert gated.write.latency_ns.mean > free.write.latency_ns.mean


def test_the_state_of_a_system_is_saved(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "device": "mqsim",
        "workload": "mixed-70-30-8k-qd16",
        "overrides": SMALL | {"scheme.custom.python_system.class": "test_systems_in_python:Turns"},
    }
    wordline.run_part(**more, save_state=tmp_path / "half", stop_after=1500)
    rest = wordline.run_part(**more, load_state=tmp_path / "half")
    assert rest is not None
    whole = wordline.run(**more)
    assert rest.to_dict()["systems"] == whole.to_dict()["systems"]
    assert measured(rest) == measured(whole)


class LeavesFewPlanes:
    """All programs of the host go to the first channel's dies, as far as there is room."""

    def allowed_planes(self, program: Program, drive: DriveView) -> list[int] | None:
        assert program.cause == "host"
        left = [plane for plane in range(drive.planes // drive.channels) if drive.has_room(plane)]
        return left or None


def test_a_system_confines_programs_to_planes() -> None:
    more: dict[str, Any] = {
        "workload.start.occupancy": 0.3,
        "workload.source.read_share": 0.0,
        "scheme.placement.policy": "dynamic",
    }
    ours = run(LeavesFewPlanes, **more)
    programs = [die.busy_ns.host_program for die in ours.dies]
    half = len(programs) // 2
    assert sum(programs[half:]) < 0.2 * sum(programs[:half])


class Idles:
    """Empties a superblock while the drive is idle, once."""

    def __init__(self) -> None:
        self.emptied = False

    def idle(self, drive: DriveView) -> Actions:
        if self.emptied:
            return None
        self.emptied = True
        full = [int(index) for index in drive.blocks(0).full.nonzero()[0]]
        return Empty(drive.blocks(0).first + full[0], "wear_levelling")


def test_a_system_empties_superblocks_at_idle_time() -> None:
    more: dict[str, Any] = {
        "workload.host": {"arrivals": "open"},
        "workload.source.interarrival": {"kind": "fixed", "iops": 50},
        "workload.source.requests": 50,
    }
    ours = run(Idles, workload="randread-4k-qd16", **more)
    assert ours.flash.by_class.wear_program.operations > 0


class Answers:
    """Gives what the test wants as its first answer."""

    answer: ClassVar[Any] = None

    def written(self, page: int, old: int | None, new: int, drive: DriveView) -> Any:  # noqa: ARG002
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("nothing", r" = 'n': allowed: actions \(Plan, Empty.* or None: nothing"),
        ([3], " = 3: allowed: actions"),
        (3, " = 3: allowed: actions"),
        (Empty(10**6), r"the system answers asked to empty SuperblockId\(1000000\) of a drive of 256"),
        (Empty(-1), r"superblock -1: allowed: 0 to 2\^32 - 1"),
        (Empty(2**40), r" = Empty: superblock 1099511627776: allowed: 0 to 2\^32 - 1"),
        (Empty("x"), "superblock 'x': allowed: a whole number"),  # type: ignore[arg-type]
        (Empty(0, "whim"), "cause 'whim': allowed: gc, read_reclaim, wear_levelling, migration"),
        (Gate([0], ["all"], 1), "class 'all': allowed: host_read"),
        (Gate([99], ["host_read"], 10**9), "die"),
        (Copy(0), "the system answers asked for a copy without a budget for copies"),
        (Copy(0, die=1, plane=2), "Copy: die 1 and plane 2: allowed: a die, a plane, or neither"),
        (
            DropCopy(10**7, 0),
            r"the system answers dropped a copy of Lpa\(10000000\), beyond the \d+ logical pages",
        ),
        (Promote(0, 10**7), r"the system answers promoted Ppa\(10000000\), none of the \d+ physical pages"),
        (Plan("gc", [Step([10**7])]), "place|Ppa"),
        (Plan("gc", [Step([0], "there")]), "to = 'there': allowed: At, Span or None"),  # type: ignore[arg-type]
        (Plan("gc", [Step([0], At(0, 0))], destinations=[77]), "domain|destination"),
        (Plan("gc", [Step([0], Span(At(3, 0)))]), "destination"),
    ],
)
def test_what_is_not_allowed_is_told(answer: Any, message: str) -> None:
    kind = type("Answers", (Answers,), {"answer": answer})
    line = Answers.written.__code__.co_firstlineno
    with pytest.raises(wordline.WordlineError, match=rf"{__name__}\.py:{line}: .*written\(\).*({message})"):
        run(kind)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"name": 3}, "name 3: allowed: a name of printable characters"),
        ({"name": "a\nb"}, "name 'a.*b': allowed: a name of printable"),
        ({"most_copies": "x"}, "most_copies 'x': allowed: a whole number"),
        ({"most_copies": -1}, r"most_copies -1: allowed: 0 to 2\^32 - 1"),
        ({"most_copies": 2**40}, r"most_copies 1099511627776: allowed: 0 to 2\^32 - 1"),
        ({"reserved_dies": 3}, "reserved_dies 3: allowed: a list of dies"),
        ({"reserved_dies": [99]}, "reserved_dies of the system k = 99: allowed: dies 0 to 3"),
        ({"reserved_dies": range(4)}, "reserved_dies of the system k = 3: allowed: not every die"),
        ({"reserved_blocks": "a"}, "reserved_blocks 'a': allowed: a share of the blocks"),
        ({"reserved_blocks": float("nan")}, "reserved_blocks of the system k = NaN: allowed: 0 to 0.9"),
        ({"memory_bytes": "1 MB"}, "memory_bytes '1 MB': allowed: a whole number"),
        ({"figures": lambda _: 3}, r"figures\(\) = 3: allowed: a dictionary of counts"),
        ({"figures": lambda _: {"a": 1.5}}, "figure a 1.5: allowed: a whole number"),
    ],
)
def test_what_a_class_says_of_itself_is_checked(attributes: dict[str, Any], message: str) -> None:
    kind = type("K", (Answers,), attributes)
    with pytest.raises(wordline.WordlineError, match=message):
        run(kind)


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("reclaim", 3, "reclaim() = 3: allowed: a Plan, or None: as the scheme says"),
        ("reclaim", Plan("x", []), "reclaim() = Plan: cause 'x': allowed: gc, "),
        ("allowed_planes", 3, "allowed_planes() = 3: allowed: numbers of planes, or None: all"),
        ("allowed_planes", [], "allowed_planes() = []: allowed: one plane or more, or None: all"),
        ("allowed_planes", [9], "allowed_planes() = 9: allowed: the number of a plane, 0 to 3"),
    ],
)
def test_a_wrong_answer_to_a_question_is_told_with_its_line(method: str, answer: Any, message: str) -> None:
    asked = {method: lambda *_: answer}
    line = asked[method].__code__.co_firstlineno
    more: dict[str, Any] = {"scheme.reclaim": {"policy": "block", "threshold": 5}}
    with pytest.raises(wordline.WordlineError, match=rf"{__name__}\.py:{line}: Asked\.{re.escape(message)}"):
        run(type("Asked", (), asked), **more)


def test_the_example_of_a_plan_evens_wear_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "docs" / "examples")
    import evens_wear

    found = evens_wear.main()
    (fewest, most, waf), (fewest_own, most_own, waf_own) = found["baseline"], found["policy"]
    assert fewest < fewest_own <= most_own < most
    assert waf < waf_own < 1.2 * waf


def test_a_class_without_methods_is_no_system() -> None:
    with pytest.raises(wordline.WordlineError, match="a class with the method `read` or `read_done` or"):
        run(type("Empty", (), {}))


def test_numbers_beyond_the_drive_are_told_with_the_line() -> None:
    class Looks:
        def written(self, page: int, old: int | None, new: int, drive: DriveView) -> Actions:  # noqa: ARG002
            drive.free(1000)
            return None

    with pytest.raises(
        wordline.WordlineError,
        match=r"test_systems_in_python\.py:\d+: Looks\.written\(\): domain 1000: allowed: 0 to",
    ):
        run(Looks)
