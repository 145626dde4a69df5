"""Many runs: points keyed by what they are, executors that run them, a store that keeps what they gave."""

from __future__ import annotations

from wordline.study.point import Point
from wordline.study.runs import Outcome, run_points
from wordline.study.store import Store

__all__ = ["Outcome", "Point", "Store", "run_points"]
