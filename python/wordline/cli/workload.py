"""`wordline workload`: from what was recorded on a real drive to a workload that runs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import outputs
from wordline._core import WordlineError
from wordline.cli.common import (
    FormatOption,
    JsonOption,
    SkipOption,
    SourceOption,
    TransformOption,
    say,
    source_pairs,
    transform_pairs,
)
from wordline.files import write_text

if TYPE_CHECKING:
    from wordline.logs.loads import Load


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Make a workload from iostat -x, a result of fio, or a trace.")(workload)


def workload(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Output of iostat -x, JSON of fio, or a trace.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the workload there. [default: stdout]"),
    ] = None,
    disk: Annotated[
        str | None, typer.Option("--disk", metavar="NAME", help="iostat: which of its devices.")
    ] = None,
    first_report: Annotated[
        bool,
        typer.Option("--first-report", help="iostat: count the first report, too: iostat ran with -y."),
    ] = False,
    peak: Annotated[
        bool, typer.Option("--peak", help="iostat: the busiest report in the place of the mean.")
    ] = False,
    closed: Annotated[
        bool,
        typer.Option(
            "--closed", help="iostat: a closed loop, as deep as Little's law says, not open arrivals."
        ),
    ] = False,
    requests: Annotated[
        int | None, typer.Option(help="iostat: length of the workload. [default: 100000]", min=1)
    ] = None,
    format: FormatOption = None,
    options: SourceOption = None,
    transform: TransformOption = None,
    skip_bad_lines: SkipOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a workload from a log: `iostat -x` (text or JSON), a result of fio, or a trace.

    What the log says stands in the workload's comments, and apart from it what is assumed because the log
    doesn't say. A load of iostat has rates, mix, sizes and depth; of fio the jobs that were run; of a trace
    its requests at their times.
    """
    if out is not None:
        outputs.check("--out", out, outputs.LOAD, [file])
    pairs = source_pairs(format, options) + transform_pairs(transform)
    if skip_bad_lines:
        pairs.append(("workload.source.skip_bad_lines", "true"))
    of_trace = [
        *(["--format"] if format else []),
        *(["--option"] if options else []),
        *(["--transform"] if transform else []),
        *(["--skip-bad-lines"] if skip_bad_lines else []),
    ]
    of_iostat = [
        *(["--disk"] if disk else []),
        *(["--first-report"] if first_report else []),
        *(["--peak"] if peak else []),
        *(["--closed"] if closed else []),
        *(["--requests"] if requests else []),
    ]
    kind = _kind(file) if not of_trace else "a trace"
    for given, wanted in ((of_iostat, "iostat -x"), (of_trace, "a trace")):
        if given and kind != wanted:
            raise WordlineError(f"{', '.join(given)}: {file} is {kind}: allowed: with {wanted}")
    if kind == "iostat -x":
        from wordline.logs import iostat, loads

        chosen, reports = iostat.read(str(file), _text(file), disk)
        load = loads.of_iostat(
            file.name,
            chosen,
            reports,
            requests=requests or 100_000,
            first=first_report,
            peak=peak,
            closed=closed,
        )
    elif kind == "a result of fio":
        load = _of_fio(file)
    else:
        load = _of_trace(file, pairs, out)
    if out is not None:
        with outputs.output("--out", out, outputs.LOAD, [file]):
            write_text(out, load.text)
    if as_json:
        facts = {"known": load.known, "assumed": load.assumed}
        where = {"workload": str(out)} if out is not None else {"text": load.text}
        print(json.dumps({**where, **facts}))
        return
    assumed = [f"assumed: {line}" for line in load.assumed]
    if out is None:
        print(load.text.rstrip())
        say(assumed)
    else:
        print("\n".join([*load.known, *assumed, f"Written to {out}"]))


def _kind(file: Path) -> str:
    """What a file is by its beginning; packed ones are traces."""
    from wordline.logs import fio, iostat

    start = outputs.head(file).decode("utf-8", "replace")
    if not start.isprintable() and "\0" in start:
        return "a trace"
    if "{" in start:
        # fio's warnings may be long.
        try:
            with file.open(encoding="utf-8", errors="replace") as opened:
                start = opened.read(1 << 16)
        except OSError as error:
            raise WordlineError(f"{file}: {error.strerror or error}") from None
        if '"sysstat"' in start:
            return "iostat -x"
        if fio.is_result(start):
            return "a result of fio"
    return "iostat -x" if iostat.is_text(start) else "a trace"


def _text(file: Path) -> str:
    from wordline.toml_files import read_text

    return read_text("log of iostat", file)


def _of_fio(file: Path) -> Load:
    """The jobs whose results these are."""
    from wordline import _core
    from wordline.logs import fio
    from wordline.logs.loads import described

    results = fio.read(file)
    jobs, missing = fio.job_file(results)
    label = f"{file} (its options, written as a job file)"
    text, notes = _core.fio_workload(file.name, label, jobs, file.resolve().parent, {}, [], [])
    known = [
        f"{job['jobname']}: {way}s {float(job[way]['iops']):,.1f}/s measured"
        for job in results.jobs
        for way in fio.WAYS
        if float(job.get(way, {}).get("iops", 0)) > 0
    ]
    return described(file.name, text, known, [*missing, *notes])


def _of_trace(file: Path, pairs: Sequence[tuple[str, str]], out: Path | None) -> Load:
    """The trace itself, at its own times."""
    from wordline import simulation
    from wordline.cli.progress import trace_bar
    from wordline.logs.loads import described
    from wordline.presets import replay, toml_string, toml_value
    from wordline.reads import with_paths
    from wordline.toml_files import value

    with trace_bar() as progress:
        info = simulation.describe_trace(replay(file), list(pairs), progress).to_dict()
    base = Path.cwd() if out is None else Path(os.path.realpath(out)).parent

    def from_there(path: str | Path) -> str:
        """A path as it is written in the workload's file."""
        return os.path.relpath(os.path.realpath(path), base)

    settings = {path.removeprefix("workload."): value(text) for path, text in pairs}
    reads, writes = info["reads"], info["writes"]
    known = [
        f"{info['requests']:,} requests: {reads['requests']:,} reads, mean size "
        f"{reads['size_bytes']['mean']:,.0f} bytes; {writes['requests']:,} writes, "
        f"{writes['size_bytes']['mean']:,.0f} bytes"
    ]
    assumed = [
        "arrivals: at the recorded times, whatever the drive answers",
        "drive: full, written once in order; one long in use: --set workload.start.layout=steady",
    ]
    lines = [
        f"name = {toml_string(file.name)}",
        'host.arrivals = "open"',
        'source.kind = "trace"',
        f"source.path = {toml_string(from_there(file))}",
        *(f"{key} = {toml_value(given)}" for key, given in with_paths(settings, from_there).items()),
        "",
    ]
    return described(file.name, "\n".join(lines), known, assumed)
