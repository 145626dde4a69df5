"""Which figures a result may have, by their path in `result.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wordline import derived
from wordline._core import WordlineError
from wordline.presets import schema
from wordline.wording import meant

Schema = Mapping[str, Any]


@functools.cache
def _result() -> Schema:
    found: Schema = json.loads(schema("result"))
    return found


def _plain(described: Schema) -> Iterator[Schema]:
    """What a schema says of itself, references and alternatives followed."""
    if "$ref" in described:
        yield from _plain(_result()["$defs"][described["$ref"].rpartition("/")[2]])
        return
    yield described
    for alternative in (*described.get("anyOf", ()), *described.get("oneOf", ())):
        yield from _plain(alternative)


def _may_be(described: Schema, keys: tuple[str, ...]) -> bool:
    if not keys:
        return any(one.get("type") not in ("object", "array", "null", None) for one in _plain(described))
    for one in _plain(described):
        entry = one.get("additionalProperties")
        if keys[0] in one.get("properties", {}):
            if _may_be(one["properties"][keys[0]], keys[1:]):
                return True
        elif isinstance(entry, Mapping):
            # The name of an entry of a map may have dots.
            ends = range(len(keys), 0, -1)
            if any(_may_be(entry, keys[end:]) for end in ends):
                return True
    return False


@functools.cache
def may_be(path: str) -> bool:
    """Whether a result may have a figure of this path. Entries of maps (causes, systems' own figures) may be
    called anything.
    """
    return _may_be(_result(), tuple(path.split("."))) or path in derived.NAMES


def _names(described: Schema, path: str = "") -> Iterator[str]:
    for one in _plain(described):
        if path and one.get("type") not in ("object", "array", "null", None):
            yield path
        for name, below in one.get("properties", {}).items():
            yield from _names(below, f"{path}.{name}" if path else name)


@functools.cache
def _known() -> tuple[str, ...]:
    """The figures of results by their paths, but for entries of maps."""
    return (*_names(_result()), *derived.NAMES)


NO_RUN = "no run has it"


def check(wanted: Iterable[str], option: Callable[[str], str]) -> None:
    """Raises `WordlineError` for a figure that no result can have, with the nearest of those that one can;
    `option` tells how a figure was asked for. To be called before anything is run.
    """
    wrong = next((path for path in wanted if not may_be(path)), None)
    if wrong is not None:
        hint = meant(wrong, dict.fromkeys(_known()), "allowed: numbers of result.json by their path")
        raise WordlineError(f"{option(wrong)}: {NO_RUN}: {hint}")
