"""`wordline trace …`: looks into traces of requests, and changes their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline import _core, outputs, reads, simulation, standard_output
from wordline.cli.common import (
    FormatOption,
    JsonOption,
    SetOption,
    SkipOption,
    SourceOption,
    TransformOption,
    group,
    pairs_of,
    show,
    source_pairs,
    transform_pairs,
)
from wordline.cli.progress import trace_bar
from wordline.presets import replay
from wordline.streams import tell

app = group("Look into traces of requests.")

TraceArgument = Annotated[str, typer.Argument(metavar="FILE", help="A trace, plain or gz, zst, xz, bz2.")]


def _pairs(
    format: str | None,
    options: list[str] | None,
    transform: list[str] | None,
    overrides: list[str] | None,
    skip_bad_lines: bool,
) -> list[tuple[str, str]]:
    own = source_pairs(format, options)
    return own + pairs_of("workload.source", overrides, skip_bad_lines) + transform_pairs(transform)


@app.command("info")
def trace_info(
    file: TraceArgument,
    format: FormatOption = None,
    options: SourceOption = None,
    transform: TransformOption = None,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="PAGE", help="Write one self-contained page with plots.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Sum up a trace: requests, sizes, footprint, hot pages, page classes, reuse, popularity, arrivals."""
    pairs = _pairs(format, options, transform, overrides, skip_bad_lines)
    if html is not None:
        outputs.check("--html", html, outputs.PAGE, [Path(file)])
    with trace_bar() as progress:
        info = simulation.describe_trace(replay(file), pairs, progress)
    if html is not None:
        from wordline.report.trace_page import write_page_of

        write_page_of(html, file, info)
    if as_json:
        print(json.dumps(info.to_dict(), indent=2))
        return
    from wordline import report

    show(report.render_trace(file, info))
    if html is not None:
        print(f"\nWritten to {html}")


@app.command("convert")
def trace_convert(
    file: TraceArgument,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="File to write: .csv, .parquet, .trace (MQSim), .iolog (fio); then .gz, .zst, .xz, .bz2. "
            "- is standard output.",
        ),
    ],
    format: FormatOption = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="wordline, parquet, mqsim or fio_iolog. [default: by OUT's ending, else wordline]",
        ),
    ] = None,
    options: SourceOption = None,
    transform: TransformOption = None,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a trace, or what transformations make of it, in another form."""
    trace = replay(file)
    pairs = _pairs(format, options, transform, overrides, skip_bad_lines)
    taken = [Path(file), *reads.of_workload(trace, pairs)]
    piped = standard_output.is_meant(out, as_json)
    with standard_output.trace_output(out, taken) as name, trace_bar() as progress:
        requests, notes = _core.trace_convert(
            (trace.label, trace.text),
            pairs,
            base_dir=str(trace.folder),
            out=str(name),
            format=to,
            progress=progress,
        )
    if as_json:
        print(json.dumps({"requests": requests, "out": out, "notes": notes}))
        return
    say = tell if piped else print
    say(f"{requests:,} requests written to {'standard output' if piped else out}")
    for note in notes:
        say(f"note: {note}")
