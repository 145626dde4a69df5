"""What can be laid beside another: a run, the seeds of one, a scheme under a workload of a comparison."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline import intervals, labels, notes
from wordline.comparison.figures import Comparison
from wordline.figures import at
from wordline.names import KINDS
from wordline.report.differences import FIGURES, flat
from wordline.sweeps.averages import Average

Result = Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """One of them, with means over its seeds."""

    place: str
    """The folder, as the page calls it."""
    of: str
    """Which of the folder's it is; empty where that has one."""
    names: dict[str, str]
    """Of drive, scheme and workload."""
    changed: dict[str, str]
    """Keys that were set beside the descriptions, and their values as TOML."""
    keys: dict[str, str]
    """All keys of the configuration, and their values as text."""
    seeds: tuple[int, ...]
    figures: dict[str, Average]
    blame: dict[str, dict[str, float]]
    """Where the mean request's time went, ns, by kind of request and part."""
    died: str | None
    """When a drive of it died, of the first that did."""

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.place}: {self.of}" if self.of else self.place


def of_results(
    place: str, results: Sequence[Result], of: str = "", changed: Mapping[str, str] | None = None
) -> Line:
    """From the results of its seeds."""
    first = results[0]
    figures = {name: found for name in FIGURES if (found := _average(results, name)) is not None}
    keys = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in flat(first["config"])
        if not key.endswith(".description")
    }
    return Line(
        place,
        of,
        {kind: str(first["config"][kind]["name"]) for kind in labels.KINDS},
        dict(first.get("changed", {}) if changed is None else changed),
        keys,
        tuple(int(result["seed"]) for result in results),
        figures,
        {kind: parts for kind in KINDS if (parts := _blame(results, kind))},
        next((death for result in results if (death := notes.when_died(result["notes"]))), None),
    )


def of_comparison(place: str, found: Comparison) -> Iterator[Line]:
    """Each scheme under each workload of which a run ended."""
    names = labels.briefs(found.schemes)
    for workload, scheme in found.pairs():
        results = found.results(workload, scheme)
        if results:
            under = f", {workload}" if len(found.workloads) > 1 else ""
            yield of_results(place, results, names[scheme] + under, found.changed)


def shared(lines: Sequence[Line]) -> set[tuple[str, str]]:
    """The changed keys that all have with one value."""
    return set(labels.shared([{"changed": line.changed} for line in lines]))


def _average(results: Sequence[Result], metric: str) -> Average | None:
    values = [value for result in results if (value := at(result, metric)) is not None]
    if not values:
        return None
    alone = intervals.of_result(results[0], metric) if len(results) == 1 else None
    return Average(statistics.fmean(values), intervals.over_seeds(values) or alone)


def _blame(results: Sequence[Result], kind: str) -> dict[str, float]:
    """A part that a seed doesn't have took no time there."""
    told = [
        result[kind].get("blame", {}).get("mean", {}).get("mean_ns", {})
        for result in results
        if result[kind]["requests"]
    ]
    names = dict.fromkeys(part for parts in told for part in parts)
    means = {part: sum(parts.get(part, 0.0) for parts in told) / len(told) for part in names}
    return {part: mean for part, mean in means.items() if mean}
