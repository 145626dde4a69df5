"""What the commands that run many points share."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wordline.study.runs import Outcome, Watcher

FAILURES = 1
"""Exit code when points failed: their errors are in the rows."""

OnOption = Annotated[
    str,
    typer.Option(
        "--on", metavar="PLACE", help="threads, tcp://HOST:PORT (a Dask scheduler), slurm, local (processes)."
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", help="Points at once. [default: one for each processor]", min=1)
]
RetryOption = Annotated[bool, typer.Option("--retry", help="Run points again that failed before.")]


@contextlib.contextmanager
def study_bar(name: str) -> Iterator[Watcher | None]:
    """A progress bar over points on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)

        def update(outcome: Outcome) -> None:
            words = [name, f"{outcome.running} running"]
            words += [f"{outcome.kept} were there"] if outcome.kept else []
            words += [f"{outcome.failed} failed"] if outcome.failed else []
            bar.update(task, completed=outcome.ended, total=outcome.points, description=", ".join(words))

        yield update
