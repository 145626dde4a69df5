"""Where points are run: threads of this process, a Dask cluster, jobs of Slurm. All look like
`concurrent.futures`.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from wordline._core import WordlineError
from wordline.study.job import Job, Worker, run_job
from wordline.study.point import Inputs, Point
from wordline.study.pool import Pool, check_jobs
from wordline.study.row import Row
from wordline.wording import argument

PLACES = "threads, tcp://HOST:PORT of a Dask scheduler, slurm, or local (processes as Slurm would start them)"

OF_DASK = ("tcp://", "tls://")
"""How addresses of its schedulers begin."""


class Executor(ABC):
    """Runs jobs through an executor of `concurrent.futures`."""

    width: int
    """Jobs that are handed over at once."""

    @abstractmethod
    def submit(self, job: Job) -> Future[Row]:
        """Hands over a job."""

    def job(self, point: Point, inputs: Inputs) -> Job:
        """The job of a point. Elsewhere nothing is known of what else a process will get: it shares what it
        can.
        """
        return Job(point, inputs, shares_drive=True, shares_trace=True)

    def expect(self, inputs: list[Inputs]) -> None:  # noqa: B027 -- most need not know
        """Tells of all jobs to come."""

    def ended(self, job: Job) -> None:  # noqa: B027
        """Tells that a job is over."""

    def cancel(self, running: list[Future[Row]]) -> None:
        """Gives up jobs."""
        for future in running:
            future.cancel()


class Threads(Executor):
    """Threads of this process. Simulations release the GIL; drives and traces are shared."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._worker = Worker(pool.threads, pool.stop)
        self.width = pool.threads

    def submit(self, job: Job) -> Future[Row]:
        """Hands over a job."""
        return self._pool.submit(self._worker.run, job)

    def job(self, point: Point, inputs: Inputs) -> Job:
        """A job that shares its drive and its trace if others want the same."""
        drives, traces = self._worker.drives, self._worker.traces
        shares_drive = inputs.drive_key is not None and drives.is_shared(inputs.drive_key)
        shares_trace = inputs.trace_key is not None and traces.is_shared(inputs.trace_key)
        return Job(point, inputs, shares_drive, shares_trace)

    def expect(self, inputs: list[Inputs]) -> None:
        """Counts who wants which drive and which trace."""
        for found in inputs:
            if found.drive_key is not None:
                self._worker.drives.expect(found.drive_key)
            if found.trace_key is not None:
                self._worker.traces.expect(found.trace_key)

    def ended(self, job: Job) -> None:
        """Lets go what nobody wants any more."""
        if job.inputs.drive_key is not None:
            self._worker.drives.done(job.inputs.drive_key)
        if job.inputs.trace_key is not None:
            self._worker.traces.done(job.inputs.trace_key)

    def cancel(self, running: list[Future[Row]]) -> None:
        """Stops the runs, too."""
        self._pool.stop.set()
        super().cancel(running)


class Elsewhere(Executor):
    """Processes behind any executor that takes a function and its argument."""

    def __init__(self, pool: concurrent.futures.Executor, width: int) -> None:
        self._pool = pool
        self.width = width

    def submit(self, job: Job) -> Future[Row]:
        """Hands over a job."""
        return self._pool.submit(run_job, job)


def refuse_unknown(place: str) -> None:
    """Raises `WordlineError` for a place that isn't known."""
    if place not in ("threads", "slurm", "local") and not place.startswith(OF_DASK):
        raise WordlineError(f"{argument('on', place)}: allowed: {PLACES}")


@contextlib.contextmanager
def open_executor(
    on: str = "threads", jobs: int | None = None, folder: Path | None = None
) -> Iterator[Executor]:
    """The executor of a place. `jobs` bounds the points that run at once; `folder` is for the files of
    Slurm's jobs.

    Raises `WordlineError` for an unknown place, one whose library isn't installed, or one that can't be
    reached.
    """
    refuse_unknown(on)
    check_jobs(jobs)
    if on == "threads":
        with Pool(jobs) as pool:
            yield Threads(pool)
    elif on.startswith(OF_DASK):
        from wordline.study.dask import connect

        with connect(on) as (pool, width):
            yield Elsewhere(pool, jobs or width)
    else:
        from wordline.study.slurm import SlurmExecutor

        with SlurmExecutor(on, (folder or Path()) / "jobs") as pool:
            yield Elsewhere(pool, jobs or (os.cpu_count() or 1 if on == "local" else 256))
