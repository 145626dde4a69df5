"""What a comparison runs, and what it found: figures by workload and scheme, with blame."""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wordline import intervals, notes
from wordline import schemes as naming
from wordline._core import WordlineError
from wordline.presets import Description, load, replay
from wordline.seeds import seed_list
from wordline.simulation import override_list
from wordline.study.executors import open_executor
from wordline.study.point import Point
from wordline.study.row import DONE
from wordline.study.runs import Watcher, run_points, validate
from wordline.study.store import Store

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from wordline.simulation import PathLike

DEFAULT_METRICS = (
    "read.latency_ns.mean",
    "read.latency_ns.p99",
    "read.iops",
    "write.latency_ns.mean",
    "write.latency_ns.p99",
    "write.iops",
    "waf",
)

Direction = Literal["read", "write"]
Part = Literal["mean", "tail"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """One figure of one scheme under one workload."""

    workload: str
    scheme: str
    metric: str
    value: float
    """Mean over seeds, in the unit of `result.json`."""
    ratio: float | None
    """`value` by that of the first scheme; `None` where that is 0 or missing."""
    ci95: float | None
    """Half the width of the 95% confidence interval over seeds; of one seed's run, if that has one."""
    same: bool | None = None
    """Whether it differs from that of the first scheme by no more than the interval of the difference; `None`
    where that is unknown, and for the first scheme."""


class Comparison:
    """The figures of every scheme under every workload."""

    def __init__(
        self,
        device: str,
        workloads: list[str],
        schemes: list[str],
        rows: Mapping[tuple[str, str], Sequence[Row]],
        remarks: Sequence[str] = (),
    ) -> None:
        self.device = device
        self.workloads = workloads
        self.schemes = schemes
        self._rows = rows
        self.remarks = list(remarks)
        """What the user should know of the rows that were kept, a line each."""
        self.wanted: list[str] = list(DEFAULT_METRICS)
        """Figures that tables and pages show."""

    def pairs(self) -> list[tuple[str, str]]:
        """Every workload with every scheme."""
        return [(workload, scheme) for workload in self.workloads for scheme in self.schemes]

    def keys(self, workload: str, scheme: str) -> list[str]:
        """The keys of the runs of a pair, one for each seed."""
        return [str(row["key"]) for row in self._rows[workload, scheme]]

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return sorted({int(row["seed"]) for rows in self._rows.values() for row in rows})

    @property
    def errors(self) -> dict[tuple[str, str], str]:
        """Errors by workload and scheme, where a run failed."""
        found = {}
        for pair, rows in self._rows.items():
            for row in rows:
                if row["status"] != DONE:
                    found[pair] = str(row["error"])
        return found

    def notes(self, workload: str) -> list[notes.Shared]:
        """What keeps figures from being what they are taken for, by kind, and of which schemes."""
        runs = ((scheme, row) for scheme in self.schemes for row in self._rows[workload, scheme])
        return notes.shared(
            (scheme, json.loads(row["result"])["notes"]) for scheme, row in runs if row["status"] == DONE
        )

    def values(self, workload: str, scheme: str, metric: str) -> list[float]:
        """A figure's values over the seeds; empty where the runs don't have it."""
        rows = self._rows[workload, scheme]
        return [row[metric] for row in rows if row["status"] == DONE and row.get(metric) is not None]

    def cell(self, workload: str, scheme: str, metric: str) -> Cell | None:
        """A figure, and what it is of the first scheme's."""
        values = self.values(workload, scheme, metric)
        if not values:
            return None
        value = statistics.fmean(values)
        interval = self.interval(workload, scheme, metric)
        first = self.values(workload, self.schemes[0], metric)
        base = statistics.fmean(first) if first else 0.0
        same = None
        if first and scheme != self.schemes[0]:
            same = intervals.same(value, interval, base, self.interval(workload, self.schemes[0], metric))
        half = None if interval is None else interval.half
        return Cell(workload, scheme, metric, value, value / base if base else None, half, same)

    def interval(self, workload: str, scheme: str, metric: str) -> intervals.Interval | None:
        """A figure's 95% interval: over seeds, or that of the only run."""
        rows = self._rows[workload, scheme]
        if len(rows) > 1:
            return intervals.over_seeds(self.values(workload, scheme, metric))
        return intervals.of_row(rows[0], metric) if rows else None

    def metrics(self, wanted: Iterable[str]) -> list[str]:
        """Those of the figures that any run has. Raises `WordlineError` for one that none has, if all ran."""
        pairs = [(workload, scheme) for workload in self.workloads for scheme in self.schemes]
        return [metric for metric in wanted if any(self.values(*pair, metric) for pair in pairs)]

    def cells(self, metrics: Iterable[str]) -> Iterator[Cell]:
        """Every figure, workload by workload and scheme by scheme."""
        listed = list(metrics)
        for workload in self.workloads:
            for scheme in self.schemes:
                for metric in listed:
                    cell = self.cell(workload, scheme, metric)
                    if cell is not None:
                        yield cell

    def geometric_mean(self, scheme: str, metric: str) -> float | None:
        """Geometric mean over workloads of the ratio to the first scheme; `None` unless every workload has
        one.
        """
        cells = [self.cell(workload, scheme, metric) for workload in self.workloads]
        ratios = [cell.ratio for cell in cells if cell is not None and cell.ratio]
        if len(ratios) < len(self.workloads):
            return None
        return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))

    def blame(
        self, workload: str, scheme: str, direction: Direction, part: Part = "mean"
    ) -> dict[str, float]:
        """Where a request's time went, ns by part: mean of all requests, or of those from p99 on."""
        prefix = f"{direction}.blame.{part}.mean_ns."
        names = {name for row in self._rows[workload, scheme] for name in row if name.startswith(prefix)}
        found = {}
        for name in sorted(names):
            values = self.values(workload, scheme, name)
            if values and any(values):
                # A part that a seed doesn't have took no time there.
                found[name.removeprefix(prefix)] = sum(values) / len(self._rows[workload, scheme])
        return found

    def to_pandas(self, metrics: Iterable[str] = DEFAULT_METRICS) -> pandas.DataFrame:
        """`table` as a data frame of pandas."""
        return self.table(metrics).to_pandas()

    def to_polars(self, metrics: Iterable[str] = DEFAULT_METRICS) -> polars.DataFrame:
        """`table` as a data frame of polars."""
        import polars

        return polars.DataFrame(polars.from_arrow(self.table(metrics)))

    def _repr_html_(self) -> str:
        """For notebooks: figures and charts."""
        from wordline.report.notebook import of_comparison

        return of_comparison(self)

    def save(self, folder: PathLike, command: Sequence[str] = ()) -> list[Path]:
        """Writes `comparison.json` and `report.html` into the folder that `compare` kept its rows in."""
        from wordline.comparison.saved import save

        return save(self, folder, command)

    def table(self, metrics: Iterable[str] = DEFAULT_METRICS) -> pyarrow.Table:
        """The cells as an Arrow table: workload, scheme, metric, value, ratio, ci95, same."""
        import dataclasses

        import pyarrow

        words = [(name, pyarrow.string()) for name in ("workload", "scheme", "metric")]
        numbers = [(name, pyarrow.float64()) for name in ("value", "ratio", "ci95")]
        schema = pyarrow.schema([*words, *numbers, ("same", pyarrow.bool_())])
        return pyarrow.Table.from_pylist(
            [dataclasses.asdict(cell) for cell in self.cells(metrics)], schema=schema
        )

    def to_dict(self, metrics: Iterable[str] = DEFAULT_METRICS) -> dict[str, Any]:
        """Everything as plain data: what `--json` prints."""
        listed = list(metrics)
        workloads = []
        for workload in self.workloads:
            entries = [self._entry(workload, scheme, listed) for scheme in self.schemes]
            said = [note.to_dict() for note in self.notes(workload)]
            workloads.append({"workload": workload, "schemes": entries, "notes": said})
        return {"device": self.device, "normalised_to": self.schemes[0], "workloads": workloads}

    def _entry(self, workload: str, scheme: str, metrics: list[str]) -> dict[str, Any]:
        cells = [cell for metric in metrics if (cell := self.cell(workload, scheme, metric)) is not None]
        blame = {
            direction: {part: self.blame(workload, scheme, direction, part) for part in PARTS}
            for direction in DIRECTIONS
        }
        figures = {
            cell.metric: {
                "value": cell.value,
                "ratio": cell.ratio,
                "ci95": cell.ci95,
                "same": cell.same,
            }
            for cell in cells
        }
        return {
            "scheme": scheme,
            "error": self.errors.get((workload, scheme)),
            "figures": figures,
            "blame_ns": blame,
        }


DIRECTIONS: tuple[Direction, ...] = ("read", "write")
PARTS: tuple[Part, ...] = ("mean", "tail")


def compare(
    device: PathLike = "mqsim",
    schemes: Sequence[str] = ("baseline",),
    workloads: Sequence[PathLike] = ("randread-4k-qd16",),
    *,
    traces: Sequence[PathLike] = (),
    seeds: int | Iterable[int] = 1,
    checked: bool = False,
    overrides: Mapping[str, object] | None = None,
    jobs: int | None = None,
    on: str = "threads",
    folder: PathLike | None = None,
    watch: Watcher | None = None,
) -> Comparison:
    """Runs every scheme under every workload on one drive, side by side.

    Schemes are presets, TOML files, `key=value`, or several of these joined by `+`; figures are normalised to
    the first. With `folder` rows are kept there, and runs that it has are not run again. `traces` are
    replayed at their own times, beside or in the place of `workloads`. A run that fails is in `errors`.
    """
    given = [(_name(workload), load("workload", workload)) for workload in workloads]
    given += [(Path(trace).name, replay(trace)) for trace in traces]
    return run(
        load("device", device),
        [naming.scheme(text) for text in schemes],
        given,
        seeds=seed_list(seeds),
        checked=checked,
        overrides=override_list(overrides or {}),
        jobs=jobs,
        on=on,
        folder=folder,
        watch=watch,
    )


def _name(workload: PathLike) -> str:
    text = os.fspath(workload)
    return Path(text).stem if text.endswith(".toml") else text


def run(
    device: Description,
    schemes: Sequence[naming.Named],
    workloads: Sequence[tuple[str, Description]],
    *,
    seeds: Sequence[int],
    checked: bool,
    overrides: Sequence[tuple[str, str]],
    jobs: int | None,
    on: str,
    folder: PathLike | None,
    watch: Watcher | None,
) -> Comparison:
    """`compare` on descriptions that are loaded already."""
    names = [scheme.name for scheme in schemes]
    labels = [label for label, _ in workloads]
    for kind, listed in (("scheme", names), ("workload", labels)):
        twice = next((name for name in listed if listed.count(name) > 1), None)
        if twice is not None or not listed:
            raise WordlineError(
                f"{kind} {twice}: allowed: each once" if listed else f"no {kind}: allowed: one or more"
            )
    points = {
        (label, scheme.name, seed): Point(
            device,
            scheme.description,
            workload,
            tuple(overrides),
            seed,
            checked,
            (("workload", label), ("scheme", scheme.name), ("seed", seed)),
        )
        for label, workload in workloads
        for scheme in schemes
        for seed in seeds
    }
    inputs = dict(zip(points, validate(list(points.values())), strict=True))
    with _store(folder) as store, open_executor(on, jobs, store.folder) as executor:
        outcome = run_points(
            list(points.values()), executor, store, inputs=list(inputs.values()), watch=watch
        )
        kept = store.results(found.key for found in inputs.values())
    rows = {
        (label, scheme): [kept[inputs[label, scheme, seed].key] for seed in seeds]
        for label in labels
        for scheme in names
    }
    config = next(iter(inputs.values())).config
    return Comparison(config["device"]["name"], labels, names, rows, outcome.notes)


@contextlib.contextmanager
def _store(folder: PathLike | None) -> Iterator[Store]:
    if folder is not None:
        yield Store(folder)
        return
    with tempfile.TemporaryDirectory(prefix="wordline-") as temporary:
        yield Store(temporary)
