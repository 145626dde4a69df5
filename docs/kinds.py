"""Of which kind each page is: that under whose caption it stands in index.md."""

from __future__ import annotations

import re
from pathlib import Path

_TREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def of_pages(docs: Path) -> dict[str, str]:
    """Page, by its name without ending → `Guide`, `Reference`, `Explanation` or `Results`."""
    found: dict[str, str] = {}
    for tree in _TREE.findall((docs / "index.md").read_text(encoding="utf-8")):
        options, _, names = tree.partition("\n\n")
        caption = options.partition(":caption: ")[2].partition("\n")[0]
        for name in names.split():
            pages = docs.glob(f"{name}.md") if "*" in name else [docs / f"{name}.md"]
            found |= {str(page.relative_to(docs).with_suffix("")): caption for page in pages}
    return found
