"""`wordline calibrate`: a drive's unpublished values, fitted to measurements of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordline.cli.common import (
    DryRunOption,
    FormatOption,
    JobsOption,
    JsonOption,
    OnOption,
    RetryOption,
    SchemeOption,
    SetOption,
    SourceOption,
    TransformOption,
    override_pairs,
    say,
    show,
    source_pairs,
    transform_pairs,
)

if TYPE_CHECKING:
    from wordline.calibration import Calibration
    from wordline.calibration.compare import Line
    from wordline.calibration.tables import Table


def calibrate(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="The preset or TOML file to start from.")],
    measured: Annotated[
        Path,
        typer.Argument(
            metavar="MEASURED",
            help="A table (CSV) of points of load, a folder of results of fio (--output-format=json+), "
            "one file a point, or a trace with measured response times, or a folder of such.",
        ),
    ],
    free: Annotated[
        list[str] | None,
        typer.Option(
            "--free",
            metavar="PATH=LOW..HIGH",
            help="A value that is fitted, such as device.cell.program_ns=400_000..2_000_000; or PATH=A,B of "
            "several choices. Repeatable.",
        ),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option(
            "--also",
            metavar="FILE",
            help="A table (CSV) of what else was measured: rates in order and at random with WAF, rates by "
            "fill or pattern, the way to the steady state, or what the writing threads saw. Rates are fitted "
            "first. Repeatable.",
        ),
    ] = None,
    drive: Annotated[
        str | None, typer.Option("--drive", metavar="NAME", help="The drive, in a table of several.")
    ] = None,
    hold_out: Annotated[
        float,
        typer.Option(
            "--hold-out", metavar="SHARE", help="Share of the points of load that the fit doesn't see."
        ),
    ] = 0.5,
    budget: Annotated[
        int,
        typer.Option("--budget", metavar="N", help="Choices of values that are run, at every point.", min=1),
    ] = 100,
    requests: Annotated[
        int | None,
        typer.Option(
            "--requests",
            metavar="N",
            help="Requests of the probe at each point of a choice, or of each part of a trace. [default: as "
            "many as --minutes allow on two cores, 4,000 to 100,000]",
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="N", help="After which the search ends, with what it has.")
    ] = 5.0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder of preset, tables, pictures, rows. [default: the drive's name]",
        ),
    ] = None,
    format: FormatOption = None,
    options: SourceOption = None,
    transform: TransformOption = None,
    scheme: SchemeOption = "baseline",
    overrides: SetOption = None,
    sampler: Annotated[
        str, typer.Option(help="tpe, random, nsga2: how the first third of the choices is made.")
    ] = "tpe",
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    on: OnOption = "threads",
    jobs: JobsOption = None,
    retry: RetryOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fit a drive's unpublished values to measurements of it; started again it goes on where it was.

    The simulated drive is measured as the real one was: full and overwritten at random, threads that write at
    an offered rate, and a probe whose response times count. Points of load that are held out judge the fit. A
    trace is replayed at its own times, as by `wordline run --trace`, and its later parts are held out.

    The verdict comes first: better or not at the points held out, what isn't met and why, what to do next.
    --out gets a preset with the interval of each value, tables of measured and simulated percentiles, and
    pictures. Where the fitted values aren't better, the preset is the description that it begins with.

    --dry-run names the points, the free values with their ranges, and an estimate of the time.

    Example: wordline calibrate enterprise-tlc load.csv --free device.cell.program_ns=500_000..3_000_000
    """
    from wordline import calibration
    from wordline.cli.calibrate_plan import say_plan
    from wordline.cli.progress import trials_bar
    from wordline.scenario import scenario_of

    settings = source_pairs(format, options) + transform_pairs(transform) + override_pairs(overrides)
    if dry_run:
        problem = calibration.describe(
            scenario_of(device, scheme, overrides=settings, seed=seed), measured,
            free=free or [], also=also or [], drive=drive, hold_out=hold_out, budget=budget,
            requests=requests, minutes=minutes,
        )  # fmt: skip
        say(problem.measured.doubts)
        say_plan(problem, budget, jobs, as_json)
        return
    name = drive or calibration.name_of(measured, settings)
    with trials_bar("choices") as watch:
        made = calibration.calibrate(
            device,
            measured,
            out if out is not None else Path(name),
            free=free or [],
            also=also or [],
            drive=drive,
            scheme=scheme,
            overrides=settings,
            hold_out=hold_out,
            budget=budget,
            requests=requests,
            minutes=minutes,
            sampler=sampler,
            seed=seed,
            on=on,
            jobs=jobs,
            retry=retry,
            watch=watch,
            say=say,
        )
    if as_json:
        print(json.dumps(_summary(made)))
        return
    _print(made)


def _summary(made: Calibration) -> dict[str, Any]:
    return {
        "drive": made.problem.measured.name,
        "verdict": made.verdict.sentence(made.problem.scenario.device.label),
        "outcome": made.verdict.outcome,
        "kept": made.verdict.kept,
        "converged": made.findings.unfinished is None,
        "unfinished": made.findings.unfinished,
        "at_edge": {one.free.path: one.edge for one in made.findings.edges},
        "missed": [
            {
                "figure": one.figure,
                "worst": one.worst.point.name,
                "measured": one.worst.measured,
                "simulated": one.worst.simulated,
                "points": one.points,
                "of": one.of,
                "parts": dict(one.parts),
            }
            for one in made.findings.missed
        ],
        "next": list(made.findings.next),
        "notes": list(made.problem.measured.doubts),
        "distance": {
            "fitted": made.verdict.fitted,
            "described": made.verdict.described,
            "points": "held_out" if made.verdict.held_out else "fitted",
        },
        "begins_outside": list(made.verdict.outside),
        "preset": str(made.preset),
        "objective": made.fit.best.objective,
        "trials": made.fit.count,
        "failed": made.fit.failed,
        "values": {
            one.free.path: {
                "value": one.free.setting(one.value),
                "low": one.low,
                "high": one.high,
                "state": one.state,
                "by": "rates" if one.by_rates else "all",
            }
            for one in made.values
        },
        "errors": [
            {
                "figure": one.figure,
                "points": "fitted" if one.fitted else "held_out",
                "median": one.median,
                "largest": one.largest,
                "before": one.before,
                "repeats": one.repeats,
            }
            for one in made.summaries
        ],
    }


def _print(made: Calibration) -> None:
    from wordline.calibration.tables import rates_table, summary_table, values_table, ways_table

    measured = made.problem.measured
    print(f"{measured.name}: {made.verdict.sentence(made.problem.scenario.device.label)}")
    for line in made.findings.lines:
        print(line)
    failed = f", {made.fit.failed} of which could not be run" if made.fit.failed else ""
    print(
        f"{made.fit.count} choices of values{failed}, {made.problem.extent} at "
        f"each point; of the best the mean square of the errors at the points of the fit is "
        f"{made.fit.best.objective:.3g}"
    )
    _show(values_table(made.values))
    _show(rates_table(made.lines))
    _show(ways_table(made.lines))
    for way in ("read", "write"):
        _show_points([line for line in made.lines if line.point.timed], way)
    _show(summary_table(made.summaries))
    print(f"\nWritten to {made.preset}; tables and pictures (calibration.html) beside it")


def _show(made: Table) -> None:
    caption, heads, rows = made
    if not rows:
        return
    table = _table(caption, heads)
    for row in rows:
        table.add_row(*row)
    show(table)


def _show_points(lines: Sequence[Line], way: str) -> None:
    from wordline.calibration.protocol import STATISTICS
    from wordline.names import PERCENTILES

    heads = {f"{way}s_per_s": "a second"} | {f"{way}_{name}_us": PERCENTILES[name] for name in STATISTICS}
    # Of a trace rates are its own, and a part may have no writes.
    heads = {name: head for name, head in heads.items() if any(line.figure == name for line in lines)}
    if not heads:
        return
    table = _table(f"{way.capitalize()}s: measured → simulated, µs", ("load", "", *heads.values()))
    for point in dict.fromkeys(line.point.name for line in lines):
        own = {line.figure: line for line in lines if line.point.name == point}
        cells = [_cell(own.get(name)) for name in heads]
        table.add_row(point, "fitted" if next(iter(own.values())).fitted else "held out", *cells)
    show(table)


def _cell(line: Line | None) -> str:
    from wordline.figures import number

    return "–" if line is None else f"{number(line.measured)} → {number(line.simulated)}"


def _table(title: str, heads: Sequence[str]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.title, table.title_justify = f"\n{title}", "left"
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    return table


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Fit a drive to measurements of a real one.")(calibrate)
