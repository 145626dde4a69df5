"""A headless browser for tests: of reports, and of what only runs in one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def chromium() -> str:
    """The browser's program; under CI its absence is a failure, elsewhere the test is skipped."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("CI") == "true":
            raise AssertionError("chromium is missing (Debian: apt install chromium)")
        pytest.skip("chromium is not installed (Debian: apt install chromium)")
    return found


def command(folder: Path, *arguments: str) -> list[str]:
    """Starts it with a profile of its own in this folder."""
    switches = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr")
    # A proxy that isn't there: whatever a page wanted from a network would be an error on the console.
    alone = ("--proxy-server=127.0.0.1:9", f"--user-data-dir={folder}")
    return [chromium(), *switches, *alone, *arguments]


DARK = "--blink-settings=preferredColorScheme=0"

PATIENT = "--virtual-time-budget=30000"
"""Waits for what a page does by itself."""


def browse(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Opens a file."""
    opened = command(page.parent / "browser", *arguments, page.resolve().as_uri())
    return subprocess.run(opened, capture_output=True, text=True, timeout=120)
