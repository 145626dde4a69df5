"""`wordline compare`: schemes side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import (
    FAILURES,
    DeviceOption,
    FormatOption,
    JobsOption,
    JsonOption,
    OnOption,
    SetOption,
    SourceOption,
    command_line,
    override_pairs,
    presets_of,
    refuse_without_trace,
    say,
    show,
    source_pairs,
    writing_to,
)
from wordline.cli.progress import points_bar
from wordline.cli.running import seed_numbers
from wordline.presets import DEFAULT_DEVICE, DEFAULT_WORKLOAD


def compare(
    schemes: Annotated[
        list[str],
        typer.Option(
            "--schemes",
            "-s",
            metavar="A,B,…",
            help="Presets, TOML files, KEY=VALUE, or several joined by +. The first is the norm.",
            autocompletion=presets_of("scheme"),
        ),
    ],
    device: DeviceOption = DEFAULT_DEVICE,
    workloads: Annotated[
        list[str] | None,
        typer.Option(
            "--workload",
            "-w",
            metavar="W,…",
            help=f"Presets or TOML files. [default: {DEFAULT_WORKLOAD}]",
            autocompletion=presets_of("workload"),
        ),
    ] = None,
    traces: Annotated[
        list[str] | None, typer.Option("--trace", metavar="FILE", help="Replay this trace too. Repeatable.")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="PATH,…", help="Figures by their path in result.json."),
    ] = None,
    format: FormatOption = None,
    options: SourceOption = None,
    tail: Annotated[bool, typer.Option("--tail", help="Blame of the requests from p99 on.")] = False,
    overrides: SetOption = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="N|LIST", help="Means over seeds, with 95% intervals.")
    ] = None,
    jobs: JobsOption = None,
    on: OnOption = "threads",
    checked: Annotated[bool, typer.Option("--checked", help="Verify every read.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Write rows and a page there; what is there is not run again."
        ),
    ] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a row for each figure.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX tables (booktabs).")] = False,
) -> None:
    """Run schemes side by side on one drive, and say where the time went."""
    if as_json + as_csv + as_markdown + as_latex > 1:
        raise WordlineError("--json, --csv, --markdown and --latex exclude each other")
    from wordline import schemes as naming
    from wordline.comparison import run, sheets
    from wordline.files import usable_folder
    from wordline.presets import load, replay
    from wordline.scenario import Scenario

    given = naming.split(workloads or [])
    if not given and not traces:
        given = [DEFAULT_WORKLOAD]
    described = [
        (Path(name).stem if name.endswith(".toml") else name, load("workload", name)) for name in given
    ]
    refuse_without_trace(bool(traces), format, options)
    own = source_pairs(format, options)
    described += [(Path(trace).name, replay(trace, own)) for trace in traces or []]
    if out is not None:
        usable_folder(out)
    with writing_to(out):
        with points_bar("compare") as watch:
            found = run.run(
                Scenario(device, overrides=override_pairs(overrides), checked=checked),
                [naming.scheme(name) for name in naming.split(schemes)],
                described,
                seeds=seed_numbers(seeds, seed) if seeds is not None else [seed],
                jobs=jobs,
                on=on,
                folder=out,
                watch=watch,
            )
        say(found.remarks)
        listed = _metrics(found, metrics)
        found.wanted = listed
        written = found.save(out, command_line()) if out is not None else []
    if as_json:
        print(json.dumps(found.to_dict(listed)))
    elif as_csv:
        print(sheets.comma_separated(found, listed), end="")
    elif as_markdown:
        print(sheets.markdown(found, listed, "tail" if tail else "mean"), end="")
    elif as_latex:
        print(sheets.latex(found, listed, "tail" if tail else "mean"), end="")
    else:
        show(sheets.terminal(found, listed, "tail" if tail else "mean"))
        if written:
            print(f"\nWritten to {out}: {', '.join(path.name for path in written)}, and the rows")
    if found.errors:
        raise typer.Exit(FAILURES)


def _metrics(found: object, wanted: list[str] | None) -> list[str]:
    from wordline.comparison.figures import DEFAULT_METRICS, Comparison

    assert isinstance(found, Comparison)  # noqa: S101
    if not wanted:
        return found.metrics(DEFAULT_METRICS)
    listed = [path.strip() for text in wanted for path in text.split(",") if path.strip()]
    known = found.metrics(listed)
    missing = [path for path in listed if path not in known]
    if missing and not found.errors:
        raise WordlineError(
            f"--metric {missing[0]}: no run has it: allowed: numbers of result.json by their path"
        )
    return known


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Run schemes side by side on one drive.")(compare)
