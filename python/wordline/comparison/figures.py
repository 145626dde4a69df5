"""What a comparison found: figures by workload and scheme, with blame."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wordline import derived, intervals, labels, notes, views
from wordline._core import WordlineError
from wordline.figures import check_known, is_unsure
from wordline.notes import Note
from wordline.presets import schema_id
from wordline.study import sparse
from wordline.study.row import DONE

if TYPE_CHECKING:
    import os

    import pandas
    import polars
    import pyarrow

Row = Mapping[str, Any]

Direction = Literal["read", "write", "trim", "flush"]
Part = Literal["mean", "tail"]

DIRECTIONS: tuple[Direction, ...] = ("read", "write", "trim", "flush")
PARTS: tuple[Part, ...] = ("mean", "tail")

DEFAULT_METRICS = (
    "read.latency_ns.mean",
    "read.latency_ns.p99",
    "read.iops",
    "write.latency_ns.mean",
    "write.latency_ns.p99",
    "write.iops",
    "trim.latency_ns.mean",
    "trim.latency_ns.p99",
    "flush.latency_ns.mean",
    "flush.latency_ns.p99",
    "waf",
)
"""Figures that are shown where none are named."""


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
    """Half the width of the 95% confidence interval over seeds; of one seed's run the distance to the farther
    end of its interval, if it has one."""
    same: bool | None = None
    """Whether it differs from that of the first scheme by no more than the interval of the difference; `None`
    where that is unknown, and for the first scheme."""

    @property
    def unsure(self) -> bool:
        """Whether its interval exceeds it."""
        return is_unsure(self.value, self.ci95)


def _check_one_of(argument: str, given: object, known: Sequence[str]) -> None:
    if given not in known:
        raise WordlineError(f"{argument} = {given!r}: allowed: {', '.join(known)}")


class Comparison:
    """The figures of every scheme under every workload."""

    def __init__(
        self,
        device: str,
        workloads: list[str],
        schemes: list[str],
        rows: Mapping[tuple[str, str], Sequence[Row]],
        remarks: Sequence[str] = (),
        devices: Mapping[str, str] | None = None,
        changed: Mapping[str, str] | None = None,
    ) -> None:
        self.device = device
        """The drive; of several all of them."""
        self.devices = dict.fromkeys(schemes, device) if devices is None else dict(devices)
        """By scheme the drive that it ran on. Where there are several, `schemes` are pairs of both."""
        self.workloads = workloads
        self.schemes = schemes
        self._rows = rows
        self._notes: dict[tuple[str, str], list[list[Note]]] = {}
        self.remarks = list(remarks)
        """What the user should know of the rows that were kept, a line each."""
        self.changed = dict(changed or {})
        """Keys that were set in every run beside the descriptions, and their values as TOML."""
        self.wanted: list[str] = list(DEFAULT_METRICS)
        """Figures that tables and pages show where none are named."""

    def __repr__(self) -> str:
        schemes, workloads = ", ".join(self.schemes), ", ".join(self.workloads)
        seeds = ", ".join(map(str, self.seeds))
        failed = f", {len(self.errors)} failed" if self.errors else ""
        return f"Comparison({self.device}: {schemes}; under {workloads}; seeds {seeds}{failed})"

    @property
    def title(self) -> str:
        """The drive, and what was set in every run."""
        told = [change for kind in labels.KINDS for change in labels.changes({"changed": self.changed}, kind)]
        return labels.with_changes(self.device, told)

    def pairs(self) -> list[tuple[str, str]]:
        """Every workload with every scheme."""
        return [(workload, scheme) for workload in self.workloads for scheme in self.schemes]

    def _of(self, workload: str, scheme: str) -> Sequence[Row]:
        """The rows of a pair. Raises `WordlineError` where there is no such workload or scheme."""
        _check_one_of("workload", workload, self.workloads)
        _check_one_of("scheme", scheme, self.schemes)
        return self._rows[workload, scheme]

    def keys(self, workload: str, scheme: str) -> list[str]:
        """The keys of the runs of a pair, one for each seed."""
        return [str(row["key"]) for row in self._of(workload, scheme)]

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

    @property
    def fewer_seeds(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Where some of a pair's runs failed and others didn't: how many ended well, and of how many."""
        ended = {pair: len(self._done(*pair)) for pair in self._rows}
        return {
            pair: (done, len(self._rows[pair]))
            for pair, done in ended.items()
            if 0 < done < len(self._rows[pair])
        }

    def notes(self, workload: str) -> list[notes.Shared]:
        """What keeps figures from being what they are taken for, and of which schemes."""
        found = notes.shared(
            (scheme, said)
            for scheme in self.schemes
            for said in (*self._said(workload, scheme), self._not_known(workload, scheme, self.wanted))
        )
        rows = ((scheme, row) for scheme in self.schemes for row in self._of(workload, scheme))
        runs = [(scheme, json.loads(row["result"])) for scheme, row in rows if row["status"] == DONE]
        differ = notes.starts_differ((scheme, result["start"]) for scheme, result in runs)
        return found if differ is None else [differ, *found]

    def _said(self, workload: str, scheme: str) -> list[list[Note]]:
        """The notes of each run of a pair."""
        pair = workload, scheme
        if pair not in self._notes:
            self._notes[pair] = [*map(notes.of_row, self._of(*pair)), derived.withheld(self._done(*pair))]
        return self._notes[pair]

    def _done(self, workload: str, scheme: str) -> list[Row]:
        """The rows of a pair's runs that ended well."""
        return [row for row in self._of(workload, scheme) if row["status"] == DONE]

    def _not_known(self, workload: str, scheme: str, metrics: Sequence[str]) -> list[Note]:
        """Why no run of a pair has figures that are asked for."""
        return derived.not_known(self._done(workload, scheme), metrics)

    def shows(self, workload: str, metric: str) -> bool:
        """Whether a table of this workload has a line for the figure: values, or why there are none."""
        return any(
            self.values(workload, scheme, metric) or self._not_known(workload, scheme, [metric])
            for scheme in self.schemes
        )

    def died(self, workload: str, scheme: str) -> str | None:
        """When the drive of a run died, of the first that did; `None` where all live."""
        found = map(notes.when_died, self._said(workload, scheme))
        return next((death for death in found if death is not None), None)

    def values(self, workload: str, scheme: str, metric: str) -> list[float]:
        """A figure's values over the seeds; empty where the runs don't have it."""
        return sparse.values(self._done(workload, scheme), metric)

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
        reach = None if interval is None else interval.reach(value)
        return Cell(workload, scheme, metric, value, value / base if base else None, reach, same)

    def interval(self, workload: str, scheme: str, metric: str) -> intervals.Interval | None:
        """A figure's 95% interval: over seeds, or that of the only run."""
        rows = self._of(workload, scheme)
        if len(rows) > 1:
            return intervals.over_seeds(self.values(workload, scheme, metric))
        return intervals.of_row(rows[0], metric) if rows else None

    def results(self, workload: str, scheme: str) -> list[dict[str, Any]]:
        """What `result.json` would hold of each run of a pair that ended well."""
        return [json.loads(row["result"]) for row in self._done(workload, scheme)]

    def has(self, metric: str) -> bool:
        """Whether any run has this figure."""
        return any(row.get(metric) is not None for rows in self._rows.values() for row in rows)

    def _is_told(self, metric: str) -> bool:
        return self.has(metric) or any(self.shows(workload, metric) for workload in self.workloads)

    def metrics(self, named: Iterable[str] | None = None, option: str = "figure") -> list[str]:
        """The figures that are named. Raises `WordlineError` for one that no run has which ended well;
        `option` is what it calls them. Where none are named: those of `wanted` that any run has.
        """
        if named is None:
            return [metric for metric in self.wanted if self.has(metric)]
        listed = list(dict.fromkeys(named))
        known = [
            name for rows in self._rows.values() for row in rows if row["status"] == DONE for name in row
        ]
        if known:
            check_known(listed, known, self._is_told, option)
        return listed

    def cells(self, metrics: Iterable[str] | None = None) -> Iterator[Cell]:
        """Every figure, or those that are named, workload by workload and scheme by scheme."""
        listed = self.metrics(metrics)
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

    def has_requests(self, workload: str, scheme: str, direction: Direction) -> bool:
        """Whether any run of a pair has such requests, without which there is nothing to blame."""
        return any(self.values(workload, scheme, f"{direction}.requests"))

    def blame(
        self, workload: str, scheme: str, direction: Direction, part: Part = "mean"
    ) -> dict[str, float]:
        """Where a request's time went, ns by part: mean of all requests, or of those from p99 on."""
        _check_one_of("direction", direction, DIRECTIONS)
        _check_one_of("part", part, PARTS)
        prefix = f"{direction}.blame.{part}.mean_ns."
        # Of a seed without such requests there is no mean, either.
        rows = [row for row in self._done(workload, scheme) if row.get(f"{direction}.requests")]
        # A part that a seed doesn't have took no time there.
        sums = {
            name.removeprefix(prefix): sum(row.get(name) or 0.0 for row in rows)
            for name in sorted({name for row in rows for name in row if name.startswith(prefix)})
        }
        return {part: total / len(rows) for part, total in sums.items() if total}

    def to_pandas(self, metrics: Iterable[str] | None = None) -> pandas.DataFrame:
        """`table` as a data frame of pandas."""
        return self.table(metrics).to_pandas()

    def to_polars(self, metrics: Iterable[str] | None = None) -> polars.DataFrame:
        """`table` as a data frame of polars."""
        import polars

        return polars.DataFrame(polars.from_arrow(self.table(metrics)))

    def _repr_html_(self) -> str:
        """For notebooks: figures and charts."""
        return views.cell(self)

    def save(self, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
        """Writes `comparison.json` and `report.html` into the folder that `compare` kept its rows in."""
        return views.save(self, folder, command)

    def table(self, metrics: Iterable[str] | None = None) -> pyarrow.Table:
        """The cells as an Arrow table: workload, scheme, metric, value, ratio, ci95, same, unsure."""
        import dataclasses

        import pyarrow

        words = [(name, pyarrow.string()) for name in ("workload", "scheme", "metric")]
        numbers = [(name, pyarrow.float64()) for name in ("value", "ratio", "ci95")]
        flags = [(name, pyarrow.bool_()) for name in ("same", "unsure")]
        rows = [{**dataclasses.asdict(cell), "unsure": cell.unsure} for cell in self.cells(metrics)]
        return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema([*words, *numbers, *flags]))

    def to_dict(self, metrics: Iterable[str] | None = None) -> dict[str, Any]:
        """Everything as plain data: what `--json` prints."""
        listed = self.metrics(metrics)
        workloads = []
        for workload in self.workloads:
            entries = [self._entry(workload, scheme, listed) for scheme in self.schemes]
            said = [note.to_dict() for note in self.notes(workload)]
            workloads.append({"workload": workload, "schemes": entries, "notes": said})
        form = schema_id("comparison")
        return {
            "schema": form,
            "device": self.device,
            "normalised_to": self.schemes[0],
            "workloads": workloads,
        }

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
                "unsure": cell.unsure,
            }
            for cell in cells
        }
        return {
            "scheme": scheme,
            "device": self.devices[scheme],
            "error": self.errors.get((workload, scheme)),
            "died": self.died(workload, scheme),
            "figures": figures,
            "blame_ns": blame,
        }
