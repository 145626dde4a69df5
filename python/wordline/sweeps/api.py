"""A sweep from Python: points, the folder of its rows, its table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import folders, views
from wordline._core import WordlineError
from wordline.files import written
from wordline.folders import replaced
from wordline.notes import Shared
from wordline.scenario import Scenario
from wordline.study.point import Inputs, Point
from wordline.study.row import AXIS, DONE
from wordline.study.runs import Outcome, Watcher, open_study, validate
from wordline.study.store import Store
from wordline.sweeps import file

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

TABLE = folders.SWEEP

AVERAGES = "averages.parquet"
"""Written where there are several seeds."""

NAMES = (TABLE, AVERAGES, "report.html")
"""Files that a sweep may write beside its rows."""


class Sweep:
    """The rows of a sweep, as its folder has them."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def __getstate__(self) -> dict[str, Any]:
        """Another process may be elsewhere."""
        return {**self.__dict__, "folder": self.folder.absolute()}

    @property
    def name(self) -> str:
        """What its description is called."""
        return self.folder.resolve().name

    def __repr__(self) -> str:
        rows = self.table()
        axes = [name.removeprefix(AXIS) for name in rows.column_names if name.startswith(AXIS)]
        done = rows["status"].to_pylist().count(DONE)
        over = f" over {', '.join(axes)}" if axes else ""
        return f"{type(self).__name__}({self.name}: {rows.num_rows} rows, {done} done{over})"

    def table(self) -> pyarrow.Table:
        """The rows that are there, in the order of its points, axes as it names them. Raises `WordlineError`
        where the file is none.
        """
        import pyarrow
        import pyarrow.parquet

        path = self.folder / TABLE
        try:
            # The name of a folder is not to be taken for a column.
            return pyarrow.parquet.ParquetFile(path).read()
        except (OSError, pyarrow.ArrowException) as error:
            raise WordlineError(f"{path}: not a table of a study: {error}") from None

    def averages(self) -> pyarrow.Table:
        """A row for each point, averaged over its seeds: axes, `seeds`, and each figure with half its 95%
        interval as `FIGURE.ci95`.
        """
        from wordline.sweeps import averages

        return averages.table(self.table().to_pylist())

    def notes(self, metrics: Sequence[str] = ()) -> list[Shared]:
        """What keeps its figures from being what they are taken for, by kind, and at which points; of those
        that are named also why a point has none.
        """
        from wordline.sweeps import averages

        return averages.said(averages.averages(self.table().to_pylist()), metrics)

    def to_pandas(self) -> pandas.DataFrame:
        """`table` as a data frame of pandas."""
        return self.table().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """`table` as a data frame of polars."""
        import polars

        return polars.DataFrame(polars.from_arrow(self.table()))

    def _repr_html_(self) -> str:
        """For notebooks: charts and points."""
        return views.cell(self)


class OpenSweep(Sweep):
    """A sweep that was validated: every point can be run."""

    def __init__(
        self, described: file.SweepFile, points: list[Point], inputs: list[Inputs], store: Store
    ) -> None:
        super().__init__(store.folder)
        self._name = described.name
        self.points = points
        self.inputs = inputs
        self.store = store
        self.outcome: Outcome | None = None

    @property
    def name(self) -> str:
        """What its description is called."""
        return self._name

    @property
    def keys(self) -> list[str]:
        """The key of each point."""
        return [found.key for found in self.inputs]

    def table(self) -> pyarrow.Table:
        """The rows of this sweep that are there, in the order of its points, axes as it names them. Points
        that are the same run have a row each, with one key.
        """
        import pyarrow

        rows = self.store.table(self.keys)
        there = set(rows["key"].to_pylist())
        axes = [point.axes for point, key in zip(self.points, self.keys, strict=True) if key in there]
        rows = rows.select([name for name in rows.column_names if not name.startswith(AXIS)])
        names = dict.fromkeys(name for pairs in axes for name, _ in pairs)
        for place, name in enumerate(names):
            column = [_plain(dict(pairs).get(name)) for pairs in axes]
            # A column has one type: values of several kinds, such as "rest" beside numbers, become text.
            if len({type(value) for value in column if value is not None} - {int, float}) > 1 or (
                any(isinstance(value, str) for value in column)
                and not all(isinstance(v, str) for v in column)
            ):
                column = [None if value is None else str(value) for value in column]
            rows = rows.add_column(place, AXIS + name, pyarrow.array(column))
        return rows

    def run(
        self,
        *,
        on: str = "threads",
        jobs: int | None = None,
        retry: bool = False,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Runs what isn't finished, and writes the table."""
        folders.usable(self.folder, NAMES)
        with open_study(self.store, on=on, jobs=jobs, retry=retry) as study:
            try:
                self.outcome = study.run(self.points, inputs=self.inputs, watch=watch)
            finally:
                # Stopped before the first point has ended, it leaves nothing.
                if self.store.status():
                    self.write_table()
        return self.outcome

    def write_table(self) -> Path:
        """Writes the table of the rows that are there, beside them."""
        import pyarrow.parquet

        with replaced(self.store.folder) as stage:
            with written(stage / TABLE) as part:
                pyarrow.parquet.write_table(self.table(), part, compression="zstd")
            if len({point.scenario.seed for point in self.points}) > 1:
                with written(stage / AVERAGES) as part:
                    pyarrow.parquet.write_table(self.averages(), part, compression="zstd")
        return self.store.folder / TABLE


def _plain(value: Any) -> Any:
    from wordline.presets import toml_value

    return value if isinstance(value, str | int | float | bool) or value is None else toml_value(value)


def plan(
    described: file.SweepFile, folder: str | os.PathLike[str], watch: Callable[[int], None] | None = None
) -> OpenSweep:
    """Validates every point of a sweep; `watch` is told how many are. Raises `WordlineError` for the first
    that can't be run.
    """
    points = described.points()
    return OpenSweep(described, points, validate(points, watch), Store(folder))


def open_sweep(
    description: str | os.PathLike[str] | Mapping[str, Any],
    folder: str | os.PathLike[str],
    *,
    scenario: Scenario | None = None,
) -> OpenSweep:
    """A sweep whose points are validated and whose rows are in `folder`; `run` runs what is missing.

    `description` is a file, or a mapping that holds what a file would. A point is what `scenario` says, but
    for what the description names.
    """
    if isinstance(description, Mapping):
        return plan(file.parse(description, "sweep", Path.cwd(), scenario), folder)
    return plan(file.read(description, scenario), folder)


def sweep(
    description: str | os.PathLike[str] | Mapping[str, Any],
    folder: str | os.PathLike[str],
    *,
    scenario: Scenario | None = None,
    on: str = "threads",
    jobs: int | None = None,
    retry: bool = False,
    watch: Watcher | None = None,
) -> pyarrow.Table:
    """Runs a sweep, or what is left of it, and returns its table: a row for each point.

    `description` and `scenario` are those of `open_sweep`. Rows are kept in `folder`; points whose row is
    there are not run again. `on` and `jobs` are those of `wordline sweep`. `watch` is called with an
    `Outcome` whenever a point begins or ends. A point that fails is a row with its error.
    """
    planned = open_sweep(description, folder, scenario=scenario)
    planned.run(on=on, jobs=jobs, retry=retry, watch=watch)
    return planned.table()
