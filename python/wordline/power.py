"""What the flash operations of a run used, as power and for each bit of the host's data.

Flash and channels only: what controller, DRAM and link use, and the whole drive at rest, has no key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wordline.figures import short

LEFT_OUT = "flash and channels only: for controller, DRAM, link and rest a drive has no keys"


@dataclass(frozen=True)
class Power:
    """Of one run."""

    watts: float
    """Mean over the window."""
    pj_per_bit: float | None
    """For each bit that the host read and wrote; `None` where it did neither."""

    def figures(self) -> Iterator[tuple[str, float]]:
        """As the rows of studies have them."""
        yield "energy.watts", self.watts
        if self.pj_per_bit is not None:
            yield "energy.pj_per_bit", self.pj_per_bit

    def told(self) -> str:
        """For a person."""
        bits = "" if self.pj_per_bit is None else f", {short(self.pj_per_bit)} pJ for each bit of the host's"
        return f"{short(self.watts)} W in the mean{bits} ({LEFT_OUT})"


def of(result: Mapping[str, Any]) -> Power | None:
    """The power of a run whose drive has energies of operations; else `None`."""
    window = result["window"]["end_ns"] - result["window"]["start_ns"]
    if not result.get("energy") or window <= 0:
        return None
    total = result["energy"]["total_pj"]
    bits = 8 * sum(result[kind].get("bytes", 0) for kind in ("read", "write"))
    # A picojoule in a nanosecond is a milliwatt.
    return Power(total / window / 1e3, total / bits if bits else None)
