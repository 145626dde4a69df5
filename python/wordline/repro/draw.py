"""The figure of an exhibit: lines, points or bars, in the form that its file asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError

if TYPE_CHECKING:
    from wordline.repro.table import Number

COLORS = ("#1f77b4", "#b5651d", "#2a9d6f", "#8e5ea2", "#c44e52", "#6b7280", "#d4a017", "#17899b")

REFERENCE = "#111827"

SPREAD = " ±"
"""What follows a column's name where a line has half the width of its interval."""

NUMBERS = "numbers"
"""A figure of the exhibit's numbers: ours as bars, the printed ones as marks."""

KINDS = ("line", "bar", NUMBERS)

MOST_TICKS = 10

FIGURE_KEYS = (
    "kind", "x", "y", "series", "reference", "reference_label", "x_label", "y_label", "x_log", "y_log",
    "x_scale",
    "y_scale", "percent", "y_min", "labels", "metric",
)  # fmt: skip

Line = Mapping[str, Any]


def draw(figure: Mapping[str, Any], lines: Sequence[Line], title: str, path: Path) -> list[Path]:
    """Draws the figure as PNG and SVG beside each other; returns their paths."""
    plot = _draw_bars if figure.get("kind") == "bar" else _draw_lines
    return _drawn(figure, lambda axes: plot(axes, figure, lines), title, path)


def draw_numbers(figure: Mapping[str, Any], numbers: Sequence[Number], title: str, path: Path) -> list[Path]:
    """The same of numbers whose metric begins as `metric` says, each with the printed one as a mark.

    What follows `: ` in the metric, or else the workload, stands below.
    """
    wanted = [number for number in numbers if number.metric.startswith(figure.get("metric", ""))]
    there = [
        number
        for number in wanted
        if isinstance(number.ours, int | float) and isinstance(number.target, int | float)
    ]
    return _drawn(figure, lambda axes: _draw_beside_printed(axes, figure, there), title, path)


def _draw_beside_printed(axes: Any, figure: Mapping[str, Any], numbers: Sequence[Number]) -> None:
    scale = figure.get("y_scale", 1.0)
    places = range(len(numbers))
    names = [number.metric.partition(": ")[2] or number.workload or number.metric for number in numbers]
    reach = [(number.interval or 0.0) * scale for number in numbers]
    axes.bar(
        places,
        [number.ours * scale for number in numbers if isinstance(number.ours, int | float)],
        0.7,
        yerr=reach if any(reach) else None,
        error_kw={"elinewidth": 0.9, "ecolor": REFERENCE},
        color=COLORS[0],
        label="here",
    )
    printed = [number.target * scale for number in numbers if isinstance(number.target, int | float)]
    axes.plot(
        places,
        printed,
        linestyle="none",
        marker="_",
        color=COLORS[4],
        markersize=9,
        markeredgewidth=2,
        label="printed",
    )
    axes.axhline(0, color=REFERENCE, linewidth=0.6)
    axes.set_xticks(list(places), names, rotation=90 if len(names) > 12 else 0)


def _drawn(figure: Mapping[str, Any], plot: Callable[[Any], None], title: str, path: Path) -> list[Path]:
    unknown = [key for key in figure if key not in FIGURE_KEYS]
    if unknown or figure.get("kind", "line") not in KINDS:
        raise WordlineError(
            f"figure of {title}: {unknown or figure['kind']}: allowed: {', '.join(FIGURE_KEYS)}"
        )
    try:
        import matplotlib as mpl
    except ImportError:
        raise WordlineError("figures need matplotlib: pip install 'wordline[plot]'") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    # SVG without dates and with fixed names, so that the same rows give the same file.
    with mpl.rc_context({"svg.hashsalt": "wordline", "font.size": 9, "svg.fonttype": "none"}):
        canvas, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
        try:
            plot(axes)
            _dress(axes, figure, title)
            made = [path.with_suffix(".png"), path.with_suffix(".svg")]
            canvas.savefig(made[0], dpi=150)
            canvas.savefig(made[1], metadata={"Date": None})
        finally:
            pyplot.close(canvas)
    return made


def _groups(figure: Mapping[str, Any], lines: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines of each series, by its label."""
    key = figure.get("series")
    names = figure.get("labels", {})
    found: dict[str, list[Line]] = {}
    for line in lines:
        name = str(line[key]) if key else ""
        found.setdefault(str(names.get(name, name)), []).append(line)
    return found


def _draw_lines(axes: Any, figure: Mapping[str, Any], lines: Sequence[Line]) -> None:
    x, ys = figure["x"], _listed(figure["y"])
    scale_x, scale_y = figure.get("x_scale", 1.0), figure.get("y_scale", 1.0)
    number = 0
    for name, group in _groups(figure, lines).items():
        ordered = sorted(group, key=lambda line: line[x])
        for y in ys:
            color = COLORS[number % len(COLORS)]
            number += 1
            points = [(line[x] * scale_x, line[y] * scale_y) for line in ordered if line[y] is not None]
            label = _label(figure, name, y if len(ys) > 1 else "") or figure.get("y_label", y)
            reference = figure.get("reference")
            measured = "o" if reference else "-o"
            reaches = [
                (line[x] * scale_x, line[y] * scale_y, line[y + SPREAD] * scale_y)
                for line in ordered
                if y + SPREAD in line
            ]
            if reaches:
                places, means, reach = zip(*reaches, strict=True)
                axes.errorbar(places, means, reach, fmt="none", ecolor=color, elinewidth=0.9)
            if points:
                axes.plot(
                    *zip(*points, strict=True),
                    measured,
                    color=color,
                    label=label,
                    markersize=5,
                    linewidth=1.6,
                )
            if reference:
                curve = [
                    (line[x] * scale_x, line[reference] * scale_y)
                    for line in ordered
                    if line[reference] is not None
                ]
                if curve:
                    axes.plot(*zip(*curve, strict=True), "-", color=color, linewidth=1.1, zorder=1)
    if figure.get("reference"):
        axes.plot(
            [], [], "-", color=REFERENCE, linewidth=1.1, label=figure.get("reference_label", "closed form")
        )


def _draw_bars(axes: Any, figure: Mapping[str, Any], lines: Sequence[Line]) -> None:
    x, ys = figure["x"], _listed(figure["y"])
    groups = _groups(figure, lines)
    places = list(dict.fromkeys(str(line[x]) for line in lines))
    series = [(name, y) for name in groups for y in ys]
    width = 0.8 / max(len(series), 1)
    for number, (name, y) in enumerate(series):
        heights = {str(line[x]): line[y] for line in groups[name] if line[y] is not None}
        at = [places.index(place) + (number - (len(series) - 1) / 2) * width for place in heights]
        values = [value * figure.get("y_scale", 1.0) for value in heights.values()]
        label = _label(figure, name, y if len(ys) > 1 else "")
        spread = {str(line[x]): line.get(y + SPREAD, 0.0) for line in groups[name]}
        reach = [spread[place] * figure.get("y_scale", 1.0) for place in heights]
        axes.bar(
            at,
            values,
            width * 0.92,
            yerr=reach if any(reach) else None,
            error_kw={"elinewidth": 0.9, "ecolor": REFERENCE},
            color=COLORS[number % len(COLORS)],
            label=label or figure.get("y_label", y),
        )
    reference = figure.get("reference")
    if reference:
        for name, group in groups.items():
            number = [key for key, _ in series].index(name)
            for line in group:
                if line[reference] is not None:
                    middle = places.index(str(line[x])) + (number - (len(series) - 1) / 2) * width
                    height = line[reference] * figure.get("y_scale", 1.0)
                    axes.plot(
                        [middle - width / 2, middle + width / 2], [height] * 2, color=REFERENCE, linewidth=1.6
                    )
        axes.plot([], [], color=REFERENCE, linewidth=1.6, label=figure.get("reference_label", "closed form"))
    named = [str(figure.get("labels", {}).get(place, place)) for place in places]
    long = max((len(place) for place in named), default=0) * len(places) > 70
    axes.set_xticks(range(len(places)), named, rotation=35 if long else 0, ha="right" if long else "center")


def _label(figure: Mapping[str, Any], series: str, y: str) -> str:
    return ", ".join(part for part in (series, figure.get("labels", {}).get(y, y)) if part)


def _listed(value: Any) -> list[str]:
    return list(value) if isinstance(value, list) else [value]


def _dress(axes: Any, figure: Mapping[str, Any], title: str) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter, StrMethodFormatter

    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(figure.get("x_label", ""))
    axes.set_ylabel(figure.get("y_label", ""))
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if figure.get(f"{name}_log"):
            (axes.set_xscale if name == "x" else axes.set_yscale)("log")
            axis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
            axis.set_minor_formatter(NullFormatter())
    if figure.get("x_log"):
        places = sorted({place for line in axes.lines for place in line.get_xdata()})
        axes.set_xticks(places if len(places) <= MOST_TICKS else places[:: len(places) // MOST_TICKS + 1])
    if figure.get("y_log"):
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    elif "y_min" in figure or figure.get("kind") == "bar":
        axes.set_ylim(bottom=figure.get("y_min", 0))
    if figure.get("percent"):
        (axes.xaxis if figure["percent"] == "x" else axes.yaxis).set_major_formatter(PercentFormatter(1.0, 0))
    axes.grid(
        which="major", axis="y" if figure.get("kind") == "bar" else "both", color="#e5e7eb", linewidth=0.6
    )
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > 1 or (labels and labels[0] != figure.get("y_label")):
        if figure.get("kind") == "bar":
            # Above the bars, where it hides none.
            axes.set_ylim(top=axes.get_ylim()[1] * 1.12)
            axes.legend(frameon=False, fontsize=8, loc="upper center", ncols=len(handles))
        else:
            axes.legend(frameon=False, fontsize=8)
