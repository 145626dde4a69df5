"""Colors: of series, one for each part of a response time, the same in every report, and of what stands
around them on white, on a dark screen, on paper.
"""

from __future__ import annotations

import zlib
from typing import Any, Literal

SERIES = (
    "#1f77b4", "#d97706", "#2a9d6f", "#8e5ea2", "#c44e52", "#64748b", "#b59a10", "#17899b", "#7c5c46",
    "#e377a2",
)  # fmt: skip

OTHER = "#9aa4b2"
"""Of what was too small for a color of its own."""

PARTS = {
    # Work of the request itself: blue and green.
    "cell": "#4e79a7",
    "transfer": "#59a14f",
    "command": "#8cd17d",
    "link": "#86bcb6",
    "decode": "#499894",
    "retry": "#1b6a70",
    "xor": "#a0cbe8",
    "cpu": "#76b7b2",
    "cache": "#6f8fbf",
    # Waits for other than die and channel: yellow and pink.
    "admission": "#79706e",
    "space": "#d37295",
    "suspend": "#f1ce63",
    "conflict": "#b6992d",
    "cpu_wait": "#d4a6c8",
    "buffer": "#e6c86e",
    "write_back": "#9d7660",
    "gate": "#fabfd2",
    "translation": "#c9a227",
    "misprediction": "#a56a43",
    "chip": "#c2a5a0",
    "moving": "#8c6d31",
    # Waits for the die: orange and red.
    "die_wait.host_read": "#f28e2b",
    "die_wait.host_program": "#e15759",
    "die_wait.gc_read": "#ffbe7d",
    "die_wait.gc_program": "#a02c5a",
    "die_wait.gc_erase": "#5a1a1a",
    "die_wait.write_back_program": "#ff9d9a",
    "die_wait.parity_program": "#d96c9f",
    "die_wait.copy_program": "#c46a4a",
    # Waits for the channel: violet.
    "channel_wait.host_read": "#9467bd",
    "channel_wait.host_program": "#c49ae6",
    "channel_wait.gc_read": "#d9c2f0",
    "channel_wait.gc_program": "#6b3fa0",
    "channel_wait.write_back_program": "#8d7bd1",
}

_RARE = (
    "#b07aa1",
    "#8c6d31",
    "#bd9e39",
    "#ad494a",
    "#a55194",
    "#637939",
    "#5254a3",
    "#ce6dbd",
    "#7b4173",
    "#e7969c",
)


def of_series(number: int) -> str:
    """The color of the series with this number."""
    return SERIES[number % len(SERIES)]


def of_part(key: str) -> str:
    """The color of a part of the response time, or of a cause of writes."""
    return PARTS.get(key) or _RARE[zlib.crc32(key.encode()) % len(_RARE)]


Theme = Literal["light", "dark"]

FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

INK = {"light": ("#111827", "#5b6472", "#e3e6ea"), "dark": ("#e7eaee", "#a5afbc", "#2c333d")}
"""Of titles, of labels, of lines. A page's style has the same for its words."""


def config(theme: Theme = "light", font: str = FONT) -> dict[str, Any]:
    """The `config` of Vega-Lite."""
    ink, dim, line = INK[theme]
    return {
        "background": "transparent" if theme == "dark" else None,
        "font": font,
        "view": {"stroke": None},
        "axis": {
            "labelColor": dim, "titleColor": ink, "gridColor": line, "domainColor": line, "tickColor": line,
            "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8,
            "labelSeparation": 6,
        },
        # A label stands below its tick, at the ends too.
        "axisQuantitative": {"labelFlush": False},
        "legend": {
            "labelColor": ink, "titleColor": ink, "labelFontSize": 11, "titleFontSize": 11, "labelLimit": 0,
            "titleFontWeight": "normal", "titleLimit": 0, "gradientLength": 160,
        },
        "title": {"color": ink, "fontSize": 13, "fontWeight": 600, "anchor": "start"},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": dim},
        "line": {"strokeWidth": 1.8},
        "heat": {"ramp": "blues"},
    }  # fmt: skip
