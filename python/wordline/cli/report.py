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
    other: Annotated[Path, typer.Argument(metavar="DIR", help="Another one.")],
    every: Annotated[bool, typer.Option("--all", help="Every number, not the main ones.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what differs between two runs: their configuration and their figures.

    ≈ is a difference within its 95% interval. The exit code is 0 whether they differ or not.
    """
    from wordline.report import differences
    from wordline.report.runs import load_runs

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


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Write a page of runs, comparisons, sweeps, searches.")(report)
    app.command(short_help="Say what differs between two runs.")(diff)
