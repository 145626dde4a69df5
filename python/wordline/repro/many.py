"""Tables of many printed numbers of one kind: beside a constant guess, and in whose order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wordline.repro.numbers import Number
from wordline.repro.verdict import Target, judge, says_nothing_happens

LEAST = 8
"""So many numbers make a table."""

CHANCE = 0.05
"""A rank correlation counts as positive where chance alone gives as much less often than this."""


@dataclass(frozen=True)
class Table:
    """What the numbers of one table come to together."""

    paper: str
    exhibit: str
    name: str
    """What the metrics of its numbers begin with."""
    count: int
    reproduced: int
    guess: float
    """The one number that would have reproduced most of them, had it been said of all."""
    by_guess: int
    """How many it would have."""
    rank_correlation: float
    """Spearman's, of ours with the printed ones."""
    by_chance: float
    """How often chance alone gives one as high or higher."""

    @property
    def is_in_order(self) -> bool:
        """Whether what is printed larger is larger here, by more than chance."""
        return self.by_chance < CHANCE

    def told(self) -> str:
        """In one line."""
        order = f"rank correlation {self.rank_correlation:.2f} (chance alone: {self.by_chance:.2g})"
        guess = f"{self.guess:.4g} for all would reproduce {self.by_guess}"
        return f"{self.name}: {self.reproduced} of {self.count} reproduced; {guess}; {order}"


def _name(number: Number) -> tuple[str, str, str, str, str]:
    return (number.paper, number.exhibit, number.metric.split(": ")[0], number.unit, number.kind)


def tables(numbers: Sequence[Number]) -> list[Table]:
    """The tables among these numbers, in the order of their first ones."""
    groups: dict[tuple[str, ...], list[Number]] = {}
    for number in numbers:
        if isinstance(number.target, float | int) and isinstance(number.ours, float | int):
            groups.setdefault(_name(number), []).append(number)
    return [_table(group) for group in groups.values() if len(group) >= LEAST]


def _table(group: Sequence[Number]) -> Table:
    from scipy.stats import spearmanr

    printed = [float(number.target) for number in group]
    ours = [float(number.ours) for number in group if number.ours is not None]
    several = len(set(printed)) > 1 and len(set(ours)) > 1
    found = spearmanr(printed, ours, alternative="greater") if several else None
    by_guess, guess = max((_reproduced_by(group, value), -index) for index, value in enumerate(printed))
    return Table(
        paper=group[0].paper,
        exhibit=group[0].exhibit,
        name=group[0].metric.split(": ")[0],
        count=len(group),
        reproduced=sum(number.verdict == "reproduced" for number in group),
        guess=printed[-guess],
        by_guess=by_guess,
        rank_correlation=float(found.statistic) if found is not None else 0.0,
        by_chance=float(found.pvalue) if found is not None else 1.0,
    )


def _reproduced_by(group: Sequence[Number], guess: float) -> int:
    targets = (Target(n.target, n.unit, n.kind, n.within, n.factor) for n in group)
    return sum(judge(target, guess) == "reproduced" for target in targets)


def judged(numbers: Sequence[Number]) -> list[Number]:
    """The same numbers; of a table whose order isn't the printed one none is in direction, and that nothing
    happens, as some lines of it print, isn't reproduced: it is where nothing tells its lines apart.
    """
    out_of_order = {(t.paper, t.exhibit, t.name) for t in tables(numbers) if not t.is_in_order}

    def one(number: Number) -> Number:
        nothing = says_nothing_happens(number.kind, number.target) and number.verdict == "reproduced"
        if not (nothing or number.verdict == "direction") or _name(number)[:3] not in out_of_order:
            return number
        note = "; ".join(part for part in ("the table's order isn't the printed one", number.note) if part)
        return replace(number, verdict="not reproduced", note=note)

    return [one(number) for number in numbers]
