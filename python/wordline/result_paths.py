"""Which figures a result may have, by their path in `result.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from wordline.presets import schema

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
    return _may_be(_result(), tuple(path.split(".")))
