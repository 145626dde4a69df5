"""What a run measured, as Python values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wordline import figures, intervals, views
from wordline.kept_results import InFolder, InMemory
from wordline.names import KINDS
from wordline.presets import schema_id

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    import pandas
    import polars
    import pyarrow

    from wordline import _core
    from wordline.lifetime import Lifetime

    Counts = numpy.typing.NDArray[numpy.uint64]

Direction = Literal["read", "write", "trim", "flush"]

TableName = Literal["dies", "channels", "histogram", "series", "samples", "blocks"]

TABLES: tuple[TableName, ...] = ("dies", "channels", "histogram")
"""Tables of every run."""

MEASURED: dict[TableName, str] = {
    "series": "interval_ns",
    "samples": "sample_table",
    "blocks": "block_table",
}
"""Tables that a run has if this key of `workload.measure` asks for it."""


NAMES = ("result.json", "command.json", "report.txt", "report.html")
"""Files that a run writes into its folder beside its tables."""

NAMES_OF_SEEDS = ("summary.json", "summary.parquet", "report.html")
"""Those of several seeds, beside the folders of each."""


def tables_of(data: Mapping[str, Any]) -> tuple[TableName, ...]:
    """Names of the tables of the run with this `result.json`."""
    measure = data["config"]["workload"].get("measure", {})
    return (*TABLES, *(name for name, key in MEASURED.items() if measure.get(key)))


class Record(Mapping[str, Any]):
    """A JSON object whose keys are attributes too: `record.read.requests` is `record["read"]["requests"]`."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        return _wrap(self._data[key])

    def __getattr__(self, name: str) -> Any:
        # Slots come first, so `_data` gets here only before it is set, as in unpickling.
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._data:
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

    __slots__ = ("_run", "_text")

    def __init__(
        self,
        run: _core.RunResult | InMemory | InFolder,
        drive: str | None = None,
        changed: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`drive` says where the drive came from that the run began on, if from elsewhere; `changed` are the
        keys that were set beside the descriptions, and their values as TOML, the later one holding. Raises
        `ValueError` for what is no result.
        """
        text = run.json()
        data = json.loads(text)
        if not isinstance(data, dict) or not {"config", "read", "write", "window"} <= data.keys():
            raise ValueError("keys are missing")
        form = schema_id("result")
        if data.get("schema", form) != form:
            raise ValueError(f"schema {data['schema']}: allowed: {form}")
        if not isinstance(run, InMemory | InFolder):
            text = f'{{"schema":"{form}",{text.removeprefix("{")}'
            data = {"schema": form} | data
        if drive is not None:
            data["engine"]["drive"] = drive
        if changed:
            first = {name: data[name] for name in ("schema", "version", "seed")}
            data = first | {"changed": dict(changed)} | data
        if drive is not None or changed:
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        super().__init__(data)
        self._run = run
        self._text = text

    def __repr__(self) -> str:
        from wordline import labels

        parts = [f"{labels.title(self._data)}, seed {self._data['seed']}"]
        for kind, several in KINDS.items():
            if self._data[kind]["requests"]:
                p99 = figures.fitting(f"{kind}.latency_ns.p99", self._data[kind]["latency_ns"]["p99"])
                parts.append(f"{several} {self._data[kind]['iops']:,.0f} IOPS, p99 {p99}")
        if self._data["waf"] is not None:
            parts.append(f"WAF {self._data['waf']:.3f}")
        return f"Result({'; '.join(parts)})"

    def __reduce__(self) -> tuple[type[Result], tuple[InMemory]]:
        """A copy, in another process too, is of what was measured, tables included."""
        histograms = {kind: self._run.histogram(kind) for kind in KINDS}
        tables: dict[str, Any] = {name: self.table(name) for name in self.tables() if name in MEASURED}
        return type(self), (InMemory(self._text, histograms, tables),)

    def json(self) -> str:
        """The text of `result.json`: one object."""
        return self._text

    def interval(self, path: str) -> intervals.Interval | None:
        """The 95% interval of the figure at a dotted path, such as `read.latency_ns.p99`; `None` where the
        window was too small for one, or the figure has none. Raises `WordlineError` for a path that leads
        nowhere.
        """
        figures.check_path(self._data, path)
        return intervals.of_result(self._data, path)

    def lifetime(self) -> Lifetime | None:
        """Capacity, and how long the drive lasts at this load; `None` for an array."""
        from wordline import lifetime

        return lifetime.of(self._data)

    def histogram(self, direction: Direction) -> tuple[Counts, Counts]:
        """Response times of one kind of request: each non-empty bin's largest value, ns, and its requests."""
        import numpy

        values, counts = self._run.histogram(direction)
        return numpy.array(values, dtype=numpy.uint64), numpy.array(counts, dtype=numpy.uint64)

    def table(self, name: TableName) -> pyarrow.Table:
        """One of the tables, as an Arrow table.

        The time series, the samples and the blocks are there if `workload.measure` asked for them; else a
        `ValueError` says how to ask.
        """
        import pyarrow

        if name == "histogram":
            return self._histogram_table()
        if name in MEASURED:
            return self._measured_table(name)
        if name not in TABLES:
            raise ValueError(f"no table `{name}`: there are {', '.join((*TABLES, *MEASURED))}")
        rows: list[dict[str, Any]] = self._data[name]
        classes = sorted({key for row in rows for key in row["busy_ns"]})
        columns: dict[str, Any] = {name.removesuffix("s"): pyarrow.array(range(len(rows)), pyarrow.uint32())}
        for key, first in rows[0].items() if rows else ():
            if isinstance(first, dict) and key != "busy_ns":
                columns |= {
                    f"{key}_{part}": pyarrow.array([row[key][part] for row in rows]) for part in first
                }
            elif key != "busy_ns":
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
        for direction in KINDS:
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

    def to_pandas(self, name: TableName = "histogram") -> pandas.DataFrame:
        """One of the tables as a data frame of pandas."""
        return self.table(name).to_pandas()

    def to_polars(self, name: TableName = "histogram") -> polars.DataFrame:
        """One of the tables as a data frame of polars."""
        import polars

        return polars.DataFrame(polars.from_arrow(self.table(name)))

    def _repr_html_(self) -> str:
        """For notebooks: response times, rates, where the time went."""
        return views.cell(self)

    def tables(self) -> tuple[TableName, ...]:
        """Names of the tables that this run has."""
        return tables_of(self._data)

    def _measured_table(self, name: TableName) -> pyarrow.Table:
        import pyarrow

        columns = self._run.table(name)
        if columns is None:
            raise ValueError(f"no table `{name}` in this run: workload.measure.{MEASURED[name]} asks for it")
        if isinstance(columns, pyarrow.Table):
            return columns
        return pyarrow.table({label: _column(kind, width, data) for label, kind, width, data in columns})

    def save(self, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
        """Writes `result.json`, `report.txt`, `report.html` and a Parquet file of each table; returns their
        paths. `command` is the command line that the page names; it is kept beside them. They take the place
        of all that Wordline wrote in this folder before.
        """
        return views.save(self, folder, command)


def _column(kind: str, width: int, data: bytes) -> pyarrow.Array:
    """A column from its bytes; where a number is unknown (NaN) the value is null."""
    import numpy
    import pyarrow

    if kind == "text":
        words = data.decode().split("\n") if data else []
        return pyarrow.array(words, pyarrow.string()).dictionary_encode()
    values = numpy.frombuffer(data, dtype=kind)
    if kind == "<u2":
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values), max(width, 1))
    return pyarrow.array(values, from_pandas=kind == "<f8")
