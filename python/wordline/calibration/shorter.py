"""A drive with shorter blocks in the place of one that would take hours to be written several times.

It has as many channels, dies, planes and blocks, and the same share of spare space. So superblocks are as
many as on the whole drive, and each row of them is written as fast; only what is counted in bytes, such as a
data cache, is larger beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from wordline.calibration.rates import USER_BYTES
from wordline.calibration.space import Free, at
from wordline.calibration.ways import Way

ROWS = 8
"""Programs of a plane in a block, at least. On the 7450 PRO and the P5520 rates by twentieths are then those
of 16 programs within 4%, but where a skewed way drops steeply: there they come a twentieth early.
"""

CACHES = 20
"""The data cache fits so many times into a step at least: what it takes in at the start is no rate of the
flash.
"""

REQUESTS = 50_000
"""Of a step, at least."""

IN_PROPORTION: dict[str, tuple[Any, ...]] = {
    "scheme.mapping.policy": ("page", "journaled"),
    "scheme.mapping.journal_bytes": (None, 0),
    "scheme.slc_cache.policy": ("none",),
    "scheme.reclaim.policy": ("none",),
    "scheme.separation.policy": ("none", "stream"),
    "scheme.collision": (None,),
    "scheme.hotr": (None,),
    "scheme.partition": (None,),
    "scheme.astro": (None,),
    "scheme.block_map": (None,),
    "scheme.nvm_set": (None, []),
    "scheme.array": (None,),
    "scheme.custom": (None, {}),
}
"""Key → values with which a drive of shorter blocks is one on a smaller scale. With others something has a
size of its own, and the whole drive is run.
"""


def pages(config: Mapping[str, Any], free: Sequence[Free], way: Way) -> int | None:
    """Pages of a block of the drive that is run for a way; `None`: all. The cache is the largest that a fit
    may choose, so that all choices are run on one scale.
    """
    ends = {one.path: one.choices or (one.low, one.high) for one in free}
    user_bytes = at(config, USER_BYTES)
    caches = _all(config, ends, "scheme.cache.bytes") if _has_cache(config, ends) else [0]
    if user_bytes is None or not _in_proportion(config, ends):
        return None
    if not all(isinstance(size, int | float) for size in caches):
        return None
    geometry, cell = config["device"]["geometry"], config["device"]["cell"]
    program = geometry.get("pages_per_program") or 1
    step = max(CACHES * max(caches), REQUESTS * way.load.bytes)
    least = max(ROWS * program, geometry["pages"] * step / (user_bytes * way.step))
    # Pages of a block differ by their place among those of a wordline.
    unit = math.lcm(program, len(cell["read_ns"]), len(cell["program_ns"]))
    found = math.ceil(least / unit) * unit
    return found if found < geometry["pages"] else None


def _in_proportion(config: Mapping[str, Any], ends: Mapping[str, Sequence[Any]]) -> bool:
    return all(
        value in allowed for path, allowed in IN_PROPORTION.items() for value in _all(config, ends, path)
    )


def _has_cache(config: Mapping[str, Any], ends: Mapping[str, Sequence[Any]]) -> bool:
    return any(policy != "none" for policy in _all(config, ends, "scheme.cache.policy"))


def _all(config: Mapping[str, Any], ends: Mapping[str, Sequence[Any]], path: str) -> Sequence[Any]:
    """The values that a key may have; of a table that is free below, something that no scale allows."""
    if any(other.startswith(f"{path}.") for other in ends):
        return ("free",)
    return ends.get(path) or (at(config, path),)
