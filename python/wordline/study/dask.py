"""A Dask cluster as an executor of `concurrent.futures`, and a small cluster for a try."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from wordline._core import WordlineError
from wordline.wording import argument

if TYPE_CHECKING:
    import distributed

WAIT_S = 20
"""How long a scheduler may take to answer."""

IN_FLIGHT = 4
"""Jobs handed over for each thread of the cluster: a worker never waits for this process."""


def library() -> None:
    """Raises `WordlineError` unless Dask is installed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise WordlineError("a Dask cluster needs the library: pip install 'wordline[cluster]'") from None


@contextlib.contextmanager
def connect(address: str) -> Iterator[tuple[Executor, int]]:
    """The cluster at this address, and how many jobs to hand over at once.

    A job of a worker that dies is given to another one. Only what was not answered yet is run again.
    """
    library()
    import distributed

    try:
        client = distributed.Client(address, timeout=WAIT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise WordlineError(f"{argument('on', address)}: no Dask scheduler answers there: {error}") from None
    with client:
        threads = sum(client.nthreads().values())
        yield client.get_executor(pure=False), max(threads, 1) * IN_FLIGHT


@contextlib.contextmanager
def local_cluster(workers: int, port: int) -> Iterator[distributed.LocalCluster]:
    """A scheduler and worker processes of one thread on this machine; dead ones are started again."""
    library()
    import distributed

    try:
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            scheduler_port=port,
            dashboard_address=None,
            # Workers that end log the connections they lose; errors of jobs go to who asked for them.
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise WordlineError(
            f"{argument('port', port)}: no cluster can be started: {_innermost(error)}"
        ) from None
    with cluster:
        yield cluster


def _innermost(error: BaseException) -> BaseException:
    """What was wrong in the first place."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
