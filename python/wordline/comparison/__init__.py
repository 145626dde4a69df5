"""Schemes side by side: the same drive, the same workloads, normalised to the first scheme."""

from __future__ import annotations

from wordline.comparison.figures import Cell, Comparison
from wordline.comparison.names import DEFAULT_METRICS
from wordline.comparison.run import compare

__all__ = ["DEFAULT_METRICS", "Cell", "Comparison", "compare"]
