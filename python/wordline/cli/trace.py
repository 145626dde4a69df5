"""`wordline trace …`: looks into traces of requests."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from wordline import _core, simulation
from wordline.cli.common import JsonOption, SetOption, SkipOption, override_pairs, show
from wordline.presets import replay

app = typer.Typer(help="Looks into traces of requests.", no_args_is_help=True)


TraceArgument = Annotated[str, typer.Argument(metavar="FILE", help="A trace, plain, gz or zst.")]


@app.command("info")
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

    show(report.render_trace(file, info))


@app.command("convert")
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
