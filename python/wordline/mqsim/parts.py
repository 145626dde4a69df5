"""Parts of MQSim's drive to which flows keep, as sets of planes of Wordline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wordline.mqsim.device import Drive
from wordline.mqsim.values import Notes
from wordline.mqsim.workload import Flow

TomlTable = dict[str, Any]

LISTS = {"Channel_IDs": "channels", "Chip_IDs": "ways", "Die_IDs": "dies", "Plane_IDs": "planes"}
"""MQSim's lists of numbers, and what a set of planes calls them."""

Numbers = tuple[tuple[int, ...], ...]
"""Channels, chips, dies and planes."""


@dataclass(frozen=True)
class Part:
    """A part of the drive, and the flows that share it, by their numbers."""

    name: str
    """Of its set of planes; empty where it is the whole drive."""
    numbers: Numbers
    flows: tuple[int, ...]

    def table(self, counts: dict[str, int]) -> TomlTable:
        """The set of planes; lists of all that there is are left out."""
        lists = zip(LISTS, self.numbers, strict=True)
        return {"name": self.name} | {
            LISTS[name]: list(numbers) for name, numbers in lists if len(numbers) < counts[name]
        }


def divide(flows: Sequence[Flow], drive: Drive, notes: Notes) -> list[Part]:
    """The parts that these flows keep to, the whole drive among them only where no other is.

    Raises `WordlineError` for parts that overlap: MQSim would divide each plane between its flows.
    """
    found: dict[Numbers, list[int]] = {}
    for number, flow in enumerate(flows):
        wanted = flow.resources(drive)
        for other, owners in found.items():
            if other != wanted and _overlap(other, wanted):
                raise _overlapping(flow, flows[owners[0]], wanted, other)
        found.setdefault(wanted, []).append(number)
    whole = tuple(tuple(range(count)) for count in drive.counts.values())
    parts = [
        Part("" if numbers == whole else f"part{place}", numbers, tuple(owners))
        for place, (numbers, owners) in enumerate(found.items())
    ]
    left = drive.planes - sum(math.prod(map(len, part.numbers)) for part in parts)
    if left:
        notes.add(f"planes of no flow: {left} of {drive.planes} hold nothing and rest")
    return parts


def _overlap(one: Numbers, other: Numbers) -> bool:
    return all(set(mine) & set(theirs) for mine, theirs in zip(one, other, strict=True))


def _overlapping(flow: Flow, other: Flow, wanted: Numbers, others: Numbers) -> Exception:
    differ = next(name for name, mine, theirs in zip(LISTS, wanted, others, strict=True) if mine != theirs)
    of_other = f"flow {other.number} ({other.values.place(differ)})"
    return flow.values.refuse(differ, f"allowed: all planes of another flow or none, not some of {of_other}")
