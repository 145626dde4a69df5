"""Closed forms that figures of a run are compared with, by name, from the run's configuration in force."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Config = Mapping[str, Any]

Formula = Callable[[Config], float | None]


def utilisation(config: Config) -> float:
    """Share of valid units in the blocks that collection chooses from, on a drive of one plane.

    Of T blocks of b units with U logical ones, two are free on average at the lowest trigger and two are
    open,
    half full on average: (U − b) / (b (T − 4)).
    """
    geometry = config["device"]["geometry"]
    units = geometry["pages"] * geometry["page_bytes"] // geometry["mapping_unit_bytes"]
    raw = geometry["blocks"] * units
    capacity = config["device"]["capacity"]
    user = capacity.get("user_bytes")
    logical = user / geometry["mapping_unit_bytes"] if user else raw * (1 - capacity["overprovisioning"])
    return float((math.floor(logical) - units) / (units * (geometry["blocks"] - 4)))


def waf(config: Config) -> float | None:
    """WAF of the scheme's victim policy under uniform random overwrites; `None` for one without a closed
    form.

    Greedy, d-choices and random: B. Van Houdt, SIGMETRICS 2013, in the limit of many blocks, without the
    collections in vain that this engine leaves out. FIFO: Xiang and Kurkoski, ICNC 2012.
    """
    rho = utilisation(config)
    pages = config["device"]["geometry"]["pages"]
    policy = config["scheme"]["gc"]["policy"]
    if policy == "greedy":
        return greedy_waf(rho, pages)
    if policy == "d_choices":
        return choices_waf(rho, pages, config["scheme"]["gc"]["choices"])
    if policy == "random":
        return float(1 / (1 - rho * (1 - 1 / pages)))
    if policy == "fifo":
        return fifo_waf(rho)
    return None


def greedy_waf(rho: float, pages: int) -> float:
    """Mean field of greedy: Σ f/j + x = 1 over j = m + 1 … b, f (b − m) + m x = ρ b, 0 ≤ x ≤ f/m."""
    for level in range(pages):
        harmonic = sum(1 / j for j in range(level + 1, pages + 1))
        # The second equation with x from the first.
        rate = (rho * pages - level) / (pages - level - level * harmonic)
        rest = 1 - rate * harmonic
        if rate > 0 and rest >= -1e-12 and (level == 0 or rest <= rate / level + 1e-12):
            return rate / rho
    return math.inf


def choices_waf(rho: float, pages: int, choices: int) -> float:
    """Mean field of the emptiest of d blocks: j s_j = f (1 − G_j^d) from b down to 1, Σ j s_j = ρ b."""

    def shares(rate: float) -> tuple[list[float], float]:
        above, found = 0.0, []
        for j in range(pages, 0, -1):
            found.append(_level(j, rate, above, choices))
            above += found[-1]
        return found, above

    low, high = 0.0, float(pages)
    for _ in range(200):
        rate = (low + high) / 2
        found, _ = shares(rate)
        valid = sum(j * share for j, share in zip(range(pages, 0, -1), found, strict=True))
        low, high = (rate, high) if valid < rho * pages else (low, rate)
    full = shares((low + high) / 2)[0][0]
    return (low + high) / 2 / rho * (1 - full**choices)


def _level(j: int, rate: float, above: float, choices: int) -> float:
    """The share s of level j for which j s = f (1 − (above + s)^d), by halving."""
    low, high = 0.0, max(1 - above, 0.0)
    for _ in range(100):
        share = (low + high) / 2
        enters = rate * (1 - (above + share) ** choices)
        low, high = (share, high) if j * share < enters else (low, share)
    return (low + high) / 2


def fifo_waf(rho: float) -> float:
    """α / (α + W(−α e^−α)) with α = 1/ρ and Lambert's W, whatever the pages of a block."""
    from scipy.special import lambertw

    alpha = 1 / rho
    return float(alpha / (alpha + lambertw(-alpha * math.exp(-alpha)).real))


def transfer_ns(config: Config, size: int) -> float:
    """Time of so many bytes on a channel."""
    channel = config["device"]["channel"]
    return float(size * 8 / channel["width_bits"] / channel["mega_transfers_per_s"] * 1000)


def requested_bytes(config: Config, size: int) -> int:
    """Bytes that move for a read of so many: with their part of the spare bytes, where those move."""
    geometry, channel = config["device"]["geometry"], config["device"]["channel"]
    moved = size if channel["transfer"] == "requested" else geometry["page_bytes"]
    spare = geometry["spare_bytes"] * moved / geometry["page_bytes"] if channel["transfer_spare"] else 0
    return int(moved + spare)


def _link_ns(config: Config, size: int) -> float:
    link = config["device"]["link"]
    rate = link.get("bytes_per_s") or 0
    return float(size * 1e9 / rate) if rate else 0.0


def _unloaded_read(config: Config, which: Callable[[list[int]], int]) -> float:
    device = config["device"]
    size = config["workload"]["source"]["sizes"]
    channel, link = device["channel"], device["link"]
    moved = transfer_ns(config, requested_bytes(config, size))
    flash = float(channel["read_command_ns"] + which(device["cell"]["read_ns"]) + moved)
    return flash + float(link["submission_ns"] + link["completion_ns"]) + _link_ns(config, size)


def shortest_read(config: Config) -> float:
    """Unloaded read of the fastest pages: submission + command + tR + transfer + link data + completion."""
    return _unloaded_read(config, min)


def longest_read(config: Config) -> float:
    """Unloaded read of the slowest page type."""
    return _unloaded_read(config, max)


def service_ns(config: Config) -> float:
    """Time for which a read occupies its die: command, tR, transfer."""
    device = config["device"]
    size = config["workload"]["source"]["sizes"]
    moved = transfer_ns(config, requested_bytes(config, size))
    return float(device["channel"]["read_command_ns"] + device["cell"]["read_ns"][0] + moved)


def load(config: Config) -> float:
    """Share of the time for which one die is busy with Poisson reads: arrival rate × service time."""
    return float(config["workload"]["source"]["interarrival"]["iops"]) * service_ns(config) / 1e9


def md1_wait(config: Config) -> float:
    """Mean wait in M/D/1, ns: ρ D / (2 (1 − ρ))."""
    rho = load(config)
    return rho * service_ns(config) / (2 * (1 - rho))


def channel_bound(config: Config) -> float:
    """Bytes a second of reads of whole pages that keep every channel busy: page / (command + transfer), each
    channel.

    No more than the link carries.
    """
    device = config["device"]
    geometry = device["geometry"]
    size = geometry["page_bytes"]
    one = (
        size
        * 1e9
        / (device["channel"]["read_command_ns"] + transfer_ns(config, requested_bytes(config, size)))
    )
    link = device["link"].get("bytes_per_s") or math.inf
    return float(min(geometry["channels"] * one, link))


def die_bound(config: Config) -> float:
    """Bytes a second when every die reads page after page: page / (command + tR + transfer), each die."""
    geometry = config["device"]["geometry"]
    dies = geometry["channels"] * geometry["ways"] * geometry["dies"]
    return float(dies * geometry["page_bytes"] * 1e9 / service_ns(config))


def read_bound(config: Config) -> float:
    """The lower of the bounds of channels and of dies."""
    return min(channel_bound(config), die_bound(config))


def che_hits(config: Config) -> float:
    """Hit ratio of LRU under independent Zipf requests, by the approximation of Che, Tung and Wang (JSAC
    2002).

    Σ (1 − e^(−p_i t)) = cache gives the characteristic time t; the ratio is Σ p_i (1 − e^(−p_i t)).
    """
    import numpy
    from scipy.optimize import brentq

    source, device = config["workload"]["source"], config["device"]
    unit = device["geometry"]["mapping_unit_bytes"]
    places = int(source["region"]["bytes"]) // unit
    cache = int(config["scheme"]["cache"]["bytes"]) // unit
    weights = numpy.arange(1, places + 1, dtype=float) ** -source["pattern"]["theta"]
    shares = weights / weights.sum()
    if cache >= places:
        return 1.0
    time = brentq(lambda t: float(-numpy.expm1(-shares * t).sum()) - cache, 0.0, 1e3 * places)
    return float(-(shares * numpy.expm1(-shares * time)).sum())


def reclaims(config: Config) -> float | None:
    """Blocks reclaimed under uniform reads: array reads by the threshold."""
    requests = config["workload"]["source"]["requests"]
    threshold = config["scheme"]["reclaim"]["threshold"]
    return float(requests / threshold) if config["scheme"]["reclaim"]["policy"] == "block" else None


def space_cost(config: Config) -> float:
    """Flash that a scheme takes for the same data, by that of the baseline (papers/004, figure 7).

    Chips reserved for copies count by their share, parity as stripes of D dies for D − 1 of data,
    mirrored drives by their number.
    """
    geometry, scheme = config["device"]["geometry"], config["scheme"]
    chips, cost = geometry["channels"] * geometry["ways"], 1.0
    hotr = scheme.get("hotr", {})
    if hotr.get("enabled"):
        reserved = hotr["staging_chips"] / chips
        cost *= 1 / (1 - reserved) if hotr["staging"] == "chip" else 1 + hotr["staging_share"]
    if scheme["redundancy"]["policy"] == "parity_rows":
        spans = {"channels": geometry["channels"], "chip": 1, "drive": chips}
        dies = spans[scheme["blocks"]["superblock"]] * geometry["dies"] ** (
            scheme["blocks"]["superblock"] != "channels"
        )
        cost *= dies / (dies - 1)
    array = scheme.get("array") or {}
    return float(cost * (array["members"] if array.get("layout") == "mirrored" else 1))


def host_share(config: Config) -> float:
    """Of the logical bytes of all members of an array, those that the host can fill."""
    array = config["scheme"].get("array", {})
    return 1.0 / array["members"] if array.get("layout") == "mirrored" else 1.0


FORMULAS: dict[str, Formula] = {
    formula.__name__: formula
    for formula in (
        utilisation,
        host_share,
        waf,
        shortest_read,
        longest_read,
        load,
        md1_wait,
        channel_bound,
        die_bound,
        read_bound,
        che_hits,
        reclaims,
        space_cost,
    )
}
