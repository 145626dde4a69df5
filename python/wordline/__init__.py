"""Wordline: a simulator of flash SSDs and their translation layers.

>>> import wordline
>>> result = wordline.run(workload="randread-4k-qd16")  # doctest: +SKIP
>>> result.read.latency_ns.p99  # doctest: +SKIP
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if _core_module := os.environ.get("WORDLINE_CORE"):
    # A core with policies of a user's own (docs/adding-a-policy.md) takes the place of the built-in one, in
    # this process and in those that it starts.
    import importlib
    import sys

    globals()["_core"] = sys.modules[f"{__name__}._core"] = importlib.import_module(_core_module)

from wordline import views

views.DRAWN_BY |= {
    "wordline.result": "wordline.report.run_views",
    "wordline.seeds": "wordline.report.run_views",
    "wordline.comparison.figures": "wordline.report.study_views",
    "wordline.sweeps.api": "wordline.report.study_views",
}

if TYPE_CHECKING:
    from wordline._core import Drive, WordlineError, __version__
    from wordline.comparison import Comparison, compare
    from wordline.loading import load
    from wordline.presets import names as preset_names
    from wordline.result import Record, Result
    from wordline.scenario import Scenario
    from wordline.seeds import Metric, Seeds, run_seeds
    from wordline.simulation import load_drive, prepare, resolve, run, run_part, trace_info
    from wordline.sweeps import Sweep, open_sweep, sweep

__all__ = [
    "Comparison",
    "Drive",
    "Metric",
    "Record",
    "Result",
    "Scenario",
    "Seeds",
    "Sweep",
    "WordlineError",
    "__version__",
    "compare",
    "load",
    "load_drive",
    "open_sweep",
    "prepare",
    "preset_names",
    "resolve",
    "run",
    "run_part",
    "run_seeds",
    "sweep",
    "trace_info",
]

_HOMES = {
    "_core": ("Drive", "WordlineError", "__version__"),
    "comparison": ("Comparison", "compare"),
    "loading": ("load",),
    "presets": ("preset_names",),
    "result": ("Record", "Result"),
    "scenario": ("Scenario",),
    "seeds": ("Metric", "Seeds", "run_seeds"),
    "simulation": ("load_drive", "prepare", "resolve", "run", "run_part", "trace_info"),
    "sweeps": ("Sweep", "open_sweep", "sweep"),
}


def __getattr__(name: str) -> object:
    """A name of the package, from the module that has it: modules load when they are first used."""
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            module = importlib.import_module(f"wordline.{home}")
            value: object = module.names if name == "preset_names" else getattr(module, name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'wordline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
