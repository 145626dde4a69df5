"""Every `bash` and `python` block of README.md runs as it stands, in order, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"

BLOCKS = re.findall(r"^```(bash|python)\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_there_are_blocks_of_both_kinds() -> None:
    assert {language for language, _ in BLOCKS} == {"bash", "python"}


@pytest.mark.parametrize(
    ("language", "code"), BLOCKS, ids=[f"{n}-{block[0]}" for n, block in enumerate(BLOCKS)]
)
def test_block(folder: Path, language: str, code: str) -> None:
    programs = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        [*programs[language], code],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    # On a slow machine there are lines of progress.
    assert [line for line in process.stderr.splitlines() if " so far" not in line] == []
