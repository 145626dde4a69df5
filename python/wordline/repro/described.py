"""The presets that an exhibit's runs follow from: drives, schemes, workloads, and what those name in turn."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wordline import presets

ONLY_SAID = ("description", "rated")
"""Keys of a preset that change no run."""

NAME = re.compile(r"[\w.-]{1,100}")
"""What a preset may be called."""

Tables = Mapping[str, dict[str, Any]]
"""By kind, what the presets of one name hold."""


def of(tree: object) -> dict[str, dict[str, Any]]:
    """By kind and name, what these presets hold, without what is only said. `tree` is any part of a file.

    A word of the tree that happens to be a preset's name counts as one: too much rather than too little.
    """
    found: dict[str, dict[str, Any]] = {}
    left = list(_words(tree))
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            for kind, table in _tables(name).items():
                found[f"{kind} {name}"] = table
                left += _words(table)
    return found


def _words(tree: object) -> Iterator[str]:
    """Every text of a tree, in the parts that may be names."""
    if isinstance(tree, str):
        words = (Path(part.strip()).name.removesuffix(".toml") for part in re.split(r"[+,]", tree))
        yield from (word for word in words if NAME.fullmatch(word))
    elif isinstance(tree, Mapping):
        for value in tree.values():
            yield from _words(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _words(value)


@functools.cache
def _tables(name: str) -> Tables:
    files: dict[str, Path | None] = {kind: presets.file_of(kind, name) for kind in presets.KINDS}
    files["profile"] = presets.profile(name)
    read = {
        kind: tomllib.loads(path.read_text(encoding="utf-8"))
        for kind, path in files.items()
        if path is not None
    }
    return {
        kind: {key: value for key, value in table.items() if key not in ONLY_SAID}
        for kind, table in read.items()
    }
