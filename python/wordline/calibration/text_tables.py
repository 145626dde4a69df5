"""Tables of text (CSV) of what was measured."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from wordline import _core
from wordline._core import WordlineError

Row = tuple[str, dict[str, str | None]]
"""Where a row stands, and its fields by column."""


ALLOWED = (
    "allowed: a table (CSV), a row for each point of load, results of fio, or a trace with response times"
)


def names_one_of(head: bytes, columns: Iterable[str]) -> bool:
    """Whether a first line has one of these columns, in whatever unit and however it is separated."""
    text = head.decode("utf-8", "replace")
    return any(name.removesuffix("_us") in text for name in columns)


def read(path: Path) -> tuple[list[str], list[Row]]:
    """Columns and rows. Raises `WordlineError` for what is no table of commas."""
    try:
        # Spreadsheets put a mark before all.
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = list(reader.fieldnames or [])
            rows: list[Row] = [(f"{path}:{reader.line_num}", row) for row in reader]
    except OSError as error:
        raise WordlineError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise WordlineError(f"{path}: not a table of text: {ALLOWED}") from None
    except csv.Error as error:
        raise WordlineError(f"{path}: not a table of text: {error}: {ALLOWED}") from None
    if len(columns) == 1 and (sign := next((sign for sign in ";\t|" if sign in columns[0]), None)):
        raise WordlineError(f"{path}: {sign!r} between columns: allowed: commas, and points within numbers")
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise WordlineError(f"{path}: column {twice}: allowed: each once")
    for where, row in rows:
        # Fields without a column stand below none.
        if None in row:
            raise WordlineError(
                f"{where}: more fields than the {len(columns)} columns: allowed: points within numbers"
            )
    return columns, rows


def slips(path: Path, columns: Iterable[str], known: Iterable[str]) -> list[str]:
    """Columns that are passed over though they seem to be meant, a note each."""
    names = list(known)
    near = {column: _core.nearest(column, names) for column in columns if column not in names}
    return [
        f"{path}: column {column}: passed over: did you mean `{name}`?"
        for column, name in near.items()
        if name
    ]
