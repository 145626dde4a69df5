"""Charts of studies: comparisons, sweeps, tunings."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wordline import intervals, labels
from wordline.charts import Axis, Change, Chart, bars, colors, curves, heat, points, relative
from wordline.charts.lines import Span
from wordline.comparison.figures import DIRECTIONS
from wordline.figures import better, fitting, fitting_interval, kind, title
from wordline.names import KINDS, TAILS, endings
from wordline.notes import Shared
from wordline.report import blame, messages
from wordline.sweeps.averages import CI95, Averaged

if TYPE_CHECKING:
    from wordline.comparison.figures import Comparison

MOST_LINES = 10
"""Of a chart."""

MOST_CELLS = 900
"""Of a heat map whose cells hold numbers."""

_ARROWS = {"more": " ↑", "less": " ↓", None: ""}
"""Behind the name of a figure: which change is for the better."""


def _names(found: Comparison) -> dict[str, str]:
    """Schemes as charts call them."""
    return labels.briefs(found.schemes)


def _tones(found: Comparison) -> dict[str, str]:
    return {name: colors.of_series(place) for place, name in enumerate(_names(found).values())}


def changes_of(found: Comparison, metrics: Sequence[str]) -> Iterator[Chart]:
    """For each workload the changes of all figures against the first scheme, each with its interval. What
    its own interval exceeds, and what a drive did that died, is no change.
    """
    first, names = found.schemes[0], _names(found)
    for workload in found.workloads:
        changes = []
        for metric, scheme in itertools.product(found.metrics(metrics), found.schemes[1:]):
            cells = [found.cell(workload, each, metric) for each in (first, scheme)]
            base, cell = cells
            if base is None or cell is None or not base.value or not cell.ratio:
                continue
            if base.unsure or cell.unsure or any(found.died(workload, each) for each in (first, scheme)):
                continue
            half = intervals.half_of_difference(
                *(found.interval(workload, each, metric) for each in (first, scheme))
            )
            share = None if half is None else half / base.value
            text = fitting_interval(metric, cell.value, cell.ci95)
            changes.append(
                Change(f"{title(metric)}{_ARROWS[better(metric)]}", names[scheme], cell.ratio, share, text)
            )
        if changes:
            chart = relative(workload, changes, names[first], _tones(found))
            yield chart.saying(messages.changes(changes))


def absolute(found: Comparison, metrics: Sequence[str]) -> Iterator[Chart]:
    """Bars of each figure. Raises `WordlineError` for a figure that no run has."""
    tones = _tones(found)
    for metric in found.metrics(metrics):
        cells = [
            (workload, name, cell.value, cell.ci95)
            for workload in found.workloads
            for scheme, name in _names(found).items()
            if (cell := found.cell(workload, scheme, metric)) is not None
        ]
        if any(value for _, _, value, _ in cells):
            axis = _axis(metric, [value for _, _, value, _ in cells])
            chart = bars(title(metric), cells, axis, tones=tones, legend_title="scheme")
            yield chart.saying(_said_of(found, metric))


def _said_of(found: Comparison, metric: str) -> str:
    """Of one workload the figure of each scheme, of several how many differences are more than chance."""
    names = _names(found)
    first, *others = found.schemes
    if len(found.workloads) == 1:
        cells = [(name, found.cell(found.workloads[0], scheme, metric)) for scheme, name in names.items()]
        told = [
            (name, cell.value, fitting(metric, cell.value))
            for name, cell in cells
            if cell is not None and not cell.unsure
        ]
        return f"{title(metric)}: {messages.each(told)}" if told else ""
    pairs = [
        (workload, scheme)
        for workload, scheme in itertools.product(found.workloads, others)
        if not any(found.died(workload, each) for each in (found.schemes[0], scheme))
    ]
    cells_of = [found.cell(workload, scheme, metric) for workload, scheme in pairs]
    return messages.differences(title(metric), names[first], [cell.same for cell in cells_of if cell])


def percentiles(found: Comparison) -> Iterator[Chart]:
    """Response times of all schemes in one chart for each workload."""
    tones = _tones(found)
    for workload, direction in itertools.product(found.workloads, DIRECTIONS):
        tails = {
            name: tail
            for scheme, name in _names(found).items()
            if (tail := _tail(found, workload, scheme, direction))
        }
        if tails:
            names = {name: scheme for scheme, name in _names(found).items() if name in tails}
            spans = {
                name: own
                for name, scheme in names.items()
                if (own := _spans(found, workload, scheme, direction))
            }
            chart = curves(
                f"{workload}: {KINDS[direction]}, percentiles",
                tails,
                Axis("response time", "time", log=True),
                Axis("share of requests that take longer", "share", log=True),
                tones=tones,
                marks=True,
                legend_title="scheme",
                spans=spans,
            )
            said = _said_of_percentiles(found, workload, names, direction)
            yield chart.saying(said, "; pale bars: 95% intervals" if spans else "")


def _said_of_percentiles(found: Comparison, workload: str, names: Mapping[str, str], direction: str) -> str:
    for level, share in messages.LEVELS:
        cells = {
            name: found.cell(workload, scheme, f"{direction}.latency_ns.{level}")
            for name, scheme in names.items()
        }
        fewest = min(
            min(found.values(workload, scheme, f"{direction}.requests")) for scheme in names.values()
        )
        known = [(name, cell.value) for name, cell in cells.items() if cell is not None and not cell.unsure]
        if share * fewest >= messages.LEAST_BEHIND and len(known) == len(cells):
            return messages.percentile(direction, level, known)
    return ""


def _spans(found: Comparison, workload: str, scheme: str, direction: str) -> list[Span]:
    """The intervals of the percentiles that `_tail` has."""
    made = []
    for _, share in _tail(found, workload, scheme, direction):
        path = f"{direction}.latency_ns.{next(name for name, own in TAILS if own == share)}"
        interval = found.interval(workload, scheme, path)
        if interval is not None:
            made.append((interval.low, interval.high, share, title(path)))
    return made


def _tail(found: Comparison, workload: str, scheme: str, direction: str) -> list[tuple[float, float]]:
    curve = []
    for name, share in TAILS:
        values = found.values(workload, scheme, f"{direction}.latency_ns.{name}")
        requests = found.values(workload, scheme, f"{direction}.requests")
        # Beyond the last request there is nothing to show.
        if values and requests and share * min(requests) >= 1:
            curve.append((sum(values) / len(values), share))
    return curve


def blame_of(found: Comparison) -> dict[str, blame.Rows]:
    """Bars of parts of all schemes, for each workload."""
    panels: dict[str, blame.Rows] = {}
    for workload, direction in itertools.product(found.workloads, DIRECTIONS):
        for part, words in (("mean", "mean of all"), ("tail", "mean from the 99th percentile on")):
            rows = [
                (name, found.blame(workload, scheme, direction, part))  # type: ignore[arg-type]
                for scheme, name in _names(found).items()
            ]
            panels[f"{workload}: {KINDS[direction]}, {words}"] = rows
    return panels


def blame_messages(found: Comparison, panels: Mapping[str, blame.Rows]) -> dict[str, str]:
    """What each of these panels says."""
    said = {}
    for workload, direction in itertools.product(found.workloads, DIRECTIONS):
        for title_, rows in panels.items():
            if title_.startswith(f"{workload}: {KINDS[direction]}, "):
                known = [row for row in rows if row[1]]
                said[title_] = messages.parts_of(direction, known, "99th percentile" in title_)
    return said


def _axis(metric: str, values: Sequence[float]) -> Axis:
    """The axis of a figure that has these values: logarithmic where they call for it and none is nothing."""
    axis = Axis(title(metric), kind(metric))
    return axis.over(values) if all(value > 0 for value in values) else axis


def _words(axes: Sequence[str]) -> dict[str, str]:
    """Axes as charts call them."""
    return {axis: name.replace("_", " ").replace(".", " ") for axis, name in endings(axes).items()}


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def values_of(found: Sequence[Averaged], axis: str) -> list[Any]:
    """The values of an axis, each once."""
    return list(dict.fromkeys(point.axes[axis] for point in found))


def of_sweep(found: Sequence[Averaged], metrics: Sequence[str]) -> Iterator[Chart]:
    """For each figure: a line over the longest axis for each combination of the others, with intervals over
    seeds; and where there are two axes of several values, a map of them. Points whose figure is unsure are
    counted and not drawn: tables withhold them, too.
    """
    axes = [axis for axis in (found[0].axes if found else ()) if len(values_of(found, axis)) > 1]
    if not axes:
        return
    words = _words(axes)
    longest = max(
        axes, key=lambda axis: (all(map(_number, values_of(found, axis))), len(values_of(found, axis)))
    )
    others = [axis for axis in axes if axis != longest]
    for metric in metrics:
        having = [(point, figure) for point in found if (figure := point.figure(metric)) is not None]
        known = [(point, figure) for point, figure in having if not figure.unsure]
        if not any(figure.value for _, figure in known):
            continue
        unsure = _left_out(len(having) - len(known))
        if all(map(_number, values_of(found, longest))):
            yield from (chart.saying("", unsure) for chart in _lines(known, metric, longest, others, words))
        else:
            rows = [
                (
                    _called(point, others, words) or words[longest],
                    str(point.axes[longest]),
                    figure.value,
                    figure.half,
                )
                for point, figure in known
            ]
            axis = _axis(metric, [value for _, _, value, _ in rows])
            yield bars(title(metric), rows, axis, legend_title=words[longest]).saying("", unsure)
        if others:
            down = max(others, key=lambda axis: len(values_of(found, axis)))
            rest = [axis for axis in others if axis != down]
            yield from (chart.saying("", unsure) for chart in _map(known, metric, longest, down, rest, words))


def _left_out(points: int) -> str:
    """What is said of so many points that aren't drawn."""
    if not points:
        return ""
    return f"; {'1 point is' if points == 1 else f'{points:,} points are'} unsure and left out"


def _called(point: Averaged, axes: Sequence[str], words: Mapping[str, str]) -> str:
    if len(axes) == 1:
        return str(point.axes[axes[0]])
    return _setting(point, axes, words)


def _setting(point: Averaged, axes: Sequence[str], words: Mapping[str, str]) -> str:
    return ", ".join(f"{words[axis]} {point.axes[axis]}" for axis in axes)


def _lines(
    known: Any, metric: str, longest: str, others: Sequence[str], words: Mapping[str, str]
) -> Iterator[Chart]:
    lines: dict[str, list[tuple[float, float]]] = {}
    reach: dict[str, list[tuple[float, float, float, float]]] = {}
    for point, figure in sorted(known, key=lambda pair: float(pair[0].axes[longest])):
        name = _called(point, others, words) or title(metric)
        x = float(point.axes[longest])
        lines.setdefault(name, []).append((x, figure.value))
        if figure.half is not None:
            low, high = figure.value - figure.half, figure.value + figure.half
            reach.setdefault(name, []).append((x, figure.value, low, high))
    xs = {x for line in lines.values() for x, _ in line}
    log = min(xs) > 0 and max(xs) > 20 * min(xs)
    across = Axis(words[longest], log=log, zero=False)
    legend = ", ".join(words[axis] for axis in others) or None
    names = list(lines)
    for first in range(0, len(names), MOST_LINES):
        part = names[first : first + MOST_LINES]
        more = f" ({first // MOST_LINES + 1})" if len(names) > MOST_LINES else ""
        yield curves(
            f"{title(metric)} over {words[longest]}{more}",
            {name: lines[name] for name in part},
            across,
            _axis(metric, [y for line in lines.values() for _, y in line]),
            marks=True,
            legend_title=legend,
            reach={name: reach[name] for name in part if name in reach} or None,
        )


def _map(
    known: Any, metric: str, across: str, down: str, rest: Sequence[str], words: Mapping[str, str]
) -> Iterator[Chart]:
    """A cell for each pair of values of two axes: the mean over those settings of the other axes that every
    cell has, as means over different ones couldn't be told apart from what the two axes do. None where no
    setting is in every cell.
    """
    cells: dict[tuple[Any, Any], dict[str, float]] = {}
    for point, figure in known:
        setting = _setting(point, rest, words)
        cells.setdefault((point.axes[across], point.axes[down]), {})[setting] = figure.value
    settings = list(dict.fromkeys(setting for values in cells.values() for setting in values))
    shared = [setting for setting in settings if all(setting in values for values in cells.values())]
    if not shared:
        return
    made = [
        (x, y, statistics.fmean(values[setting] for setting in shared)) for (x, y), values in cells.items()
    ]
    averaged = _averaged(shared, len(settings), rest, words)
    yield heat(
        f"{title(metric)} by {words[across]} and {words[down]}{averaged}",
        made,
        words[across],
        words[down],
        _axis(metric, [value for *_, value in made]),
        numbers=len(made) <= MOST_CELLS,
    )


def _averaged(shared: Sequence[str], of: int, rest: Sequence[str], words: Mapping[str, str]) -> str:
    """What of so many settings of the other axes a map shows."""
    if of == 1:
        return ""
    if len(shared) == of:
        return ", mean of the other axes"
    others = f"{of - len(shared)} of {of} settings of {', '.join(words[axis] for axis in rest)}"
    shown = f", mean of {len(shared)} settings" if len(shared) > 1 else f" at {shared[0]}"
    return f"{shown}; {others} left out, which some cells lack"


@dataclass(frozen=True)
class Search:
    """A search that was run."""

    name: str
    objectives: dict[str, str]
    """Figures, and whether they were to be small or large."""
    trials: list[dict[str, Any]]
    """Rows of its table."""
    best: frozenset[int]
    """Numbers of the best trials: of two objectives those that no other beats in both."""
    notes: tuple[Shared, ...] = ()
    """Those of its runs."""
    search: dict[str, Any] = field(default_factory=dict)
    """What was varied, as the description has it."""
    of: dict[str, str] = field(default_factory=dict)
    """What else its description names: device, scheme, workload, settings."""

    @property
    def parameters(self) -> list[str]:
        """Those that were varied."""
        names = list(self.trials[0]) if self.trials else []
        intervals = [name + CI95 for name in self.objectives]
        return [name for name in names if name not in ("trial", "error", *self.objectives, *intervals)]

    def text(self, trial: Mapping[str, Any], objective: str) -> str:
        """A figure of a trial with its interval."""
        return fitting_interval(objective, trial[objective], trial.get(objective + CI95))


def of_search(found: Search) -> Iterator[Chart]:
    """Two objectives against each other with their front, or one by trial; then each over each parameter."""
    done = [trial for trial in found.trials if trial["error"] is None]
    names = list(found.objectives)
    fronts = {tuple(trial[name] for name in names) for trial in done if trial["trial"] in found.best}
    words = _words(found.parameters)
    tips = {f"p{place}": words[name] for place, name in enumerate(found.parameters)} | {"n": "trial"}

    def dot(trial: Mapping[str, Any], x: float, y: float) -> dict[str, Any]:
        given = {f"p{place}": trial[name] for place, name in enumerate(found.parameters)}
        return {
            "x": x,
            "y": y,
            "n": trial["trial"],
            "best": tuple(trial[name] for name in names) in fronts,
        } | given

    axes = {
        name: replace(
            _axis(name, [trial[name] for trial in done]),
            title=f"{title(name)}, to {found.objectives[name]}",
            zero=False,
        )
        for name in names
    }
    if len(names) == 2:
        dots = [dot(trial, trial[names[0]], trial[names[1]]) for trial in done]
        front = sorted((each["x"], each["y"]) for each in dots if each["best"])
        yield points(
            "Pareto front",
            dots,
            axes[names[0]],
            axes[names[1]],
            tips=tips,
            front=front,
            best="front",
            label="n",
        )
    else:
        dots = [dot(trial, trial["trial"], trial[names[0]]) for trial in done]
        yield points("trials", dots, Axis("trial", zero=False), axes[names[0]], tips=tips, label="n")
    for name, parameter in itertools.product(names, found.parameters):
        values = [trial[parameter] for trial in done]
        number = all(map(_number, values))
        across = Axis(words[parameter], "number" if number else "name", zero=False)
        dots = [dot(trial, trial[parameter], trial[name]) for trial in done]
        yield points(
            f"{title(name)} over {words[parameter]}", dots, across, axes[name], tips=tips,
            best="front" if len(names) == 2 else "best",
        )  # fmt: skip
