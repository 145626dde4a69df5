"""Fits a drive's unpublished values to measurements of it."""

from __future__ import annotations

from wordline.calibration.api import Calibration, calibrate
from wordline.calibration.plan import describe, name_of

__all__ = ["Calibration", "calibrate", "describe", "name_of"]
