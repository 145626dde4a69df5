"""The generated page of MQSim's keys has every key as it is declared, and docs/mqsim.md leads there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from wordline.mqsim.keys import SETS

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_of_keys_has_what_is_declared(tmp_path: Path) -> None:
    sys.path.insert(0, str(DOCS))
    importlib.import_module("reference").write(tmp_path)
    lines = (tmp_path / "mqsim-keys.md").read_text(encoding="utf-8").split("\n")
    rows = [line for line in lines if line.startswith("| `")]
    for name, keys in SETS.items():
        assert f"## `{name}`" in lines
        for key in keys:
            wanted = [f"| `{key.name}` | ", f" | {key.kind.allowed()} | ", key.meaning]
            wanted += [f"*{word} is refused:* {reason}" for word, reason in key.refused]
            wanted += [] if key.default is None else [f" | `{key.default}` | "]
            assert any(all(part in row for part in wanted) for row in rows), key.name
    assert len(rows) == len({key for keys in SETS.values() for key in keys})
    assert "(reference/mqsim-keys.md)" in (DOCS / "mqsim.md").read_text(encoding="utf-8")
