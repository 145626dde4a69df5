"""The descriptions that an exhibit's runs follow from: drives, schemes, workloads, and their profiles."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wordline import presets

ONLY_SAID = ("description", "rated")
"""Keys of a description that change no run."""

NAMED_BY: Mapping[str, presets.Kind] = {
    "device": "device",
    "drives": "device",
    "scheme": "scheme",
    "workload": "workload",
}
"""Keys whose values are names of presets or paths of descriptions, and of what kind."""

PRESET = re.compile(r"[\w.-]{1,100}")
"""What a preset may be called."""


def of(tree: object, folder: Path) -> list[dict[str, Any]]:
    """What these descriptions hold, each once, without what is only said. `tree` is any part of a file in
    `folder`, from which relative paths start.
    """
    found: dict[Path, dict[str, Any]] = {}
    left = list(_named(tree, folder))
    while left:
        path = left.pop()
        if path not in found:
            found[path] = _read(path)
            left += _named(found[path], path.parent)
    return [found[path] for path in sorted(found, key=lambda path: path.parts[-2:])]


def _named(tree: object, folder: Path, key: str = "") -> Iterator[Path]:
    """The files that a tree names."""
    if isinstance(tree, str):
        for part in tree.split("+"):
            path = _file(part, folder, key)
            if path is not None:
                yield path
    elif isinstance(tree, Mapping):
        for name, value in tree.items():
            yield from _named(value, folder, name)
    elif isinstance(tree, list):
        for value in tree:
            yield from _named(value, folder, key)


def _file(name: str, folder: Path, key: str) -> Path | None:
    """The description of this name under a key, if it is one: traces and settings aren't."""
    if name.endswith(".toml") and (folder / name).is_file():
        return (folder / name).resolve()
    kind = NAMED_BY.get(key)
    return None if kind is None or not PRESET.fullmatch(name) else presets.file_of(kind, name)


@functools.cache
def _read(path: Path) -> dict[str, Any]:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: value for key, value in table.items() if key not in ONLY_SAID}
