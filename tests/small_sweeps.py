"""A small sweep, its file, and the files of its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import SMALL

SETTINGS = {**SMALL, "workload.source.requests": 500}
AXES = {"workload.host.queue_depth": [1, 8], "scheme.scheduler.policy": ["fifo", "read_first"]}
SWEEP: dict[str, Any] = {
    **{"device": "mqsim", "workload": "mixed-70-30-8k-qd16"},
    **{"seeds": 2, "set": SETTINGS, "axes": AXES},
}


def write(path: Path, **changes: Any) -> Path:
    """A sweep's file, in TOML."""
    data = SWEEP | changes
    tables = {key: value for key, value in data.items() if isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in data.items() if key not in tables]
    for table, entries in tables.items():
        lines += [f"[{table}]", *(f'"{key}" = {json.dumps(value)}' for key, value in entries.items())]
    path.write_text("\n".join(lines) + "\n")
    return path


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rows").glob("*.parquet")}
