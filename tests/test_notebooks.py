"""Every notebook of the docs runs as it stands, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks_without_stored_results() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"add-a-policy", "first-steps", "reproduce-a-figure"}
    for path in NOTEBOOKS:
        book = nbformat.read(path, as_version=4)
        assert not any(cell.get("outputs") for cell in book.cells), path.name


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_SOURCE", str(NOTEBOOKS[0].parent.parent.parent))
    book = nbformat.read(path, as_version=4)
    NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
