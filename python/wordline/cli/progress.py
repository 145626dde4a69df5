"""Progress on stderr: how far, how fast, how long still. Nothing where stderr is no terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

    from wordline import simulation
    from wordline.study.runs import Outcome, Watcher


class Rate:
    """How many a second, as text."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._begin = time.monotonic()
        self._first: int | None = None

    def text(self, done: int) -> str:
        """The mean since the first call; empty before anything is known."""
        if self._first is None:
            self._first, self._begin = done, time.monotonic()
        passed = time.monotonic() - self._begin
        if passed < 0.05 or done <= self._first:
            return ""
        rate = (done - self._first) / passed
        number = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
        return f"{number} {self._unit}/s"


@contextlib.contextmanager
def _bar(*, counts: bool = False) -> Iterator[Progress | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: tuple[Any, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn() if counts else TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield bar


@contextlib.contextmanager
def requests_bar(before: str = "preparing the drive") -> Iterator[simulation.Progress | None]:
    """For a run: requests done, requests a second, time left where the end is known."""
    with _bar() as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(before, total=None, rate="")
        rate = Rate("requests")
        answered = False

        def update(requests: int, total: int | None, simulated_ns: int) -> None:
            nonlocal answered
            text = f"{requests:,} requests, {simulated_ns / 1e9:.2f} s simulated"
            if answered and total is not None and requests >= total:
                text = f"until the drive is idle, {simulated_ns / 1e9:.2f} s simulated"
            answered = total is not None and requests >= total
            bar.update(task, completed=requests, total=total, description=text, rate=rate.text(requests))

        yield update


@contextlib.contextmanager
def trace_bar() -> Iterator[simulation.Progress | None]:
    """For reading a trace, perhaps several times."""
    with _bar() as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("reading", total=None, rate="")
        rate = Rate("requests")

        def update(requests: int, total: int | None, time_ns: int) -> None:
            text = f"{requests:,} requests, up to {time_ns / 1e9:,.1f} s of the trace"
            bar.update(task, completed=requests, total=total, description=text, rate=rate.text(requests))

        yield update


@contextlib.contextmanager
def points_bar(name: str) -> Iterator[Watcher | None]:
    """For the points of a study."""
    with _bar(counts=True) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(name, total=None, rate="")
        rate = Rate("points")

        def update(outcome: Outcome) -> None:
            words = [name, f"{outcome.running} running"]
            words += [f"{outcome.kept} were there"] if outcome.kept else []
            words += [f"{outcome.failed} failed"] if outcome.failed else []
            ended, told = outcome.ended, ", ".join(words)
            bar.update(task, completed=ended, total=outcome.points, description=told, rate=rate.text(ended))

        yield update


@contextlib.contextmanager
def trials_bar(what: str = "trials") -> Iterator[Callable[[int, int], None] | None]:
    """For the trials of a search."""
    with _bar(counts=True) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=None, rate="")
        rate = Rate(what)
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=rate.text(done))


@contextlib.contextmanager
def exhibits_bar() -> Iterator[Callable[[str, Outcome], None] | None]:
    """For the exhibits of a paper, each with its points."""
    with _bar(counts=True) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None, rate="")
        rates: dict[str, Rate] = {}

        def update(exhibit: str, outcome: Outcome) -> None:
            text = rates.setdefault(exhibit, Rate("points")).text(outcome.ended)
            bar.update(task, completed=outcome.ended, total=outcome.points, description=exhibit, rate=text)

        yield update
