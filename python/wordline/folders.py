"""Folders that results are written to: one writer at a time, and the files of what was written last.

A folder keeps a list of the files that Wordline wrote there. What is written next takes their place as a
whole: it is made in a folder inside (`STAGE`), which is renamed when all of it is there (`MOVING`), and
goes when old files are removed and new ones moved in. Where a writer was killed before that, the folder holds
what it held; where it was killed meanwhile, it is no result to any reader. What isn't on the list stays.
A result takes the place of one of its own kind only.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from wordline import outputs
from wordline._core import WordlineError
from wordline.files import (
    locked,
    made_folder,
    missing,
    named,
    reason,
    remove_empty,
    usable_folder,
    write_text,
)

LOCK = ".lock"

LISTED = ".wordline.json"
"""The names of the files that Wordline wrote."""

STAGE = ".writing"
"""Where new files are until all of them are whole."""

MOVING = ".moving"
"""Where they are while they take the place of the old ones."""

COMPARISON = "comparison.json"
SEARCH = "search.json"
SWEEP = "sweep.parquet"
CALIBRATION = "calibration.html"
SEEDS = "summary.json"
RUN = "result.json"

MARKS = {
    COMPARISON: "a comparison",
    SEARCH: "a search",
    SWEEP: "a sweep",
    CALIBRATION: "a calibration",
    SEEDS: "a run",
    RUN: "a run",
}
"""Files by which a folder is known, and what it then holds."""

_held = threading.local()


@contextlib.contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The folder, made if it wasn't there, in which nobody else writes meanwhile.

    Raises `WordlineError` where somebody does. Inside of another block for the same folder it is the same
    lock. A folder that was made for this and has nothing in it in the end is removed again.
    """
    folder = named(path)
    own: dict[str, int] = _held.__dict__.setdefault("folders", {})
    place = os.path.realpath(folder)
    if own.get(place):
        own[place] += 1
        try:
            yield folder
        finally:
            own[place] -= 1
        return
    made = missing(folder)
    made_folder(folder)
    with contextlib.ExitStack() as left:
        left.callback(remove_empty, made)
        try:
            left.enter_context(locked(folder / LOCK, f"{folder}: another run or study is writing there"))
        except OSError as error:
            raise WordlineError(f"{folder}: {reason(error)}") from None
        left.callback(_remove, folder / LOCK)
        own[place] = 1
        left.callback(own.pop, place)
        yield folder


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], keep: Collection[str] = ()) -> Iterator[Path]:
    """Where to write files that take the place of all that Wordline wrote in a folder before, but for those
    named in `keep`, when the block ends well. Raises `WordlineError` where somebody else is writing there.
    """
    with alone(path) as folder:
        stage, moving = folder / STAGE, folder / MOVING
        try:
            shutil.rmtree(stage, ignore_errors=True)
            stage.mkdir()
            yield stage
            _check_replaceable(folder, [*_files(stage), *keep])
            if moving.exists():
                shutil.rmtree(moving)
            stage.rename(moving)
            _take_over(folder, moving, keep)
            shutil.rmtree(moving)
        except OSError as error:
            raise WordlineError(f"{folder}: {reason(error)}") from error
        except WordlineError as error:
            # Where a file was to be in the end.
            raise WordlineError(str(error).replace(f"{STAGE}{os.sep}", "")) from error
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def usable(path: str | os.PathLike[str], names: Collection[str]) -> None:
    """Raises `WordlineError` unless files of these names can be written into this folder: before a long run.
    Nothing is made.
    """
    usable_folder(path)
    _check_replaceable(named(path), names)


def _check_replaceable(folder: Path, names: Collection[str]) -> None:
    """Raises `WordlineError` where files of these names would take the place of what must stay."""
    _check_foreign(folder, names)
    _check_kind(folder, names)


def _check_kind(folder: Path, names: Collection[str]) -> None:
    """Raises `WordlineError` where the folder holds a result of another kind, which may have taken days."""
    new = next((what for mark, what in MARKS.items() if mark in names), None)
    for mark, old in MARKS.items():
        if new is not None and new != old and (folder / mark).is_file():
            raise WordlineError(
                f"{folder}: holds {old} ({mark}), whose place {new} would take: "
                "allowed: another folder, or remove it first"
            )


def _check_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raises `WordlineError` for one of these files that is there and that Wordline didn't write."""
    own = listed(folder)
    for name in names:
        path = folder / name
        if path.exists() and name not in own and not (path.suffix == ".html" and outputs.PAGE.is_own(path)):
            raise WordlineError(
                f"{path}: is there and not written by Wordline: allowed: another folder, or remove it first"
            )


def _take_over(folder: Path, moving: Path, keep: Collection[str]) -> None:
    new = _files(moving)
    before = listed(folder)
    gone = [name for name in before if name not in keep and name not in new]
    # Whatever happens next, every file of Wordline's is on the list.
    _list(folder, {*before, *new})
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    # One with files of the user's stays.
    for inner in {Path(name).parent for name in gone} - {Path()}:
        remove_empty([folder / inner])
    for name in new:
        made_folder((folder / name).parent)
        (moving / name).replace(folder / name)
    _list(folder, {name for name in before if name in keep} | set(new))


def _files(folder: Path) -> list[str]:
    """The names of all files below a folder, relative to it."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def listed(folder: Path) -> list[str]:
    """The names of the files that Wordline wrote in a folder, relative to it."""
    try:
        names = json.loads((folder / LISTED).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    # None that leads out of the folder, whoever wrote the list.
    return [name for name in names if isinstance(name, str) and _is_inside(name)]


def _is_inside(name: str) -> bool:
    return bool(name) and not Path(name).is_absolute() and ".." not in Path(name).parts


def _list(folder: Path, names: Iterable[str]) -> None:
    write_text(folder / LISTED, json.dumps({"files": sorted(names)}, indent=1) + "\n")


def check(folder: Path) -> None:
    """Raises `WordlineError` for a folder whose files aren't of one writer: one is at work, or was killed."""
    if any((each / MOVING).exists() for each in (folder, folder.absolute().parent)):
        raise WordlineError(
            f"{folder}: its files are being replaced, or their writer was killed while it did: write it again"
        )
