"""Search over parameters: one or two objectives, trials like the points of a sweep."""

from __future__ import annotations

from wordline.tuning.search import Trial, Tuning, tune

__all__ = ["Trial", "Tuning", "tune"]
