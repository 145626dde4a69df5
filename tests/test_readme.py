"""Every `bash` and `python` block of README.md runs as it stands, in order, and prints what is shown."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from blocks import blocks, run, shown

ROOT = Path(__file__).parent.parent

README = ROOT / "README.md"

BLOCKS = blocks(README)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_there_are_blocks_of_both_kinds() -> None:
    assert {language for language, _ in BLOCKS} == {"bash", "python"}


@pytest.mark.parametrize(
    ("language", "code"), BLOCKS, ids=[f"{n}-{block[0]}" for n, block in enumerate(BLOCKS)]
)
def test_block(folder: Path, language: str, code: str) -> None:
    printed = "\n".join(line.rstrip() for line in run(folder, language, code).splitlines())
    for part in shown(README, code):
        assert part in printed


def test_a_block_is_shown_with_what_it_prints() -> None:
    assert [bool(shown(README, code)) for _, code in BLOCKS].count(True) == 1


def test_the_demo_prints_what_is_shown(folder: Path) -> None:
    demo = runpy.run_path(str(ROOT / "scripts" / "demo.py"))
    for name, (options, _) in demo["RUNS"].items():
        result = json.loads(run(folder, "bash", f"{demo['COMMAND']}{options} --json"))
        assert f"{demo['line'](name, result)}\n" in README.read_text()
