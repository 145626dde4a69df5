"""Policies as the simulator asks them: plain values in, plain values out."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any

from wordline._core import WordlineError
from wordline.policies.actions import index, whole
from wordline.policies.views import Blocks, Planes, Program, Waiting

NEEDS = ("full_order", "last_change")
"""What a choice of victims may ask for of the past."""

_given = threading.local()


@contextmanager
def given_to_thread(policies: Mapping[str, object]) -> Iterator[None]:
    """Drives that are made on this thread within the context get these policies."""
    before = getattr(_given, "policies", {})
    _given.policies = dict(policies)
    try:
        yield
    finally:
        _given.policies = before


def given_for(slot: str) -> object:
    """What was handed over for a slot of the drives of this thread."""
    return getattr(_given, "policies", {}).get(slot)


class Asked:
    """A policy as the simulator asks it: plain values in, plain values out.

    `given` is what was handed over, a class or an object; `None` where a scheme names the class.
    """

    def __init__(self, policy: Any, slot: str, given: object) -> None:
        self.policy = policy
        self.slot = slot
        self.given = given
        self._at_first = {} if hasattr(policy, "save") else attributes(policy)

    def what_went_wrong(self, method: str, error: BaseException) -> str:
        """What a question came to that has no answer, with a place in the policy's file."""
        from wordline.policies._told import told

        return told(error, self.policy, method)

    def after(self, method: str, answer: str, what: str) -> str:
        """What came of the answer of a method, with the place of the method."""
        from wordline.policies._told import after

        return after(self.policy, method, answer, what)

    def save(self) -> bytes:
        """Whether it was handed over as an object, whose parameters are in no scheme, and its state."""
        return bytes([self._is_object]) + self._state()

    def restore(self, state: bytes) -> None:
        was_object, state = state[:1] == b"\1", bytes(state[1:])
        if was_object != self._is_object:
            ways = ("a class", "an object that was handed over")
            raise WordlineError(
                f"{self._name} was {ways[was_object]}: allowed: the same again, not {ways[self._is_object]}"
            )
        restore = getattr(self.policy, "restore", None)
        if restore is None and state:
            raise WordlineError(f"{self._name} has no `restore` for the state that was saved")
        if restore is not None:
            restore(state)

    def fork(self) -> Asked:
        """A copy, for a run that was handed the same, or nothing."""
        given = given_for(self.slot)
        if given is not None and given is not self.given:
            raise WordlineError(
                f"the drive was prepared with another {self._name}: allowed: the very class or object again"
            )
        copied = copy.copy(self)
        copied.policy = copy.deepcopy(self.policy)
        return copied

    @property
    def _name(self) -> str:
        return type(self.policy).__name__

    @property
    def _is_object(self) -> bool:
        return self.given is not None and not isinstance(self.given, type)

    def _state(self) -> bytes:
        if hasattr(self.policy, "save"):
            return bytes(self.policy.save())
        before, now = self._at_first, attributes(self.policy)
        changed = [name for name in before | now if now.get(name) is None or now[name] != before.get(name)]
        if not changed:
            return b""
        names = ", ".join(f"`{name}`" for name in changed)
        raise WordlineError(
            f"{self._name} seems to keep a state ({names}) and has no `save`: allowed: `save() -> bytes` and "
            "`restore(state)`; b'' where nothing in it has a part in decisions"
        )


def attributes(policy: object) -> dict[str, bytes | None]:
    """What an object keeps, to be compared; `None` for what can't be."""
    state = policy.__getstate__()
    parts = state if isinstance(state, tuple) else (state,)
    kept = [part for part in parts if part is not None]
    named = [part.items() if isinstance(part, dict) else [("state", part)] for part in kept]
    return {name: _digest(value) for items in named for name, value in items}


def _digest(value: object) -> bytes | None:
    import hashlib
    import pickle

    try:
        return hashlib.sha256(pickle.dumps(value)).digest()
    except Exception:  # a class may raise anything
        return None


class Victims(Asked):
    """Asked for victims. `None`: no collection wins a flash page; a run that is short of space ends."""

    def choose(self, first: int, capacity: int, most_valid: int, clock: int, *columns: bytes) -> int | None:
        chosen = self.policy.choose(Blocks((first, capacity, most_valid, clock), columns))
        if chosen is None:
            return None
        full = columns[1]
        index = number("choose", chosen, len(full), "superblock of the domain")
        if not full[index]:
            raise WordlineError(f"choose() = {index}: allowed: a superblock that is full (`blocks.full`)")
        return index

    def needs(self) -> tuple[bool, bool]:
        needs = names("needs", getattr(self.policy, "needs", ()))
        for name in needs:
            if name not in NEEDS:
                raise WordlineError(f"needs {name!r}: allowed: {', '.join(NEEDS)}")
        return "full_order" in needs, "last_change" in needs


class Placement(Asked):
    """Asked for planes. `None` is refused, as each program needs one."""

    def places_moves(self) -> bool:
        return yes_or_no("places_moves", getattr(self.policy, "places_moves", False))

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
        return number("place", plane, len(room), "plane", "each program needs one")


class Scheduler(Asked):
    """Asked for a class that waits. `None` is refused, as a die doesn't rest while commands wait."""

    def next(self, waiting: Sequence[tuple[str, int, int]], now_ns: int) -> str:
        # Without a call of `Waiting` for each: this is asked for each command.
        shown = list(map(tuple.__new__, repeat(Waiting), waiting))
        chosen = self.policy.next(shown, now_ns)
        for one in waiting:
            if one[0] == chosen:
                return one[0]
        waits = ", ".join(one.name for one in shown)
        none = "; None is no answer: a die doesn't rest while commands wait" if chosen is None else ""
        raise WordlineError(f"next() = {chosen!r}: allowed: what waits, {waits}{none}")

    def suspends(self) -> list[str]:
        return names("suspends", getattr(self.policy, "suspends", ()))

    def longest_suspension_ns(self) -> int:
        return whole("longest_suspension_ns", getattr(self.policy, "longest_suspension_ns", 2**64 - 1), 64)


class Separation(Asked):
    """Asked for write points. `None` is refused, as each page that is written needs one."""

    def write_point(self, page: int, stream: int, points: int) -> int:
        point = self.policy.write_point(page, stream, points)
        return number("write_point", point, points, "write point", "each page that is written needs one")

    def is_hot(self, page: int) -> bool:
        is_hot = getattr(self.policy, "is_hot", None)
        answer = is_hot(page) if is_hot is not None else None
        return False if answer is None else yes_or_no("is_hot()", answer, ", or None: no")


def names(what: str, value: Any) -> list[str]:
    """An attribute that lists names."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise WordlineError(f"{what} = {value!r}: allowed: a tuple of names")
    found = list(value)
    for name in found:
        if not isinstance(name, str):
            raise WordlineError(f"{what} {name!r}: allowed: names")
    return found


def yes_or_no(what: str, value: Any, more: str = "") -> bool:
    """An answer that is true or false; NumPy's are fine. Texts and numbers, which Python takes for one, are
    slips.
    """
    if isinstance(value, bool):
        return value
    import numpy as np

    if not isinstance(value, np.bool_):
        raise WordlineError(f"{what} = {value!r}: allowed: True or False{more}")
    return bool(value)


def number(method: str, value: Any, count: int, what: str, why: str = "") -> int:
    """An answer as a number below `count`; NumPy's integers are fine. `why`: why None is no answer."""
    allowed = f"the number of a {what}" + (f", 0 to {count - 1}" if count else " (there is none)")
    found = index(value)
    if found is None:
        none = f"; None is no answer: {why}" if value is None and why else ""
        raise WordlineError(f"{method}() = {value!r}: allowed: {allowed}{none}")
    if not 0 <= found < count:
        raise WordlineError(f"{method}() = {found}: allowed: {allowed}")
    return found
