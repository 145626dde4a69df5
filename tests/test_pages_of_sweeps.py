"""Pages of sweeps and searches: what failed, what is unsure, and means over the other axes."""

from __future__ import annotations

import itertools
import json
from typing import Any


def test_points_and_trials_that_failed_are_counted_and_told() -> None:
    from wordline.report.folders import search_body, sweep_body
    from wordline.report.studies import Search

    base = {"device": "d", "scheme": "s", "workload": "w", "seed": 1, "result": None, "inputs": None}
    rows = [
        base | {"axis.a.b": 1, "status": "done", "error": None, "waf": 2.0},
        *(base | {"axis.a.b": n, "status": "failed", "error": "no <room>"} for n in (2, 3)),
    ]
    rows[0]["result"] = json.dumps({"notes": []})
    text = sweep_body(rows)
    assert "2 of 3 runs failed" in text and "b 2 and 1 more: no &lt;room&gt;" in text
    trials: list[dict[str, Any]] = [
        {"trial": 0, "scheme.a": 1.5, "waf": 2.0, "error": None},
        {"trial": 1, "scheme.a": 9.0, "waf": None, "error": "too <large>"},
    ]
    search = {"scheme.a": {"low": 1.0, "high": 9.0, "log": True}}
    found = Search("s", {"waf": "minimize"}, trials, frozenset([0]), search=search, of={"set x.y": "3"})
    text = search_body(found)
    assert "1 of 2 trials failed" in text and "trial 1: too &lt;large&gt;" in text
    assert "<dt>scheme.a</dt><dd>1.0 to 9.0, log</dd>" in text and "<dt>set x.y</dt><dd>3</dd>" in text
    assert "<dt>objective</dt><dd>WAF to minimize</dd>" in text


def swept(lacking: frozenset[tuple[int, int, int]], unsure: frozenset[tuple[int, int, int]]) -> Any:
    """Points over three axes, with the sum of these as WAF; some lack, of some the interval is too wide."""
    from wordline.sweeps.averages import averages

    rows = []
    for place in itertools.product((1, 2, 3), (10, 20), (100, 200, 300)):
        names = ("axis.x.across", "axis.x.down", "axis.x.rest")
        axes = dict(zip(names, place, strict=True))
        waf = float(sum(place))
        ends = {"low": 0.0, "high": 3 * waf} if place in unsure else {"low": waf - 0.1, "high": waf + 0.1}
        interval = {f"intervals.figures.waf.{end}": value for end, value in (ends | {"degrees": 9}).items()}
        if place not in lacking:
            rows.append(axes | interval | {"status": "done", "waf": waf})
    return averages(rows)


def drawn_of_sweep(*points: frozenset[tuple[int, int, int]]) -> tuple[list[Any], list[Any]]:
    """Its charts of lines and its map, if there is one."""
    from wordline.report.studies import of_sweep

    made = list(of_sweep(swept(*points), ["waf"]))
    return [chart for chart in made if " over " in chart.title], [c for c in made if " by " in c.title]


def drawn_values(lines: list[Any]) -> set[float]:
    """Every number among the points of these charts."""
    found = {value for chart in lines for row in chart.spec["data"]["values"] for value in row.values()}
    return {value for value in found if isinstance(value, float)}


def test_points_that_are_unsure_are_counted_and_not_drawn() -> None:
    none = frozenset[tuple[int, int, int]]()
    lines, (grid,) = drawn_of_sweep(none, frozenset([(1, 10, 200), (2, 10, 200)]))
    assert lines and all("; 2 points are unsure and left out" in chart.title for chart in (*lines, grid))
    assert not {211.0, 212.0} & drawn_values(lines)
    lines, (grid,) = drawn_of_sweep(none, none)
    assert {211.0, 212.0} < drawn_values(lines)
    assert not any("left out" in chart.title for chart in (*lines, grid))


def cells_of(grid: Any) -> dict[tuple[int, int], float]:
    return {(cell["x"], cell["y"]): cell["v"] for cell in grid.spec["data"]["values"]}


def test_cells_of_a_map_are_means_over_the_same_settings() -> None:
    none = frozenset[tuple[int, int, int]]()
    _, (whole,) = drawn_of_sweep(none, none)
    assert whole.title.endswith(", mean of the other axes") and len(cells_of(whole)) == 9
    # A setting that one cell lacks is in none.
    _, (some,) = drawn_of_sweep(frozenset([(1, 10, 300)]), none)
    assert set(cells_of(some)) == set(cells_of(whole))
    differ = {place: value - cells_of(whole)[place] for place, value in cells_of(some).items()}
    assert len(set(differ.values())) == 1
    assert some.title.endswith("; 1 of 2 settings of down left out, which some cells lack")
    every = frozenset([(1, 10, 300), (1, 20, 300)])
    assert len(cells_of(drawn_of_sweep(every, none)[1][0])) == 8
    # Without a setting that is in all there is no map.
    apart = frozenset([(1, 10, 300), (2, 20, 300)])
    assert drawn_of_sweep(apart, none)[1] == []
