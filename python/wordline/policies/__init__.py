"""Policies written in Python: a class for a slot of the firmware, without a build.

A scheme names one as `[custom.python_gc] class = "module:Class"`; further keys of the table are given to
the class as keyword arguments, and the seed of the run as `seed` where it has such a parameter. Modules are
sought as Python seeks them and in the current folder. `wordline.run(..., policies={"gc": OldestColdest})`
hands a class, or an object, over directly.

`METHODS` has the methods of each slot, docs/policies-in-python.md when they are asked and what they answer.

A policy that keeps a state and is to be part of snapshots has `save() -> bytes` and `restore(state)`; without
them a snapshot is refused once its attributes have changed. Copies of a prepared drive get copies of it
(`copy.deepcopy`). What it raises, and a wrong answer, end the run with its file and line.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.policies._asked import (
    Asked,
    Placement,
    Scheduler,
    Separation,
    Victims,
    given_for,
    given_to_thread,
)
from wordline.policies._system import EVENTS, System
from wordline.policies._translation import Translation
from wordline.policies.actions import (
    Action,
    At,
    Copy,
    DropCopy,
    Empty,
    Gate,
    Plan,
    Promote,
    Span,
    Step,
    WakeAt,
)  # fmt: skip
from wordline.policies.mapping import Guess, Load, Lookup, MapSizes
from wordline.policies.views import Blocks, Candidate, Planes, Program, Read, Waiting, Worn

__all__ = [
    "Action", "At", "Blocks", "Candidate", "Copy", "DropCopy", "Empty", "Gate", "Guess", "Load", "Lookup",
    "MapSizes", "Plan", "Planes", "Program", "Promote", "Read", "Span", "Step", "Waiting", "WakeAt", "Worn",
]  # fmt: skip

PREFIX = "python_"
"""What the names of these policies in `scheme.custom` begin with; the slot follows."""

METHODS: dict[str, tuple[str, ...]] = {
    "gc": ("choose",),
    "placement": ("place",),
    "scheduler": ("next",),
    "separation": ("write_point",),
    "mapping": ("find",),
    "system": EVENTS,
}
"""The methods of each slot's class, one of which at least it must have."""

_SLOTS: dict[str, type[Asked]] = {
    "gc": Victims,
    "placement": Placement,
    "scheduler": Scheduler,
    "separation": Separation,
    "mapping": Translation,
    "system": System,
}


def blocks(first: int, capacity: int, most_valid: int, clock: int, *columns: bytes) -> Blocks:
    """The superblocks of a domain. Called by the simulator."""
    return Blocks((first, capacity, most_valid, clock), columns)


def load(slot: str, parameters: str, seed: int) -> Asked:
    """The policy of a slot from its table as JSON. Called by the simulator."""
    table: dict[str, Any] = json.loads(parameters)
    name = table.pop("class", None)
    given = given_for(slot)
    if given is not None and name != (named := _name_of(given)):
        raise WordlineError(f"a policy of the class that the scheme names, not {named}")
    made = _class(name) if given is None else given
    if isinstance(made, type):
        made = _construct(made, table, seed)
    methods = METHODS[slot]
    if not any(callable(getattr(made, method, None)) for method in methods):
        raise WordlineError(f"a class with the method `{'` or `'.join(methods)}`, for the slot {slot}")
    return _SLOTS[slot](made, slot, given)


def _construct(made: type, parameters: Mapping[str, Any], seed: int) -> Any:
    takes, given = inspect.signature(made), dict(parameters)
    if "seed" in takes.parameters:
        if "seed" in given:
            raise WordlineError(
                f"without the key seed = {given['seed']!r}, as {made.__name__} is given the seed of the run"
            )
        given["seed"] = seed
    try:
        takes.bind(**given)
    except TypeError as error:
        raise WordlineError(f"parameters that {made.__name__} takes: {error}") from None
    try:
        return made(**given)
    except Exception as error:
        from wordline.policies._told import told

        raise WordlineError(f"parameters with which {made.__name__} can be made: {told(error)}") from error


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
        from wordline.policies._told import told

        raise WordlineError(f"a module without errors: {told(error)}") from None
    return whole


def naming(policies: Mapping[str, Any] | None) -> dict[str, Any]:
    """Overrides that name these policies. Raises `WordlineError` for what is none."""
    overrides: dict[str, Any] = {}
    if not isinstance(policies, Mapping | None):
        allowed = f"a mapping of slots ({', '.join(METHODS)}) to classes or objects"
        raise WordlineError(f"policies = {policies!r}: allowed: {allowed}")
    for slot, policy in (policies or {}).items():
        if slot not in METHODS:
            raise WordlineError(f"policies: {slot}: allowed: {', '.join(METHODS)}")
        if policy is None or isinstance(policy, str):
            methods = "` or `".join(METHODS[slot])
            raise WordlineError(
                f"policies: {slot} = {policy!r}: allowed: a class or an object with `{methods}`"
            )
        overrides[f"scheme.custom.{PREFIX}{slot}.class"] = _name_of(policy)
    return overrides


@contextmanager
def handed_over(policies: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Overrides that name these policies; runs of this thread within the context get the objects."""
    overrides = naming(policies)
    with given_to_thread(policies or {}):
        yield overrides


def _name_of(policy: object) -> str:
    kind = policy if isinstance(policy, type) else type(policy)
    return f"{kind.__module__}:{kind.__qualname__}"


def sources(custom: Mapping[str, Any]) -> dict[str, str]:
    """The hash of what each policy that a scheme names is made of, the modules that it imports included: rows
    of sweeps are keyed by it. Raises `WordlineError` where a file isn't what was imported any more.
    """
    from wordline.policies._sources import source

    found = {}
    for name, table in custom.items():
        if name.startswith(PREFIX) and isinstance(table, Mapping):
            named = table.get("class")
            try:
                found[name] = source(str(named).partition(":")[0], _class(named))
            except WordlineError as error:
                raise WordlineError(f"scheme.custom.{name}: {error}") from None
    return found
