"""Jobs of Slurm, or processes of this machine in their place, as an executor of `concurrent.futures`."""

from __future__ import annotations

import concurrent.futures
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.wording import argument

POLL_S = 0.2

MOST_ENDING_S = 5.0
"""What a process of this machine may take to end when it is cancelled."""

HOURS = 24
"""What a job asks Slurm for, unless SBATCH_TIMELIMIT and the like say otherwise."""


class SlurmExecutor(concurrent.futures.Executor):
    """Submits each call as a job through submitit. One thread asks which of them have ended."""

    def __init__(self, cluster: str, folder: Path) -> None:
        try:
            import submitit
        except ImportError:
            raise WordlineError("jobs of Slurm need the library: pip install 'wordline[cluster]'") from None
        try:
            self._executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
        except RuntimeError as error:
            raise WordlineError(f"{argument('on', cluster)}: {error}") from None
        self._executor.update_parameters(timeout_min=HOURS * 60, cpus_per_task=1, name="wordline")
        self._are_here = cluster == "local"
        self._jobs: dict[Future[Any], Any] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._poller = threading.Thread(target=self._poll, name="jobs", daemon=True)
        self._poller.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits a call."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        with self._lock, _interruptible():
            self._jobs[future] = self._executor.submit(fn, *args, **kwargs)
        return future

    def _poll(self) -> None:
        while not self._closed.wait(POLL_S):
            with self._lock:
                ended = [future for future, job in self._jobs.items() if job.done()]
                jobs = [(future, self._jobs.pop(future)) for future in ended]
            for future, job in jobs:
                try:
                    future.set_result(job.result())
                except Exception as error:
                    future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Cancels the jobs that are still there: nobody would take their results. Processes of this machine
        have ended then.
        """
        self._closed.set()
        self._poller.join()
        for job in self._jobs.values():
            job.cancel()
        end = time.monotonic() + (MOST_ENDING_S if self._are_here else 0)
        while time.monotonic() < end and not all(job.done() for job in self._jobs.values()):
            time.sleep(0.05)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Has processes that start meanwhile heed an interrupt, by which they are cancelled: a shell has what it
    starts in the background ignore it, and they would inherit that.
    """
    ignores = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if not ignores or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
