"""What a drive offers, and how long it lasts at the load of a run.

`TBW = flash bytes in use · program/erase cycles / WAF`: the host's bytes until the mean block in use has had
its cycles, wear taken as even. Spare blocks aren't in use before others are bad, and where wear is even these
come too late. What the notes of a run say against its WAF holds for these figures too. What a block in
SLC mode takes in counts as so much more as that holds less, and as so much less as it endures more cycles.

Blocks wear by erases. Where places of blocks are left unused, as by read reclaim, WAF is multiplied by what
is erased for each byte programmed. A surplus of erases may also have won free space, but no more of it than
there is at the end: only beyond that it is taken for unused places. A smaller one widens the interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wordline import intervals
from wordline.figures import fitting, is_unsure, short

CYCLES = "device.bad_blocks.endurance_cycles"
"""The key of a drive that holds the program/erase cycles of a block."""

SLC_CYCLES = "device.bad_blocks.slc_endurance_cycles"
"""The same of a block that is used in SLC mode."""

BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
"""Of a cell, by technology."""

CACHED_CAUSES = ("host", "write_back")
"""Why what goes to an SLC cache, or past it, is programmed."""

GC_ERASE = "gc_erase"
"""The class of the erases of garbage collection."""

WARRANTY_YEARS = 5
"""Over which ratings in drive writes a day count."""

DAY_S = 86_400

YEAR_DAYS = 365

NAME = "lifetime"
"""What the names of these figures begin with in the rows of studies."""


@dataclass(frozen=True)
class Lifetime:
    """The figures of one run. Those that aren't known are `None`."""

    usable_bytes: int
    """What the host can store."""
    flash_bytes: int
    """All flash, good blocks only."""
    waf: float | None
    host_bytes_per_day: float
    """At the load of the window, day and night."""
    cycles: int | None
    """Program/erase cycles of a block."""
    slc_cycles: int | None
    """The same in SLC mode, where the drive uses that."""
    host_bytes: tuple[float, float, float] | None
    """What the host can write in all (TBW), and the ends of its 95% interval; the value if it is unknown.
    From WAF times `erased`."""
    missing: str
    """Why there is no `host_bytes`; empty where there is."""
    erased: float = 1.0
    """Bytes erased for each byte programmed: more than 1 where places of blocks are left unused, as by read
    reclaim, and the window is long enough to tell them from free space won."""
    promised_per_day: float | None = None
    """Drive writes a day as the maker rates the drive (`device.rated`), over `promised_years`."""
    promised_years: int = WARRANTY_YEARS

    @property
    def overprovisioning(self) -> float:
        """The share of the flash that the host doesn't see."""
        return 1 - self.usable_bytes / self.flash_bytes

    @property
    def drive_writes_per_day(self) -> float:
        """At the load of the window."""
        return self.host_bytes_per_day / self.usable_bytes

    @property
    def rated_drive_writes_per_day(self) -> float | None:
        """So many last `WARRANTY_YEARS` at this WAF (DWPD)."""
        if self.host_bytes is None:
            return None
        return self.host_bytes[0] / self.usable_bytes / (WARRANTY_YEARS * YEAR_DAYS)

    @property
    def years(self) -> float | None:
        """At the load of the window, day and night."""
        if self.host_bytes is None or not self.host_bytes_per_day:
            return None
        return self.host_bytes[0] / self.host_bytes_per_day / YEAR_DAYS

    @property
    def promised_host_bytes(self) -> float | None:
        """What the host can write in all, by the maker's rating."""
        if self.promised_per_day is None:
            return None
        return self.promised_per_day * self.usable_bytes * self.promised_years * YEAR_DAYS

    @property
    def years_of_promise(self) -> float | None:
        """After which the load of the window, day and night, has written that."""
        if self.promised_host_bytes is None or not self.host_bytes_per_day:
            return None
        return self.promised_host_bytes / self.host_bytes_per_day / YEAR_DAYS

    def figures(self) -> Iterator[tuple[str, float]]:
        """Those that are known, as the rows of studies have them: bytes in TB."""
        found = ((name, figure(self)) for name, figure in FIGURES.items())
        yield from ((name, value) for name, value in found if value is not None)

    def told(self) -> list[tuple[str, str]]:
        """Names and texts for a person."""
        usable, flash = (fitting_bytes(value) for value in (self.usable_bytes, self.flash_bytes))
        rows = [
            (
                "usable capacity",
                f"{usable} of {flash} of flash: over-provisioning {self.overprovisioning:.1%}",
            )
        ]
        rows += self._promise()
        if self.waf is None:
            return rows
        day = f"{fitting_bytes(self.host_bytes_per_day)}, {short(self.drive_writes_per_day)} drive writes"
        rows.append(("host writes a day at this load", day))
        if self.host_bytes is None or self.cycles is None:
            return [*rows, ("endurance (TBW, DWPD, years)", f"not known: {self.missing}")]
        value, low, high = self.host_bytes
        reach = f" ({fitting_bytes(low)} to {fitting_bytes(high)})" if low < high else ""
        rated = f"{short(self.rated_drive_writes_per_day or 0.0)} for {WARRANTY_YEARS} years"
        in_slc_mode = "" if self.slc_cycles is None else f" ({self.slc_cycles:,} in SLC mode)"
        unused = "" if self.erased == 1 else f", {short(self.erased)} bytes erased for each programmed"
        cycles = f"{self.cycles:,} cycles{in_slc_mode}, WAF {short(self.waf)}{unused}"
        rows.append(("host writes in all (TBW)", f"{fitting_bytes(value)}{reach}, from {cycles}"))
        rows.append(("drive writes a day that it allows (DWPD)", rated))
        return [*rows, ("lasts at this load", _time(self.years))]

    def _promise(self) -> list[tuple[str, str]]:
        if self.promised_host_bytes is None:
            return []
        rating = f"{short(self.promised_per_day or 0.0)} drive writes a day for {self.promised_years} years"
        until = self.years_of_promise
        reach = "" if until is None else f", written in {_time(until)} at this load"
        return [("promised by its maker", f"{rating}: {fitting_bytes(self.promised_host_bytes)}{reach}")]


FIGURES: Mapping[str, Callable[[Lifetime], float | None]] = {
    f"{NAME}.usable_terabytes": lambda life: life.usable_bytes / 1e12,
    f"{NAME}.overprovisioning": lambda life: life.overprovisioning,
    f"{NAME}.terabytes_per_day": lambda life: life.host_bytes_per_day / 1e12,
    f"{NAME}.drive_writes_per_day": lambda life: life.drive_writes_per_day,
    f"{NAME}.terabytes_written": lambda life: _terabytes(life.host_bytes[0] if life.host_bytes else None),
    f"{NAME}.rated_drive_writes_per_day": lambda life: life.rated_drive_writes_per_day,
    f"{NAME}.years": lambda life: life.years,
    f"{NAME}.promised_terabytes_written": lambda life: _terabytes(life.promised_host_bytes),
    f"{NAME}.promised_years": lambda life: life.years_of_promise,
}
"""By their names in the rows of studies; `None` is unknown."""


def _terabytes(value: float | None) -> float | None:
    return None if value is None else value / 1e12


def _time(years: float | None) -> str:
    if years is None:
        return "–"
    return f"{short(years)} years" if years >= 1 else f"{short(years * YEAR_DAYS)} days"


def fitting_bytes(value: float) -> str:
    """Bytes in the unit that fits: `3.84 TB`."""
    for scale, unit in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if value >= scale:
            return f"{short(value / scale)} {unit}"
    return fitting("", value) + " B"


def of(result: Mapping[str, Any]) -> Lifetime | None:
    """The figures of a result; `None` for an array, whose members have lives of their own."""
    device, scheme = result["config"]["device"], result["config"]["scheme"]
    drive = result.get("drive", {})
    if scheme.get("array") or not drive.get("logical_units"):
        return None
    unit = drive["mapping_unit_bytes"]
    flash = drive["physical_units"] * unit - _factory_bad(result)
    waf, rate = result["waf"], result["write"].get("bandwidth_bytes_per_s") or 0.0
    cycles, slc_cycles = _cycles(device, scheme)
    missing = _missing(result, scheme, cycles, slc_cycles)
    host, erased = None, _erased(result)
    if cycles is not None and not missing:
        in_use = _in_use(result, flash)
        host = _host_bytes(result, in_use * cycles, _less_wear(result, cycles, slc_cycles), erased)
    rated = device.get("rated") or {}
    return Lifetime(
        usable_bytes=drive["logical_units"] * unit,
        flash_bytes=flash,
        waf=waf,
        host_bytes_per_day=rate * DAY_S,
        cycles=cycles,
        slc_cycles=slc_cycles,
        host_bytes=host,
        missing=missing,
        erased=erased.likely,
        promised_per_day=rated.get("drive_writes_per_day"),
        promised_years=rated.get("years", WARRANTY_YEARS),
    )


def _block_bytes(result: Mapping[str, Any]) -> int:
    geometry = result["config"]["device"]["geometry"]
    return int(geometry["pages"] * geometry["page_bytes"])


def _factory_bad(result: Mapping[str, Any]) -> int:
    """Bytes of the blocks that were bad from the factory."""
    return int(result.get("bad_blocks", {}).get("factory", 0) * _block_bytes(result))


def _in_use(result: Mapping[str, Any], flash: int) -> int:
    """Bytes of the blocks that superblocks are made of: spares wear only as they take the place of others."""
    blocks = result.get("bad_blocks", {}).get("in_use")
    return flash if blocks is None else int(blocks) * _block_bytes(result)


def _uses_slc_mode(scheme: Mapping[str, Any]) -> bool:
    return bool(scheme.get("slc_cache", {}).get("policy", "none") != "none")


def _cycles(device: Mapping[str, Any], scheme: Mapping[str, Any]) -> tuple[int | None, int | None]:
    bad = device.get("bad_blocks", {})
    return bad.get("endurance_cycles"), bad.get("slc_endurance_cycles") if _uses_slc_mode(scheme) else None


def _slc_pages(result: Mapping[str, Any]) -> int:
    """Of a block in SLC mode."""
    device = result["config"]["device"]
    return int(device["geometry"]["pages"] // BITS[device["cell"]["technology"]])


def _less_wear(result: Mapping[str, Any], cycles: int, slc_cycles: int | None) -> float:
    """By how much less blocks wear than `waf` says, in bytes of native blocks for each of the host's."""
    taken = result.get("slc_cache")
    if taken is None or slc_cycles is None:
        return 0.0
    units, geometry = taken["cached_units"] + taken["direct_units"], result["config"]["device"]["geometry"]
    if not units:
        return 0.0
    of_host = sum(result["waf_by_cause"].get(cause, 0.0) for cause in CACHED_CAUSES)
    in_slc_mode = of_host * taken["cached_units"] / units
    blocks = geometry["pages"] / _slc_pages(result)
    return float(in_slc_mode * (1 - blocks * cycles / slc_cycles))


@dataclass(frozen=True)
class _Erased:
    """Bytes erased for each byte programmed."""

    likely: float = 1.0
    most: float = 1.0


def _erased(result: Mapping[str, Any]) -> _Erased:
    """A surplus of erases that free space can't explain is of places left unused."""
    programmed = result.get("flash", {}).get("programs", 0)
    if not programmed:
        return _Erased()
    drive, page_bytes = result["drive"], result["config"]["device"]["geometry"]["page_bytes"]
    room = (drive["physical_units"] - drive["mapped_units"]) * drive["mapping_unit_bytes"] / page_bytes
    surplus = _erased_pages(result) - programmed
    most = 1 + max(surplus, 0) / programmed
    return _Erased(most if surplus > room else 1.0, most)


def _erased_pages(result: Mapping[str, Any]) -> int:
    """Pages of the blocks erased. Beside an SLC cache, what garbage collection erases is native, and what
    folding erases isn't. Others may be either: as little is counted as they may hold.
    """
    pages = result["config"]["device"]["geometry"]["pages"]
    counts = {name: each["operations"] for name, each in result["flash"]["by_class"].items()}
    erases = {name: count for name, count in counts.items() if name.endswith("_erase")}
    if not _uses_slc_mode(result["config"]["scheme"]):
        return int(sum(erases.values()) * pages)
    native = erases.pop(GC_ERASE, 0)
    return int(native * pages + sum(erases.values()) * _slc_pages(result))


def _missing(
    result: Mapping[str, Any], scheme: Mapping[str, Any], cycles: int | None, slc_cycles: int | None
) -> str:
    waf, ends = result["waf"], intervals.of_result(result, "waf")
    if not result["write"]["requests"]:
        return "nothing was written in the window"
    if not waf:
        return "nothing of what was written reached the flash in the window"
    if cycles is None:
        return f"{CYCLES} is not set"
    if slc_cycles is None and _uses_slc_mode(scheme):
        return f"blocks are used in SLC mode, and {SLC_CYCLES} is not set"
    if ends is not None and is_unsure(waf, ends.reach(waf)):
        return "WAF is unsure"
    return ""


def _host_bytes(
    result: Mapping[str, Any], flash: float, less: float, erased: _Erased
) -> tuple[float, float, float]:
    ends, waf = intervals.of_result(result, "waf"), result["waf"]
    low, high = (waf, waf) if ends is None else (ends.low, ends.high)
    most = flash / (low - less) / erased.likely if low > less else math.inf
    return flash / (waf - less) / erased.likely, flash / (high - less) / erased.most, most
