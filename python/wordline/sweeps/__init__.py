"""Sweeps: axes over parameters, workloads, schemes and seeds, described by a TOML file."""

from __future__ import annotations

from wordline.sweeps.api import Sweep, open_sweep, sweep

__all__ = ["Sweep", "open_sweep", "sweep"]
