"""Whether the schemes of a comparison begin alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wordline.notes import Shared

Start = Mapping[str, Any]
"""`start` of a result."""


def note(starts: Iterable[tuple[str, Start]]) -> Shared | None:
    """Names the schemes whose drive was brought to its start by writes that were carried out, where the
    first begins otherwise; `None` if all begin alike.
    """
    carried_out: dict[str, bool] = {}
    for scheme, start in starts:
        carried_out.setdefault(scheme, bool(start["waf_of_windows"]))
    if len(set(carried_out.values())) < 2:
        return None
    first = next(iter(carried_out.values()))
    others = tuple(scheme for scheme, carried in carried_out.items() if carried != first)
    ways = ("by the formula of the steady state", "with overwrites that were carried out")
    return Shared(
        others,
        {
            "kind": "starts_differ",
            "found": f"the drive begins {ways[not first]}, that of the first scheme {ways[first]}",
            "reason": "both are drives in the same steady state, but not the same drive: chance between "
            "them is added to that within each run",
            "remedy": "several seeds (--seeds)",
        },
    )
