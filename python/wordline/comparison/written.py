"""A comparison into its folder: what it compared, beside the rows, and its page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordline.comparison.names import SAVED
from wordline.files import write_text
from wordline.folders import replaced
from wordline.report import comparisons, html

if TYPE_CHECKING:
    import os

    from wordline.comparison.figures import Comparison

PAGE = "report.html"


def write(found: Comparison, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
    """Writes what was compared beside the rows that the folder holds, and the page; returns their paths."""
    told = {
        "device": found.device,
        "workloads": found.workloads,
        "schemes": found.schemes,
        "metrics": found.wanted,
        "keys": [[*pair, found.keys(*pair)] for pair in found.pairs()],
        "command": list(command),
    }
    title, body = comparisons.named(found, command)
    with replaced(folder) as stage:
        write_text(stage / SAVED, json.dumps(told, indent=1) + "\n")
        html.write_page(stage / PAGE, html.whole(title, body))
    return [Path(folder) / SAVED, Path(folder) / PAGE]
