"""Every notebook of the docs runs as it stands, in an empty folder, and gives what is kept in it.
`WORDLINE_BLESS=1` keeps what it gives.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))

VARIES = "varies"
"""Tag of a cell whose output has times of the wall clock, or names of folders, in it."""


def shown(cell: Any) -> list[str]:
    """What a cell shows, as text."""
    return [output.get("text") or output["data"]["text/plain"] for output in cell.get("outputs", [])]


def test_notebooks_keep_what_they_show() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"add-a-policy", "first-steps", "reproduce-a-figure"}
    for path in NOTEBOOKS:
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        kept = [bool(cell.outputs) for cell in cells]
        assert all(kept), path.name


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_SOURCE", str(NOTEBOOKS[0].parent.parent.parent))
    book = nbformat.read(path, as_version=4)
    kept = [shown(cell) for cell in book.cells]
    NotebookClient(
        book,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    if os.environ.get("WORDLINE_BLESS"):
        nbformat.write(book, path)
        return
    for cell, before in zip(book.cells, kept, strict=True):
        if VARIES not in cell.metadata.get("tags", []):
            assert shown(cell) == before, cell.source
