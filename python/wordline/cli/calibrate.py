"""`wordline calibrate`: a drive's unpublished values, fitted to measurements of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordline.cli.common import (
    JobsOption,
    JsonOption,
    OnOption,
    RetryOption,
    SchemeOption,
    SetOption,
    override_pairs,
    show,
)

if TYPE_CHECKING:
    from wordline.calibration import Calibration
    from wordline.calibration.compare import Line
    from wordline.calibration.fit import Value


def calibrate(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="The preset or TOML file to start from.")],
    measured: Annotated[
        Path,
        typer.Argument(
            metavar="MEASURED",
            help="A table (CSV) of points of load, or a folder of results of fio (--output-format=json+), "
            "one file a point.",
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
        int, typer.Option("--requests", metavar="N", help="Requests of the probe at each point of a choice.")
    ] = 100_000,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder of preset, tables, pictures, rows. [default: the drive's name]",
        ),
    ] = None,
    scheme: SchemeOption = "baseline",
    overrides: SetOption = None,
    sampler: Annotated[
        str, typer.Option(help="tpe, random, nsga2: how the first third of the choices is made.")
    ] = "tpe",
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    on: OnOption = "threads",
    jobs: JobsOption = None,
    retry: RetryOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fit a drive's unpublished values to measurements of it; started again it goes on where it was.

    The simulated drive is measured as the real one was: full and overwritten at random, threads that write at
    an offered rate, and a probe whose response times count. Points of load that are held out judge the fit.

    --out gets a preset with the interval of each value, tables of measured and simulated percentiles, and
    pictures. Where the description that it begins with is nearer to the points held out, the preset is that.

    Example: wordline calibrate enterprise-tlc load.csv --free device.cell.program_ns=500_000..3_000_000
    """
    from wordline import calibration
    from wordline.cli.progress import trials_bar

    name = drive or (measured.resolve().name if measured.is_dir() else measured.stem)
    with trials_bar("choices") as watch:
        made = calibration.calibrate(
            device,
            measured,
            out if out is not None else Path(name),
            free=free or [],
            drive=drive,
            scheme=scheme,
            overrides=override_pairs(overrides),
            hold_out=hold_out,
            budget=budget,
            requests=requests,
            sampler=sampler,
            seed=seed,
            on=on,
            jobs=jobs,
            retry=retry,
            watch=watch,
        )
    if as_json:
        print(json.dumps(_summary(made)))
        return
    _print(made)


def _summary(made: Calibration) -> dict[str, Any]:
    return {
        "drive": made.problem.measured.name,
        "kept": made.verdict.kept,
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
    measured = made.problem.measured
    print(f"{measured.name}: kept: {made.verdict.text(made.problem.scenario.device.label)}")
    failed = f", {made.fit.failed} of which could not be run" if made.fit.failed else ""
    print(
        f"{made.fit.count} choices of values{failed}; of the best the mean square of the errors at the "
        f"points of the fit is {made.fit.best.objective:.3g}"
    )
    _show_values(made.values)
    for way in ("read", "write"):
        _show_points(made.lines, way)
    _show_errors(made)
    print(f"\nWritten to {made.preset}; tables and pictures (calibration.html) beside it")


def _show_values(values: Sequence[Value]) -> None:
    table = _table("Values", ("value", "fitted", "95% interval", "", "range", "before"))
    for one in values:
        value = one.free.setting(one.value)
        interval = (
            "–" if one.low is None or one.high is None else f"{_number(one.low)} to {_number(one.high)}"
        )
        span = "" if one.free.choices else f"{_number(one.free.low)} to {_number(one.free.high)}"
        before = "–" if one.free.base is None else _number(one.free.base)
        table.add_row(one.free.path, _number(value), interval, one.state, span, before)
    show(table)


def _show_points(lines: Sequence[Line], way: str) -> None:
    from wordline.figures import number
    from wordline.names import PERCENTILES

    names = [f"{way}s_per_s", *(f"{way}_{name}_us" for name in ("mean", "p50", "p99", "p99_9", "p99_99"))]
    heads = ["a second", *(PERCENTILES[name] for name in ("mean", "p50", "p99", "p99_9", "p99_99"))]
    table = _table(f"{way.capitalize()}s: measured → simulated, µs", ("load", "", *heads))
    for point in dict.fromkeys(line.point.name for line in lines):
        own = {line.figure: line for line in lines if line.point.name == point}
        cells = [f"{number(own[name].measured)} → {number(own[name].simulated)}" for name in names]
        table.add_row(point, "fitted" if own[names[0]].fitted else "held out", *cells)
    show(table)


def _show_errors(made: Calibration) -> None:
    found = {(one.figure, one.fitted): one for one in made.summaries}
    heads = (
        "figure", "fitted: before", "median", "largest", "held out: before", "median", "largest", "repeats"
    )  # fmt: skip
    table = _table("Errors, and the spread of the measurement's own repeats", heads)
    for figure in dict.fromkeys(one.figure for one in made.summaries):
        cells = []
        for fitted in (True, False):
            one = found.get((figure, fitted))
            before = "–" if one is None or one.before is None else _percent(one.before)
            cells += [before, *(["–"] * 2 if one is None else [_percent(one.median), _percent(one.largest)])]
        repeats = [
            one.repeats for (name, _), one in found.items() if name == figure and one.repeats is not None
        ]
        table.add_row(figure, *cells, _percent(max(repeats)) if repeats else "–")
    show(table)


def _table(title: str, heads: Sequence[str]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.title, table.title_justify = f"\n{title}", "left"
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    return table


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 1 else f"× {1 + share:.2f}"


def _number(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_number(one) for one in value)
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Fit a drive to measurements of a real one.")(calibrate)
