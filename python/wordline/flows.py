"""Overrides of one flow of a workload, by its name: `workload.flow.reader.queue_depth`.

Flows are an array, whose members a dotted path can't name: an override of one stands for one of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordline import _core, toml_files
from wordline._core import WordlineError
from wordline.presets import toml_value
from wordline.wording import setting

ALL = "workload.flow"

SOURCE = "workload.source"

Pair = tuple[str, str]


def expanded(text: str, overrides: Sequence[Pair]) -> list[Pair]:
    """The overrides as the core takes them, for the workload of this text. Raises `WordlineError` for a flow
    that it doesn't have, and for a key of the one source where each flow has its own.
    """
    _refuse_one_source(text, overrides)
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


def _refuse_one_source(text: str, overrides: Sequence[Pair]) -> None:
    paths = [path for path, _ in overrides]
    if ALL in paths or SOURCE in paths or not any(path.startswith(f"{SOURCE}.") for path in paths):
        return
    try:
        described = toml_files.parse(text)
    except WordlineError:
        return  # The core names the file and the line.
    names = _names(described.get("flow"))
    if not names or "source" in described:
        return
    path, value = next(pair for pair in overrides if pair[0].startswith(f"{SOURCE}."))
    of_flows = [f"{ALL}.{name}.{path.removeprefix('workload.')}" for name in names]
    allowed = ", ".join(one for one in of_flows if _takes(text, one, value))
    allowed = allowed or "left out: none of them has this key"
    raise WordlineError(f"{setting(path, value)}: each flow of this workload has its own: allowed: {allowed}")


def _takes(text: str, path: str, value: str) -> bool:
    """Whether the workload of this text can be read with this override of a flow."""
    try:
        _core.resolve("workload", ("", text), expanded(text, [(path, value)]))
    except WordlineError:
        return False
    return True


def _names(flows: Any) -> list[str]:
    return [str(flow["name"]) for flow in flows if "name" in flow] if isinstance(flows, list) else []


def _change(flows: Any, path: str, value: str) -> None:
    names = _names(flows)
    rest = path.removeprefix(f"{ALL}.")
    name = max((name for name in names if rest.startswith(f"{name}.")), key=len, default=None)
    if name is None:
        allowed = ", ".join(f"{ALL}.{name}.KEY" for name in names) or "a workload with [[flow]]"
        raise WordlineError(f"{setting(path, value)}: no flow of this workload: allowed: {allowed}")
    *tables, key = rest.removeprefix(f"{name}.").split(".")
    place = next(flow for flow in flows if flow.get("name") == name)
    for table in tables:
        place = place.setdefault(table, {})
        if not isinstance(place, dict):
            raise WordlineError(f"{setting(path, value)}: {table} is no table: allowed: a key of a flow")
    place[key] = toml_files.value(value)
