"""The files that a run reads, and those that it writes into its folder."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _core
from wordline._core import WordlineError
from wordline.result import NAMES, tables_of

if TYPE_CHECKING:
    from wordline.presets import Description
    from wordline.scenario import Scenario

KEYS = ("path", "before", "paths")
"""Of a workload, wherever in it: files."""


def of_scenario(scenario: Scenario) -> list[Path]:
    """The descriptions and what they name."""
    parts = (scenario.device, scenario.scheme, scenario.workload)
    described = [part.file for part in parts if part.file is not None]
    return [*described, *of_workload(scenario.workload, scenario.settings())]


def of_workload(workload: Description, overrides: Sequence[tuple[str, str]]) -> list[Path]:
    """The files that a workload names; none of one that can't be read, which is refused where it is run."""
    return [workload.folder / path for path in _paths(_resolved(workload, overrides))]


def written_by(scenario: Scenario) -> list[str]:
    """The names of the files in the folder of a run."""
    config = {"config": {"workload": _resolved(scenario.workload, scenario.settings())}}
    return [*NAMES, *(f"{name}.parquet" for name in tables_of(config))]


def _resolved(workload: Description, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
    own = [pair for pair in overrides if pair[0].startswith("workload.")]
    with contextlib.suppress(WordlineError, tomllib.TOMLDecodeError):
        return tomllib.loads(_core.resolve("workload", (workload.label, workload.text), own))
    return {}


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in KEYS:
                yield from [inner] if isinstance(inner, str) else filter(_is_text, inner)
            else:
                yield from _paths(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner)


def with_paths(value: Any, changed: Callable[[str], str]) -> Any:
    """Settings of a workload, each by its key or dotted path, with the files that they name changed."""
    if isinstance(value, dict):
        return {
            key: _changed(inner, changed) if key.rpartition(".")[2] in KEYS else with_paths(inner, changed)
            for key, inner in value.items()
        }
    return [with_paths(inner, changed) for inner in value] if isinstance(value, list) else value


def _changed(named: Any, changed: Callable[[str], str]) -> Any:
    if isinstance(named, list):
        return [_changed(name, changed) for name in named]
    return changed(named) if isinstance(named, str) else named


def _is_text(value: object) -> bool:
    return isinstance(value, str)
