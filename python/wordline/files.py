"""Files that take their name when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from wordline._core import WordlineError


@contextlib.contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write a file called `path`: beside it; it takes the name when the block ends well.

    A link stays a link, to the new file. What isn't an ordinary file (a device, a pipe) is written to and not
    replaced. Raises `WordlineError` with the name where that can't be done, or somebody else is doing it.
    """
    name = named(path)
    try:
        if name.exists() and not name.is_file() and not name.is_dir():
            yield name
            return
        # Also where a link leads that has no end yet.
        target = Path(os.path.realpath(name))
        part = part_of(name)
        with locked(part, f"{name}: somebody else is writing it"):
            try:
                yield part
                part.replace(target)
            finally:
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)
    except OSError as error:
        raise WordlineError(f"{name}: {reason(error)}") from error


def part_of(path: Path) -> Path:
    """Where the file of this name is while it is written."""
    target = Path(os.path.realpath(path))
    return target.with_name(target.name + ".part")


def named(path: str | os.PathLike[str], option: str = "") -> Path:
    """A name as a path. Raises `WordlineError` for an empty one, which Python takes for this folder, and for
    `-`, by which standard output is meant.
    """
    if not os.fspath(path):
        raise WordlineError(f"{option or 'path'} '': allowed: a name")
    if os.fspath(path) == "-":
        raise WordlineError(f"{option or 'path'} -: nothing is written there: allowed: a name")
    return Path(path)


def check_text(name: str) -> None:
    """Raises `WordlineError` for a name that isn't UTF-8: descriptions are text, and couldn't hold it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        raise WordlineError(f"{shown}: a name that is not UTF-8: allowed: text") from None


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
    folder = named(path)
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
    folder = named(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WordlineError(f"{folder}: {reason(error)}") from None
    return folder


def missing(folder: Path) -> list[Path]:
    """The folder and those around it that aren't there, the innermost first."""
    whole = folder.absolute()
    return [each for each in (whole, *whole.parents) if not each.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Removes folders, the innermost first, as far as nothing is in them."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file of text."""
    with written(path) as part:
        part.write_text(text, encoding="utf-8")
