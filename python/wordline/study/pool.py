"""Threads that run simulations side by side, and the flag that stops them all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from wordline._core import WordlineError
from wordline.policies.actions import index
from wordline.simulation import Progress
from wordline.wording import argument

P = ParamSpec("P")
T = TypeVar("T")


def check_jobs(jobs: int | None) -> None:
    """Raises `WordlineError` for what is no number of runs at once."""
    number = index(jobs)
    if jobs is not None and (number is None or number < 1):
        raise WordlineError(
            f"{argument('jobs', repr(jobs))}: allowed: 1 or more, or None: as many as processors"
        )


class StoppedError(Exception):
    """Another run failed, or the user interrupted."""


class StopFlag:
    """Ends runs: each when it next tells its progress, some ten times a second."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Stops the runs that watch it."""
        self._event.set()

    def check(self) -> None:
        """Raises `StoppedError` once it is set."""
        if self._event.is_set():
            raise StoppedError

    def watched(self, progress: Progress | None = None) -> Progress:
        """The progress of a run that heeds the flag; `progress` is told of it, and of the preparation where
        it can be.
        """

        def told(requests: int, total: int | None, simulated_ns: int) -> None:
            self.check()
            if progress is not None:
                progress(requests, total, simulated_ns)

        preparing = getattr(progress, "preparing", None)
        if preparing is None:
            return told

        def prepares(done: int, least: int, pages: int) -> None:
            self.check()
            preparing(done, least, pages)

        return Telling(told, prepares)


class Telling:
    """A `Progress` that is told of the preparation, too."""

    def __init__(self, told: Progress, preparing: Callable[[int, int, int], None]) -> None:
        self._told = told
        self.preparing = preparing

    def __call__(self, requests: int, total: int | None, simulated_ns: int) -> None:
        """As of `Progress`."""
        self._told(requests, total, simulated_ns)


class Pool:
    """Threads of this process, for simulations: they release the GIL. As a block it ends when all runs have,
    or where it fails, Ctrl-C included, stops them.
    """

    def __init__(self, threads: int | None = None) -> None:
        """By default a thread for each processor."""
        self.threads = threads or os.cpu_count() or 1
        self.stop = StopFlag()
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="run")

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hands over work, which is to watch `stop`."""
        return self._pool.submit(work, *args, **kwargs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        failed = kind is not None
        if failed:
            self.stop.set()
        self._pool.shutdown(wait=True, cancel_futures=failed)
