"""No module of the package needs itself, by whatever way: imports inside functions count too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "python" / "wordline"


def modules() -> dict[str, Path]:
    """Each module's file by its name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Module and name of each import; what stands below `if TYPE_CHECKING` isn't carried out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((name.name, "") for name in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from ((child.module, name.name) for name in child.names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield from imported(child)


def needs() -> dict[str, set[str]]:
    known = modules()
    graph = {}
    for name, path in known.items():
        pairs = imported(ast.parse(path.read_text(encoding="utf-8")))
        wanted = {f"{module}.{part}" if f"{module}.{part}" in known else module for module, part in pairs}
        graph[name] = (wanted & known.keys()) - {name}
    return graph


def test_no_module_needs_itself() -> None:
    graph = needs()
    assert "wordline.comparison.sheets" in graph["wordline.report.comparisons"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
