"""Which lines of the engine a command runs (scripts/lines_run.py)."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "lines_run.py"

RUN = """
import wordline
load = {{"kind": "synthetic", "requests": 200, "read_share": 0.9, "sizes": 4096}}
wordline.run("hotr-tlc", {scheme!r}, {{"source": load, "host": {{"arrivals": "closed"}}}})
"""

here = platform.machine() == "x86_64" and shutil.which("objdump") and shutil.which("cc")


def lines_of_hotr(scheme: str) -> tuple[int, int]:
    """Lines of HotR that a run with this scheme runs, and all."""
    code = [sys.executable, "-c", RUN.format(scheme=scheme)]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--missing", "systems/src/hotr", *code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ended with" not in done.stderr, done.stderr
    missing = [row.split()[1:] for row in done.stdout.splitlines() if row.startswith("systems/src/hotr")]
    return sum(map(len, missing)), len(done.stdout.splitlines())


@pytest.mark.skipif(not here, reason="needs objdump and cc on x86-64")
def test_it_tells_the_lines_of_a_system_that_a_run_uses() -> None:
    without, rooms = lines_of_hotr("baseline")
    with_it, _ = lines_of_hotr("hotr")
    assert rooms > 10
    assert with_it < without - 50


@pytest.mark.parametrize(
    ("command", "environment", "said"),
    [
        ([], {}, "no command"),
        (["no-such-command"], {}, "no-such-command: No such file"),
        (["true"], {}, "no Python"),
        (["true"], {"CC": "no-such-compiler"}, "no-such-compiler: No such file"),
        (["true"], {"PATH": "/nowhere"}, "objdump: No such file"),
    ],
)
@pytest.mark.skipif(not here, reason="needs objdump and cc on x86-64")
def test_what_it_cannot_do_is_told_in_a_line(
    command: list[str], environment: dict[str, str], said: str
) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
