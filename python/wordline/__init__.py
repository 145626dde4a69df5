"""Wordline: a simulator of flash SSDs and their translation layers.

>>> import wordline
>>> result = wordline.run(device="mqsim", workload="randread-4k-qd16")  # doctest: +SKIP
>>> result.read.latency_ns.p99  # doctest: +SKIP
"""

from wordline._core import Drive, WordlineError, __version__
from wordline.presets import names as preset_names
from wordline.result import Record, Result
from wordline.seeds import Metric, Seeds, run_seeds
from wordline.simulation import load_drive, prepare, resolve, run, run_part, trace_info

__all__ = [
    "Drive",
    "Metric",
    "Record",
    "Result",
    "Seeds",
    "WordlineError",
    "__version__",
    "load_drive",
    "prepare",
    "preset_names",
    "resolve",
    "run",
    "run_part",
    "run_seeds",
    "trace_info",
]
