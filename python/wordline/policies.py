"""Policies written in Python: a class for a slot of the firmware, without a build.

A scheme names one as `[custom.python_gc] class = "module:Class"`; further keys of the table are given to
the class as keyword arguments, and the seed of the run as `seed` where it has such a parameter. Modules are
sought as Python seeks them and in the current folder. `wordline.run(..., policies={"gc": OldestColdest})`
hands a class, or an object, over directly.

| slot | method | answer |
|---|---|---|
| `gc` | `choose(blocks)` | index of a superblock of the domain, or `None` |
| `placement` | `place(program, planes)` | number of a plane |
| `scheduler` | `next(waiting, now_ns)` | name of a class that waits |
| `separation` | `write_point(page, stream, points)` | number of a write point |

A policy that keeps a state and is to be part of snapshots has `save() -> bytes` and `restore(state)`. Copies
of a prepared drive get copies of it (`copy.deepcopy`). What it raises ends the run with the file and line.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import inspect
import json
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREFIX = "python_"
"""What the names of these policies in `scheme.custom` begin with; the slot follows."""

METHODS = {"gc": "choose", "placement": "place", "scheduler": "next", "separation": "write_point"}
"""The method that the class of each slot must have."""

_given = threading.local()


class Blocks:
    """The superblocks of one domain, as a choice of victims sees them; arrays have an element for each.

    The arrays are read-only and stay what they were: each is a copy, of a few KB, which takes a fraction of
    the time of the call.
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
    def valid(self) -> NDArray[np.uint32]:
        """Valid units."""
        return _numbers(self._columns[0])

    @cached_property
    def full(self) -> NDArray[np.bool_]:
        """Whether it may be chosen: it is full, and nothing else is done with it."""
        return _truths(self._columns[1])

    @cached_property
    def erases(self) -> NDArray[np.uint32]:
        """Erase counts."""
        return _numbers(self._columns[2])

    @cached_property
    def full_order(self) -> NDArray[np.uint32]:
        """Indices of those that are full, the longest full first; with `needs = ("full_order",)`."""
        return _numbers(self._columns[3])

    @cached_property
    def changed(self) -> NDArray[np.uint64]:
        """When a unit was invalidated last, or it became full (`clock`); with `needs = ("last_change",)`."""
        return _times(self._columns[4])

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
    """What a placement sees of the drive; arrays have an element for each plane, or each die."""

    def __init__(self, outstanding: bytes, room: bytes, held: bytes) -> None:
        self._outstanding, self._room, self._held = outstanding, room, held

    @cached_property
    def outstanding(self) -> NDArray[np.uint32]:
        """Flash pages waiting or running on each die."""
        return _numbers(self._outstanding)

    @cached_property
    def room(self) -> NDArray[np.bool_]:
        """Whether the domain of each plane has room for more of the host's data."""
        return _truths(self._room)

    @cached_property
    def held(self) -> NDArray[np.uint32]:
        """Units that the domain of each plane holds, those on their way included."""
        return _numbers(self._held)


@dataclass(frozen=True)
class Waiting:
    """The first command of a class that waits at a die."""

    name: str
    """Class: `host_read`, `host_program`, `gc_read` …"""
    order: int
    """Place in the order of arrival."""
    waited_ns: int


def _numbers(column: bytes) -> NDArray[np.uint32]:
    import numpy as np

    return np.frombuffer(column, dtype=np.uint32)


def _truths(column: bytes) -> NDArray[np.bool_]:
    import numpy as np

    return np.frombuffer(column, dtype=np.bool_)


def _times(column: bytes) -> NDArray[np.uint64]:
    import numpy as np

    return np.frombuffer(column, dtype=np.uint64)


class _Asked:
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

    def fork(self) -> _Asked:
        return type(self)(copy.deepcopy(self.policy))


class _Victims(_Asked):
    def choose(self, first: int, capacity: int, most_valid: int, clock: int, *columns: bytes) -> int | None:
        chosen = self.policy.choose(Blocks((first, capacity, most_valid, clock), columns))
        return (
            None if chosen is None else _number("choose", chosen, len(columns[1]), "superblock of the domain")
        )

    def needs(self) -> tuple[bool, bool]:
        needs = getattr(self.policy, "needs", ())
        return "full_order" in needs, "last_change" in needs


class _Placement(_Asked):
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
        return _number("place", plane, len(room), "plane")


class _Scheduler(_Asked):
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


class _Separation(_Asked):
    def write_point(self, page: int, stream: int, points: int) -> int:
        return _number("write_point", self.policy.write_point(page, stream, points), points, "write point")

    def is_hot(self, page: int) -> bool:
        is_hot = getattr(self.policy, "is_hot", None)
        return bool(is_hot(page)) if is_hot is not None else False


_SLOTS: dict[str, type[_Asked]] = {
    "gc": _Victims, "placement": _Placement, "scheduler": _Scheduler, "separation": _Separation,
}  # fmt: skip


def _number(method: str, value: Any, count: int, what: str) -> int:
    """An answer as a number below `count`; NumPy's integers are fine."""
    try:
        number = value.__index__()
    except AttributeError:
        raise WordlineError(f"{method}() = {value!r}: allowed: the number of a {what}") from None
    if not 0 <= number < count:
        raise WordlineError(f"{method}() = {number}: allowed: the number of a {what}, 0 to {count - 1}")
    return int(number)


def load(slot: str, parameters: str, seed: int) -> _Asked:
    """The policy of a slot from its table as JSON. Called by the simulator."""
    table: dict[str, Any] = json.loads(parameters)
    name = table.pop("class", None)
    given = getattr(_given, "policies", {}).get(slot)
    made = given if given is not None else _class(name)
    if isinstance(made, type):
        made = _construct(made, table, seed)
    method = METHODS[slot]
    if not callable(getattr(made, method, None)):
        raise WordlineError(f"a class with the method `{method}`, for the slot {slot}")
    return _SLOTS[slot](made)


def _construct(made: type, parameters: Mapping[str, Any], seed: int) -> Any:
    takes = inspect.signature(made).parameters
    try:
        return made(**parameters, **({"seed": seed} if "seed" in takes else {}))
    except TypeError as error:
        raise WordlineError(f"parameters that {made.__name__} takes: {error}") from None


def _class(name: object) -> Any:
    module, colon, found = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not (module and colon and found):
        raise WordlineError('a class of Python, "module:Class"')
    # As `python -m` does: modules of the current folder are found.
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        whole: Any = importlib.import_module(module)
        for part in found.split("."):
            whole = getattr(whole, part)
    except (ImportError, AttributeError) as error:
        raise WordlineError(f"a class that can be imported: {error}") from None
    except Exception as error:
        raise WordlineError(f"a module without errors: {told(error)}") from None
    return whole


def told(error: BaseException) -> str:
    """What was raised in one line, with the place in the policy's own file."""
    own = Path(__file__).parent
    trace = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in trace if own not in Path(frame.filename).parents]
    place = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    kind = "" if isinstance(error, WordlineError) else f"{type(error).__name__}: "
    return f"{place}{kind}{error}"


@contextmanager
def handed_over(policies: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Overrides that name these policies; runs of this thread within the context get the objects."""
    overrides: dict[str, Any] = {}
    for slot, policy in (policies or {}).items():
        if slot not in METHODS:
            raise WordlineError(f"policies: {slot}: allowed: {', '.join(METHODS)}")
        kind = policy if isinstance(policy, type) else type(policy)
        overrides[f"scheme.custom.{PREFIX}{slot}.class"] = f"{kind.__module__}:{kind.__qualname__}"
    before = getattr(_given, "policies", {})
    _given.policies = {**before, **(policies or {})}
    try:
        yield overrides
    finally:
        _given.policies = before


def sources(custom: Mapping[str, Any]) -> dict[str, str]:
    """The hash of the file of each policy that a scheme names: rows of sweeps are keyed by it."""
    found = {}
    for name, table in custom.items():
        if name.startswith(PREFIX) and isinstance(table, Mapping):
            file = inspect.getsourcefile(_class(table.get("class")))
            found[name] = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    return found
