"""Pictures, described once in Vega-Lite: drawn by Vega in pages, by vl-convert as PNG, SVG and PDF."""

from __future__ import annotations

from wordline.charts.axis import Axis
from wordline.charts.bars import Share, bars, stacked
from wordline.charts.changes import Change, relative
from wordline.charts.clock import Clock
from wordline.charts.dots import points
from wordline.charts.grids import heat
from wordline.charts.images import save
from wordline.charts.lines import curves
from wordline.charts.specs import Chart

__all__ = [
    "Axis",
    "Change",
    "Chart",
    "Clock",
    "Share",
    "bars",
    "curves",
    "heat",
    "points",
    "relative",
    "save",
    "stacked",
]
