"""What the drive of a run used, as power and for each bit of the host's data.

What a drive's description has no figure for counts as nothing, and is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wordline.figures import short

WATTS, PJ_PER_BIT = "energy.watts", "energy.pj_per_bit"
"""Its figures, by their names in the rows of studies."""

LEFT_OUT = {
    "rest_mw": "rest",
    "request_nj": "requests",
    "host_pj_per_byte": "the host's bytes",
}
"""Keys of `device.energy` beside those of the flash, and for what they stand."""


@dataclass(frozen=True)
class Power:
    """Of one run."""

    watts: float
    """Mean over the window."""
    pj_per_bit: float | None
    """For each bit that the host read and wrote; `None` where it did neither."""
    missing: tuple[str, ...] = ()
    """What the description has no figure for."""

    def figures(self) -> Iterator[tuple[str, float]]:
        """As the rows of studies have them."""
        yield WATTS, self.watts
        if self.pj_per_bit is not None:
            yield PJ_PER_BIT, self.pj_per_bit

    def told(self) -> str:
        """For a person."""
        bits = "" if self.pj_per_bit is None else f", {short(self.pj_per_bit)} pJ for each bit of the host's"
        without = f" (without {', '.join(self.missing)}: no figures)" if self.missing else ""
        return f"{short(self.watts)} W in the mean{bits}{without}"


def joules(result: Mapping[str, Any]) -> float:
    """All energy of the window; in results of earlier versions that of the flash."""
    energy = result["energy"]
    return float(energy.get("drive_pj", energy["total_pj"])) / 1e12


def of(result: Mapping[str, Any]) -> Power | None:
    """The power of a run whose drive has energies of operations; else `None`."""
    window = result["window"]["end_ns"] - result["window"]["start_ns"]
    if not result.get("energy") or window <= 0:
        return None
    total = joules(result) * 1e12
    known = result["config"]["device"]["energy"]
    missing = tuple(name for key, name in LEFT_OUT.items() if not known.get(key))
    if not result["energy"]["total_pj"]:
        missing = ("operations of the flash", *missing)
    # What was answered in the window, as the flash's work is what was done in it.
    rates = sum(result[kind].get("bandwidth_bytes_per_s") or 0.0 for kind in ("read", "write"))
    bits = 8 * rates * window / 1e9
    # A picojoule in a nanosecond is a milliwatt.
    return Power(total / window / 1e3, total / bits if bits else None, missing)
