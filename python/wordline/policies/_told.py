"""What went wrong with a policy, in one line that begins with a place in the policy's own file."""

from __future__ import annotations

import inspect
import os
import traceback
from pathlib import Path

from wordline._core import WordlineError

_OURS = Path(__file__).parent.parent
_STANDARD = Path(os.__file__).parent
_INSTALLED = {"site-packages", "dist-packages"}


def told(error: BaseException, policy: object = None, method: str = "") -> str:
    """What was raised, with the line that raised it; for a wrong answer that of the method's definition."""
    raised = _raised_at(error)
    is_ours = isinstance(error, WordlineError)
    what = str(error) if is_ours else f"{type(error).__name__}: {error}"
    if policy is None:
        return f"{raised}: {what}" if raised else what
    name = type(policy).__name__
    if raised or not is_ours:
        what = f"{name}.{method}(): {what}"
    elif not what.startswith(f"{name} "):
        # It begins with what was asked: a method or an attribute.
        what = f"{name}.{what}"
    return f"{raised or _defined_at(policy, method)}: {what}"


def after(policy: object, method: str, answer: str, what: str) -> str:
    """What the simulator found wrong behind what a policy answered."""
    return f"{_defined_at(policy, method)}: after {type(policy).__name__}.{method}(){answer}: {what}"


def _raised_at(error: BaseException) -> str:
    """The innermost line of the user's own: not of this package, nor of a library that the policy called."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not is_ours(Path(frame.filename))
    ]
    own = [frame for frame in frames if not is_installed(Path(frame.filename))]
    # A policy that is installed itself: where it was asked.
    found = own[-1:] or frames[:1]
    return f"{found[0].filename}:{found[0].lineno}" if found else ""


def is_ours(file: Path) -> bool:
    """Whether a file is part of this package, or Python's own."""
    return _OURS in file.parents or (_STANDARD in file.parents and not is_installed(file))


def is_installed(file: Path) -> bool:
    """Whether a file came with a package that was installed."""
    return bool(_INSTALLED.intersection(file.parts))


def _defined_at(policy: object, method: str) -> str:
    """Where a method is defined, or else the class."""
    found = inspect.getattr_static(policy, method, None)
    found = getattr(found, "__func__", found)
    code = getattr(inspect.unwrap(found), "__code__", None) if callable(found) else None
    if code is not None:
        return f"{code.co_filename}:{code.co_firstlineno}"
    kind = type(policy)
    try:
        return f"{inspect.getsourcefile(kind)}:{inspect.getsourcelines(kind)[1]}"
    except (OSError, TypeError):  # a class made without a file
        return f"{kind.__module__}.{kind.__qualname__}"
