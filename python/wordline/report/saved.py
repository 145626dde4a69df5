"""Results into folders: their files, and the page of each."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet
from rich.console import Console

from wordline import views
from wordline.comparison.figures import Comparison
from wordline.comparison.saved import SAVED, described
from wordline.files import made_folder, write_text, written
from wordline.folders import replaced
from wordline.report import html
from wordline.report.folders import PAGE, comparison_body
from wordline.report.page import report_page, write_page
from wordline.report.runs import COMMAND
from wordline.report.terminal import TEXT_WIDTH, render
from wordline.result import Result
from wordline.seeds import Seeds


@views.write_folder.register
def _result(found: Result, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    with replaced(folder) as stage:
        names = _write_run(found, stage, command)
    return [Path(folder) / name for name in names]


def _write_run(found: Result, folder: Path, command: Sequence[str]) -> list[str]:
    """Writes a run into a new folder; returns the names of its files."""
    write_text(folder / "result.json", found.json() + "\n")
    if command:
        write_text(folder / COMMAND, json.dumps(list(command)) + "\n")
    with written(folder / "report.txt") as part, part.open("w", encoding="utf-8") as file:
        Console(file=file, width=TEXT_WIDTH).print(render(found))
    tables = found.tables()
    for name in tables:
        with written(folder / f"{name}.parquet") as part:
            pyarrow.parquet.write_table(found.table(name), part)
    html.write_report([folder], folder / PAGE)
    return ["result.json", "report.txt", PAGE, *(f"{name}.parquet" for name in tables)]


@views.write_folder.register
def _seeds(found: Seeds, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    with replaced(folder) as stage:
        write_text(stage / "summary.json", json.dumps(found.to_dict(), indent=2) + "\n")
        with written(stage / "summary.parquet") as part:
            pyarrow.parquet.write_table(found.table(), part)
        for seed, result in found.items():
            _write_run(result, made_folder(stage / f"seed-{seed}"), command)
        html.write_report([stage], stage / PAGE)
    names = ("summary.json", "summary.parquet", *(f"seed-{seed}" for seed in found), PAGE)
    return [Path(folder) / name for name in names]


@views.write_folder.register
def _comparison(found: Comparison, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    """Beside the rows that the folder holds."""
    title, body = comparison_body(found, command)
    with replaced(folder) as stage:
        write_text(stage / SAVED, described(found, command))
        write_page(stage / PAGE, report_page(title, body))
    return [Path(folder) / SAVED, Path(folder) / PAGE]
