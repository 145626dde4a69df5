"""A comparison in a folder: its rows, what it compared, and its page."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from wordline._core import WordlineError
from wordline.comparison.figures import Comparison
from wordline.files import made_folder, write_text
from wordline.study.store import Store

SAVED = "comparison.json"

PAGE = "report.html"


def save(found: Comparison, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
    """Writes what was compared beside the rows that the folder holds, and the page; returns their paths."""
    from wordline.report.folders import write_report

    target = made_folder(folder)
    told = {
        "device": found.device,
        "workloads": found.workloads,
        "schemes": found.schemes,
        "metrics": found.wanted,
        "keys": [[*pair, found.keys(*pair)] for pair in found.pairs()],
        "command": list(command),
    }
    write_text(target / SAVED, json.dumps(told, indent=1) + "\n")
    return [target / SAVED, write_report([target], target / PAGE)]


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
        )
        found.wanted = told["metrics"]
        return found, told["command"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, WordlineError):
            raise
        raise WordlineError(f"{path}: not a comparison whose rows are there: {error!r}") from None
