"""Every link of a page leads to a file that is there, and to a heading of it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

DOCS = ROOT / "docs"

PAGES = sorted(
    [*ROOT.glob("*.md"), ROOT / "template" / "README.md"]
    + [page for page in DOCS.rglob("*.md") if "reference" not in page.parts]
)

_FENCE = re.compile(r"^[ ]*```.*?^[ ]*```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages that are generated."""
    sys.path.insert(0, str(DOCS))
    folder = tmp_path_factory.mktemp("docs") / "reference"
    importlib.import_module("reference").write(folder)
    return folder


def anchors(page: Path) -> Iterator[str]:
    """The names of a page's headings, as GitHub and the site have them."""
    for heading in re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text()), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path, reference: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", page.read_text())):
        name, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / name).resolve() if name else page
        if DOCS / "reference" in target.parents:
            target = reference / target.name
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []
