"""Systems in Python: told of what they have methods for, they answer with actions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any

from wordline._core import DriveView, WordlineError
from wordline.policies._asked import Asked, number
from wordline.policies.actions import ACTIONS, Gate, Plan, whole
from wordline.policies.views import Candidate, Program, Read, Worn

TOLD = (
    "read", "read_done", "written", "moved", "trimmed", "invalidated", "collected", "erased",
    "idle", "woken", "plan_done", "copied", "copy_moved", "copy_dropped",
)  # fmt: skip
"""Methods that are told of something, and may answer with actions."""

EVENTS = (*TOLD, "reclaim", "allowed_planes", "serve")
"""The methods of a system. Each gets the drive as its last argument."""


@dataclass(frozen=True)
class _Described:
    """What a class says of itself when it is made."""

    name: str
    methods: list[str]
    most_copies: int | None
    reserved_dies: list[int]
    reserved_blocks: float


@contextmanager
def _answer(method: str, action: object) -> Iterator[None]:
    """What is wrong in an answer is told with the method that gave it."""
    try:
        yield
    except WordlineError as error:
        raise WordlineError(f"{method}() = {type(action).__name__}: {error}") from None


def _described(policy: Any) -> _Described:
    named = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(policy).__name__).lower()
    methods = (*EVENTS, "window_opens")
    name, most = getattr(policy, "name", named), getattr(policy, "most_copies", None)
    dies, blocks = getattr(policy, "reserved_dies", ()), getattr(policy, "reserved_blocks", 0.0)
    if not (isinstance(name, str) and name.isprintable() and name):
        raise WordlineError(f"name {name!r}: allowed: a name of printable characters")
    if not isinstance(dies, Iterable) or isinstance(dies, str):
        raise WordlineError(f"reserved_dies {dies!r}: allowed: a list of dies")
    if not isinstance(blocks, Real):
        raise WordlineError(f"reserved_blocks {blocks!r}: allowed: a share of the blocks")
    return _Described(
        name,
        [method for method in methods if callable(getattr(policy, method, None))],
        None if most is None else whole("most_copies", most),
        [whole("reserved_dies", die) for die in dies],
        float(blocks),
    )


class System(Asked):
    """A system as the simulator asks it. `None` for actions: nothing is to be done."""

    bits: dict[str, int]

    def describe(self, classes: Sequence[str]) -> _Described:
        self.bits = {name: 1 << number for number, name in enumerate(classes)}
        return _described(self.policy)

    def _actions(self, method: str, answer: Any) -> str | None:
        if answer is None:
            return None
        listed = isinstance(answer, Iterable) and not isinstance(answer, ACTIONS)
        plain = [self._plain(method, action) for action in (answer if listed else [answer])]
        return json.dumps(plain) if plain else None

    def _plain(self, method: str, action: Any) -> dict[str, Any]:
        if not isinstance(action, ACTIONS):
            names = ", ".join(kind.__name__ for kind in ACTIONS)
            raise WordlineError(f"{method}() = {action!r}: allowed: actions ({names}) or None: nothing")
        with _answer(method, action):
            return action.action(self.bits) if isinstance(action, Gate) else action.action()

    def _tell(self, method: str, *arguments: Any) -> str | None:
        return self._actions(method, getattr(self.policy, method)(*arguments))

    def read(self, read: tuple[int, int, int, int, bool], drive: DriveView) -> str | None:
        return self._tell("read", Read(*read), drive)

    def read_done(self, read: tuple[int, int, int, int, bool], drive: DriveView) -> str | None:
        return self._tell("read_done", Read(*read), drive)

    def __getattr__(self, method: str) -> Any:
        # What is told with plain values is passed on as it is.
        if method not in TOLD:
            raise AttributeError(method)
        return lambda *arguments: self._tell(method, *arguments)

    def reclaim(self, worn: tuple[int, int, int, int, int], drive: DriveView) -> str | None:
        plan = self.policy.reclaim(Worn(*worn), drive)
        if plan is None:
            return None
        if not isinstance(plan, Plan):
            raise WordlineError(f"reclaim() = {plan!r}: allowed: a Plan, or None: as the scheme says")
        with _answer("reclaim", plan):
            return json.dumps(plan.plain())

    def allowed_planes(self, program: tuple[int, str, int | None, int], drive: DriveView) -> list[int] | None:
        planes = self.policy.allowed_planes(Program(*program), drive)
        if planes is None:
            return None
        if not isinstance(planes, Iterable):
            raise WordlineError(f"allowed_planes() = {planes!r}: allowed: numbers of planes, or None: all")
        left = [number("allowed_planes", one, drive.planes, "plane") for one in planes]
        if not left:
            raise WordlineError("allowed_planes() = []: allowed: one plane or more, or None: all")
        return left

    def serve(self, page: int, candidates: Sequence[tuple[Any, ...]], drive: DriveView) -> int | None:
        shown = [
            Candidate(place, die, outstanding, running, remaining, ahead, here)
            for place, die, outstanding, running, (remaining, ahead), here in candidates
        ]
        chosen = self.policy.serve(page, shown, drive)
        return None if chosen is None else number("serve", chosen, len(shown), "candidate")

    def bytes(self) -> int:
        return whole("memory_bytes", getattr(self.policy, "memory_bytes", 0), 64)

    def figures(self) -> list[tuple[str, int]]:
        figures = getattr(self.policy, "figures", None)
        found = figures() if figures is not None else {}
        if not isinstance(found, Mapping):
            raise WordlineError(f"figures() = {found!r}: allowed: a dictionary of counts")
        return [(str(name), whole(f"figure {name}", value, 64)) for name, value in found.items()]

    def window_opens(self) -> None:
        self.policy.window_opens()
