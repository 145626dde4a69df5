"""What a system asks of the drive. The simulator checks each against the drive and carries it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from wordline._core import WordlineError

CAUSES = ("gc", "read_reclaim", "wear_levelling", "migration")
"""Why pages are moved."""


def index(value: Any) -> int | None:
    """A whole number; NumPy's integers are fine. `None` for anything else."""
    if isinstance(value, bool):
        # True and False have the method too, and are slips for a number.
        return None
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):  # arrays have the method, and raise
        return None


def whole(what: str, value: Any, bits: int = 32) -> int:
    """A number that is none below 0 and has so many bits at most; NumPy's integers are fine."""
    found = index(value)
    if found is None:
        raise WordlineError(f"{what} {value!r}: allowed: a whole number")
    if not 0 <= found < 2**bits:
        raise WordlineError(f"{what} {found}: allowed: 0 to 2^{bits} - 1")
    return found


def _numbers(what: str, values: Sequence[Any]) -> list[int]:
    return [whole(what, value) for value in values]


def _cause(cause: str) -> str:
    if cause not in CAUSES:
        raise WordlineError(f"cause {cause!r}: allowed: {', '.join(CAUSES)}")
    return cause


@dataclass(frozen=True)
class At:
    """Exactly there: a mapping unit of the fresh superblock opened for one of the plan's destinations."""

    destination: int
    """Which of `Plan.destinations`."""
    unit: int
    """In the order in which a superblock is filled; ascending within a destination."""

    def plain(self) -> dict[str, int]:
        """As the simulator reads it."""
        return {
            "destination": whole("destination", self.destination),
            "unit": whole("unit", self.unit),
        }


@dataclass(frozen=True)
class Span:
    """The pages of a step one after another from a place on, passing over `holes`, which stay unused."""

    first: At
    holes: Sequence[int] = ()
    """Mapping units of the destination, ascending."""


@dataclass(frozen=True)
class Step:
    """Pages that move together."""

    places: Sequence[int]
    """Physical pages, in order; one that holds nothing of value when its turn comes is passed over."""
    to: At | Span | None = None
    """Where they go; `None`: wherever the placement says, else into the domain that they come from."""

    def plain(self) -> dict[str, Any]:
        """As the simulator reads it."""
        pin: Any = "Any"
        if isinstance(self.to, At):
            pin = {"Exact": self.to.plain()}
        elif isinstance(self.to, Span):
            pin = {"Span": {"first": self.to.first.plain(), "holes": _numbers("hole", self.to.holes)}}
        elif self.to is not None:
            raise WordlineError(f"to = {self.to!r}: allowed: At, Span or None")
        return {"pages": _numbers("place", self.places), "pin": pin}


@dataclass(frozen=True)
class Plan:
    """Pages that move, in order, and superblocks that are erased when the plan has emptied them."""

    cause: str
    """One of `CAUSES`."""
    steps: Sequence[Step]
    destinations: Sequence[int] = ()
    """Domains in each of which one free superblock is opened for `At` and `Span`."""
    erase: Sequence[int] = ()
    """Full superblocks."""
    while_idle: bool = False
    """Only as long as the drive is idle: a request that comes ends it. Not with `destinations` or `erase`."""

    @classmethod
    def into_fresh(cls, cause: str, domain: int, source: int, places: Sequence[int | None]) -> Plan:
        """A superblock into a fresh one: `places[u]` to unit u, which stays unused for `None`."""
        pages = [place for place in places if place is not None]
        holes = [unit for unit, place in enumerate(places) if place is None]
        to = Span(At(0, 0), holes)
        return cls(cause, [Step(pages, to)], [domain] if pages else [], [source])

    def plain(self) -> dict[str, Any]:
        """As the simulator reads it, without `while_idle`."""
        return {
            "cause": _cause(self.cause),
            "destinations": _numbers("destination", self.destinations),
            "steps": [step.plain() for step in self.steps],
            "erase": _numbers("superblock", self.erase),
        }

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        return {"PlanWhileIdle" if self.while_idle else "Plan": self.plain()}


@dataclass(frozen=True)
class Empty:
    """Move what is valid out of a superblock, within its domain, and erase it."""

    superblock: int
    cause: str = "gc"

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        return {"Empty": [whole("superblock", self.superblock), _cause(self.cause)]}


@dataclass(frozen=True)
class Gate:
    """These dies begin no command of these classes before `until_ns`; replaces the system's gate there."""

    dies: Sequence[int]
    classes: Sequence[str]
    """`host_read`, `host_program`, `gc_erase` …"""
    until_ns: int

    def action(self, bits: Mapping[str, int]) -> dict[str, Any]:
        """As the simulator reads it, with the bit of each class."""
        for name in self.classes:
            if name not in bits:
                raise WordlineError(f"class {name!r}: allowed: {', '.join(bits)}")
        return {
            "Gate": {
                "dies": _numbers("die", self.dies),
                "classes": sum({bits[name] for name in self.classes}),
                "until": whole("until_ns", self.until_ns, 64),
            }
        }


@dataclass(frozen=True)
class Copy:
    """Make a further copy of a page: on a die, on a plane, or in what is reserved (neither)."""

    page: int
    die: int | None = None
    plane: int | None = None

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        if self.die is not None and self.plane is not None:
            raise WordlineError(f"die {self.die} and plane {self.plane}: allowed: a die, a plane, or neither")
        to: Any = "Reserved"
        if self.plane is not None:
            to = {"Plane": whole("plane", self.plane)}
        elif self.die is not None:
            to = {"Die": whole("die", self.die)}
        return {"Copy": {"lpa": whole("page", self.page), "to": to}}


@dataclass(frozen=True)
class DropCopy:
    """Give up a copy of the system's own."""

    page: int
    place: int

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        return {"DropCopy": {"lpa": whole("page", self.page), "ppa": whole("place", self.place)}}


@dataclass(frozen=True)
class Promote:
    """Make a copy of the system's own the primary, and the primary a copy of it."""

    page: int
    place: int

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        return {"Promote": {"lpa": whole("page", self.page), "ppa": whole("place", self.place)}}


@dataclass(frozen=True)
class WakeAt:
    """Call `woken` at this time; replaces what was asked before."""

    time_ns: int

    def action(self) -> dict[str, Any]:
        """As the simulator reads it."""
        return {"WakeAt": whole("time_ns", self.time_ns, 64)}


Action: TypeAlias = Plan | Empty | Gate | Copy | DropCopy | Promote | WakeAt
ACTIONS = (Plan, Empty, Gate, Copy, DropCopy, Promote, WakeAt)
