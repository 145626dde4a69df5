"""Sweeps: axes over parameters, workloads, schemes and seeds, described by a TOML file."""

from __future__ import annotations

from wordline.sweeps.api import Sweep, sweep

__all__ = ["Sweep", "sweep"]
