"""Drives that were overwritten to begin in their steady state, kept in files for the next run on the same.

A file is named by the hash of everything that the drive depends on, the build of the simulator
included, so one that is there is the right one. Only drives that took a while are kept. Together the
files take at most `MOST_BYTES`: those not used for longest go first.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from wordline._core import Drive, WordlineError
from wordline.scenario import Scenario
from wordline.simulation import Progress, Ready, prepare_drive
from wordline.study.point import Inputs

FOLDER_VARIABLE = "WORDLINE_DRIVES"
"""Names the folder; empty: nothing is kept."""

MOST_BYTES = 8 << 30

KEPT_FROM_S = 1.0
"""Drives that are ready sooner aren't kept."""

SUFFIX = ".drive"


def folder() -> Path | None:
    """Where drives are kept; `None` where they aren't."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "wordline" / "drives"


def ready(scenario: Scenario, progress: Progress | None) -> Ready | None:
    """The drive of a run, from its file or prepared now and kept.

    `None` for one that is ready at once, or that depends on the requests one by one: the run prepares it. A
    folder that can't be written to is no mistake: then nothing is kept.
    """
    place = folder()
    if place is None:
        return None
    inputs = Inputs.of(scenario, whole_drive=False)
    if inputs.drive_key is None or not inputs.overwrites:
        return None
    path = place / (inputs.drive_key + SUFFIX)
    if path.exists():
        with contextlib.suppress(OSError):
            os.utime(path)
        return Ready(None, path, "kept from a run before")
    began = time.monotonic()
    drive = prepare_drive(scenario, progress)
    if time.monotonic() - began < KEPT_FROM_S:
        return Ready(drive, None, "prepared")
    return Ready(drive, None, "prepared and kept" if _keep(drive, path) else "prepared")


def is_broken(begun_on: Ready, error: WordlineError) -> bool:
    """Whether a run failed because of the file that was kept, which is removed then."""
    if begun_on.file is None or str(begun_on.file) not in str(error):
        return False
    begun_on.file.unlink(missing_ok=True)
    return True


def _keep(drive: Drive, path: Path) -> bool:
    """Writes a drive, and removes others until there is room; whether it is there then."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        drive.save(path)
    except (OSError, WordlineError):
        return False
    _bound(path.parent)
    return path.exists()


def _bound(place: Path) -> None:
    """Removes what was not used for longest until the rest is within the bound."""
    files = []
    for file in place.glob(f"*{SUFFIX}"):
        # Another run may have removed it.
        with contextlib.suppress(OSError):
            files.append((file.stat().st_mtime_ns, file.stat().st_size, file))
    left = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if left <= MOST_BYTES:
            return
        with contextlib.suppress(OSError):
            file.unlink()
        left -= size
