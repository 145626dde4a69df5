"""What a run is called: the names of its drive, scheme and workload, and what was set to other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KINDS = ("device", "scheme", "workload")

LONGEST = 44
"""Letters of changed keys behind a name; those beyond are counted."""

_NO_CHANGE = ("name", "description", "measure")
"""First words of keys that change nothing of what is simulated."""


def called(result: Mapping[str, Any], kind: str, shared: Iterable[tuple[str, str]] = ()) -> str:
    """The name of a result's device, scheme or workload, with its changed keys: `baseline, gc.trigger=0.1`.

    Those in `shared`, keys with their values, are left out: all runs beside it have them.
    """
    return with_changes(result["config"][kind]["name"], changes(result, kind, shared))


def title(result: Mapping[str, Any]) -> str:
    """Drive, scheme and workload."""
    return " · ".join(called(result, kind) for kind in KINDS)


def changes(result: Mapping[str, Any], kind: str, shared: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The changed keys of a device, a scheme or a workload, each as `key=value`."""
    common = set(shared)
    found = []
    for path, value in result.get("changed", {}).items():
        first, _, key = path.partition(".")
        if first == kind and key.partition(".")[0] not in _NO_CHANGE and (path, value) not in common:
            found.append(f"{key}={_bare(value)}")
    return found


def shared(results: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The changed keys that all of several results have, with one value."""
    each = [result.get("changed", {}).items() for result in results]
    return [pair for pair in each[0] if all(pair in other for other in each[1:])] if len(each) > 1 else []


def with_changes(name: str, pairs: Sequence[str]) -> str:
    """A name and as many of the changes as fit, the others counted."""
    kept: list[str] = []
    for pair in pairs:
        if len(", ".join([*kept, pair])) > LONGEST:
            break
        kept.append(pair)
    rest = len(pairs) - len(kept)
    if not rest:
        return ", ".join([name, *kept])
    if not kept:
        return f"{name}, {rest} changed {'key' if rest == 1 else 'keys'}"
    return f"{', '.join([name, *kept])} and {rest} more"


def _bare(value: str) -> str:
    """A value as `--set` takes it: a word without its quotes."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
