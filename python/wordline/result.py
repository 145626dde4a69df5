"""What a run measured, as Python values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    import pyarrow

    from wordline import _core

    Counts = numpy.typing.NDArray[numpy.uint64]

Direction = Literal["read", "write"]
TableName = Literal["dies", "channels", "histogram"]

TABLES: tuple[TableName, ...] = ("dies", "channels", "histogram")


class Record(Mapping[str, Any]):
    """A JSON object whose keys are attributes too: `record.read.requests` is `record["read"]["requests"]`."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        return _wrap(self._data[key])

    def __getattr__(self, name: str) -> Any:
        # Slots come first, so `_data` gets here only before it is set, as in unpickling.
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no `{name}` here; there are: {', '.join(self._data)}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._data)})"

    def to_dict(self) -> dict[str, Any]:
        """A copy in plain dicts, lists and numbers."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy


def _wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrap(item) for item in value]
    return value


class Result(Record):
    """The result of one run: the keys of `result.json`, histograms as arrays and tables as Arrow."""

    __slots__ = ("_run",)

    def __init__(self, run: _core.RunResult) -> None:
        super().__init__(json.loads(run.json()))
        self._run = run

    def json(self) -> str:
        """The text of `result.json`: one object."""
        return self._run.json()

    def histogram(self, direction: Direction) -> tuple[Counts, Counts]:
        """Response times of one direction: the largest value of each non-empty bin, ns, and its requests."""
        import numpy

        values, counts = self._run.histogram(direction)
        return numpy.array(values, dtype=numpy.uint64), numpy.array(counts, dtype=numpy.uint64)

    def table(self, name: TableName) -> pyarrow.Table:
        """The dies, the channels, or both histograms, as an Arrow table."""
        import pyarrow

        if name == "histogram":
            return self._histogram_table()
        if name not in TABLES:
            raise ValueError(f"no table `{name}`: there are {', '.join(TABLES)}")
        rows: list[dict[str, Any]] = self._data[name]
        classes = sorted({key for row in rows for key in row["busy_ns"]})
        columns: dict[str, Any] = {name.removesuffix("s"): pyarrow.array(range(len(rows)), pyarrow.uint32())}
        for key in rows[0] if rows else ():
            if key != "busy_ns":
                columns[key] = pyarrow.array([row[key] for row in rows])
        columns["busy_ns"] = pyarrow.array([sum(row["busy_ns"].values()) for row in rows], pyarrow.uint64())
        for label in classes:
            busy = [row["busy_ns"].get(label, 0) for row in rows]
            columns[f"busy_{label}_ns"] = pyarrow.array(busy, pyarrow.uint64())
        return pyarrow.table(columns)

    def _histogram_table(self) -> pyarrow.Table:
        import pyarrow

        directions: list[str] = []
        latencies: list[int] = []
        requests: list[int] = []
        for direction in ("read", "write"):
            values, counts = self._run.histogram(direction)
            directions += [direction] * len(values)
            latencies += values
            requests += counts
        return pyarrow.table(
            {
                "direction": pyarrow.array(directions, pyarrow.string()),
                "latency_ns": pyarrow.array(latencies, pyarrow.uint64()),
                "requests": pyarrow.array(requests, pyarrow.uint64()),
            }
        )

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes `result.json`, `report.txt` and a Parquet file of each table; returns their paths."""
        import pyarrow.parquet
        from rich.console import Console

        from wordline import report

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        (target / "result.json").write_text(self.json() + "\n", encoding="utf-8")
        with (target / "report.txt").open("w", encoding="utf-8") as file:
            Console(file=file, width=report.TEXT_WIDTH).print(report.render(self._data))
        for name in TABLES:
            pyarrow.parquet.write_table(self.table(name), target / f"{name}.parquet")
        names = ("result.json", "report.txt", *(f"{name}.parquet" for name in TABLES))
        return [target / name for name in names]
