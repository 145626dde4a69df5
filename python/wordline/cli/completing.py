"""What a shell offers for `--set`: the paths of the configuration, with the values that are in force."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from wordline._core import WordlineError
from wordline.presets import DEFAULT_DEVICE, DEFAULT_SCHEME, DEFAULT_WORKLOAD, KINDS, Kind

DEFAULTS: dict[Kind, str] = {
    "device": DEFAULT_DEVICE,
    "scheme": DEFAULT_SCHEME,
    "workload": DEFAULT_WORKLOAD,
}

PARAMETERS: dict[Kind, tuple[str, ...]] = {
    "device": ("device", "devices"),
    "scheme": ("scheme", "schemes"),
    "workload": ("workload", "workloads"),
}
"""What commands call their options."""


def settings(context: typer.Context, incomplete: str) -> list[str]:
    """Paths that begin so, each up to its `=`: those of what the line names so far, else of the defaults."""
    found = []
    for kind in KINDS:
        if incomplete.startswith(f"{kind}.") or f"{kind}.".startswith(incomplete):
            found += [f"{kind}.{path}=" for path in _paths(_resolved(kind, context.params))]
    return [path for path in found if path.startswith(incomplete)]


def _resolved(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    from wordline import simulation

    named = next((given[name] for name in PARAMETERS[kind] if given.get(name)), DEFAULTS[kind])
    first = (named[0] if isinstance(named, list) else named).split(",")[0]
    for name in (first, DEFAULTS[kind]):
        try:
            return tomllib.loads(simulation.resolve(kind, name))
        except (WordlineError, ValueError):
            continue
    return {}


def _paths(value: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Dotted paths of all values; flows by their names."""
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _paths(inner, f"{before}{key}.")
        elif key == "flow" and isinstance(inner, list):
            for flow in inner:
                yield from _paths(flow, f"{before}flow.{flow['name']}.")
        elif before or key not in ("name", "description"):
            yield before + key
