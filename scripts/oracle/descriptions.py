"""Descriptions of drives, schemes and loads that cover all pairs of features that go together."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import wordline
from wordline import presets

FOLDER = Path(__file__).parents[2] / "tests" / "oracle"
DRAWN = FOLDER / "descriptions.json"
LEVELS: dict[str, list[Mapping[str, object]]] = tomllib.loads((FOLDER / "features.toml").read_text())[
    "feature"
]
"""Of each feature its levels: the keys that each sets."""

COUNT = 400
"""Descriptions that are drawn, or more where pairs are left."""

BLOCKS = 32
"""Blocks of a plane of a preset's drive, so that a run takes less than a second."""


ONE_REQUEST = FOLDER / "one_request.csv"
"""A trace of one read."""


class Random:
    """A small generator, the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self.state = seed * 2 + 1

    def below(self, bound: int) -> int:
        """A whole number from 0 to below the bound."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


@dataclass(frozen=True)
class Row:
    """A description."""

    name: str
    device: str
    scheme: str
    overrides: Mapping[str, object]
    seed: int
    requests: int
    policies: Mapping[str, object] = field(default_factory=dict)
    """Policies in Python that take the place of the scheme's, by slot."""
    trace: Path | None = None
    """A recorded trace, of which so many requests are taken; else they are drawn."""
    generator: Mapping[str, object] | None = None
    """What the requests come from in the place of a trace: a law, as a start in the middle of things asks."""
    checked: bool = True
    """Whether the drive checks itself: what it prepares is then written page by page."""


Levels = tuple[int, ...]


def row(levels: Levels) -> Row:
    """The description of these levels, one of each feature. Of two that set a key the later stands."""
    overrides: dict[str, object] = {}
    for values, level in zip(LEVELS.values(), levels, strict=True):
        overrides.update(values[level])
    name = "".join(map(str, levels))
    return Row(name, str(FOLDER / "device.toml"), "baseline", overrides, seed=sum(levels) + 1, requests=700)


def goes(levels: Levels) -> bool:
    """Whether the drive, the scheme and the load go together."""
    one = row(levels)
    trace = {"source": {"kind": "trace", "path": str(ONE_REQUEST)}}
    try:
        wordline.prepare(one.device, one.scheme, trace, seed=one.seed, overrides=one.overrides)
    except wordline.WordlineError:
        return False
    return True


Pair = tuple[int, int, int, int]


def pairs_of(levels: Levels) -> set[Pair]:
    """The pairs of levels in it: feature and level, twice."""
    return {(a, x, b, y) for (a, x), (b, y) in itertools.combinations(enumerate(levels), 2)}


def all_pairs() -> set[Pair]:
    """The pairs of levels that there are."""
    counts = [len(values) for values in LEVELS.values()]
    return {
        (a, x, b, y)
        for a, b in itertools.combinations(range(len(counts)), 2)
        for x in range(counts[a])
        for y in range(counts[b])
    }


def named(pair: Pair) -> str:
    """The pair in words."""
    features = list(LEVELS)
    a, x, b, y = pair
    return f"{features[a]} {x} with {features[b]} {y}"


def drawn() -> tuple[list[Levels], set[Pair]]:
    """Levels that go together and cover all pairs that do, and the pairs that don't."""
    counts = [len(values) for values in LEVELS.values()]
    left = all_pairs()
    random = Random(42)
    rows: list[Levels] = []
    refused: set[Pair] = set()
    while left or len(rows) < COUNT:
        order = sorted(left)
        wanted = order[random.below(len(order))] if order else None
        levels = complete(wanted, counts, random)
        if levels is None:
            left -= {wanted} if wanted else set()
            refused |= {wanted} if wanted else set()
            continue
        rows.append(levels)
        left -= pairs_of(levels)
    return rows, refused


def complete(wanted: Pair | None, counts: list[int], random: Random) -> Levels | None:
    """A description with this pair and as many further ones as go with it; `None` if the pair doesn't go."""
    fixed = {wanted[0]: wanted[1], wanted[2]: wanted[3]} if wanted else {}
    levels = [fixed.get(feature, 0) for feature in range(len(counts))]
    if not goes(tuple(levels)):
        return None
    others = [feature for feature in range(len(counts)) if feature not in fixed]
    for at in range(len(others) - 1, 0, -1):
        to = random.below(at + 1)
        others[at], others[to] = others[to], others[at]
    for feature in others:
        level = random.below(counts[feature])
        tried = [*levels]
        tried[feature] = level
        if level and goes(tuple(tried)):
            levels = tried
    return tuple(levels)


def draw() -> None:
    """Draws all anew."""
    rows, refused = drawn()
    names = ["".join(map(str, levels)) for levels in rows]
    text = {"descriptions": names, "pairs_that_do_not_go": sorted(map(named, refused))}
    DRAWN.write_text(json.dumps(text, indent=0) + "\n")


def known() -> Iterator[Row]:
    """Those that were drawn."""
    for name in json.loads(DRAWN.read_text())["descriptions"]:
        yield row(tuple(map(int, name)))


def smaller_drive(device: str) -> dict[str, object]:
    """What makes a preset's drive a small one, three quarters of which the host has."""
    text = tomllib.loads(presets.load("device", device).text)
    shape = text["geometry"]
    planes = shape["channels"] * shape["ways"] * shape["dies"] * shape["planes"]
    raw = planes * BLOCKS * shape["pages"] * shape["page_bytes"]
    if "user_bytes" in text["capacity"]:
        capacity: dict[str, object] = {"device.capacity.user_bytes": raw * 3 // 4}
    else:
        capacity = {"device.capacity.overprovisioning": 1 / 3}
    if "slc_cache" in text.get("scheme", {}):
        capacity["scheme.slc_cache.min_bytes"] = 0
    return {"device.geometry.blocks": BLOCKS, **capacity}


def of_presets() -> Iterator[Row]:
    """Every drive with every scheme that it takes."""
    for device in presets.names("device"):
        smaller = smaller_drive(device)
        for scheme in presets.names("scheme"):
            yield Row(f"{device}/{scheme}", device, scheme, smaller, seed=1, requests=300)
