"""Every `bash` and `python` block of README.md runs as it stands, in order, in one folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from blocks import blocks, run

BLOCKS = blocks(Path(__file__).parent.parent / "README.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_there_are_blocks_of_both_kinds() -> None:
    assert {language for language, _ in BLOCKS} == {"bash", "python"}


@pytest.mark.parametrize(
    ("language", "code"), BLOCKS, ids=[f"{n}-{block[0]}" for n, block in enumerate(BLOCKS)]
)
def test_block(folder: Path, language: str, code: str) -> None:
    run(folder, language, code)
