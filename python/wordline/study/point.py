"""One run of a study: what it is called, and the keys of what it depends on."""

from __future__ import annotations

import functools
import glob
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline import _core, policies, simulation
from wordline.scenario import Scenario

KEY_LENGTH = 32
"""Hexadecimal digits of a key: 128 bits of SHA-256."""

BLKTRACE = ".blktrace."
"""Between the name of a device and the number of a processor, in names of files."""


@dataclass(frozen=True)
class Point:
    """A run of a study: a scenario, and what the study calls it."""

    scenario: Scenario
    axes: tuple[tuple[str, Any], ...] = field(default=(), compare=False)
    """Name of each axis and its value."""


@dataclass(frozen=True)
class Inputs:
    """The resolved inputs of a scenario and the keys that follow from them."""

    key: str
    """Hash of everything that decides the result: descriptions, contents of traces, seed, build of the
    simulator.
    """
    drive_key: str | None
    """Runs with the same can begin on copies of one prepared drive; `None` if it depends on the requests,
    and for an array.
    """
    overwrites: bool
    """Whether pages are overwritten, one by one, while the drive is prepared, or its caches filled."""
    trace_key: str | None
    """Runs with the same can take their requests from one trace in memory; `None` without a trace."""
    config: dict[str, Any]
    """Device, scheme and workload, every default filled in."""
    requests: int | None
    """Requests in all, where known."""

    @classmethod
    def of(cls, scenario: Scenario, whole_drive: bool = True) -> Inputs:
        """What a run depends on. Raises `WordlineError` for what can be refused before the first request.

        Without `whole_drive` no drive is made for a try: right where that was done for another run on it.
        """
        return cls._keyed(scenario, simulation.resolved(scenario, whole_drive))

    @classmethod
    def _keyed(cls, scenario: Scenario, whole: dict[str, Any]) -> Inputs:
        """The keys of a scenario whose configuration is known."""
        config = {kind: whole[kind] for kind in ("device", "scheme", "workload")}
        build = {"version": _core.__version__, "build": _core.__build__}
        run: dict[str, Any] = {"seed": scenario.seed, "checked": scenario.checked, **build}
        nameless = {kind: _nameless(config[kind]) for kind in config}
        if own := policies.sources(config["scheme"].get("custom", {})):
            run["policies"] = own
        workload = dict(nameless["workload"])
        start = workload["start"]
        drive = {"device": nameless["device"], "scheme": nameless["scheme"], "start": start, **run}
        # Writes by which the drive is prepared.
        drive["pattern"] = whole["pattern"]
        source = workload.get("source")
        trace = None
        if source is not None:
            workload["source"] = _by_content(source, scenario.workload.folder)
            if workload["source"] is not source:
                trace = {
                    "source": source,
                    "folder": str(scenario.workload.folder),
                    "bytes": whole["logical_bytes"],
                }
        if "flow" in workload:
            workload["flow"] = [
                {**flow, "source": _by_content(flow["source"], scenario.workload.folder)}
                for flow in workload["flow"]
            ]
        return cls(
            key=digest({**nameless, "workload": workload, **run}),
            drive_key=digest(drive) if _is_shared(start, nameless["scheme"]) else None,
            overwrites="requests" in (whole["pattern"] or {}) or start["overwrite"] > 0,
            trace_key=None if trace is None else digest(trace),
            config=config,
            requests=whole["requests"],
        )


def _is_shared(start: Mapping[str, Any], scheme: Mapping[str, Any]) -> bool:
    """Whether a drive can be prepared without knowing the requests, and is one drive."""
    return start["occupancy"] not in ("footprint", "span") and scheme.get("array") is None


def _nameless(description: Mapping[str, Any]) -> dict[str, Any]:
    """A description without what only people read."""
    return {key: value for key, value in description.items() if key not in ("name", "description")}


def _by_content(source: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A trace's description with the hash of its content in the place of its path, and of those that it is
    merged with; any other as it is.
    """
    if "path" not in source:
        return source
    files = {"sha256": "path", "before_sha256": "before"}
    found = {key: value for key, value in source.items() if key not in files.values()}
    found |= {key: _content(folder / source[name]) for key, name in files.items() if name in source}
    if "transform" in source:
        found["transform"] = [_step_by_content(step, folder) for step in source["transform"]]
    return found


def _step_by_content(step: dict[str, Any], folder: Path) -> dict[str, Any]:
    if "paths" not in step:
        return step
    rest = {key: value for key, value in step.items() if key != "paths"}
    return rest | {"sha256": [_content(folder / path) for path in step["paths"]]}


def _content(path: Path) -> str:
    files = _of_processors(path)
    if files == [path]:
        return _content_of(path)
    return digest([(file.name.rpartition(BLKTRACE)[2], _content_of(file)) for file in files])


def _of_processors(path: Path) -> list[Path]:
    """The files that a name stands for: blktrace writes one for each processor."""
    stem, mark, _ = path.name.rpartition(BLKTRACE)
    if not mark:
        if path.exists():
            return [path]
        stem = path.name.removesuffix(BLKTRACE[:-1])
    return sorted(path.parent.glob(f"{glob.escape(stem)}{BLKTRACE}[0-9]*")) or [path]


def _content_of(path: Path) -> str:
    status = path.stat()
    return _file_digest(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _file_digest(path: Path, size: int, modified_ns: int) -> str:  # noqa: ARG001 -- another time, another content
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(value: object) -> str:
    """A hash of plain data, the same whatever the order of keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
