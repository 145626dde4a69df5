"""The commands of `wordline trace`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from wordline import _core, simulation
from wordline.console import JsonOption, SetOption, SkipOption, override_pairs, print_wide
from wordline.presets import replay
from wordline.twin_cli import register

trace_app = typer.Typer(help="Looks into traces of requests.", no_args_is_help=True)

TraceArgument = Annotated[str, typer.Argument(metavar="FILE", help="A trace, plain, gz or zst.")]


@trace_app.command("info")
def trace_info(
    file: TraceArgument,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sum up a trace: requests, sizes, duration, addresses.

    The form is told from the lines; --set workload.source.format=msr settles it, as do mqsim, ssdsim, disksim
    and wordline.
    """
    info = simulation.describe_trace(replay(file), override_pairs(overrides, skip_bad_lines))
    if as_json:
        print(json.dumps(info.to_dict(), indent=2))
        return
    from wordline import report

    print_wide(report.render_trace(file, info))


@trace_app.command("convert")
def trace_convert(
    file: TraceArgument,
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="File to write, packed if it ends in .gz or .zst.")
    ],
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a trace as CSV of Wordline's own form."""
    trace = replay(file)
    text = (trace.label, trace.text)
    pairs = override_pairs(overrides, skip_bad_lines)
    requests = _core.trace_convert(text, pairs, base_dir=str(trace.folder), out=out)
    print(
        json.dumps({"requests": requests, "out": out})
        if as_json
        else f"{requests:,} requests written to {out}"
    )


register(trace_app)
