"""One run repeated over several seeds: every result, and the main figures with confidence intervals."""

from __future__ import annotations

import functools
import math
import os
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import derived, notes, views
from wordline._core import WordlineError
from wordline.figures import is_unsure
from wordline.intervals import CONFIDENCE, student_t
from wordline.names import KINDS
from wordline.policies import naming
from wordline.policies.actions import index
from wordline.presets import DEFAULT_DEVICE, Given, schema_id
from wordline.scenario import Overrides, Scenario, joined, scenario_of, whole_seed
from wordline.simulation import objects_among, simulate, with_policies, with_traces
from wordline.study.pool import Pool, Telling, check_jobs

if TYPE_CHECKING:
    import pyarrow

    from wordline.result import Result
    from wordline.simulation import PathLike, Progress

LATENCIES = ("mean", "p50", "p90", "p95", "p99", "p99_9")

METRICS: dict[str, str] = {
    **{
        f"{direction}.{key}": unit
        for direction in KINDS
        for key, unit in (
            *((f"latency_ns.{name}", "ns") for name in LATENCIES),
            ("iops", "requests/s"),
            ("bandwidth_bytes_per_s", "bytes/s"),
        )
        if (direction, key) != ("flush", "bandwidth_bytes_per_s")
    },
    "waf": "",
    "energy.total_pj": "pJ",
    "energy.drive_pj": "pJ",
}
"""Figures of the summary: their path in `result.json`, and their unit."""


@dataclass(frozen=True)
class Metric:
    """A figure over several seeds."""

    metric: str
    """Its path in `result.json`."""
    unit: str
    """Its unit."""
    seeds: int
    """Seeds whose run has this figure."""
    mean: float
    """Over these seeds."""
    std: float | None
    """Standard deviation over seeds (n − 1 in the denominator); `None` for a single seed."""
    ci95: float | None
    """Half the width of the 95% confidence interval of the mean; `None` for a single seed."""
    min: float
    """Smallest of them."""
    max: float
    """Largest of them."""
    unsure: bool
    """Whether its interval exceeds the mean."""

    @classmethod
    def of(cls, metric: str, unit: str, values: list[float]) -> Metric:
        """From one value for each seed."""
        std = statistics.stdev(values) if len(values) > 1 else None
        half = None if std is None else student_t(len(values) - 1) * std / math.sqrt(len(values))
        # `fmean` rounds once, so the same value from every seed is its own mean.
        mean = statistics.fmean(values)
        ends = (min(values), max(values))
        return cls(metric, unit, len(values), mean, std, half, *ends, is_unsure(mean, half))


class Seeds(Mapping[int, "Result"]):
    """The results of one run by seed, in the order in which the seeds were given."""

    def __init__(self, results: dict[int, Result]) -> None:
        self._results = results

    def __getitem__(self, seed: int) -> Result:
        return self._results[seed]

    def __iter__(self) -> Iterator[int]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        first = next(iter(self.values()), None)
        return f"Seeds({', '.join(map(str, self))}: {first!r}, …)"

    def summary(self) -> dict[str, Metric]:
        """The main figures by their path in `result.json`; those that no seed has are left out."""
        found: dict[str, Metric] = {}
        for metric, unit in METRICS.items():
            values = [value for result in self.values() if (value := figure(result, metric)) is not None]
            if values:
                found[metric] = Metric.of(metric, unit, values)
        known = [derived.figures(result) for result in self.values()]
        for metric, unit in derived.UNITS.items():
            values = [figures[metric] for figures in known if metric in figures]
            if values:
                found[metric] = Metric.of(metric, unit, values)
        return found

    def notes(self) -> list[notes.Shared]:
        """What keeps results from being what they are taken for, and of which seeds."""
        found = notes.shared((f"seed {seed}", result["notes"]) for seed, result in self.items())
        known = [derived.figures(result) for result in self.values()]
        return [*found, *notes.shared([("all seeds", derived.withheld(known))])]

    def table(self) -> pyarrow.Table:
        """The summary, a row for each figure."""
        import pyarrow

        schema = pyarrow.schema(
            [
                ("metric", pyarrow.string()),
                ("unit", pyarrow.string()),
                ("seeds", pyarrow.uint32()),
                *((name, pyarrow.float64()) for name in ("mean", "std", "ci95", "min", "max")),
                ("unsure", pyarrow.bool_()),
            ]
        )
        return pyarrow.Table.from_pylist([asdict(row) for row in self.summary().values()], schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """The seeds and the summary as plain data: what `summary.json` holds."""
        rows = {name: asdict(row) for name, row in self.summary().items()}
        said = [note.to_dict() for note in self.notes()]
        form = schema_id("seeds")
        return {"schema": form, "seeds": list(self), "confidence": CONFIDENCE, "summary": rows, "notes": said}

    def save(self, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
        """Writes `summary.json`, `summary.parquet`, a folder `seed-N` for each and `report.html` of all;
        returns their paths. They take the place of all that Wordline wrote in this folder before.
        """
        return views.save(self, folder, command)


def figure(result: Mapping[str, Any], path: str) -> float | None:
    """The figure at a dotted path; `None` where a run has none, such as the latency of reads without any."""
    value: Any = result
    for key in path.split("."):
        if isinstance(value, Mapping) and value.get("requests") == 0:
            return None
        value = value[key] if value is not None else None
    return None if value is None else float(value)


def run_seeds(
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    seeds: int | Iterable[int] = 5,
    jobs: int | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    traces: PathLike | None = None,
    policies: Mapping[str, object] | None = None,
    **more: object,
) -> Seeds:
    """`run` with each of several seeds, side by side in `jobs` threads (default: one for each processor).

    `seeds` is a list of them, or a number *n* for 1 to *n*; all else is given as to `run`, without what is of
    one run alone: a prepared drive, a timeline, a log of requests. `policies` are classes, of which each seed
    has its own. Each thread holds a drive of its own in memory. The results don't depend on the number of
    threads.
    """
    _refuse_those_of_one_run(more)
    workload = with_traces(device, workload, traces)
    scenario = scenario_of(device, scheme, workload, overrides=joined(overrides, more), checked=checked)
    return side_by_side(scenario, seed_list(seeds), jobs, progress, policies)


_OF_ONE_RUN = {
    "seed": "seeds, one or several",
    "drive": "with `run` alone, as a drive is prepared with one seed",
    "timeline": "with `run` alone, as each seed would write the same file",
    "window": "with `run` alone, beside a timeline",
    "request_log": "with `run` alone, as each seed would write the same file",
}
"""Arguments of `run` that several seeds can't share, and where they are allowed."""


def _refuse_those_of_one_run(more: Mapping[str, object]) -> None:
    for name, allowed in _OF_ONE_RUN.items():
        if name in more:
            raise WordlineError(f"{name} = {more[name]!r}: allowed: {allowed}")


MOST_SEEDS = 100_000
"""Of one call."""


def seed_list(seeds: int | Iterable[int]) -> list[int]:
    """The seeds that a number or a list stands for."""
    allowed = f"allowed: a number from 1 to {MOST_SEEDS:,}, or different seeds from 0 on"
    try:
        count = index(seeds)
        given = list(seeds) if count is None else range(1, min(count, MOST_SEEDS + 1) + 1)  # type: ignore[arg-type]
    except TypeError:
        raise WordlineError(f"seeds {seeds!r}: {allowed}") from None
    numbers = [whole_seed(seed) for seed in given]
    if not 1 <= len(numbers) <= MOST_SEEDS or len(set(numbers)) < len(numbers):
        raise WordlineError(f"seeds {seeds}: {allowed}")
    return numbers


class _Together:
    """The progress of several runs as that of one: of their preparation up to the first request, and then of
    their requests.
    """

    def __init__(self, progress: Progress | None, runs: int) -> None:
        self._progress = progress
        self._preparing = getattr(progress, "preparing", None)
        self._runs = runs
        self._requests: dict[int, int] = {}
        self._prepared: dict[int, tuple[int, int, int]] = {}

    def of(self, seed: int) -> Progress:
        """That of one of them."""
        told = functools.partial(self.told, seed)
        return told if self._preparing is None else Telling(told, functools.partial(self.prepares, seed))

    def told(self, seed: int, requests: int, total: int | None, simulated_ns: int) -> None:
        self._requests[seed] = requests
        if self._progress is not None:
            done = sum(self._requests.values())
            self._progress(done, None if total is None else total * self._runs, simulated_ns)

    def prepares(self, seed: int, done: int, least: int, pages: int) -> None:
        self._prepared[seed] = (done, least, pages)
        if self._preparing is not None and not any(self._requests.values()):
            self._preparing(*(sum(part) for part in zip(*self._prepared.values(), strict=True)))


def _refuse_objects(policies: Mapping[str, object] | None) -> None:
    """Seeds that run side by side would share them, with their state."""
    naming(policies)
    objects = objects_among(policies)
    if objects:
        allowed = "a class, of which each seed has its own"
        raise WordlineError(f"policies: {objects[0]} = an object: allowed with several seeds: {allowed}")


def side_by_side(
    scenario: Scenario,
    seeds: list[int],
    jobs: int | None,
    progress: Progress | None,
    policies: Mapping[str, object] | None = None,
) -> Seeds:
    """Runs a scenario with each seed, in threads. The first failure stops the others and is raised."""
    check_jobs(jobs)
    _refuse_objects(policies)
    together = _Together(progress, len(seeds))
    with Pool(jobs) as pool:

        def one(seed: int) -> Result:
            watched = pool.stop.watched(together.of(seed))
            with with_policies(scenario.changed(seed=seed), policies) as own:
                return simulate(own, progress=watched)

        futures = {seed: pool.submit(one, seed) for seed in seeds}
        finished, _ = wait(futures.values(), return_when=FIRST_EXCEPTION)
        for future in futures.values():
            if future in finished:
                future.result()
        return Seeds({seed: future.result() for seed, future in futures.items()})
