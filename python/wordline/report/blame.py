"""Where response times went, as bars of parts: a part has its color in every report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wordline.charts import Axis, Chart, Share, colors, stacked
from wordline.names import about_part, part_label

SMALLEST_SHARE = 0.01
"""Parts of a response time below this share in every bar are one part, `other`."""

MOST_PARTS = 10
"""Of a chart, `other` included: the eye tells no more apart."""

OTHER = "other"

Parts = Mapping[str, float]
Rows = Sequence[tuple[str, Parts]]


def _large(panels: Iterable[Rows]) -> list[str]:
    """The parts that have a color of their own, the largest first."""
    shares: dict[str, float] = {}
    for rows in panels:
        for _, parts in rows:
            total = sum(parts.values())
            for name, value in parts.items():
                shares[name] = max(shares.get(name, 0.0), value / total if total else 0.0)
    found = [name for name in shares if shares[name] >= SMALLEST_SHARE]
    found.sort(key=lambda name: (-shares[name], name))
    return found if len(shares) <= MOST_PARTS and len(found) == len(shares) else found[: MOST_PARTS - 1]


def charts(panels: Mapping[str, Rows], messages: Mapping[str, str] | None = None) -> list[Chart]:
    """A chart for each panel: its title, and bars of ns by part; `messages` has what panels say."""
    shown = {title: rows for title, rows in panels.items() if any(parts for _, parts in rows)}
    large = _large(shown.values())
    tones = colors.of_parts(large)
    pieces = [Share(part_label(name), tones[name], about_part(name)) for name in large]
    made = []
    for title, rows in shown.items():
        labelled, small = [], set[str]()
        for label, parts in rows:
            known = {part_label(name): parts[name] for name in large if parts.get(name)}
            small |= parts.keys() - set(large)
            rest = sum(value for name, value in parts.items() if name not in large)
            labelled.append((label, known | ({OTHER: rest} if rest else {})))
        there = {name for _, parts in labelled for name in parts}
        own = [piece for piece in pieces if piece.name in there]
        if small:
            own.append(Share(OTHER, colors.OTHER, ", ".join(sorted(map(part_label, small)))))
        chart = stacked(title, labelled, own, Axis("time of a request", "time"))
        made.append(chart.saying((messages or {}).get(title, "")))
    return made


def legend(panels: Mapping[str, Rows]) -> list[tuple[str, str]]:
    """The parts that the charts show, and what they are."""
    return [(part_label(name), about_part(name)) for name in _large(panels.values()) if about_part(name)]
