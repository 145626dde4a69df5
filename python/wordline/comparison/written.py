"""A comparison into its folder: what it compared, beside the rows, and its page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordline.comparison.names import SAVED
from wordline.files import made_folder, write_text
from wordline.report import comparisons, html

if TYPE_CHECKING:
    import os

    from wordline.comparison.figures import Comparison

PAGE = "report.html"


def write(found: Comparison, folder: str | os.PathLike[str], command: Sequence[str] = ()) -> list[Path]:
    """Writes what was compared beside the rows that the folder holds, and the page; returns their paths."""
    target = made_folder(folder)
    told = {
        "device": found.device,
        "workloads": found.workloads,
        "schemes": found.schemes,
        "metrics": found.wanted,
        "keys": [[*pair, found.keys(*pair)] for pair in found.pairs()],
        "command": list(command),
    }
    write_text(target / SAVED, json.dumps(told, indent=1) + "\n")
    title, body = comparisons.named(found, command)
    return [target / SAVED, html.write_page(target / PAGE, html.whole(title, body))]
