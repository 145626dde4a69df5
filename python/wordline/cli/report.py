"""`wordline report` and `wordline diff`: pages of what was written, and what differs between two runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import JsonOption, show
from wordline.cli.progress import waiting_bar


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR…", help="What run, compare, sweep or tune wrote, or folders of such."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The page.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML page that opens anywhere, of runs side by side, comparisons, sweeps, searches.

    Of a folder of such folders it is a list of all, in which two runs can be laid side by side.
    """
    from wordline import outputs
    from wordline.report.folders import write_report

    outputs.check("--out", out, outputs.PAGE)
    with waiting_bar("drawing"):
        path = write_report(folders, out, title)
    facts = {"page": str(path), "bytes": path.stat().st_size}
    print(json.dumps(facts) if as_json else f"Written to {path}: {facts['bytes']:,} bytes")


def diff(
    one: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that a run wrote with --out.")],
    other: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FIO.json", help="Another one, or fio's JSON of the same jobs on a drive."
        ),
    ],
    every: Annotated[bool, typer.Option("--all", help="Every number, not the main ones.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what differs between two runs, or between a run and what fio measured on a drive.

    ≈ is a difference within its 95% interval, ? one that has none. The exit code is 0 whether they differ or
    not. A run of a job file stands beside the result of the same jobs (`fio --output-format=json`), job by
    job.
    """
    from wordline.report import differences
    from wordline.report.runs import load_runs

    if other.is_file():
        _diff_with_fio(one, other, every, as_json)
        return
    runs = load_runs([one, other])
    if len(runs) != 2:
        raise WordlineError(f"{one}, {other}: {len(runs)} runs: allowed: two; of several seeds name seed-N")
    first, second = runs
    found = differences.figures(first, second, every)
    if as_json:
        keys = {key: values for key, *values in differences.configuration(runs)}
        figures = {
            each.metric: {
                "values": each.values,
                "ratio": each.ratio,
                "same": each.same,
                "unsure": each.unsure,
            }
            for each in found
        }
        said = [note.to_dict() for note in differences.said(first, second)]
        print(json.dumps({"configuration": keys, "figures": figures, "notes": said}))
        return
    show(differences.render(first, second, found))


def _diff_with_fio(folder: Path, result: Path, every: bool, as_json: bool) -> None:
    from wordline.report import measured
    from wordline.report.runs import load_runs

    if every:
        raise WordlineError(f"--all: {result} is a result of fio: allowed: beside two runs")
    runs = load_runs([folder])
    if len(runs) != 1:
        raise WordlineError(f"{folder}: {len(runs)} runs: allowed: one; of several seeds name seed-N")
    found = measured.compare(runs[0], result)
    if as_json:
        print(json.dumps(measured.to_dict(found)))
    else:
        show(measured.render(runs[0], result, found))


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Write a page of runs, comparisons, sweeps, searches.")(report)
    app.command(short_help="Say what differs between two runs, or a run and fio.")(diff)
