"""What a run measured without the run: in memory, to be sent elsewhere, and in the folder that it wrote."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wordline import folders
from wordline._core import WordlineError
from wordline.files import reason

if TYPE_CHECKING:
    import pyarrow

RESULT = folders.RUN

Histogram = tuple[list[int], list[int]]
"""Largest value of each bin, ns, and its requests."""


@dataclass(frozen=True)
class InMemory:
    """A run's figures, distributions and tables."""

    text: str
    """Of `result.json`."""
    histograms: dict[str, Histogram]
    tables: dict[str, pyarrow.Table]

    def json(self) -> str:
        """The text of `result.json`."""
        return self.text

    def histogram(self, direction: str) -> Histogram:
        """Response times of one kind of request."""
        values, counts = self.histograms[direction]
        return list(values), list(counts)

    def table(self, name: str) -> pyarrow.Table | None:
        """One of the tables that were measured."""
        return self.tables.get(name)


class InFolder:
    """A run in its folder, whose tables are read when they are asked for."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Raises `WordlineError` where no run is there."""
        self._folder = Path(folder).absolute()
        self._text = self._read()

    def json(self) -> str:
        """The text of `result.json`."""
        return self._text

    def histogram(self, direction: str) -> Histogram:
        """Response times of one kind of request."""
        import pyarrow.compute

        table = self._table("histogram")
        own = table.filter(pyarrow.compute.equal(table["direction"], direction))
        return own["latency_ns"].to_pylist(), own["requests"].to_pylist()

    def table(self, name: str) -> pyarrow.Table | None:
        """One of the tables that were measured."""
        return self._table(name) if (self._folder / f"{name}.parquet").exists() else None

    def _table(self, name: str) -> pyarrow.Table:
        import pyarrow
        import pyarrow.parquet

        path = self._folder / f"{name}.parquet"
        try:
            table = pyarrow.parquet.read_table(path)
        except (OSError, pyarrow.ArrowException) as error:
            told = reason(error) if isinstance(error, OSError) else error
            raise WordlineError(f"{path}: not a table of a run: {told}") from None
        # Another run may have been written there since.
        if self._read() != self._text:
            raise WordlineError(f"{self._folder}: holds another run than when it was loaded: load it again")
        return table

    def _read(self) -> str:
        folders.check(self._folder)
        path = self._folder / RESULT
        try:
            return path.read_text(encoding="utf-8").removesuffix("\n")
        except (OSError, UnicodeDecodeError) as error:
            told = reason(error) if isinstance(error, OSError) else "not the result of a run"
            raise WordlineError(f"{path}: {told}") from None
