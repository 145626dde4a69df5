"""`wordline report`: a page of one run, or of several side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import JsonOption


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders that runs wrote with --out.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The page.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML page that opens anywhere: response times, blame, series, maps, configuration."""
    from wordline.report.html import write_report

    path = write_report(folders, out, title)
    facts = {"page": str(path), "bytes": path.stat().st_size}
    print(json.dumps(facts) if as_json else f"Written to {path}: {facts['bytes']:,} bytes")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(report)
