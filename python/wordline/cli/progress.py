"""Progress on stderr: how far, how fast, how long still. A bar on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from wordline.streams import tell

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


EVERY_S = 10.0
"""Between two lines where there is no terminal."""


class Lines:
    """What a bar would show, as lines: of the work that was added last."""

    def __init__(self) -> None:
        self._told: dict[str, Any] = {"description": "", "total": None, "completed": 0, "rate": ""}
        self._begin = time.monotonic()
        self._first: tuple[float, float] | None = None

    def add_task(self, description: str, **told: Any) -> Any:
        """Begins work that is called so."""
        self._told = {"completed": 0, "description": description, **told}
        self._first = None
        return 0

    def update(self, _task: Any, **told: Any) -> None:
        """Tells how far it is."""
        self._told |= told
        if self._first is None:
            self._first = (time.monotonic(), self._told["completed"])

    def reset(self, _task: Any) -> None:
        """What is told next is of other work: the time that it takes still doesn't follow from what was."""
        self._first = None

    def text(self) -> str:
        """How far, how fast, how long it took and takes still."""
        told, now = self._told, time.monotonic()
        words = [str(told["description"])]
        if told["total"]:
            words.append(f"{min(told['completed'] / told['total'], 1.0):.0%}")
        words += [told["rate"]] if told["rate"] else []
        words.append(f"{brief(now - self._begin)} so far")
        done = 0 if self._first is None else told["completed"] - self._first[1]
        if self._first is not None and told["total"] and done > 0:
            left = (told["total"] - told["completed"]) * (now - self._first[0]) / done
            words.append(f"about {brief(max(left, 0.0))} left")
        return ", ".join(word for word in words if word)

    @contextlib.contextmanager
    def printed(self) -> Iterator[Lines]:
        """Prints a line from time to time, whatever the work is at."""
        ended = threading.Event()

        def tell_on() -> None:
            while not ended.wait(EVERY_S):
                tell(f"wordline: {self.text()}")

        teller = threading.Thread(target=tell_on, name="progress", daemon=True)
        teller.start()
        try:
            yield self
        finally:
            ended.set()
            teller.join()


def brief(seconds: float) -> str:
    """A time in the unit that suits it."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 7200 else f"{whole / 3600:.1f} h"


@contextlib.contextmanager
def _bar(*, counts: bool = False) -> Iterator[Progress | Lines]:
    if not sys.stderr.isatty():
        with Lines().printed() as lines:
            yield lines
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


LONG_S = 5.0
"""From then on a preparation says why it takes so long."""

WHY_LONG = (
    "the drive is prepared by overwriting its pages, since no formula says where that leads: a smaller "
    "device.capacity.user_bytes takes less; `wordline prepare` does it once for many runs"
)


class RequestsBar:
    """Of a run: first how far the preparation is, then requests done, a second, and the time left."""

    def __init__(self, bar: Progress | Lines, before: str) -> None:
        self._bar = bar
        self._task = bar.add_task(before, total=None, rate="")
        self._rate = Rate("requests")
        self._prepares = True
        self._answered = False
        self._long_at = time.monotonic() + LONG_S
        self._said_why = False

    def __call__(self, requests: int, total: int | None, simulated_ns: int) -> None:
        """Requests done, requests in all if known, simulated time."""
        if requests == 0 and simulated_ns == 0:
            return
        if self._prepares:
            # What follows takes its own time.
            self._prepares = False
            self._bar.reset(self._task)
        text = f"{requests:,} requests, {simulated_ns / 1e9:.2f} s simulated"
        if self._answered and total is not None and requests >= total:
            text = f"until the drive is idle, {simulated_ns / 1e9:.2f} s simulated"
        self._answered = total is not None and requests >= total
        rate = self._rate.text(requests)
        self._bar.update(self._task, completed=requests, total=total, description=text, rate=rate)

    def preparing(self, done: int, least: int, pages: int) -> None:
        """Overwrites done, those after which it ends at the earliest, pages that they go to."""
        if not self._said_why and time.monotonic() >= self._long_at:
            self._said_why = True
            tell(f"wordline: note: {WHY_LONG}")
        text = f"preparing the drive, overwritten {done / pages:.2f} of at least {least / pages:.2f} times"
        self._bar.update(self._task, completed=done, total=least, description=text)


@contextlib.contextmanager
def requests_bar(before: str = "preparing the drive") -> Iterator[RequestsBar]:
    """For a run."""
    with _bar() as bar:
        yield RequestsBar(bar, before)


@contextlib.contextmanager
def trace_bar() -> Iterator[simulation.Progress]:
    """For reading a trace, perhaps several times."""
    with _bar() as bar:
        task = bar.add_task("reading", total=None, rate="")
        rate = Rate("requests")

        def update(requests: int, total: int | None, time_ns: int) -> None:
            text = f"{requests:,} requests, up to {time_ns / 1e9:,.1f} s of the trace"
            bar.update(task, completed=requests, total=total, description=text, rate=rate.text(requests))

        yield update


@contextlib.contextmanager
def points_bar(name: str) -> Iterator[Watcher]:
    """For the points of a study."""
    with _bar(counts=True) as bar:
        task = bar.add_task(name, total=None, rate="")
        rate = Rate("points")

        def update(outcome: Outcome) -> None:
            words = [name, f"{outcome.running} running"]
            there = outcome.kept + outcome.failed_before
            words += [f"{there} were there"] if there else []
            words += [f"{outcome.failed} failed"] if outcome.failed else []
            ended, told = outcome.ended, ", ".join(words)
            bar.update(task, completed=ended, total=outcome.points, description=told, rate=rate.text(ended))

        yield update


@contextlib.contextmanager
def trials_bar(what: str = "trials") -> Iterator[Callable[[int, int], None]]:
    """For the trials of a search."""
    with _bar(counts=True) as bar:
        task = bar.add_task(what, total=None, rate="")
        rate = Rate(what)
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=rate.text(done))


@contextlib.contextmanager
def exhibits_bar() -> Iterator[Callable[[str, Outcome], None]]:
    """For the exhibits of a paper, each with its points."""
    with _bar(counts=True) as bar:
        task = bar.add_task("", total=None, rate="")
        rates: dict[str, Rate] = {}

        def update(exhibit: str, outcome: Outcome) -> None:
            text = rates.setdefault(exhibit, Rate("points")).text(outcome.ended)
            bar.update(task, completed=outcome.ended, total=outcome.points, description=exhibit, rate=text)

        yield update


@contextlib.contextmanager
def counted_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """For as many of something as there are."""
    with _bar(counts=True) as bar:
        task = bar.add_task(what, total=total, rate="")
        yield lambda done: bar.update(task, completed=done)


@contextlib.contextmanager
def waiting_bar(what: str) -> Iterator[None]:
    """For work that doesn't say how far it is."""
    with _bar() as bar:
        bar.add_task(what, total=None, rate="")
        yield
