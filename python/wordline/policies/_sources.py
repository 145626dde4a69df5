"""The files that a policy is made of: that of its class, and all of the user's own that it imports."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.policies._told import is_installed, is_ours

_LOADERS = ("import_module", "__import__")
"""Functions that import what a text names."""


@dataclass(frozen=True)
class _Module:
    name: str
    file: Path | None
    """`None` for a folder without code, and what was compiled into Python."""
    package: str
    """What its relative imports begin at."""
    folders: Sequence[str]
    """Where its own modules are, for a package."""


_first: dict[tuple[str, str], tuple[object, str]] = {}
"""Module of a policy, and one that it is made of → what the first was loaded by, and the hash of the other's
file then.
"""


def source(module: str, policy: Any) -> str:
    """The hash of all that a policy named in a module is made of. Raises `WordlineError` where a file isn't
    what was imported any more.
    """
    kind = policy if isinstance(policy, type) else type(policy)
    own = module.partition(".")[0]
    found: dict[str, _Module] = {}
    for name in (module, *(base.__module__ for base in kind.__mro__)):
        _follow(name, own, found)
    files = {name: file for name, one in sorted(found.items()) if (file := one.file) is not None}
    if module not in files:
        raise WordlineError(f"a class in a file, by whose content results are kept, not in {module}")
    hashes = {name: hashlib.sha256(_content(file)).hexdigest() for name, file in files.items()}
    for name, content in hashes.items():
        _check(module, name, files[name], content)
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def _follow(name: str, own: str, found: dict[str, _Module]) -> None:
    """Adds a module and all that it imports, as far as they are the user's; `own` are, even if installed."""
    waiting = [name]
    while waiting:
        for one in _down_to(waiting.pop(), own, found):
            found[one.name] = one
            if one.file is not None:
                waiting += _imports(_content(one.file), one.package)


def _down_to(name: str, own: str, found: dict[str, _Module]) -> Iterator[_Module]:
    """The packages that a module is in, which are imported before it, and the module; without those found."""
    above: _Module | None = None
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        whole = ".".join(parts[:count])
        known = found.get(whole)
        above = known or _module(whole, above)
        if above is None or not _is_the_users(above, own):
            return
        if known is None:
            yield above


def _is_the_users(module: _Module, own: str) -> bool:
    file = module.file
    if file is None:
        return bool(module.folders)
    return not is_ours(file) and (module.name.partition(".")[0] == own or not is_installed(file))


def _module(name: str, above: _Module | None) -> _Module | None:
    """A module, imported or not yet: nothing is imported here."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        file, folders = getattr(loaded, "__file__", None), list(getattr(loaded, "__path__", ()))
        return _Module(name, _existing(file), getattr(loaded, "__package__", None) or "", folders)
    spec = _spec(name, above)
    if spec is None:
        return None
    file = spec.origin if spec.has_location else None
    return _Module(name, _existing(file), spec.parent or "", spec.submodule_search_locations or ())


def _spec(name: str, above: _Module | None) -> ModuleSpec | None:
    if above is not None:
        return PathFinder.find_spec(name, above.folders)
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _existing(file: str | None) -> Path | None:
    """What is in an archive, or was typed, has no file."""
    return Path(file) if file and Path(file).is_file() else None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WordlineError(f"{file}: {error.strerror}") from None


@functools.lru_cache(maxsize=1024)
def _imports(content: bytes, package: str) -> tuple[str, ...]:
    """The modules that a file names in imports, wherever they stand, and names that may be modules."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # compiled, or being edited
        return ()
    return tuple(dict.fromkeys(name for node in ast.walk(tree) for name in _named(node, package)))


def _named(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute("." * node.level + (node.module or ""), package)
        for alias in node.names if base else ():
            listed = [alias.name] if alias.name != "*" else getattr(sys.modules.get(base), "__all__", ())
            yield from (base, *(f"{base}.{name}" for name in listed))
    elif isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        first = node.args[0] if node.args else None
        if called in _LOADERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield _absolute(first.value, package)


def _absolute(name: str, package: str) -> str:
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:  # more dots than packages
        return ""


def _check(policys: str, name: str, file: Path, content: str) -> None:
    """That a module is what its file says. One that the policy's imports can't be loaded again for certain:
    names that were taken from it stay what they were.
    """
    module = sys.modules.get(name)
    # Another whenever the module is loaded.
    loaded_by = getattr(module, "__spec__", None) if name == policys else None
    before = _first.get((policys, name))
    if module is None or before is None or before[0] is not loaded_by:
        _first[policys, name] = (loaded_by, content)
    elif before[1] != content:
        reload = ", or importlib.reload of its module" if name == policys else ""
        raise WordlineError(f"{file} has changed since it was imported: allowed: a new session{reload}")
