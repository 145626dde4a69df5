"""`wordline sweep`, `merge` and `cluster`: many points, on this machine or on others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import (
    FAILURES,
    DryRunOption,
    FirstSeedOption,
    JobsOption,
    JsonOption,
    MetricOption,
    OnOption,
    RetryOption,
    SeedsOption,
    SetOption,
    listed_metrics,
    override_pairs,
    say,
    show,
)
from wordline.cli.left import say_what_is_left
from wordline.cli.progress import counted_bar, points_bar, waiting_bar
from wordline.cli.running import seeds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordline.sweeps.api import OpenSweep


def sweep(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A sweep, described in TOML.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the rows. [default: FILE without .toml]"),
    ] = None,
    overrides: SetOption = None,
    seed: FirstSeedOption = None,
    seeds: SeedsOption = None,
    on: OnOption = "threads",
    jobs: JobsOption = None,
    retry: RetryOption = False,
    dry_run: DryRunOption = False,
    metrics: MetricOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run every point of a sweep that isn't finished yet; its rows go to Parquet files as they come.

    A point is known by the hash of its inputs, contents of traces and the simulator's build included: the
    same sweep
    started again goes on where it was, and after a change runs what has changed.
    """
    from wordline.folders import alone, usable
    from wordline.report.folders import write_sweep
    from wordline.sweeps import api
    from wordline.sweeps.file import read

    wanted = listed_metrics(metrics)
    described = read(
        file,
        settings=override_pairs(overrides),
        seeds=seeds_of(seeds, seed),
    )
    folder = out if out is not None else Path(file).with_suffix("")
    if folder.is_file() or folder == Path(file):
        raise WordlineError(f"--out {folder}: allowed: a folder")
    usable(folder, api.NAMES)
    with counted_bar("validating", len(described.combinations) * len(described.seeds)) as validated:
        planned = api.plan(described, folder, validated)
    if dry_run:
        runs = list(zip(planned.points, planned.inputs, strict=True))
        say_what_is_left(runs, planned.store.status(), as_json, on=on, jobs=jobs, retry=retry)
        return
    with alone(folder):
        with points_bar(planned.name) as watch:
            outcome = planned.run(on=on, jobs=jobs, retry=retry, watch=watch)
        say(outcome.notes)
        page = write_sweep(folder, (api.TABLE, api.AVERAGES), wanted or ())
    table = folder / api.TABLE
    if as_json:
        print(json.dumps(_summary(planned, wanted or ()) | {"table": str(table)}))
    else:
        from wordline.sweeps import table as printed

        show(printed.render(planned, wanted))
        print(f"\nWritten to {folder}: {table.name}, {page.name}")
    if outcome.errors:
        raise typer.Exit(FAILURES)


def _summary(planned: OpenSweep, metrics: Sequence[str]) -> dict[str, object]:
    outcome = planned.outcome
    assert outcome is not None  # noqa: S101 -- it has run
    return {
        "points": outcome.points,
        "kept": outcome.kept,
        "done": outcome.done,
        "failed_before": outcome.failed_before,
        "failed": outcome.failed,
        "errors": outcome.errors,
        "notes": [note.to_dict() for note in planned.notes(metrics)],
    }


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders of sweeps.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder that takes their rows up.")],
    as_json: JsonOption = False,
) -> None:
    """Take up the rows of several sweeps in one folder: each point once."""
    from wordline.study.store import ROWS, Store

    for folder in folders:
        if not (folder / ROWS).is_dir():
            raise WordlineError(f"{folder}: not the folder of a sweep: it has no {ROWS}/")
    store = Store(out)
    others = [Store(folder) for folder in folders]
    with store.lock(), waiting_bar("taking up rows"):
        taken = sum(store.take(other) for other in others)
        say(f"{path}: damaged, left out" for other in others for path in other.damaged)
        say(store.notes())
    facts = {"taken": taken, "rows": len(store.status())}
    print(json.dumps(facts) if as_json else f"{taken:,} rows taken up; {facts['rows']:,} in {out}")


def cluster(
    workers: Annotated[int, typer.Option(help="Worker processes.", min=1)] = 2,
    port: Annotated[int, typer.Option(help="Port of the scheduler; 0 for any.", min=0, max=65535)] = 8786,
) -> None:
    """Start a Dask scheduler and workers on this machine, for a try of `--on tcp://127.0.0.1:PORT`."""
    import threading

    from wordline.study.dask import local_cluster

    with local_cluster(workers, port) as started:
        print(f"{started.scheduler_address}   {workers} workers; Ctrl-C ends them", flush=True)
        threading.Event().wait()


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(short_help="Run the points of a sweep that aren't finished yet.")(sweep)
    app.command(short_help="Take up the rows of several sweeps in one folder.")(merge)
    app.command(short_help="Start a Dask cluster on this machine, for a try.")(cluster)
