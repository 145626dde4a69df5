"""The site of the documentation builds without a warning, with references generated from the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


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
    assert (tmp_path / "research.html").is_file()
