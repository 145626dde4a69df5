"""`wordline tune`: a search over parameters."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline.cli.common import JsonOption, show
from wordline.cli.studies import JobsOption, OnOption

if TYPE_CHECKING:
    from wordline.tuning.search import Tuning, Watch


def tune(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A search, described in TOML.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the rows. [default: FILE without .toml]"),
    ] = None,
    on: OnOption = "threads",
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search for the parameters that make one or two figures best; started again it goes on where it was."""
    from wordline.tuning import search

    folder = out if out is not None else Path(file).with_suffix("")
    with progress("trials") as watch:
        found = search.tune(file, folder, on=on, jobs=jobs, watch=watch)
    if as_json:
        best = [
            {"trial": one.number, "values": one.values, "objectives": one.objectives} for one in found.best()
        ]
        failed = sum(trial.objectives is None for trial in found.trials)
        print(json.dumps({"trials": len(found.trials), "failed": failed, "best": best}))
        return
    _print(found)
    print(f"\nWritten to {folder / search.TABLE}")


def _print(found: Tuning) -> None:
    from rich.table import Table

    from wordline.figures import formatted, heading

    described = found.described
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    kind = "best" if len(described.objectives) == 1 else "front"
    table.title = f"{described.name}: {len(found.trials)} trials, {kind}"
    table.title_justify = "left"
    for header in ("trial", *(heading(name) for name in described.objectives), *described.search):
        table.add_column(header, justify="right", overflow="fold")
    for trial in found.best():
        figures = [formatted(name, (trial.objectives or {}).get(name)) for name in described.objectives]
        values = [
            f"{value:.4g}" if isinstance(value, float) else str(value) for value in trial.values.values()
        ]
        table.add_row(str(trial.number), *figures, *values)
    show(table)
    failed = [trial for trial in found.trials if trial.error]
    if failed:
        print(f"{len(failed)} trials could not be run; the first: {failed[0].error}")


@contextlib.contextmanager
def progress(what: str) -> Iterator[Watch | None]:
    """A progress bar on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(tune)
