"""`wordline mqsim`: the scenarios of MQSim's own files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import DryRunOption, JsonOption, SetOption, override_pairs, show
from wordline.cli.left import say_what_is_left
from wordline.cli.progress import requests_bar


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
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Seed of everything random.", min=0, show_default="the files'"),
    ] = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the scenarios of MQSim's own files, and write its result files."""
    from wordline.mqsim import command

    if export is not None and (overrides or seed is not None or dry_run):
        raise WordlineError("--export: allowed: without --set, --seed and --dry-run")
    found = command.scenarios(configuration, workload, export, locked_victims=locked_victims)
    if export is not None and out is None:
        notes = list(dict.fromkeys(note for scenario in found for note in scenario.notes))
        if as_json:
            print(json.dumps({"scenarios": len(found), "export": str(export), "notes": notes}))
        else:
            print("\n".join([*notes, f"scenarios written to {export}: {len(found)}"]))
        return
    settings = override_pairs(overrides)
    if dry_run:
        runs = command.points(found, checked=checked, seed=seed, overrides=settings)
        say_what_is_left(runs, {}, as_json, on="threads", jobs=1)
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


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Run the scenarios of MQSim's own files.")(mqsim)
