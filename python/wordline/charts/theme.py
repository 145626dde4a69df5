"""How charts look: on white, on a dark screen, on paper."""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]

FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

_INK = {"light": ("#111827", "#5b6472", "#e3e6ea"), "dark": ("#e7eaee", "#a5afbc", "#2c333d")}


def config(theme: Theme = "light", font: str = FONT) -> dict[str, Any]:
    """The `config` of Vega-Lite."""
    ink, dim, line = _INK[theme]
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
