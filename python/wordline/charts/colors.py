"""Colors: of series, of parts of a response time, and of what stands around them on white, on a dark screen,
on paper. Any two series, and any two parts, can be told apart by all eyes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

SERIES = (
    "#1f77b4", "#d97706", "#15a387", "#9d86c9", "#c3544e", "#61c2ed", "#b4b05f", "#13606e", "#804937",
    "#e69cbc",
)  # fmt: skip

OTHER = "#9aa4b2"
"""Of what was too small for a color of its own."""

_SLOTS = {
    # Work of the request itself.
    "blue": "#4a7ba3", "green": "#3fb371", "mint": "#8dcec9", "teal": "#1a6674",
    # Waits for the die.
    "orange": "#f07f1d", "red": "#e34b2f", "sand": "#e3d199", "wine": "#a42e51", "maroon": "#5f2d2c",
    # Waits for the channel.
    "violet": "#8b6bd9", "lilac": "#cbabfc",
    # Waits for other things.
    "yellow": "#e3b62d", "clay": "#9b776a",
}  # fmt: skip
"""All that parts have: no more, since any two must be told apart with each kind of color vision.
"""

_WANTED = {
    "cell": "blue", "transfer": "green", "link": "mint",
    "die_wait.host_read": "orange", "die_wait.host_program": "red", "die_wait.gc_read": "sand",
    "die_wait.gc_program": "wine", "die_wait.gc_erase": "maroon",
    "channel_wait.host_read": "violet", "channel_wait.host_program": "lilac",
    "cpu": "teal", "cpu_wait": "yellow", "admission": "clay",
    # These are seldom there, or small.
    "command": "teal", "decode": "teal", "cache": "mint", "retry": "teal", "xor": "mint",
    "space": "clay", "suspend": "yellow", "conflict": "yellow", "buffer": "yellow", "write_back": "clay",
    "gate": "sand", "translation": "yellow", "misprediction": "clay", "chip": "clay", "moving": "clay",
    "die_wait.write_back_program": "red", "die_wait.parity_program": "maroon",
    "die_wait.copy_program": "orange",
    "channel_wait.gc_read": "lilac", "channel_wait.gc_program": "violet",
    "channel_wait.write_back_program": "lilac",
}  # fmt: skip
"""The color of each part. Where two of a page want one, the first of this list has it."""

PARTS = {name: _SLOTS[slot] for name, slot in _WANTED.items()}


def of_series(number: int) -> str:
    """The color of the series with this number."""
    return SERIES[number % len(SERIES)]


def of_parts(keys: Iterable[str]) -> dict[str, str]:
    """The color of each part of a page: its own, or, where another has that, one that is free, as near as
    may be.
    """
    order = {name: place for place, name in enumerate(_WANTED)}
    free, found = list(_SLOTS), dict[str, str]()
    for key in sorted(keys, key=lambda key: (order.get(key, len(order)), key)):
        wanted = _WANTED.get(key, "yellow")
        slot = min(free or _SLOTS, key=lambda slot: (slot != wanted, _apart(slot, wanted)))
        free = [other for other in free if other != slot]
        found[key] = _SLOTS[slot]
    return found


def _apart(one: str, other: str) -> int:
    """How far two slots are from each other in their list, which goes by families."""
    places = list(_SLOTS)
    return abs(places.index(one) - places.index(other))


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
        "title": {
            "color": ink, "fontSize": 13, "fontWeight": 600, "anchor": "start", "subtitleColor": dim,
        },
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": dim},
        "line": {"strokeWidth": 1.8},
        "heat": {"ramp": "blues"},
    }  # fmt: skip
