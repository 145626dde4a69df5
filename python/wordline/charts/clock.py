"""The time of day at an axis of time: round ticks, and what their labels and tooltips say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

MOST_TICKS = 7

MS, S, DAY = 10**6, 10**9, 86_400 * 10**9

STEPS = (
    *(MS * each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(S * each for each in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)),
    *(3600 * S * each for each in (1, 2, 3, 6, 12)),
    *(DAY * each for each in (1, 2, 7, 14, 28, 91, 364)),
)
"""Distances between ticks that a clock's reader expects, ns."""


@dataclass(frozen=True)
class Clock:
    """The wall clock of a run."""

    unix_ns: int
    """At time 0 of the run, ns since 1970, UTC."""

    def spec(self, low: float, high: float) -> dict[str, Any] | None:
        """What an axis over these times of the run, ns, takes instead of its own: title, expressions of Vega
        for labels and tooltips, ticks. `None` for less than a clock shows.
        """
        fitting = (step for step in STEPS if (high - low) / step <= MOST_TICKS)
        step = next(fitting, STEPS[-1])
        first = -(-(self.unix_ns + int(low)) // step) * step - self.unix_ns
        ticks = list(range(first, int(high) + 1, step))
        if len(ticks) < 2:
            return None
        day = datetime.fromtimestamp(self.unix_ns // S, UTC).date()
        last = datetime.fromtimestamp((self.unix_ns + int(high)) // S, UTC).date()
        title = f"time of day (UTC), {day}" + (f" to {last}" if last != day else "")
        date = "%b %d " if last != day else ""
        time = (
            "" if step >= DAY else "%H:%M" if step >= 60 * S else "%H:%M:%S" if step >= S else "%H:%M:%S.%L"
        )
        return {
            "title": title,
            "label": self._text("datum.value", (date + time).strip()),
            "text": self._text("datum.x", f"{date}%H:%M:%S.%L"),
            "values": ticks,
        }

    def _text(self, ns: str, form: str) -> str:
        return f"utcFormat({self.unix_ns / 1e6!r} + {ns} / 1e6, '{form}')"
