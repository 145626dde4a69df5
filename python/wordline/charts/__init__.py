"""Pictures, described once in Vega-Lite: drawn by Vega in pages, by vl-convert as PNG, SVG and PDF."""

from __future__ import annotations

from wordline.charts.axis import Axis
from wordline.charts.images import save
from wordline.charts.specs import Chart, bars, curves, heat, points, stacked

__all__ = ["Axis", "Chart", "bars", "curves", "heat", "points", "save", "stacked"]
