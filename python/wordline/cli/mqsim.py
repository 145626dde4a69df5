"""`wordline mqsim`: the scenarios of MQSim's own files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import (
    DryRunOption,
    FirstSeedOption,
    JsonOption,
    SeedsOption,
    SetOption,
    command_line,
    override_pairs,
    show,
)
from wordline.cli.left import say_what_is_left
from wordline.cli.progress import requests_bar

if TYPE_CHECKING:
    from wordline.mqsim.convert import IoScenario


def mqsim(
    configuration: Annotated[Path, typer.Option("-i", metavar="FILE", help="MQSim's ssdconfig.xml.")],
    workload: Annotated[Path, typer.Option("-w", metavar="FILE", help="MQSim's workload.xml.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write MQSim's result file there, result.json and tables."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Write it as TOML there; run only with --out."),
    ] = None,
    locked_victims: Annotated[
        bool,
        typer.Option(
            "--locked-victims",
            help="Reads and writes of a page that collection is to move wait until it is moved, as in MQSim, "
            "which loses them (defect 4 of docs/mqsim.md); here they are served then.",
        ),
    ] = False,
    checked: Annotated[
        bool, typer.Option("--checked", help="Verify every read, audit the map at the end.")
    ] = False,
    overrides: SetOption = None,
    seed: FirstSeedOption = None,
    seeds: SeedsOption = None,
    jobs: Annotated[
        int | None, typer.Option(help="Runs side by side. [default: one for each processor]", min=1)
    ] = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the scenarios of MQSim's own files, and write its result files; with `--seeds` means."""
    from wordline.cli.running import seeds_of
    from wordline.mqsim import command

    if export is not None and (overrides or seed is not None or seeds is not None or dry_run):
        raise WordlineError("--export: allowed: without --set, --seed, --seeds and --dry-run")
    if checked and export is not None and out is None:
        raise WordlineError("--checked: allowed: in a run: beside --export with --out")
    if jobs is not None and seeds is None:
        raise WordlineError("--jobs: allowed: with --seeds")
    found = command.scenarios(configuration, workload, export, locked_victims=locked_victims)
    if export is not None and out is None:
        notes = list(dict.fromkeys(note for scenario in found for note in scenario.notes))
        if as_json:
            print(json.dumps({"scenarios": len(found), "export": str(export), "notes": notes}))
        else:
            print("\n".join([*notes, f"scenarios written to {export}: {len(found)}"]))
        return
    settings = override_pairs(overrides)
    numbered = [(scenario, seeds_of(seeds, seed, scenario.seed) or [scenario.seed]) for scenario in found]
    if dry_run:
        runs = command.points(numbered, checked=checked, overrides=settings)
        say_what_is_left(runs, {}, as_json, on="threads", jobs=1 if seeds is None else jobs)
        return
    if seeds is not None:
        _over_seeds(numbered, out, checked=checked, jobs=jobs, settings=settings, as_json=as_json)
        return
    outcomes = command.run(
        found, workload, out, checked=checked, seed=seed, overrides=settings, progress=requests_bar()
    )
    if as_json:
        print(command.as_json(outcomes))
        return
    from wordline import report

    said: set[str] = set()
    for outcome in outcomes:
        print(f"Scenario {outcome.scenario.number} of {len(found)}")
        for note in outcome.notes:
            if note not in said:
                print(f"  {note}")
        said.update(outcome.notes)
        show(report.render(outcome.result))
        print(f"\nWritten: {', '.join(map(str, outcome.written))}\n")


def _over_seeds(
    numbered: Sequence[tuple[IoScenario, list[int]]],
    out: Path | None,
    *,
    checked: bool,
    jobs: int | None,
    settings: Sequence[tuple[str, str]],
    as_json: bool,
) -> None:
    from wordline.mqsim import over_seeds

    outcomes = over_seeds.run(
        numbered,
        out,
        checked=checked,
        jobs=jobs,
        overrides=settings,
        command=command_line(),
        progress=requests_bar(),
    )
    if as_json:
        print(over_seeds.as_json(outcomes))
        return
    from wordline import report

    for outcome in outcomes:
        print(f"Scenario {outcome.scenario.number} of {len(numbered)}")
        print("".join(f"  {note}\n" for note in outcome.notes), end="")
        show(report.render_seeds(outcome.results))
        if outcome.written:
            print(f"\nWritten: {', '.join(map(str, outcome.written))}\n")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Run the scenarios of MQSim's own files.")(mqsim)
