"""How messages name what was given, an option of the command or an argument of Python; and what was meant."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from wordline import _core


@contextlib.contextmanager
def of_command() -> Iterator[None]:
    """Whoever reads the messages meanwhile gave options of the command."""
    before = _core.speak_of_options(True)
    try:
        yield
    finally:
        _core.speak_of_options(before)


def argument(name: str, value: object = None, option: str | None = None) -> str:
    """An argument, with its value if that is told; `option` where that isn't called like it."""
    if _core.speaks_of_options():
        option = option or f"--{name.replace('_', '-')}"
        return option if value is None else f"{option} {value}"
    return name if value is None else f"{name} = {value}"


def setting(path: str, value: str) -> str:
    """A key that was set, and its value."""
    return f"--set {path}={value}" if _core.speaks_of_options() else f"{path} = {value}"


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """What may have been meant by a word that isn't among those known, else `otherwise`."""
    near = _core.nearest(word, list(known))
    return otherwise if near is None else f"did you mean `{near}`?"


def replayed(trace: str) -> str:
    """How a trace is given as a workload."""
    if _core.speaks_of_options():
        return f"`--trace {trace}`"
    return f'workload={{"source": {{"kind": "trace", "path": "{trace}"}}}}'
