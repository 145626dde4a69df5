"""The site builds without a warning, with references generated from the code; pages can be read in one go."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import blocks, run
from prose import too_long, words

ROOT = Path(__file__).parents[1]

DOCS = ROOT / "docs"

PAGES = sorted(
    [
        ROOT / "README.md",
        *(page for page in DOCS.rglob("*.md") if not {"results", "reference"} & set(page.parts)),
    ]
)
"""What is written by hand."""

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def test_the_site_builds_and_names_every_command_and_key(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", str(DOCS), str(tmp_path)]
    process = subprocess.run(build, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    commands = (tmp_path / "reference" / "commands.html").read_text()
    simple = ("run", "compare", "sweep", "tune", "calibrate", "repro", "report")
    for command in (*simple, "show combinations", "trace info"):
        assert f"wordline {command}<" in commands, command
    assert "--timeline" in commands
    configuration = (tmp_path / "reference" / "configuration.html").read_text()
    for key in ("user_bytes", "queue_depth", "trigger"):
        assert key in configuration, key
    assert "wordline.comparison.run.compare" in (tmp_path / "reference" / "python.html").read_text()
    keys = (tmp_path / "reference" / "keys.html").read_text()
    for key in ("scheme.gc.background", "workload.source.ycsb", "wal_sync_bytes"):
        assert key in keys, key
    results = (tmp_path / "reference" / "results.html").read_text()
    for field in ("bandwidth_bytes_per_s", "intervals.figures", "free_superblocks_min", "die_wait"):
        assert field in results, field
    for page, kind in {
        "guides/size-a-drive": "Guide",
        "statistics": "Reference",
        "start": "Explanation",
    }.items():
        assert f">{kind}</p>" in (tmp_path / f"{page}.html").read_text(), page


def test_every_page_has_a_kind() -> None:
    sys.path.insert(0, str(DOCS))
    kinds = importlib.import_module("kinds").of_pages(DOCS)
    written = {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES if DOCS in page.parents}
    assert written - {"index"} - kinds.keys() == set()
    assert {kind for page, kind in kinds.items() if page.startswith("guides/")} == {"Guide"}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_has_at_most_2500_words_and_its_sentences_30(page: Path) -> None:
    count = words(page.read_text())
    assert count <= (900 if page.parent.name == "guides" else 2500)
    assert too_long(page, 30) == []


def test_all_pages_together_have_at_most_45000_words() -> None:
    counts = {name: words(page.read_text()) for name, page in zip(NAMES, PAGES, strict=True)}
    assert sum(counts.values()) <= 45_000, counts


@pytest.mark.parametrize("page", ["embedding", "research"])
def test_the_python_of_a_reference_runs(page: str, tmp_path: Path) -> None:
    found = [code for language, code in blocks(DOCS / f"{page}.md") if language == "python"]
    assert found
    for code in found:
        run(tmp_path, "python", code)
