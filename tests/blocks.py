"""Blocks of code of a page, run as they stand, in order, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAMS = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and code of each `bash` and `python` block."""
    return re.findall(r"^```(bash|python)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def shown(page: Path, code: str) -> list[str]:
    """The parts of what a block prints that the page shows behind it: `…` stands for the rest."""
    after = page.read_text().partition(f"\n{code}```\n")[2].split("```", 2)
    if len(after) < 3 or not after[1].startswith("console\n"):
        return []
    parts = after[1].removeprefix("console\n").split("…\n")
    return [part.strip("\n") for part in parts if part.strip()]


def run(folder: Path, language: str, code: str) -> str:
    """What a block prints; it must succeed without a word on stderr."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        [*PROGRAMS[language], code],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    # On a slow machine there are lines of progress.
    slow = (" so far", "prepared by overwriting")
    said = [line for line in process.stderr.splitlines() if not any(text in line for text in slow)]
    assert said == []
    return process.stdout
