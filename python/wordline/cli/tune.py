"""`wordline tune`: a search over parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline.cli.common import (
    FAILURES,
    DryRunOption,
    FirstSeedOption,
    JobsOption,
    JsonOption,
    OnOption,
    RetryOption,
    SeedsOption,
    SetOption,
    override_pairs,
    say,
    show,
)
from wordline.cli.progress import trials_bar
from wordline.cli.running import seeds_of

if TYPE_CHECKING:
    from wordline.tuning.file import TuneFile
    from wordline.tuning.search import Tuning


def tune(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A search, described in TOML.")],
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
    as_json: JsonOption = False,
) -> None:
    """Search for the parameters that make one or two figures best; started again it goes on where it was."""
    from wordline.folders import alone, usable
    from wordline.report.folders import write_study
    from wordline.tuning import search
    from wordline.tuning.file import read

    described = read(
        file,
        settings=override_pairs(overrides),
        seeds=seeds_of(seeds, seed),
    )
    folder = out if out is not None else Path(file).with_suffix("")
    usable(folder, search.NAMES)
    if dry_run:
        _say_planned(described, folder, as_json, on=on, jobs=jobs)
        return
    with alone(folder):
        with trials_bar() as watch:
            found = search.tune(described, folder, on=on, jobs=jobs, retry=retry, watch=watch)
        say(found.notes)
        page = write_study(folder, (search.TABLE, search.DESCRIBED))
    if as_json:
        best = [
            {
                "trial": one.number,
                "values": one.values,
                "objectives": one.objectives,
                "unsure": one.unsure,
            }
            for one in found.best()
        ]
        failed = sum(trial.objectives is None for trial in found.trials)
        said = [note.to_dict() for note in found.said()]
        print(json.dumps({"trials": len(found.trials), "failed": failed, "best": best, "notes": said}))
    else:
        _print(found)
        print(f"\nWritten to {folder}: {search.TABLE}, {page.name}")
    if not found.best():
        raise typer.Exit(FAILURES)


def _say_planned(described: TuneFile, folder: Path, as_json: bool, *, on: str, jobs: int | None) -> None:
    from wordline.cli.left import Time
    from wordline.study.store import Store
    from wordline.tuning import search

    at_ends = search.check_ends(described)
    of_trial = len(described.points(search.first_ends(described)))
    facts = {
        "trials": described.trials,
        "runs": described.trials * of_trial,
        "kept": len(Store(folder).status()),
    }
    at_once = min(described.batch, described.trials) * of_trial
    time = Time.of(at_ends, on=on, jobs=jobs, runs=facts["runs"], at_once=at_once)
    time.say_what_fails()
    if as_json:
        print(json.dumps(facts | time.facts()))
        return
    print(
        f"{facts['trials']:,} trials of {facts['runs']:,} runs at most; each parameter's ends are valid; "
        f"{facts['kept']:,} runs are kept in {folder}"
    )
    print(time.in_words())


def _print(found: Tuning) -> None:
    from rich.table import Table
    from rich.text import Text

    from wordline.figures import LEGEND, formatted_interval, heading

    described = found.described
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    kind = "best" if len(described.objectives) == 1 else "front"
    table.title = f"{described.name}: {len(found.trials)} trials, {kind}"
    table.title_justify = "left"
    for header in ("trial", *(heading(name) for name in described.objectives), *described.search):
        table.add_column(header, justify="right", overflow="fold")
    for trial in found.best():
        figures = [
            formatted_interval(name, (trial.objectives or {}).get(name), trial.halves.get(name))
            for name in described.objectives
        ]
        values = [
            f"{value:.4g}" if isinstance(value, float) else str(value) for value in trial.values.values()
        ]
        table.add_row(str(trial.number), *figures, *values)
    show(table)
    if any(trial.unsure for trial in found.best()):
        show(Text(LEGEND, style="dim"))
    for note in found.said():
        show(Text(f"note: {note.text()}", style="yellow"))
    failed = [trial for trial in found.trials if trial.error]
    if failed:
        print(f"{len(failed)} trials have no objectives; the first: {failed[0].error}")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Search for the best parameters.")(tune)
