"""The work of one point, wherever it is done: on a thread here, or in a process of a cluster."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass

from wordline import _core
from wordline._core import Drive, Held, WordlineError
from wordline.result import Result
from wordline.scenario import Scenario
from wordline.simulation import measure, prepare_drive
from wordline.study.point import Inputs, Point
from wordline.study.pool import StopFlag
from wordline.study.row import SERIES, Row, row
from wordline.study.shared import Shared

MOST_TRACES = 2
"""Traces kept in memory at once by a process that doesn't know what comes."""


@dataclass(frozen=True)
class Job:
    """A point that was validated, with its keys."""

    point: Point
    inputs: Inputs
    shares_drive: bool
    """Other points begin on the same drive."""
    shares_trace: bool
    build: str = _core.__build__


class Worker:
    """Runs jobs in this process, side by side in threads, and shares what they have in common."""

    def __init__(self, threads: int, stop: StopFlag) -> None:
        self._stop = stop
        self.drives: Shared[Drive] = Shared(max(threads, 1))
        self.traces: Shared[Held] = Shared(max(threads, MOST_TRACES))

    def run(self, job: Job) -> Row:
        """Runs a point to the end and returns its row; an error of the point is a row too."""
        self._stop.check()
        if job.build != _core.__build__:
            builds = f"{_core.__version__} ({_core.__build__}) here, asked for {job.build}"
            raise RuntimeError(f"another build of the simulator: {builds}")
        result = error = series = None
        try:
            measured = self._simulate(job)
            result, series = measured.json(), _series(measured)
        except WordlineError as failure:
            error = str(failure)
        return row(job.point, job.inputs, result, error, series=series)

    def _simulate(self, job: Job) -> Result:
        scenario, inputs = job.point.scenario, job.inputs
        held = drive = None
        progress = self._stop.watched()
        if job.shares_trace and inputs.trace_key is not None:
            held = self.traces.get(inputs.trace_key, lambda: _hold(scenario))
        if job.shares_drive and inputs.drive_key is not None:
            drive = self.drives.get(inputs.drive_key, lambda: prepare_drive(scenario, progress))
        measured = measure(scenario, progress=progress, drive=drive, held=held)
        if measured is None:
            raise RuntimeError("a run without an end of its own has stopped")
        # A row is kept by what its inputs are, whichever way they were set: no changed keys.
        return Result(measured)


def _series(measured: Result) -> str | None:
    """What a row keeps of the time series, if there is one."""
    if "series" not in measured.tables():
        return None
    table = measured.table("series")
    return json.dumps({name: table[name].to_pylist() for name in SERIES}, separators=(",", ":"))


def _hold(scenario: Scenario) -> Held | None:
    folder = str(scenario.workload.folder)
    return _core.hold(*scenario.texts(), overrides=scenario.settings(), base_dir=folder)


_worker: Worker | None = None
_worker_lock = threading.Lock()


def run_job(job: Job) -> Row:
    """`Worker.run` in a process that was started for this: what jobs share lives as long as the process."""
    global _worker
    with _worker_lock:
        if _worker is None:
            _worker = Worker(os.cpu_count() or 1, StopFlag())
    return _worker.run(job)
