"""Wordline: a simulator of flash SSDs and their translation layers.

>>> import wordline
>>> result = wordline.run(device="mqsim", workload="randread-4k-qd16")  # doctest: +SKIP
>>> result.read.latency_ns.p99  # doctest: +SKIP
"""

from wordline._core import WordlineError, __version__
from wordline.presets import names as preset_names
from wordline.result import Record, Result
from wordline.seeds import Metric, Seeds, run_seeds
from wordline.simulation import resolve, run, trace_info

__all__ = [
    "Metric",
    "Record",
    "Result",
    "Seeds",
    "WordlineError",
    "__version__",
    "preset_names",
    "resolve",
    "run",
    "run_seeds",
    "trace_info",
]
