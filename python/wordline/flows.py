"""Overrides of one flow of a workload, by its name: `workload.flow.reader.queue_depth`.

Flows are an array, whose members a dotted path can't name: an override of one stands for one of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordline import toml_files
from wordline._core import WordlineError
from wordline.presets import toml_value

ALL = "workload.flow"

Pair = tuple[str, str]


def expanded(text: str, overrides: Sequence[Pair]) -> list[Pair]:
    """The overrides as the core takes them, for the workload of this text. Raises `WordlineError` for a flow
    that it doesn't have.
    """
    if not any(path.startswith(f"{ALL}.") for path, _ in overrides):
        return list(overrides)
    flows: Any = toml_files.parse(text).get("flow", [])
    found: list[Pair] = []
    for path, value in overrides:
        if path == ALL:
            flows = toml_files.value(value)
        if path.startswith(f"{ALL}."):
            _change(flows, path, value)
        else:
            found.append((path, value))
    return [*found, (ALL, toml_value(flows))]


def _change(flows: Any, path: str, value: str) -> None:
    names = [str(flow["name"]) for flow in flows if "name" in flow] if isinstance(flows, list) else []
    rest = path.removeprefix(f"{ALL}.")
    name = max((name for name in names if rest.startswith(f"{name}.")), key=len, default=None)
    if name is None:
        allowed = ", ".join(f"{ALL}.{name}.KEY" for name in names) or "a workload with [[flow]]"
        raise WordlineError(f"--set {path}={value}: no flow of this workload: allowed: {allowed}")
    *tables, key = rest.removeprefix(f"{name}.").split(".")
    place = next(flow for flow in flows if flow.get("name") == name)
    for table in tables:
        place = place.setdefault(table, {})
        if not isinstance(place, dict):
            raise WordlineError(f"--set {path}={value}: {table} is no table: allowed: a key of a flow")
    place[key] = toml_files.value(value)
