"""Rows of finished points in a folder of Parquet files. What is written stays readable, whatever happens
next.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError
from wordline.files import made_folder, reason
from wordline.folders import alone
from wordline.study.row import AXIS, DONE, FIXED, TEXTS

if TYPE_CHECKING:
    import pyarrow

ROWS = "rows"

DAMAGED = ".damaged"
"""What the name of a file gets that can't be read."""

SMALL = 64
"""So many files of single rows are joined into one."""


class Store:
    """A folder with `rows/*.parquet`. A row is in its own file, whole and on the disk, before it counts as
    done.

    Files appear under their names only when they are complete; small ones are joined from time to time. Two
    files may hold the same row after a crash: the reader takes one of each key, a finished one before a
    failed one.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._rows = self.folder / ROWS
        self._status: dict[str, str] | None = None
        self._locked = False
        self.damaged: list[Path] = []
        """Files that could not be read: their rows don't count. Under the lock they are set aside."""

    def __getstate__(self) -> dict[str, Any]:
        """Another process may be elsewhere, and reads for itself what is there."""
        whole = self.folder.absolute()
        return {"folder": whole, "_rows": whole / ROWS, "_status": None, "_locked": False, "damaged": []}

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other processes from writing here meanwhile. Raises `WordlineError` when one already does."""
        with alone(self.folder):
            for left in self._rows.glob("*.part"):
                left.unlink()
            was, self._locked = self._locked, True
            try:
                yield
            finally:
                self._locked = was

    def status(self) -> dict[str, str]:
        """`done` or `failed` for each key."""
        if self._status is None:
            # All columns: a row of which anything is damaged isn't there.
            table = self._read()
            self._status = {}
            for key, status in zip(table["key"].to_pylist(), table["status"].to_pylist(), strict=True):
                if self._status.get(key) != DONE:
                    self._status[key] = status
        return self._status

    def append(self, row: dict[str, Any]) -> None:
        """Writes a row. When this returns, it is on the disk."""
        self.status()[row["key"]] = row["status"]
        self._write(f"1-{row['key']}-{row['status']}", _table([row]))
        small = sorted(self._rows.glob("1-*.parquet"))
        if len(small) >= SMALL:
            self._join(small)

    def _join(self, files: list[Path]) -> None:
        names = hashlib.sha256("".join(path.name for path in files).encode()).hexdigest()[:32]
        whole = self._whole(files)
        self._write(f"{SMALL}-{names}", _concat(list(whole.values())))
        for path in whole:
            path.unlink()

    def _write(self, name: str, table: pyarrow.Table) -> None:
        import pyarrow.parquet

        made_folder(self._rows)
        part, path = self._rows / f"{name}.part", self._rows / f"{name}.parquet"
        try:
            with part.open("wb") as file:
                pyarrow.parquet.write_table(table, file, compression="zstd", write_page_checksum=True)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise WordlineError(
                f"{path}: {error.strerror or error}: the rows written before are kept"
            ) from error
        folder = os.open(self._rows, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def table(self, keys: Iterable[str] | None = None, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """The rows as one table, one of each key; with `keys` those, in that order; with `columns` those, and
        what rows are known by.
        """
        import pyarrow

        table = self._read(None if columns is None else list(dict.fromkeys([*FIXED, *columns])))
        first: dict[str, int] = {}
        found = zip(table["key"].to_pylist(), table["status"].to_pylist(), strict=True)
        for number, (key, status) in enumerate(found):
            if key not in first or (status == DONE and table["status"][first[key]].as_py() != DONE):
                first[key] = number
        wanted = sorted(first) if keys is None else [key for key in keys if key in first]
        return table.take(pyarrow.array([first[key] for key in wanted], pyarrow.int64()))

    def results(self, keys: Iterable[str], columns: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        """The rows of these keys as dicts, or `columns` of them; those that aren't there are left out."""
        rows = self.table(keys, columns).to_pylist()
        return {row["key"]: {name: value for name, value in row.items() if value is not None} for row in rows}

    def take(self, other: Store) -> int:
        """Takes up the rows of another store that are finished there and not here; returns their number."""
        import pyarrow.compute

        here = self.status()
        table = other.table()
        new = [here.get(key) != DONE and here.get(key) != status for key, status in _pairs(table)]
        rows = table.filter(pyarrow.array(new, pyarrow.bool_()))
        if rows.num_rows:
            name = hashlib.sha256("".join(rows["key"].to_pylist()).encode()).hexdigest()[:32]
            self._write(f"{SMALL}-{name}", rows)
            here.update(_pairs(rows))
        return int(rows.num_rows)

    def _read(self, columns: Sequence[str] | None = None) -> pyarrow.Table:
        found = self._whole(sorted(self._rows.glob("*.parquet")), columns)
        return _concat(list(found.values())) if found else _table([])

    def _whole(
        self, files: Iterable[Path], columns: Sequence[str] | None = None
    ) -> dict[Path, pyarrow.Table]:
        """The tables, or `columns` of them, of those files that can be read; the others are set aside."""
        found = {}
        for path in files:
            table = _read_file(path, columns)
            if table is not None:
                found[path] = table
                continue
            if path not in self.damaged:
                self.damaged.append(path)
            if self._locked:
                with contextlib.suppress(OSError):
                    path.replace(path.with_name(path.name + DAMAGED))
        return found

    def notes(self) -> list[str]:
        """What the user should know of the files, a line each."""
        return [
            f"{path}: damaged; set aside as {path.name}{DAMAGED}, and its points are run again"
            for path in self.damaged
        ]


@contextlib.contextmanager
def open_store(folder: str | os.PathLike[str] | None) -> Iterator[Store]:
    """The store of a folder; of none one that is gone afterwards."""
    if folder is not None:
        yield Store(folder)
        return
    with tempfile.TemporaryDirectory(prefix="wordline-") as temporary:
        yield Store(temporary)


def _pairs(table: pyarrow.Table) -> list[tuple[str, str]]:
    return list(zip(table["key"].to_pylist(), table["status"].to_pylist(), strict=True))


def _read_file(path: Path, columns: Sequence[str] | None = None) -> pyarrow.Table | None:
    """The rows of a file, or `columns` of them; `None` if it is damaged.

    Raises `WordlineError` if it can't be read at all.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        with path.open("rb") as file:
            opened = pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)
            there = opened.schema_arrow.names
            if not {*FIXED, *TEXTS[:1]} <= set(there):
                return None
            return opened.read(None if columns is None else [name for name in columns if name in there])
    except pyarrow.ArrowException:
        return None
    except OSError as error:
        # Arrow tells damage of pages so, without a number.
        if error.errno is None:
            return None
        raise WordlineError(f"{path}: {reason(error)}") from None


def _concat(tables: list[pyarrow.Table]) -> pyarrow.Table:
    import pyarrow

    return pyarrow.concat_tables(tables, promote_options="permissive")


def _table(rows: list[dict[str, Any]]) -> pyarrow.Table:
    """Rows with columns in a settled order: what they are, axes, figures, texts."""
    import pyarrow

    names = list(dict.fromkeys(name for row in rows for name in row))
    axes = [name for name in names if name.startswith(AXIS)]
    known = {*FIXED, *axes, *TEXTS}
    order = [*FIXED, *axes, *(name for name in names if name not in known), *TEXTS]
    types = {"seed": pyarrow.uint64()} | dict.fromkeys((*FIXED[:6], *FIXED[7:], *TEXTS), pyarrow.string())
    columns = {name: pyarrow.array([row.get(name) for row in rows], types.get(name)) for name in order}
    return pyarrow.table(columns)
