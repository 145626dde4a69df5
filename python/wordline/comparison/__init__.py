"""Schemes side by side: the same drive, the same workloads, normalised to the first scheme."""

from __future__ import annotations

from wordline.comparison.figures import DEFAULT_METRICS, Cell, Comparison
from wordline.comparison.run import compare

__all__ = ["DEFAULT_METRICS", "Cell", "Comparison", "compare"]
