"""Studies out of their folders: the rows of a table, a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.notes import Shared
from wordline.report.studies import Search
from wordline.tuning.search import DESCRIBED as SEARCH
from wordline.tuning.search import TABLE as TRIALS


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a study's table. Raises `WordlineError` for what is none."""
    import pyarrow
    import pyarrow.parquet

    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise WordlineError(f"{path}: not a table of a study: {error}") from None
    return rows


def load_search(folder: Path) -> Search:
    """The search of a folder. Raises `WordlineError` where its description or table isn't whole."""
    try:
        told = json.loads((folder / SEARCH).read_text(encoding="utf-8"))
        return Search(
            told["name"],
            told["objectives"],
            rows_of(folder / TRIALS),
            frozenset(told["best"]),
            tuple(Shared.of(note) for note in told.get("notes", ())),
            told.get("search", {}),
            told.get("of", {}),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        # An error of Wordline's is a `ValueError` that says it better.
        if isinstance(error, WordlineError):
            raise
        raise WordlineError(f"{folder / SEARCH}: not the description of a search: {error}") from None
