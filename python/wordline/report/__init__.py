"""Results for people: tables on a terminal (`terminal`), a page for a browser (`html`)."""

from __future__ import annotations

from wordline.report.terminal import TEXT_WIDTH, render, render_seeds
from wordline.report.trace import render_trace

__all__ = ["TEXT_WIDTH", "render", "render_seeds", "render_trace"]
