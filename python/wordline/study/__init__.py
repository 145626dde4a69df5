"""Many runs: points keyed by what they are, executors that run them, a store that keeps what they gave."""

from __future__ import annotations

from wordline.study.point import Point
from wordline.study.runs import Outcome, Study, open_study
from wordline.study.store import Store

__all__ = ["Outcome", "Point", "Store", "Study", "open_study"]
