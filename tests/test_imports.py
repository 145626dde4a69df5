"""No module of the package needs itself, by whatever way: imports in functions and for types count too."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "python" / "wordline"

# It hands out what modules have, and names those that draw: it needs all, and none needs it.
TOP = "wordline"

CORE = "wordline._core"
"""The engine, compiled."""

Graph = dict[str, set[str]]


def modules(package: Path) -> dict[str, Path]:
    """Each module's file by its name."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Module and name of each import, and modules whose names stand in texts, to be loaded by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "relative imports are not followed"
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value, ""


def needs(package: Path = PACKAGE) -> Graph:
    found = modules(package)
    graph: Graph = {CORE: set()}
    known = found.keys() | graph.keys()
    for name, path in found.items():
        pairs = imported(ast.parse(path.read_text(encoding="utf-8")))
        wanted = {f"{module}.{part}" if f"{module}.{part}" in known else module for module, part in pairs}
        graph[name] = (wanted & known) - {name}
    return graph


def by_room(graph: Mapping[str, set[str]]) -> Graph:
    """The same of what lies directly in the package: single modules, and packages as a whole."""
    rooms: Graph = {}
    for name, wanted in graph.items():
        own = rooms.setdefault(_room(name), set())
        own |= {_room(other) for other in wanted} - {_room(name)}
    return rooms


def _room(name: str) -> str:
    return ".".join(name.split(".")[:2])


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules of which each needs the one before, the first again at the end; empty without any."""
    try:
        TopologicalSorter({name: wanted for name, wanted in graph.items() if name != TOP}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_module_needs_itself() -> None:
    graph = needs()
    assert "wordline.comparison.sheets" in graph["wordline.report.folders"]
    assert circle(graph) == []


def test_no_room_needs_itself() -> None:
    rooms = by_room(needs())
    assert "wordline.comparison" in rooms["wordline.report"]
    assert circle(rooms) == []


def test_only_what_starts_the_command_asks_the_top_for_anything() -> None:
    assert {name for name, wanted in needs().items() if TOP in wanted} <= {"wordline.__main__"}


def test_one_pool_has_all_threads_that_simulate() -> None:
    found = modules(PACKAGE)
    assert {name for name, path in found.items() if "ThreadPoolExecutor" in path.read_text()} == {
        "wordline.study.pool"
    }


@pytest.mark.parametrize(
    "back",
    [
        "from wordline import one",
        "import wordline.one",
        "def late():\n    from wordline.one import x",
        "if TYPE_CHECKING:\n    from wordline.one import x",
        "importlib.import_module('wordline.one')",
    ],
)
def test_a_circle_is_found_whatever_the_import(tmp_path: Path, back: str) -> None:
    package = tmp_path / "wordline"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("from wordline.two import y\n")
    (package / "two.py").write_text("y = 1\n")
    assert circle(needs(package)) == []
    (package / "two.py").write_text(f"{back}\ny = 1\n")
    assert {"wordline.one", "wordline.two"} == set(circle(needs(package)))
