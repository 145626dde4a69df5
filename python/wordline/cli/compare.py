"""`wordline compare`: schemes side by side."""

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
    FormatOption,
    JobsOption,
    JsonOption,
    MetricOption,
    OnOption,
    RetryOption,
    SeedsOption,
    SetOption,
    SourceOption,
    command_line,
    listed_metrics,
    override_pairs,
    presets_of,
    refuse_without_trace,
    say,
    show,
    source_pairs,
    writing_to,
)
from wordline.cli.job_files import EnvOption, FioOption, OfJobs, SectionOption, is_job
from wordline.cli.left import say_what_is_left
from wordline.cli.progress import points_bar
from wordline.cli.running import seeds_of
from wordline.presets import DEFAULT_DEVICE, DEFAULT_WORKLOAD

if TYPE_CHECKING:
    from wordline.study.point import Inputs, Point


def compare(
    schemes: Annotated[
        list[str] | None,
        typer.Option(
            "--scheme",
            "--schemes",
            "-s",
            metavar="A,B,…",
            help="Presets, TOML files, KEY=VALUE, or several joined by +. The first is the norm. Repeatable. "
            "[default with several drives: baseline]",
            autocompletion=presets_of("scheme"),
        ),
    ] = None,
    devices: Annotated[
        list[str] | None,
        typer.Option(
            "--device",
            "-d",
            metavar="A,B,…",
            help=f"Presets or TOML files: each scheme runs on each. Repeatable. [default: {DEFAULT_DEVICE}]",
            autocompletion=presets_of("device"),
        ),
    ] = None,
    workloads: Annotated[
        list[str] | None,
        typer.Option(
            "--workload",
            "-w",
            metavar="W,…",
            help=f"Presets, TOML files, or job files of fio (.fio). [default: {DEFAULT_WORKLOAD}]",
            autocompletion=presets_of("workload"),
        ),
    ] = None,
    section: SectionOption = None,
    env: EnvOption = None,
    fio: FioOption = None,
    traces: Annotated[
        list[str] | None, typer.Option("--trace", metavar="FILE", help="Replay this trace too. Repeatable.")
    ] = None,
    metrics: MetricOption = None,
    format: FormatOption = None,
    options: SourceOption = None,
    tail: Annotated[bool, typer.Option("--tail", help="Blame of the requests from p99 on.")] = False,
    overrides: SetOption = None,
    seed: FirstSeedOption = None,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    on: OnOption = "threads",
    retry: RetryOption = False,
    dry_run: DryRunOption = False,
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
    """Run schemes side by side, on one drive or on several, and say where the time went."""
    if as_json + as_csv + as_markdown + as_latex > 1:
        raise WordlineError("--json, --csv, --markdown and --latex exclude each other")
    if tail and (as_json or as_csv):
        raise WordlineError("--tail: allowed: without --json and --csv, which have both")
    if dry_run and (as_csv or as_markdown or as_latex):
        raise WordlineError("--dry-run: allowed: with --json or without a format, as it has no table")
    if retry and out is None:
        raise WordlineError("--retry: allowed: with --out, the folder of what was run before")
    from wordline import schemes as naming
    from wordline.comparison import run, sheets
    from wordline.comparison.saved import NAMES
    from wordline.folders import usable
    from wordline.presets import replay
    from wordline.scenario import Scenario
    from wordline.study.store import Store

    wanted = listed_metrics(metrics)
    given = naming.split(workloads or [])
    if not given and not traces:
        given = [DEFAULT_WORKLOAD]
    of_jobs = OfJobs.given(section, env, fio)
    of_jobs.refuse_without_job(given)
    described = [
        run.named("workload", of_jobs.read(name) if is_job(name) and of_jobs.first else name)
        for name in given
    ]
    refuse_without_trace(bool(traces), format, options)
    own = source_pairs(format, options)
    described += [(Path(trace).name, replay(trace, own)) for trace in traces or []]
    drives = [run.named("device", name) for name in naming.split(devices or [])]
    listed = naming.split(schemes or [])
    if len(drives) < 2 and not listed:
        raise WordlineError(
            "no scheme: allowed: --scheme A,B,… of one or more, or several drives by --device"
        )

    def planned(runs: list[tuple[Point, Inputs]]) -> None:
        status = {} if out is None or not out.is_dir() else Store(out).status()
        say_what_is_left(runs, status, as_json, on=on, jobs=jobs, retry=retry)
        raise typer.Exit

    if out is not None:
        usable(out, NAMES)
    with writing_to(out):
        with points_bar("compare") as watch:
            found = run.run(
                Scenario(
                    drives[0][1] if drives else DEFAULT_DEVICE,
                    overrides=override_pairs(overrides),
                    checked=checked,
                ),
                [naming.scheme(name) for name in listed or ["baseline"]],
                described,
                drives=drives if len(drives) > 1 else None,
                seeds=seeds_of(seeds, seed) or [1],
                jobs=jobs,
                on=on,
                folder=out,
                retry=retry,
                planned=planned if dry_run else None,
                watch=watch,
            )
        say(found.remarks)
        figures = found.metrics(wanted, "--metric")
        found.wanted = figures
        written = found.save(out, command_line()) if out is not None else []
    if as_json or as_csv:
        say(sheets.failures_of(found))
    if as_json:
        print(json.dumps(found.to_dict(figures)))
    elif as_csv:
        print(sheets.comma_separated(found, figures), end="")
    elif as_markdown:
        print(sheets.markdown(found, figures, "tail" if tail else "mean"), end="")
    elif as_latex:
        print(sheets.latex(found, figures, "tail" if tail else "mean"), end="")
    else:
        show(sheets.terminal(found, figures, "tail" if tail else "mean"))
        if written:
            print(f"\nWritten to {out}: {', '.join(path.name for path in written)}, and the rows")
    if found.errors:
        raise typer.Exit(FAILURES)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Run schemes side by side on one drive.")(compare)
