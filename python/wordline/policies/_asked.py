"""Policies as the simulator asks them: plain values in, plain values out."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from wordline._core import WordlineError
from wordline.policies.views import Blocks, Planes, Program, Waiting


class Asked:
    """A policy as the simulator asks it: plain values in, plain values out."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def save(self) -> bytes:
        save = getattr(self.policy, "save", None)
        return bytes(save()) if save is not None else b""

    def restore(self, state: bytes) -> None:
        restore = getattr(self.policy, "restore", None)
        if restore is None and state:
            raise WordlineError(f"{type(self.policy).__name__} has no `restore` for the state that was saved")
        if restore is not None:
            restore(bytes(state))

    def fork(self) -> Asked:
        return type(self)(copy.deepcopy(self.policy))


class Victims(Asked):
    def choose(self, first: int, capacity: int, most_valid: int, clock: int, *columns: bytes) -> int | None:
        chosen = self.policy.choose(Blocks((first, capacity, most_valid, clock), columns))
        return (
            None if chosen is None else number("choose", chosen, len(columns[1]), "superblock of the domain")
        )

    def needs(self) -> tuple[bool, bool]:
        needs = getattr(self.policy, "needs", ())
        return "full_order" in needs, "last_change" in needs


class Placement(Asked):
    def places_moves(self) -> bool:
        return bool(getattr(self.policy, "places_moves", False))

    def place(
        self,
        page: int,
        cause: str,
        source: int | None,
        stream: int,
        outstanding: bytes,
        room: bytes,
        held: bytes,
    ) -> int:
        plane = self.policy.place(Program(page, cause, source, stream), Planes(outstanding, room, held))
        return number("place", plane, len(room), "plane")


class Scheduler(Asked):
    def next(self, waiting: Sequence[tuple[str, int, int]], now_ns: int) -> str:
        shown = [Waiting(*one) for one in waiting]
        chosen = self.policy.next(shown, now_ns)
        names = [one.name for one in shown]
        if chosen not in names:
            raise WordlineError(f"next() = {chosen!r}: allowed: what waits, {', '.join(names)}")
        return str(chosen)

    def suspends(self) -> list[str]:
        return list(getattr(self.policy, "suspends", ()))

    def longest_suspension_ns(self) -> int:
        return int(getattr(self.policy, "longest_suspension_ns", 2**64 - 1))


class Separation(Asked):
    def write_point(self, page: int, stream: int, points: int) -> int:
        return number("write_point", self.policy.write_point(page, stream, points), points, "write point")

    def is_hot(self, page: int) -> bool:
        is_hot = getattr(self.policy, "is_hot", None)
        return bool(is_hot(page)) if is_hot is not None else False


def number(method: str, value: Any, count: int, what: str) -> int:
    """An answer as a number below `count`; NumPy's integers are fine."""
    try:
        found = value.__index__()
    except AttributeError:
        raise WordlineError(f"{method}() = {value!r}: allowed: the number of a {what}") from None
    if not 0 <= found < count:
        raise WordlineError(f"{method}() = {found}: allowed: the number of a {what}, 0 to {count - 1}")
    return int(found)
