"""What a folder of a comparison says beside its rows: what was compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from wordline import folders
from wordline._core import WordlineError
from wordline.comparison.figures import Comparison
from wordline.study.store import Store

SAVED = folders.COMPARISON
"""The file by which the folder of a comparison is known."""

NAMES = (SAVED, "report.html")
"""Files that a comparison writes beside its rows."""


def described(found: Comparison, command: Sequence[str]) -> str:
    """The text of the file; `command` is the command line that made it."""
    told = {
        "device": found.device,
        "devices": found.devices,
        "changed": found.changed,
        "workloads": found.workloads,
        "schemes": found.schemes,
        "metrics": found.wanted,
        "keys": [[*pair, found.keys(*pair)] for pair in found.pairs()],
        "command": list(command),
    }
    return json.dumps(told, indent=1) + "\n"


def load(folder: Path) -> tuple[Comparison, list[str]]:
    """The comparison of a folder, and its command. Raises `WordlineError` where rows are missing."""
    path = folder / SAVED
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        keys = {(workload, scheme): own for workload, scheme, own in told["keys"]}
        rows = Store(folder).results(key for own in keys.values() for key in own)
        found = Comparison(
            told["device"],
            told["workloads"],
            told["schemes"],
            {pair: [rows[key] for key in own] for pair, own in keys.items()},
            devices=told.get("devices"),
            changed=told.get("changed"),
        )
        found.wanted = told["metrics"]
        return found, told["command"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, WordlineError):
            raise
        raise WordlineError(f"{path}: not a comparison whose rows are there: {error!r}") from None
