"""What a run is called: the names of its drive, scheme and workload, and what was set to other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wordline import toml_files
from wordline.presets import toml_value

KINDS = ("device", "scheme", "workload")

LONGEST = 44
"""Letters of changed keys behind a name; those beyond are counted."""

LONGEST_NAME = 60
"""Letters of a name as a label has it."""

MOST_WHOLE = 2**53
"""Up to which whole numbers that are floating-point values are spelled as such."""

_NO_CHANGE = ("name", "description", "measure")
"""First words of keys that change nothing of what is simulated."""


def called(result: Mapping[str, Any], kind: str, shared: Iterable[tuple[str, str]] = ()) -> str:
    """The name of a result's device, scheme or workload, shortened, with its changed keys: `baseline,
    gc.trigger=0.1`.

    Those in `shared`, keys with their values, are left out: all runs beside it have them.
    """
    return with_changes(brief(result["config"][kind]["name"]), changes(result, kind, shared))


def title(result: Mapping[str, Any]) -> str:
    """Drive, scheme and workload, with their whole names."""
    names = {kind: result["config"][kind]["name"] for kind in KINDS}
    return " · ".join(with_changes(name, changes(result, kind)) for kind, name in names.items())


def brief(name: str) -> str:
    """A name that fits a label: of one joined by `+` the first parts, the others counted."""
    if len(name) <= LONGEST_NAME:
        return name
    parts = name.split("+")
    kept = next((count for count in range(len(parts), 0, -1) if len("+".join(parts[:count])) <= LONGEST), 0)
    if not kept:
        return f"{name[: LONGEST_NAME - 1]}…"
    return f"{'+'.join(parts[:kept])} and {len(parts) - kept} more"


def briefs(names: Iterable[str]) -> dict[str, str]:
    """The same of several, each its own: what is shortened to the same letters is numbered."""
    short = {name: brief(name) for name in names}
    found = dict[str, str]()
    for name, text in short.items():
        alike = [other for other in short if short[other] == text]
        found[name] = text if len(alike) == 1 else f"{text} ({alike.index(name) + 1})"
    return found


def changes(result: Mapping[str, Any], kind: str, shared: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The changed keys of a device, a scheme or a workload, each as `key=value`."""
    common = set(shared)
    found = []
    for path, value in _changed(result):
        first, _, key = path.partition(".")
        if first == kind and key.partition(".")[0] not in _NO_CHANGE and (path, value) not in common:
            found.append(f"{key}={_bare(value)}")
    return found


def shared(results: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The changed keys that all of several results have, with one value."""
    each = [_changed(result) for result in results]
    return [pair for pair in each[0] if all(pair in other for other in each[1:])] if len(each) > 1 else []


def _changed(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The changed keys, and their values each in one spelling: `30_000` is no other workload than `30000`."""
    return [(path, _spelled(value)) for path, value in result.get("changed", {}).items()]


def _spelled(text: str) -> str:
    value = toml_files.value(text)
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= MOST_WHOLE
    return toml_value(int(value) if whole else value)


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
