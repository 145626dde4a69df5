"""Files that take their name when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from wordline._core import WordlineError


@contextlib.contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write a file called `path`: beside it; it takes the name when the block ends well.

    A link stays a link, to the new file. What isn't an ordinary file (a device, a pipe) is written to and not
    replaced. Raises `WordlineError` with the name where that can't be done, or somebody else is doing it.
    """
    name = Path(path)
    try:
        if name.exists() and not name.is_file() and not name.is_dir():
            yield name
            return
        # Also where a link leads that has no end yet.
        target = Path(os.path.realpath(name))
        part = target.with_name(target.name + ".part")
        with locked(part, f"{name}: somebody else is writing it"):
            try:
                yield part
                part.replace(target)
            finally:
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)
    except OSError as error:
        raise WordlineError(f"{name}: {reason(error)}") from error


def is_file(text: str | os.PathLike[str]) -> bool:
    """Whether it names a file. What can't name one (too long, a zero in it) doesn't."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def locked(path: str | os.PathLike[str], taken: str) -> Iterator[None]:
    """Keeps others from having this file meanwhile, which is made if it isn't there.

    Raises `WordlineError` with the text `taken` where somebody has it. The system gives a lock back, however
    its process ends.
    """
    import fcntl

    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WordlineError(taken) from None
        # Whoever had it may have removed or renamed it between the two.
        if not _is_named(held, path):
            raise WordlineError(taken)
        yield
    finally:
        os.close(held)


def _is_named(held: int, path: str | os.PathLike[str]) -> bool:
    """Whether an open file is the one of this name."""
    try:
        return os.path.samestat(os.fstat(held), Path(path).stat())
    except FileNotFoundError:
        return False


def reason(error: OSError) -> str:
    """Why a file can't be had, in a few words."""
    return os.strerror(error.errno) if error.errno else str(error)


def usable_folder(path: str | os.PathLike[str]) -> None:
    """Raises `WordlineError` unless files can be made in this folder, or it can be made itself.

    Asked before a long run, not after it. Nothing is made.
    """
    folder = Path(path)
    try:
        there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
        if not there.is_dir():
            raise WordlineError(f"{folder}: {there} is not a folder")
    except OSError as error:
        raise WordlineError(f"{folder}: {reason(error)}") from None
    if not os.access(there, os.W_OK | os.X_OK):
        raise WordlineError(f"{folder}: nothing can be written in {there}")


def made_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made if it wasn't there. Raises `WordlineError` with its name."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WordlineError(f"{folder}: {reason(error)}") from None
    return folder


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file of text."""
    with written(path) as part:
        part.write_text(text, encoding="utf-8")
