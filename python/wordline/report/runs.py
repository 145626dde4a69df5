"""Runs that were written to folders, read for a report."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import folders, labels
from wordline._core import WordlineError
from wordline.result import tables_of

if TYPE_CHECKING:
    import pyarrow


COMMAND = "command.json"
"""The file of the command line: a list of words."""


@dataclass(frozen=True)
class SavedRun:
    """A run's folder."""

    label: str
    """What tells it from the others of the report."""
    folder: Path
    result: dict[str, Any]
    command: tuple[str, ...] = ()
    """The command line that made it, where it is known."""

    def table(self, name: str) -> pyarrow.Table | None:
        """One of its tables, if it has that. A file of this name that its run didn't write is another's."""
        import pyarrow
        import pyarrow.parquet

        path = self.folder / f"{name}.parquet"
        if name not in tables_of(self.result) or not path.exists():
            return None
        try:
            return pyarrow.parquet.read_table(path)
        except (OSError, pyarrow.ArrowInvalid) as error:
            raise WordlineError(f"{path}: not a table of a run: {error}") from None


def load_runs(places: Sequence[str | os.PathLike[str]]) -> list[SavedRun]:
    """The runs of these folders, each with a label of its own. A folder of seeds stands for its runs."""
    found: list[tuple[Path, dict[str, Any]]] = []
    for folder in map(Path, places):
        seeds = sorted(folder.glob("seed-*/result.json"), key=lambda path: int(path.parent.name[5:] or 0))
        alone = not seeds or (folder / "result.json").exists()
        found += [(path.parent, _read(path)) for path in ([folder / "result.json"] if alone else seeds)]
    return [
        SavedRun(label, folder, result, _command(folder))
        for label, (folder, result) in zip(_labels(found), found, strict=True)
    ]


def _command(folder: Path) -> tuple[str, ...]:
    for place in (folder, folder.parent):
        try:
            data = json.loads((place / COMMAND).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(data, list):
            return tuple(map(str, data))
    return ()


def _read(path: Path) -> dict[str, Any]:
    folders.check(path.parent)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WordlineError(
            f"{path}: {error.strerror or error}: allowed: a folder that a run wrote (--out)"
        ) from None
    except ValueError as error:
        raise WordlineError(f"{path}: not the result of a run: {error}") from None
    if not isinstance(data, dict) or not {"config", "read", "write", "window"} <= data.keys():
        raise WordlineError(f"{path}: not the result of a run")
    return data


def _labels(found: Sequence[tuple[Path, dict[str, Any]]]) -> list[str]:
    """Names of what differs: schemes, devices, workloads, seeds; else the folders' names.

    Keys that were set stand behind the names, of several runs those that differ.
    """
    same = labels.shared([result for _, result in found])
    names = [
        {
            **{kind: labels.called(result, kind, same) for kind in labels.KINDS},
            "seed": f"seed {result['seed']}",
        }
        for _, result in found
    ]
    differing = [
        key for key in ("device", "scheme", "workload", "seed") if len({name[key] for name in names}) > 1
    ]
    made = [" · ".join(name[key] for key in differing) or name["scheme"] for name in names]
    if len(set(made)) < len(made):
        made = [folder.name or str(folder) for folder, _ in found]
    if len(set(made)) < len(made):
        made = [str(folder) for folder, _ in found]
    return [
        label if made.count(label) == 1 else f"{label} ({number})" for number, label in enumerate(made, 1)
    ]
