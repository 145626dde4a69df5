"""Policies in Python that the oracle hands to a run, one for each slot that takes one."""

from __future__ import annotations

from wordline._core import DriveView
from wordline.policies import Blocks, Copy, Planes, Program, Read, Waiting


class OldestFull:
    """Of the superblocks that may be collected, the one that became full first."""

    needs = ("full_order",)

    def choose(self, blocks: Blocks) -> int | None:
        """Its index in the domain."""
        full = blocks.full_order
        wins = full[blocks.valid[full] <= blocks.most_valid]
        return int(wins[0]) if wins.size else None


class LeastBusy:
    """The plane with room whose die has the least outstanding."""

    def place(self, program: Program, planes: Planes) -> int:  # noqa: ARG002
        """Its number."""
        per_die = len(planes.room) // len(planes.outstanding)
        with_room = [plane for plane, room in enumerate(planes.room) if room]
        choice = with_room or range(len(planes.room))
        return min(choice, key=lambda plane: planes.outstanding[plane // per_die])


class LongestFirst:
    """The class of the command that has waited longest."""

    def next(self, waiting: list[Waiting], now_ns: int) -> str:  # noqa: ARG002
        """Its name."""
        return min(waiting, key=lambda one: one.order).name


class ByPage:
    """Pages whose number is odd go to another write point than those whose number is even."""

    def write_point(self, page: int, stream: int, points: int) -> int:  # noqa: ARG002
        """Its number."""
        return page % points


class CopiesOfBusy:
    """A second copy of each page of which every fourth read found its die busy."""

    most_copies = 20

    def __init__(self) -> None:
        self.found_busy = 0

    def read(self, read: Read, drive: DriveView) -> Copy | None:
        """What is done for it."""
        self.found_busy += bool(drive.running(read.die))
        if self.found_busy % 4 == 3:
            return Copy(read.page, die=(read.die + 1) % drive.dies)
        return None


BY_SLOT = {
    "gc": OldestFull,
    "placement": LeastBusy,
    "scheduler": LongestFirst,
    "separation": ByPage,
    "system": CopiesOfBusy,
}
