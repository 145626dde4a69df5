"""What policies see of the drive.

Counts and numbers in arrays are signed and of 64 bits: a difference of two of them below 0 is below 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Blocks:
    """The superblocks of one domain, as a choice of victims sees them; arrays have an element for each.

    The arrays are read-only and stay what they were: each is a copy, of a few KB, which takes a fraction of
    the time of the call. Counts are signed and of 64 bits, so that `valid - most_valid` can be below 0.
    """

    def __init__(self, numbers: Sequence[int], columns: Sequence[bytes]) -> None:
        self.first, self.capacity, self.most_valid, self.clock = numbers
        self._columns = columns

    first: int
    """Number of the first superblock in the drive: tells domains apart."""
    capacity: int
    """Units of each."""
    most_valid: int
    """With more valid units than this, collecting one wins less than a flash page: the drive won't do it."""
    clock: int
    """Units that the host has written so far, those of the drive's preparation included."""

    @cached_property
    def valid(self) -> NDArray[np.int64]:
        """Valid units."""
        return _numbers(self._columns[0])

    @cached_property
    def full(self) -> NDArray[np.bool_]:
        """Whether it may be chosen: it is full, and nothing else is done with it."""
        return _truths(self._columns[1])

    @cached_property
    def erases(self) -> NDArray[np.int64]:
        """Erase counts."""
        return _numbers(self._columns[2])

    @cached_property
    def full_order(self) -> NDArray[np.int64]:
        """Indices of those that are full, the longest full first; with `needs = ("full_order",)`."""
        return _numbers(self._columns[3])

    @cached_property
    def changed(self) -> NDArray[np.int64]:
        """When a unit was invalidated last, or it became full (`clock`); with `needs = ("last_change",)`."""
        return _numbers(self._columns[4])

    @cached_property
    def candidates(self) -> NDArray[np.intp]:
        """Indices of those from which a flash page is to be won."""
        import numpy as np

        return np.flatnonzero(self.full & (self.valid <= self.most_valid))


@dataclass(frozen=True)
class Program:
    """A program that wants a plane."""

    page: int
    """Logical page: a mapping unit."""
    cause: str
    """`host`, `gc`, `write_back` …"""
    source: int | None
    """Where the data of a moved page lies now."""
    stream: int


class Planes:
    """What a placement sees of the drive; arrays have an element for each plane, or each die.

    Counts are signed and of 64 bits.
    """

    def __init__(self, outstanding: bytes, room: bytes, held: bytes) -> None:
        self._outstanding, self._room, self._held = outstanding, room, held

    @cached_property
    def outstanding(self) -> NDArray[np.int64]:
        """Flash pages waiting or running on each die."""
        return _numbers(self._outstanding)

    @cached_property
    def room(self) -> NDArray[np.bool_]:
        """Whether the domain of each plane has room for more of the host's data."""
        return _truths(self._room)

    @cached_property
    def held(self) -> NDArray[np.int64]:
        """Units that the domain of each plane holds, those on their way included."""
        return _numbers(self._held)


class Waiting(NamedTuple):
    """The first command of a class that waits at a die."""

    name: str
    """Class: `host_read`, `host_program`, `gc_read` …"""
    order: int
    """Place in the order of arrival."""
    waited_ns: int


@dataclass(frozen=True)
class Read:
    """A read of the host at a die."""

    page: int
    """Logical page."""
    place: int
    """The copy that serves it."""
    die: int
    flow: int
    joins: bool
    """It is read along with the page before, of the same flash page and request: no command of its own."""


@dataclass(frozen=True)
class Worn:
    """A block of a full superblock that was read too often (`scheme.reclaim`)."""

    superblock: int
    plane: int
    block: int
    """Its number in the plane."""
    place: int
    """What was read last."""
    reads: int
    """Array reads since its erase."""


@dataclass(frozen=True)
class Candidate:
    """A copy that could serve a read."""

    place: int
    die: int
    outstanding: int
    """Flash pages waiting or running on its die, this read not counted."""
    running: str | None
    """Class of what its die is doing."""
    remaining_ns: int
    """Until that is done, or could be suspended."""
    ahead_ns: int
    """That, and the time of all that waits there and goes before this read."""
    here: bool
    """The read is there already."""


def _numbers(column: bytes) -> NDArray[np.int64]:
    import numpy as np

    return np.frombuffer(column, dtype=np.int64)


def _truths(column: bytes) -> NDArray[np.bool_]:
    import numpy as np

    return np.frombuffer(column, dtype=np.bool_)
