"""Runs points: all are validated first, finished ones are passed over, rows are stored as they come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from wordline._core import WordlineError
from wordline.scenario import Scenario
from wordline.study.executors import Executor, open_executor
from wordline.study.job import Job
from wordline.study.point import Inputs, Point
from wordline.study.row import DONE, FAILED, LOST, Row, row
from wordline.study.store import Store


@dataclass
class Outcome:
    """What a study came to so far."""

    points: int = 0
    """Different points in all."""
    kept: int = 0
    """Found done in the store."""
    failed_before: int = 0
    """Found in the store as failed by themselves, and left alone."""
    done: int = 0
    failed: int = 0
    running: int = 0
    errors: list[str] = field(default_factory=list)
    """The errors of the points that failed, before and in this call."""
    notes: list[str] = field(default_factory=list)
    """What the user should know of the rows that were there, a line each."""

    @property
    def ended(self) -> int:
        """Points that are over."""
        return self.kept + self.failed_before + self.done + self.failed


Watcher = Callable[[Outcome], None]


def validate(points: Sequence[Point], watch: Callable[[int], None] | None = None) -> list[Inputs]:
    """The inputs of all points. Raises `WordlineError` for the first that can't be run, with its place in the
    study.
    """
    found = []
    tried = _Tried()
    for number, point in enumerate(points):
        try:
            found.append(tried.inputs(point.scenario))
        except (WordlineError, OSError) as error:
            raise WordlineError(f"point {number + 1} of {len(points)}{_called(point)}: {error}") from None
        if watch is not None:
            watch(number + 1)
    return found


class _Tried:
    """The drives that were made for a try: once for all points that start with the same one."""

    def __init__(self) -> None:
        self._drives: set[str] = set()
        self._scenarios: set[object] = set()

    def inputs(self, scenario: Scenario) -> Inputs:
        """Those of a scenario whose drive can be made. What is described otherwise is tried at once, since to
        open a load twice may take long.
        """
        of_drive = tuple(pair for pair in scenario.overrides if not pair[0].startswith("workload."))
        described = (scenario.device, scenario.scheme, of_drive)
        if described in self._scenarios:
            inputs = Inputs.of(scenario, whole_drive=False)
            if inputs.drive_key in self._drives:
                return inputs
        inputs = Inputs.of(scenario)
        if inputs.drive_key is not None:
            self._drives.add(inputs.drive_key)
            self._scenarios.add(described)
        return inputs


def _called(point: Point) -> str:
    axes = ", ".join(f"{name} = {value}" for name, value in point.axes)
    return f" ({axes})" if axes else ""


class Study:
    """Many runs in one place, whose rows are kept in one folder."""

    def __init__(self, store: Store, executor: Executor, retry: bool = False) -> None:
        """With `retry` points that failed by themselves are run again, too."""
        self.store = store
        self._executor = executor
        self._retry = retry

    def run(
        self,
        points: Sequence[Point],
        *,
        inputs: Sequence[Inputs] | None = None,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Runs the points that the store doesn't have, and stores a row for each as it ends.

        A point that fails becomes a row with its error, and the others go on. A point whose machine failed it
        (a killed worker, no memory, no disk) is run again next time; one that failed by itself only where the
        study retries. `inputs` are those of `validate`, where the points have been validated.
        """
        found = validate(points) if inputs is None else inputs
        outcome = _run(_open_points(points, found), self._executor, self.store, self._retry, watch)
        outcome.notes = self.store.notes()
        return outcome

    def run_groups(
        self, groups: Iterable[Callable[[], Sequence[Point]]], columns: Sequence[str] | None = None
    ) -> list[list[Row] | WordlineError]:
        """The rows of each group of points, or `columns` of them, all groups run side by side; of a group
        that can't be made or run, the error.
        """
        found: list[list[Inputs] | WordlineError] = []
        points: list[Point] = []
        for group in groups:
            try:
                own = group()
                found.append(validate(own))
                points += own
            except WordlineError as error:
                found.append(error)
        inputs = [one for own in found if not isinstance(own, WordlineError) for one in own]
        self.run(points, inputs=inputs)
        rows = self.store.results((one.key for one in inputs), columns)
        return [own if isinstance(own, WordlineError) else [rows[one.key] for one in own] for own in found]


@contextlib.contextmanager
def open_study(
    store: Store, *, on: str = "threads", jobs: int | None = None, retry: bool = False
) -> Iterator[Study]:
    """A study on `jobs` threads or at another place (`on`), in whose folder nobody else writes meanwhile.
    With `retry` it runs points again that failed before.

    Raises `WordlineError` where somebody does, and for a place that can't be had. Where the block fails,
    Ctrl-C included, its runs are stopped.
    """
    with store.lock(), open_executor(on, jobs, store.folder) as executor:
        yield Study(store, executor, retry)


def _open_points(points: Sequence[Point], inputs: Iterable[Inputs]) -> list[tuple[Point, Inputs]]:
    """Each point once, those that share a drive or a trace one after another."""
    once = {found.key: (point, found) for point, found in zip(points, inputs, strict=True)}
    first: dict[str, int] = {}
    for number, (_, found) in enumerate(once.values()):
        for shared in (found.trace_key, found.drive_key):
            if shared is not None:
                first.setdefault(shared, number)

    def order(pair: tuple[Point, Inputs]) -> tuple[int, int]:
        found = pair[1]
        return first.get(found.trace_key or "", 0), first.get(found.drive_key or "", 0)

    return sorted(once.values(), key=order)


def _run(
    pairs: list[tuple[Point, Inputs]], executor: Executor, store: Store, retry: bool, watch: Watcher | None
) -> Outcome:
    status = store.status()
    done = [found.key for _, found in pairs if status.get(found.key) == DONE]
    failed = [] if retry else [found.key for _, found in pairs if status.get(found.key) == FAILED]
    settled = {*done, *failed}
    left = [pair for pair in pairs if pair[1].key not in settled]
    outcome = Outcome(points=len(pairs), kept=len(done), failed_before=len(failed))
    outcome.errors = [row["error"] for row in store.results(failed, ("key", "error")).values()]
    executor.expect([found for _, found in left])
    waiting = iter(_jobs(left, executor))
    running: dict[Future[Row], Job] = {}
    try:
        while True:
            while len(running) < executor.width and (job := next(waiting, None)) is not None:
                running[executor.submit(job)] = job
            outcome.running = len(running)
            if watch is not None:
                watch(outcome)
            if not running:
                return outcome
            ended, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                job = running.pop(future)
                _keep(_row_of(job, future), store, outcome)
                executor.ended(job)
            # A future that is kept keeps its result in the memory of the cluster, which would be made good if
            # lost.
            del ended
    except BaseException:
        executor.cancel(list(running))
        raise


def _jobs(pairs: list[tuple[Point, Inputs]], executor: Executor) -> Iterable[Job]:
    for point, found in pairs:
        yield executor.job(point, found)


def _row_of(job: Job, future: Future[Row]) -> Row:
    try:
        return future.result()
    except Exception as error:
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return row(job.point, job.inputs, None, text, LOST)


def _keep(made: Row, store: Store, outcome: Outcome) -> None:
    store.append(made)
    if made["status"] == DONE:
        outcome.done += 1
    else:
        outcome.failed += 1
        outcome.errors.append(made["error"])
